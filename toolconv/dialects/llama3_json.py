"""Llama 3.1, 3.2 and 3.3: the bare object ``{"name": …, "parameters": {…}}``, sometimes after ``<|python_tag|>``.

The family's templates allow one call a turn; readers take several with ``; `` between them, and that is what is
written for several. ``<function=name>{…}</function>`` and ``name.call(key="value")`` of the same models are read by
the dialects ``llama3_custom`` and ``pythonic``.

Source: meta-llama/Llama-3.1-8B-Instruct chat template; vLLM ``llama3_json``.
"""

from toolconv.dialects.cores.json_blocks import JsonBlocks

DIALECT = JsonBlocks(
    name="llama3_json",
    aliases=("llama3",),
    models=("Llama 3.1", "Llama 3.2", "Llama 3.3"),
    sample='{"name": "get_weather", "parameters": {"city": "Tokyo"}}',
    separator="\n",
    reads=("llama3_custom", "pythonic"),
    opens=("<|python_tag|>",),
    argument_key="parameters",
    other_keys=("arguments",),
    bare="always",
    listed=True,
    between="; ",
)
