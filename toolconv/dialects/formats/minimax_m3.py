"""MiniMax M3: every tag after the marker ``]<]minimax[>[``, arguments as nested elements with their names.

``<invoke name="f"><query>q</query><tags><item>x</item></tags></invoke>``: objects are elements in elements, lists are
``<item>`` elements, everything else is text. The schema types the elements. Without one, an element whose children are
all ``<item>`` is a list, an element with other children is an object, and an empty ``<item>`` is null. JSON text for a
container, a repeated element for a list, other names than ``<item>`` in a list and a closing tag without its marker are
read.

Lost: null members, which the template leaves out; the marker in a text; keys that hold ``<``, ``>`` or a line break or
begin with ``/``. Without a schema also: empty lists and objects (they are read as an empty string), strings that spell
a number or a literal, a list of one name (``{"item": …}``) for an object.

Source: MiniMaxAI/MiniMax-M3 chat template; vLLM ``minimax_m3``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from toolconv.core import jsontext, lenient_json
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_readers.base import CallReader
from toolconv.dialects.call_readers.tag_calls import TagReader
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning, TurnParser
from toolconv.dialects.values.by_schema import Shape, TypingNotes, shape_of

MARK = "]<]minimax[>["
CALL, CALL_END = f"{MARK}<invoke name=", f"{MARK}</invoke>"
ELEMENT = lazy_re(r"<(?P<close>/?)(?P<name>[^\s<>/][^<>\n]{0,255})>")
STRUCTURE = lazy_re(r"(?:tool_call$|invoke\b)")
EXACT_ELEMENT = lazy_re(r"<(?!tool_call>|invoke>)(\w{1,256})>(.*)", re.DOTALL)
TEXT = frozenset(("string",))
ITEM = "item"
MAX_DEPTH = 128


@dataclass(slots=True, repr=False, eq=False)
class Node:
    """An element: its name, the text in it, the elements in it."""

    name: str
    start: int
    text: str = ""
    children: list[Node] = field(default_factory=list)


def spell_elements(value: Any) -> str:
    """The inside of a value's element. Null members are left out; null items are empty elements."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "".join(element(key, member) for key, member in value.items() if member is not None)
    if isinstance(value, list):
        return "".join(element(ITEM, item) for item in value)
    return "" if value is None else jsontext.spaced(value)


def element(name: str, value: Any) -> str:
    """A value as an element."""
    return f"{MARK}<{name}>{spell_elements(value)}{MARK}</{name}>"


