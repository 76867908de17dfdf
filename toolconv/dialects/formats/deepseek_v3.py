"""DeepSeek-V3 and R1: token sections, the word ``function``, the name, the arguments in a JSON fence.

The tokens contain U+FF5C (｜) and U+2581 (▁). Tokens with ASCII bars and underscores are read too, and so is the body
of V3.1 (``name<｜tool▁sep｜>{…}``, no fence). Calls are separated by a newline.

The models' own chat template declares no tools. The wording is that of vLLM's template without its stray spaces.

Source: deepseek-ai/DeepSeek-V3-0324 chat template; vLLM ``deepseek_v3`` and its example template.
"""

from __future__ import annotations

from toolconv.core.calls import NotACall
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import QWEN_TOOLS, ChatFormat
from toolconv.dialects.grammars.name_then_json import NameThenJson


def variants(token: str) -> tuple[str, ...]:
    """A DeepSeek token, and its variants with ASCII for one or both of its special characters."""
    ascii_bars = token.replace("｜", "|")
    return (token, ascii_bars, token.replace("▁", "_"), ascii_bars.replace("▁", "_"))


SEPARATORS = variants("<｜tool▁sep｜>")


class DeepSeek(NameThenJson):
    """``begin … sep … end`` with DeepSeek's tokens."""

    fences: bool = True

    def header(self, text: str) -> tuple[str, str | None] | None:
        for separator in SEPARATORS:
            kind, found, name = text.partition(separator)
            if found:
                kind, name = kind.strip(), name.strip()
                if name and kind not in ("", "function"):
                    raise NotACall("two names")
                return (name or kind, None)
        return None


DEEPSEEK_CALLS = CallTemplate(
    "<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{args}\n```<｜tool▁call▁end｜>",
    before="<｜tool▁calls▁begin｜>",
    between="\n",
    after="<｜tool▁calls▁end｜>",
)

DIALECT = DeepSeek(
    name="deepseek_v3",
    aliases=("deepseek", "deepseekv3", "cogito"),
    models=("DeepSeek-V3", "DeepSeek-V3-0324", "DeepSeek-R1", "DeepSeek-R1-0528"),
    sample="<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n"
    '```json\n{"city": "Tokyo"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    calls=DEEPSEEK_CALLS,
    fallback_dialects=("hermes",),
    section_opens=variants("<｜tool▁calls▁begin｜>"),
    section_closes=variants("<｜tool▁calls▁end｜>"),
    opens=variants("<｜tool▁call▁begin｜>"),
    closes=variants("<｜tool▁call▁end｜>"),
    chat=ChatFormat(
        tools_open=QWEN_TOOLS,
        tools_close="\n</tools>\n\nFor function call returns, you should first print <｜tool▁calls▁begin｜>\n"
        "For each function call, you should return object like:\n"
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜><function_name>\n```json\n<function_arguments_in_json_format>\n"
        "```<｜tool▁call▁end｜>\n"
        "At the end of function call returns, you should print <｜tool▁calls▁end｜><｜end▁of▁sentence｜>",
        response_role="tool",
        response="<｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>",
        responses_open="<｜tool▁outputs▁begin｜>",
        responses_close="<｜tool▁outputs▁end｜>",
        one_turn=True,
    ),
)
