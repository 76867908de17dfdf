"""The format that a Transformers ``response_template`` describes; without one, Hermes' format.

A ``response_template`` (Transformers 5.13 and later, a key of ``tokenizer_config.json``) holds the markers that open
and close the fields of a turn, and how the text of a field becomes a call. :func:`from_template` makes a dialect of
one. The plain name ``hf`` stands for a template of ``<think>`` and ``<tool_call>`` tags with JSON inside.

Read: the field ``tool_calls`` (literal or pattern openers and closers, all content types, ``transform`` and
``transform_each``), ``thinking`` or ``reasoning_content`` as reasoning, ``content`` as prose; other fields stay in the
text. JSON is read tolerantly and to its own end, so a closer inside a string closes nothing; text values take the types
of the tool's schema; a field that is still open at the end is read if its JSON is complete. A region that yields no
call is dropped, and its text is kept. The patterns come from the template, and the time they take is not bounded.

Written: openers and closers that are literal, or patterns that are literal except for the name of the tool, with JSON
content. Other templates can only be read. A response template has no words for tools, so they are declared as plain
JSON; the plain name declares them as Qwen does.

A ``response_schema`` (Transformers 5.0 to 5.12: a JSON schema with patterns that cut a turn into its parts) is read as
well. It can't be written, and its ``transform`` needs the package ``jmespath``.

Source: Transformers' guide to response parsing; vLLM ``hf``, SGLang ``response_template``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from toolconv.dialects.chat import HERMES_CHAT
from toolconv.dialects.grammars.response_template import from_template

HERMES: Final = {
    "start_anchor": "<|im_start|>assistant\n",
    "defaults": {"role": "assistant"},
    "fields": {
        "thinking": {"open": "<think>", "close": "</think>", "content": "text"},
        "tool_calls": {
            "open": "<tool_call>",
            "close": "</tool_call>",
            "content": "json",
            "repeats": True,
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close": "<|im_end|>", "content": "text"},
    },
}
"""The template of the plain name ``hf``."""

DIALECT = replace(from_template(HERMES), chat=HERMES_CHAT, aliases=("response_template",))