class MinimaxM3(XmlParameters):
    """Nested elements, typed by the schema."""

    def call_reader(self, template: CallTemplate) -> CallReader:
        return ElementReader(template)

    def read_arguments(self, parser: TurnParser, at: int, call: ToolCall, repairs: list[str]) -> int:
        tree = Node("", at)
        shape = shape_of(call.name, parser.tools, self.calls.looks)
        plain = {key for key in shape.properties if shape[key].allowed == TEXT}
        end = self._elements(parser, at, tree, plain, repairs)
        notes = TypingNotes(repairs)
        call.arguments.update(_object(tree, shape, notes))
        call.untyped += notes.untyped
        return end

    def _elements(self, parser: TurnParser, at: int, tree: Node, plain: set[str], repairs: list[str]) -> int:
        """Read elements into ``tree``; return where they end. The elements named in ``plain`` hold only text."""
        text = parser.text
        path = [tree]
        while True:
            node = path[-1]
            place = text.find(MARK, at)
            if place < 0 and len(path) > 1:
                raise lenient_json.Unreadable("the text ends inside a value", len(text))
            text_before = text[at : place if place >= 0 else len(text)]
            end_tag = f"</{node.name}>"
            if (
                len(path) > 1
                and text_before.rstrip().endswith(end_tag)
                and not text.startswith(end_tag, place + len(MARK))
            ):
                repairs.append("marker_spelling")
                node.text += text_before.rstrip()[: -len(end_tag)]
                path.pop()
                at = place
                continue
            tag = ELEMENT.match(text, place + len(MARK)) if place >= 0 else None
            if (
                len(path) == 1
                and tree.children
                and tag is not None
                and self._skips(parser, text_before, tag, tree, repairs)
            ):
                if tag["close"] and tag["name"] == "invoke":
                    return place
                if tag["close"]:
                    at = tag.end()
                    continue
                text_before = ""
            if len(path) == 1 and (
                text_before.strip() or tag is None or tag["close"] or tag["name"].startswith("invoke ")
            ):
                return at if text_before.strip() or place < 0 else place
            if len(path) > 1 and (path[1].name in plain or tag is None or STRUCTURE.match(tag["name"])):
                top = path[1]
                end_tag = f"{MARK}</{top.name}>"
                close = self._end_of_text(parser, top.start, place, end_tag, repairs)
                top.text, top.children = text[top.start : close], []
                del path[1:]
                at = close + len(end_tag)
                continue
            if tag is None:
                raise lenient_json.Unreadable("a marker without an element", place)
            node.text += text_before
            at = tag.end()
            if not tag["close"]:
                if len(path) > MAX_DEPTH:
                    raise lenient_json.Unreadable(f"nested more than {MAX_DEPTH} deep", at)
                path.append(Node(tag["name"], at))
                node.children.append(path[-1])
            elif tag["name"] == node.name:
                path.pop()
            else:
                raise lenient_json.Unreadable(f"<{node.name}> is closed by </{tag['name']}>", at)

    def _end_of_text(self, parser: TurnParser, start: int, at: int, end_tag: str, repairs: list[str]) -> int:
        """Where the text of a value from ``start`` on is closed, after ``at``; whole calls in it are a part of it.

        Raises:
            Unreadable: nothing closes it, or another call begins before that.
        """
        begin, close = start, parser.find(end_tag, at)
        while close >= 0 and (call := parser.text.find(CALL, begin, close)) >= 0:
            end = parser.find(CALL_END, begin)
            if end < call or not parser.charge(end - begin):
                raise lenient_json.Unreadable("another call begins inside a value", call)
            begin = end + len(CALL_END)
            close = parser.find(end_tag, begin)
        if close < 0:
            raise lenient_json.Unreadable("the text ends inside a value", len(parser.text))
        if begin > start:
            repairs.append("markup_in_value")
        return close

    def _skips(self, parser: TurnParser, before: str, tag: re.Match[str], tree: Node, repairs: list[str]) -> bool:
        """Whether the call goes on with a tag, skipping stray text before it: words, turn tokens, a closing tag."""
        words = before.strip()
        tokens = 0
        while (token := next((token for token in self.turn_tokens if words.startswith(token)), "")) != "":
            words = words[len(token) :].strip()
            tokens += 1
        again = bool(tag["close"]) and tag["name"] == tree.children[-1].name
        ends = bool(tag["close"]) and tag["name"] == "invoke"
        opens = not tag["close"] and STRUCTURE.match(tag["name"]) is None
        if not (opens or ends or again) or (words and (tokens or again)) or not (words or tokens or again):
            return False
        repairs += ["leaked_token"] * tokens + ["prose_in_call"] * bool(words) + ["extra_close_tag"] * again
        parser.keep([words] if words else [])
        return True


class ElementReader(TagReader):
    """The exact reader of nested elements."""

    def read(self, body: str, tools: ToolIndex) -> list[ToolCall] | None:
        calls = []
        for item in body.split(self._joint):
            head, *parts = item.split(MARK)
            name = self._head.fullmatch(head)
            if name is None or item.count("<") + item.count("]") != 4 * len(parts):  # a tag has two of each
                return None
            parts.append("")
            notes = TypingNotes()
            shape = shape_of(name[1], tools, self._looks)
            arguments, end = ExactElements(parts, notes).members(0, "", shape, 0)
            if end != len(parts) or notes.repairs:
                return None
            calls.append(ToolCall(name[1], arguments, untyped=notes.untyped))
        return calls

    def certainly_round_trips(self, call: ToolCall, tools: ToolIndex) -> bool:
        nested = any(value is None or isinstance(value, dict | list) for value in call.arguments.values())
        return not nested and super().certainly_round_trips(call, tools)


class ExactElements:
    """Reads elements exactly as the family writes them.

    Args:
        parts: the text after each marker: a tag and, after an opening tag, text.
        notes: what happens while values get their types is added to it.
    """

    def __init__(self, parts: list[str], notes: TypingNotes) -> None:
        self._parts = parts
        self._notes = notes

    def members(self, at: int, close: str, shape: Shape, depth: int) -> tuple[dict[str, Any], int]:
        """The elements from a part to the closing tag, as an object inside others, and where they end.

        Raises:
            ValueError: the text there has another form.
        """
        found: dict[str, Any] = {}
        while self._parts[at] != close:
            name, text = self._opening(at)
            if name in found:
                raise ValueError("several elements of one name")
            member = shape[name]
            if not depth and member.allowed == TEXT and self._parts[at + 1] != f"</{name}>":
                raise ValueError("elements in a text")
            found[name], at = self._value(at + 1, name, text, member, depth)
        return found, at + 1

    def _value(self, at: int, name: str, text: str, shape: Shape, depth: int) -> tuple[Any, int]:
        """The value of the element that opens before a part, and where it ends."""
        close = f"</{name}>"
        if self._parts[at] == close:
            return _plain(name, text, shape, self._notes), at + 1
        if text or depth + 2 >= MAX_DEPTH:
            raise ValueError("text beside elements, or too deep")
        if not _is_list(shape, self._opening(at)[0]):
            return self.members(at, close, shape, depth + 1)
        found = []
        while self._parts[at] != close:
            name, text = self._opening(at)
            if name != ITEM:
                raise ValueError("another element in a list")
            item, at = self._value(at + 1, name, text, shape.item, depth + 1)
            found.append(item)
        return found, at + 1

    def _opening(self, at: int) -> tuple[str, str]:
        """The name in an opening tag, and the text after it."""
        match = EXACT_ELEMENT.fullmatch(self._parts[at])
        if match is None:
            raise ValueError("no element")
        return match[1], match[2]


