"""Slips of real models, as data: what was written, what is meant, and where it was reported.

Each is a pattern over the text of a turn and what to put in its place. All that match are mended at once, and the
mended text is read again; that reading is taken if it makes more of the turn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from toolconv.core.lazy_re import lazy_re
from toolconv.core.lenient_json import with_ascii_delimiters
from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.call_signs import unescaped, unread_calls
from toolconv.dialects.lexing.markers import may_hold_markup
from toolconv.dialects.lexing.mentions import TAG, TOKEN, kind_of
from toolconv.dialects.lexing.plain_text import holds_tokens
from toolconv.dialects.lexing.trie import WordSet
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS, end_without
from toolconv.dialects.reading.cost import worth_of
from toolconv.dialects.reading.mending import Mending, edited
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.dialects.vocabulary import Vocabulary, of_vocabulary


class KnownSlip(NamedTuple):
    """A slip that outputs of models show.

    Attributes:
        sign: a text that every text with the slip holds.
        pattern: the damaged markup.
        put: what to put in its place, as for :meth:`re.Match.expand`, or a function of the match.
        repair: the name of the repair.
        missing: a text that no text with the slip holds; empty for none.
    """

    sign: str
    pattern: re.Pattern[str]
    put: str | Callable[[re.Match[str]], str]
    repair: str
    missing: str = ""


def _arrow_call(match: re.Match[str]) -> str:
    """``{tool => "x", args => {--k "v"}}`` as JSON."""
    arguments = {}
    for key, value in _FLAG.findall(match[2]):
        try:
            arguments[key] = json.loads(value)
        except ValueError:
            arguments[key] = value
    call = {"name": match[1], "arguments": arguments}
    return f"<tool_call>{json.dumps(call, ensure_ascii=False)}</tool_call>"


_FLAG: Final = lazy_re(r"--([\w\-]+)\s+(\"(?:[^\"\\]|\\.)*\"|\{[^{}]*\}|\[[^\[\]]*\]|[^\s\"{}]+)")

_ARROWS: Final = lazy_re(
    r"\[TOOL_CALL\]\s{0,20}\{\s{0,20}tool\s{0,20}=>\s{0,20}\"([^\"\n]{1,128})\",?\s{0,20}args\s{0,20}=>\s{0,20}"
    r"\{((?:[^<\[]|\[(?!TOOL_CALL\])){0,4000}?)\}\s{0,20}\}\s{0,20}(?:\[/TOOL_CALL\]|\Z)"
)
_THOUGHT: Final = lazy_re(
    r"(?<=>)\s{0,20}<think>[^<]{0,4000}</think>\s{0,20}"
    r"(?=<(?:parameter|arg_key|/invoke|/function|/tool_call|[|｜]))"
)
_LAST_THOUGHT: Final = lazy_re(
    r"(</tool_call>|</function_calls>|</invoke>|<tool_call\|>|<\|tool_calls_section_end\|>)\s{0,20}</think>\s{0,20}\Z"
)
_UNOPENED: Final = lazy_re(r"(?<=[{,])(\w{1,64}:)(?!<\|\"\|>|[\"\[{\d\-]|true|false|null)([^<{}\"]{1,400}<\|\"\|>)")

_WORDED: Final = lazy_re(
    r"\A\s{0,20}Here(?: is|'s) my thought process:\s{0,20}(.{1,100000}?)\s{0,20}Here(?: is|'s) my response:\s{0,20}",
    re.DOTALL,
)


_DOUBLED: Final = lazy_re(r"(?<=>)\s{0,20}\{\{\"[^<>]{1,20000}\}\}\s{0,20}(?=</)")
_WRAPPED: Final = lazy_re(r"(?<=>)\s{0,20}\{(\{\"[^<>]{1,20000}\})\}\s{0,20}(?=</)")
_RUN: Final = lazy_re(r"\{+|\}+")
_CODE_BLOCK: Final = lazy_re(r"^```tool_code[ \t]*\n((?:[^`\n]+\n)+)```\s*\Z", re.MULTILINE)
_PRINTED: Final = lazy_re(r"^print\((.*)\)[ \t]*$", re.MULTILINE)


def _unwrapped(match: re.Match[str]) -> str:
    """A whole object without a second pair of braces around it."""
    try:
        json.loads(match[1])
    except ValueError:
        return match[0]
    return match[1]


def _halved(match: re.Match[str]) -> str:
    """A body in which all braces are doubled, as in a format string, with single ones."""
    if any(len(run[0]) % 2 for run in _RUN.finditer(match[0])):
        return match[0]
    return _RUN.sub(lambda run: run[0][: len(run[0]) // 2], match[0])


def _called(match: re.Match[str]) -> str:
    """The calls in a block of code of Gemma 3, without what prints their results."""
    calls = _PRINTED.sub(r"\1", match[1]).replace("default_api.", "")
    return f"<function_calls>\n{calls}</function_calls>"


SLIPS: Final = (
    # GLM: an opening tag lost, or another one in its place (sigit 95, ollama 13820).
    KnownSlip("</arg_key>", lazy_re(r"<tool_call>(?=[^<>\n]{1,64}</arg_key>)"), "<arg_key>", "marker_spelling"),
    KnownSlip(
        "</arg_key>",
        lazy_re(r"(?<=[\n>])(?<!<arg_key>)([\w.\-]{1,64})(?=</arg_key>)"),
        r"<arg_key>\1",
        "missing_open_tag",
    ),
    KnownSlip(
        "</arg_key>",
        lazy_re(r"</arg_key>(\s{0,20})(?!\s|<arg_value>)(?=[^<]{0,4000}</arg_value>)"),
        r"</arg_key>\1<arg_value>",
        "missing_open_tag",
    ),
    # GLM-5.3-Flash: an object for the tags, or a key and its value in one (glm53_flash_detector of an SGLang branch).
    KnownSlip("<tool_call>", lazy_re(r"(<tool_call>[\w.\-]{1,128})>(?=\s{0,8}\{)"), "\\1\n", "marker_spelling"),
    KnownSlip(
        "</arg_value>",
        lazy_re(r"<arg_key>\s{0,8}([\w.\-]{1,64})\s{0,8}=([^<>]{1,4000})(?=</arg_value>)"),
        r"<arg_key>\1</arg_key><arg_value>\2",
        "marker_spelling",
    ),
    # Poolside: the tag of a user's turn for that of a call (ollama's tests of Laguna).
    KnownSlip(
        "</user>",
        lazy_re(r"<user>(?=\s{0,8}(?:[\w.\-]{1,64}\s{0,8}<arg_key>|\{\"name\"))"),
        "<tool_call>",
        "marker_spelling",
    ),
    KnownSlip("</user>", lazy_re(r"(</arg_value>|\})(\s{0,8})</user>"), r"\1\2</tool_call>", "marker_spelling"),
    # DeepSeek: other bars around the token, or no token (sglang 40236, GenericAgent 804).
    KnownSlip(
        "DSML", lazy_re(r"<(/?)(?!｜DSML｜)[|｜‖│∣]{1,3} ?DSML ?[|｜‖│∣]{1,3}"), r"<\1｜DSML｜", "marker_spelling"
    ),
    KnownSlip(
        '" string="',
        lazy_re(r"<(/?)(function_calls|tool_calls|invoke|parameter)(?=[\s>])"),
        r"<\1｜DSML｜\2",
        "missing_tags",
        "DSML",
    ),
    KnownSlip(
        "<｜DSML｜",
        lazy_re(r"</(parameter|invoke|function_calls|tool_calls)>"),
        r"</｜DSML｜\1>",
        "marker_spelling",
    ),
    # gpt-oss: the channel twice in a header, or none that calls (llama.cpp 15789).
    KnownSlip("<|channel|>", lazy_re(r"<\|channel\|>\w+ to=assistant(?=<\|channel\|>)"), "", "leaked_token"),
    KnownSlip(
        "<|channel|>",
        lazy_re(r"(<\|channel\|>\w+ to=[\w.\-]+)\s*<\|channel\|>\w+(?: ?json)?(?=<\|)"),
        r"\1",
        "leaked_token",
    ),
    # Gemma 4: the mark before a text lost, or a quote for one of its two (ollama 15798).
    KnownSlip('<|"|>', lazy_re(r":'([^'<{}]{0,400})'<\|\"\|>"), r':<|"|>\1<|"|>', "single_quotes"),
    KnownSlip('<|"|>', _UNOPENED, r'\1<|"|>\2', "missing_quote"),
    KnownSlip('<|"|>', lazy_re(r"(?<=:)\"(?=[^\"<]{0,400}<\|\"\|>)"), '<|"|>', "marker_spelling"),
    KnownSlip('<|"|>', lazy_re(r"(<\|\"\|>[^\"<]{0,400})\"(?=\s{0,8}[,}])"), r'\1<|"|>', "marker_spelling"),
    # Gemma: the word before the name lost (vllm 54778).
    *(
        KnownSlip(
            token, lazy_re(rf"{re.escape(token)}(?=[^\W\d][\w.\-]{{0,127}}\{{)"), rf"{token}call:", "missing_call_word"
        )
        for token in ("<|tool_call>", "<start_function_call>")
    ),
    # Gemma 4: a bar too many, and the arguments as JSON in round brackets (osaurus 1504).
    KnownSlip(
        "<|tool_call",
        lazy_re(r"<\|tool_call\|?>call:([\w.\-]{1,128})\((\{[^<>]{0,20000}\})\)(?=<tool_call\|>)"),
        r"<|tool_call>call:\1\2",
        "marker_spelling",
    ),
    # Gemma 4: arguments as in Python (omlx 1846).
    KnownSlip(
        "<|tool_call>",
        lazy_re(r"<\|tool_call>call:([\w.\-]{1,128}\([^\W\d]\w{0,63}=[^<>]{0,20000}\))\s{0,8}<tool_call\|>"),
        r"<function_calls>\n\1\n</function_calls>",
        "marker_spelling",
    ),
    # Qwen 3.6: the end of the first key lost (maclocal-api 141).
    KnownSlip('{"name="', lazy_re(r"(?<=\{\"name)=(?=\"[\w.\-]{1,128}\",)"), '": ', "missing_colon"),
    # The name and the arguments in elements of their own, as Cherry Studio asks for them, between Hermes' tags.
    KnownSlip(
        "<tool_call>",
        lazy_re(
            r"(?<=<tool_call>)\s{0,8}<name>\s{0,8}([\w.\-]{1,128})\s{0,8}</name>\s{0,8}"
            r"<(arguments|args|parameters)>\s{0,8}(\{(?:(?!</?\2>).){0,20000}\})\s{0,8}</\2>\s{0,8}(?=</tool_call>)",
            re.DOTALL,
        ),
        r'{"name": "\1", "arguments": \3}',
        "element_names",
    ),
    # Kimi K2: a section of one call without the marks around it (mlxcel 766).
    KnownSlip(
        "<|tool_calls_section_begin|>",
        lazy_re(
            r"(<\|tool_calls_section_begin\|>)(functions\.[^<>]{1,160}<\|tool_call_argument_begin\|>[^<>]{2,20000})"
        ),
        r"\1<|tool_call_begin|>\2<|tool_call_end|>",
        "missing_tags",
        "<|tool_call_begin|>",
    ),
    # Qwen3-Coder: the value in the tag of its parameter (Qwen3-Coder 457).
    KnownSlip(
        "<parameter=",
        lazy_re(r"<parameter=([\w.\-]{1,64})=([^<>\n]{1,2000})(?=</parameter>)"),
        r"<parameter=\1>\2",
        "marker_spelling",
    ),
    # Qwen 3.6: two closing tags in one (sglang 27337).
    KnownSlip(
        "</parameter", lazy_re(r"</parameter_?function>"), "</parameter>\n</function>", "marker_spelling", "</function>"
    ),
    # MiniMax: the brackets of the inner tags lost, and so where a closing tag begins (exo 1882).
    KnownSlip(
        "minimax:tool_call>",
        lazy_re(r"(?<!</)(invoke|parameter)>$", re.MULTILINE),
        r"</\1>",
        "marker_spelling",
        "</invoke>",
    ),
    # Gemma 3: calls in a block of code of their own, whose results are printed.
    KnownSlip("```tool_code", _CODE_BLOCK, _called, "markdown_fence"),
    # Braces doubled, as in a format string; underscores escaped, as in Markdown.
    KnownSlip('{{"', _DOUBLED, _halved, "extra_bracket"),
    KnownSlip('{{"', _WRAPPED, _unwrapped, "extra_bracket"),
    KnownSlip(
        "\\_",
        lazy_re(r"</?[|｜]?\w+(?:\\_\w+)+[|｜]?>|\[/?[A-Z]+(?:\\_[A-Z]+)+\]"),
        lambda match: match[0].replace("\\", ""),
        "escaped_underscore",
    ),
    # Misspelt tags (hermes-agent 73472, picoclaw; a bracket that is missing in a test of vLLM's qwen3_xml).
    KnownSlip(
        "<function=",
        lazy_re(r"(<function=[\w.\-]{1,128})(?=\s{0,20}<parameter[= ])"),
        r"\1>",
        "marker_spelling",
    ),
    KnownSlip(
        "voke", lazy_re(r"<(/?)(?:rivoke|ivoke|involke|invoked|nvoke)(?=[\s>])"), r"<\1invoke", "marker_spelling"
    ),
    KnownSlip("[TOOL_CALL]", _ARROWS, _arrow_call, "marker_spelling"),
    # Gemma 4: the end of reasoning that never began (ollama 15798).
    KnownSlip("<channel|>", lazy_re(r"\s{0,20}<channel\|>\s{0,20}\Z"), "", "leaked_token", "<|channel>"),
    # Granite 3: reasoning that words announce (vLLM's reasoning parser granite).
    KnownSlip("my thought process:", _WORDED, "<think>\n\\1\n</think>\n\n", "worded_reasoning"),
    # Who speaks, before reasoning (the Japanese rows of a public set of Hermes' calls).
    KnownSlip(
        "<think>", lazy_re(r"\A\s{0,20}(?:Assistant|ASSISTANT|アシスタント)[:：]\s{0,8}(?=<think>)"), "", "leaked_token"
    ),
    # Reasoning that ends with the calls it was to lead to (mlx-openai-server 284, vllm-mlx 433).
    KnownSlip("</think>", _LAST_THOUGHT, r"\1", "misplaced_think"),
    # Invisible characters around markup, and the mark that begins files.
    KnownSlip("\ufeff", lazy_re(r"\A\ufeff+"), "", "zero_width"),
    *(
        KnownSlip(char, lazy_re(rf"{char}+(?=\s{{0,20}}(?:[<\[{{]|\Z))|(?<=>){char}+"), "", "zero_width")
        for char in "\u200b\u2060\ufeff"
    ),
    # A full-width bracket opens the object of a call: the reader of JSON mends those inside.
    KnownSlip("｛", lazy_re(r"(?<=[>\]])(\s{0,4})｛(?=\s{0,4}[\"“＂])"), r"\1{", "full_width"),
    # Reasoning between the arguments of a call.
    KnownSlip("<think>", _THOUGHT, "", "reasoning_in_call"),
)

_ENTITIES: Final = dict(zip(("lt", "gt", "quot", "#34", "amp", "apos", "#39", "#x27"), "<>\"\"&'''", strict=True))
_ESCAPED: Final = lazy_re(rf"&({'|'.join(_ENTITIES)});")
_ESCAPED_TWICE: Final = lazy_re(rf"&amp;({'|'.join(_ENTITIES)});")
_CODE: Final = lazy_re(r"\\u(?:(003)[cCeE]|0026|[fF]{2}5[cC]|2581)")
"""Characters of markup as JSON writers escape them that write HTML, or ASCII alone."""
_QUOTE: Final = lazy_re(r"^> ?", re.MULTILINE)
_INDENT: Final = lazy_re(r"^    ", re.MULTILINE)
_WIDE_TAG: Final = lazy_re(r"＜/?[^＜＞<>\n]{2,120}＞|［/?[A-Z_]{3,30}］")
_NARROW: Final = str.maketrans("＜＞［］＝＂／", '<>[]="/')
_CURLY: Final = lazy_re("[“”„]")
_OBJECT: Final = lazy_re(r"\s{0,20}\{")
_NAME_AND_KEY: Final = lazy_re(r"(?<=<tool_call>)\s{0,8}([\w.\- ]{2,128})(?=</arg_key>)")
_ELEMENT: Final = lazy_re(r"<(/?)([^\W\d][\w.\-]{0,127})>")


def mended(text: str, tools: ToolIndex) -> Mending | None:
    """A turn whose known slips are mended; ``None`` if it has none."""
    if not may_hold_slips(text):
        return None
    turn = Mending(text, [], set())
    if "&" in text and "<" not in text and ("&lt;" in text or "&amp;lt;" in text):
        pattern, escaped = (_ESCAPED, text) if "&lt;" in text else (_ESCAPED_TWICE, text.replace("&amp;", "&"))
        if unread_calls(escaped, tools) or holds_tokens(unescaped(escaped)):
            escapes = [(*match.span(), _ENTITIES[match[1]]) for match in pattern.finditer(text)]
            turn = edited(turn, escapes, ["escaped_markup"])
    elif (
        "\\" in text
        and "\\u" in text
        and (codes := _CODE.search(text)) is not None
        and ("<" not in text or codes[1] != "003")
    ):
        escapes = [(*match.span(), str(json.loads(f'"{match[0]}"'))) for match in _CODE.finditer(text)]
        turn = edited(turn, escapes, ["escaped_markup"])
    joined = list(_joined(turn.text, tools)) if tools and "</arg_key>" in turn.text else []
    if joined:
        turn = edited(turn, joined, ["missing_open_tag"] * len(joined))
    if not text.isascii() and ("＜" in text or "［" in text):
        wide = [(*match.span(), match[0].translate(_NARROW)) for match in _WIDE_TAG.finditer(turn.text)]
        tags = {tag for _, _, tag in wide}
        if any(map(kind_of, tags)) and not any(map(kind_of, TAG.findall(text))):
            turn = edited(turn, wide, ["full_width"])
    if (
        not text.isascii()
        and text.strip()[:1] in ("{", "[", "｛", "［")
        and (plain := with_ascii_delimiters(text)) is not None
    ):
        pairs = enumerate(zip(text, plain, strict=True))
        turn = edited(
            turn,
            [(place, place + 1, put) for place, (char, put) in pairs if char != put],
            ["smart_quotes" if _CURLY.search(text) else "full_width"],
        )
    if (end := _end_of_turn(turn.text)) < len(turn.text):
        turn = edited(turn, [(end, len(turn.text), "")], ["leaked_token"])
    if (margin := _margin(text)) is not None:
        turn = edited(turn, margin, ["quoted_turn"])
    signs = _signs_in(turn.text)
    for slip in SLIPS if signs else ():
        if slip.sign not in signs or (slip.missing and slip.missing in turn.text):
            continue
        spans = [(*match.span(), _put(slip, match)) for match in slip.pattern.finditer(turn.text)]
        if spans:
            turn = edited(turn, spans, [slip.repair] * len(spans))
            signs = _signs_in(turn.text)
    named = tools and "</" in turn.text and any(f"</{name}>" in turn.text for name in tools.functions)
    elements = list(_elements(turn.text, tools)) if named else []
    if elements:
        turn = edited(turn, elements, ["element_names"])
    return turn if turn.repairs else None


_MENTIONS: Final = lazy_re(r"\w[ \t]+\Z")
_LAST_OF_TOKEN: Final = (">", "]", "[")
_BEGINNINGS: Final = ("<", ">", "{", "[", "`", "\\", "&", "my thought process:")
_ANY_BEGINNINGS: Final = (*_BEGINNINGS, *"＜［｛", "\u200b", "\u2060", "\ufeff")
"""A turn with a slip holds one of these, in ASCII or otherwise, unless it is indented; most prose holds none."""
TAGS: Final = frozenset(slip.sign for slip in SLIPS if slip.sign.startswith("<")) - {
    "</parameter",
    "</user>",
    "<name>",
    '<|"|>',
}
"""The signs that are tags of a dialect, so only in texts that may hold markup."""
_TAGS: Final = WordSet(TAGS)
_OTHER_SIGNS: Final = WordSet(slip.sign for slip in SLIPS if slip.sign not in TAGS)


def _signs_in(text: str) -> set[str]:
    """The signs of slips that a text holds."""
    signs = _OTHER_SIGNS.found_in(text)
    return signs | _TAGS.found_in(text) if may_hold_markup(text) else signs


def may_hold_slips(text: str) -> bool:
    """Whether a text holds what slips begin with, or is indented."""
    for sign in _BEGINNINGS if text.isascii() else _ANY_BEGINNINGS:
        if sign in text:
            return True
    return text.startswith("    ")


@of_vocabulary
def _turn_tokens(words: Vocabulary) -> tuple[str, ...]:
    """What some families write after turns; the tokens of many, all dialects cut."""
    return tuple(words.turn_tokens.difference(TURN_TOKENS))


def _end_of_turn(text: str) -> int:
    """Where a turn ends, without what any family writes after its turns; after a word and a blank, it is mentioned."""
    if text.rstrip()[-1:] not in _LAST_OF_TOKEN:
        return len(text)
    end = end_without(_turn_tokens(), text)
    return len(text) if _MENTIONS.search(text, max(0, end - 8), end) is not None else end


def _margin(text: str) -> list[tuple[int, int, str]] | None:
    """What begins each line of a turn that is quoted, or indented, as a whole; ``None`` for any other."""
    if not text.startswith((">", "    ")):
        return None
    mark = ">" if text[0] == ">" else "    "
    if not all(line.startswith(mark) for line in text.splitlines()):
        return None
    return [(*match.span(), "") for match in (_QUOTE if mark == ">" else _INDENT).finditer(text)]


def _put(slip: KnownSlip, match: re.Match[str]) -> str:
    return match.expand(slip.put) if isinstance(slip.put, str) else slip.put(match)


def _joined(text: str, tools: ToolIndex) -> Iterator[tuple[int, int, str]]:
    """The names of declared tools that run into the key of their first argument, each with both apart (vllm 47190)."""
    for match in _NAME_AND_KEY.finditer(text):
        for name in tools.functions:
            key = match[1].removeprefix(name).strip()
            if key != match[1] and key in (tools.properties(name) or ()):
                yield (*match.span(1), f"{name}<arg_key>{key}")


def _elements(text: str, tools: ToolIndex) -> Iterator[tuple[int, int, str]]:
    """The tags of elements named after declared tools and their parameters, each with what it is in the usual tags.

    Cline and Roo ask for ``<read_file><path>a</path></read_file>``.
    """
    tool, key = "", ""
    for match in _ELEMENT.finditer(text):
        close, name = match.groups()
        if not tool and not close and name in tools and text.find(f"</{name}>", match.end()) >= 0:
            tool = name
            body = _OBJECT.match(text, match.end())
            wrapped = text.endswith("<tool_call>", 0, match.start())
            opening, closing = ("", "") if wrapped else ("<tool_call>", "</tool_call>")
            if body is not None:
                yield (*match.span(), f'{opening}{{"name": {json.dumps(name)}, "arguments": ')
                end = text.index(f"</{name}>", match.end())
                yield end, end + len(name) + 3, "}" + closing
                tool = ""
                return
            yield (*match.span(), f'<invoke name="{name}">')
        elif tool and close and name == tool and not key:
            yield (*match.span(), "</invoke>")
            tool = ""
        elif tool and not key and not close:
            key = name
            yield (*match.span(), f'<parameter name="{name}">')
        elif key and close and name == key:
            key = ""
            yield (*match.span(), "</parameter>")


OF_PROSE: Final = frozenset({"leaked_token", "zero_width"})
"""Repairs that a turn without calls and reasoning may need; any other shows that a call was looked for."""


def leaves_nothing(parsed: Parsed, tools: ToolIndex) -> bool:
    """Whether a reading has found all that is in a turn of calls: no mended text can make more of it."""
    if not parsed.calls or may_hold_slips(parsed.content):
        return False
    return worth_of(parsed, tools) == (len(parsed.calls), 0, 0)


def makes_more(new: Parsed, old: Parsed, tools: ToolIndex) -> bool:
    """Whether a reading of the mended text is better than that of the text as it is."""
    return (worth_of(new, tools), *_looks(new)) > (worth_of(old, tools), *_looks(old))


def _looks(parsed: Parsed) -> tuple[bool, int, bool]:
    """How well the words of a turn look: whether its reasoning is known, tokens and odd characters are gone."""
    tokens = len(TOKEN.findall(parsed.content)) + parsed.content.rstrip().endswith(_turn_tokens())
    return parsed.reasoning is not None, -tokens, parsed.content.isprintable()