def _object(node: Node, shape: Shape, notes: TypingNotes) -> dict[str, Any]:
    """The children of an element as members; children with the same name become a list."""
    groups: dict[str, list[Node]] = {}
    for child in node.children:
        groups.setdefault(child.name, []).append(child)
    result: dict[str, Any] = {}
    for name, nodes in groups.items():
        member = shape[name]
        if len(nodes) > 1:
            result[name] = [_value(child, member.item, notes) for child in nodes]
        else:
            result[name] = _value(nodes[0], member, notes)
    if node.children and node.text.strip() and node.name:
        result["$text"] = node.text.strip()
        notes.repairs.append("markup_in_value")
    return result


def _value(node: Node, shape: Shape, notes: TypingNotes) -> Any:
    """The value of an element."""
    if not node.children:
        return _plain(node.name, node.text, shape, notes)
    named = all(child.name == ITEM for child in node.children)
    if not _is_list(shape, node.children[0].name) or (shape.allowed is None and not named):
        return _object(node, shape, notes)
    if node.text.strip():
        raise lenient_json.Unreadable("text between the items of a list", node.start)
    notes.repairs += ["item_name" for child in node.children if child.name != ITEM]
    return [_value(child, shape.item, notes) for child in node.children]


def _is_list(shape: Shape, first: str) -> bool:
    """Whether an element is a list, given the name of the first element in it."""
    allowed = shape.allowed
    if allowed is not None and "array" not in allowed:
        return False
    return first == ITEM or (allowed is not None and "object" not in allowed)


def _plain(name: str, text: str, shape: Shape, notes: TypingNotes) -> Any:
    """The value of an element without others in it."""
    allowed = shape.allowed
    if not text and allowed is None and name == ITEM and shape.infers:
        notes.untyped += 1
        return None
    if allowed is not None and "string" not in allowed and not text.strip():
        if "array" in allowed:
            return []
        if "object" in allowed:
            return {}
        if "null" in allowed:
            return None
    if MARK in text:
        notes.repairs.append("markup_in_value")
    return notes.typed(text, shape)


DIALECT = MinimaxM3(
    name="minimax_m3",
    aliases=("minimax-m3",),
    models=("MiniMax-M3",),
    sample=f'{MARK}<tool_call>\n{MARK}<invoke name="get_weather">{MARK}<city>Tokyo{MARK}</city>{MARK}</invoke>\n'
    f"{MARK}</tool_call>",
    calls=CallTemplate(
        f'{MARK}<invoke name="{{name}}">{{params|not_null}}{MARK}</invoke>',
        before=f"{MARK}<tool_call>\n",
        between="\n",
        after=f"\n{MARK}</tool_call>",
        param=f"{MARK}<{{key}}>{{value|elements}}{MARK}</{{key}}>",
        spellings={"elements": spell_elements},
    ),
    reasoning=Reasoning("<mm:think>", "</mm:think>", "<mm:think>", "</mm:think>"),
    turn_tokens=("[e~[", *TURN_TOKENS),
    losses=("argument_key", "argument_null", "argument_type", "argument_value", "call"),
    chat=ChatFormat(
        tools_open="# Tools\nYou may call one or more tools to assist with the user query.\n"
        "Here are the tools available in JSONSchema format:\n\n<tools>\n<tool>",
        tools_between="</tool>\n<tool>",
        tools_close=f"""</tool>
</tools>

To call tools, wrap all invocations in a single {MARK}<tool_call>{MARK}</tool_call> block. Parameter values containing \
nested objects or arrays are recursively expanded into XML elements. Example:

{MARK}<tool_call>
{MARK}<invoke name="tool-name-1">{MARK}<param-1>value-1{MARK}</param-1>{MARK}<param-2>{MARK}<item>\
{MARK}<key-a>val-a{MARK}</key-a>{MARK}<key-b>val-b{MARK}</key-b>{MARK}</item>{MARK}</param-2>{MARK}</invoke>
{MARK}<invoke name="tool-name-2">{MARK}<param-1>value-1{MARK}</param-1>{MARK}</invoke>
{MARK}</tool_call>""",
        bare_tools=True,
        response_role="tool",
        response="<response>{content}</response>",
        one_turn=True,
    ),
)
