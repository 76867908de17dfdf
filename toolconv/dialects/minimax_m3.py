"""MiniMax M3: every tag behind the marker ``]<]minimax[>[``, arguments as nested elements named after themselves.

``<invoke name="f"><query>q</query><tags><item>x</item></tags></invoke>``: objects are elements in elements, lists
``<item>`` elements, all else text. The schema says what an element is; without one, an element whose children are all
``<item>`` is a list, an element with other children an object, and an empty ``<item>`` null. JSON text for a container,
a repeated element for a list, other names than ``<item>`` in it and a closing tag without its marker are read. The
template leaves null members out, so they are lost; so are empty lists and objects without a schema (they read as an
empty string), strings without a schema that look like a number or a literal, a list of one name (``{"item": …}``) for
an object without a schema, the marker in a text, and keys that hold ``<``, ``>`` or a line break or begin with ``/``.

Source: MiniMaxAI/MiniMax-M3 chat template; vLLM ``minimax_m3``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from toolconv import jsonlike
from toolconv.conversation import ToolCall
from toolconv.dialects.base import TURN_TOKENS, Reasoning, Scan
from toolconv.dialects.chatform import ChatForm
from toolconv.dialects.cores.xml_parameters import XmlParameters
from toolconv.dialects.values import spell_json, subschema, typed_as, types_of
from toolconv.toolindex import ToolIndex

MARK = "]<]minimax[>["
ELEMENT = re.compile(r"<(?P<close>/?)(?P<name>[^\s<>/][^<>\n]{0,255})>")
STRUCTURE = re.compile(r"(?:tool_call$|invoke\b)")
WRITTEN_HEAD = re.compile(r'((?!functions\.)[A-Za-z_][\w.\-]{0,127})">')
WRITTEN = re.compile(
    "MARK<(/?)(?!tool_call>|invoke>)(\\w+)>([^<\\]]*)(MARK</\\2>)?(?=MARK|\\Z)".replace("MARK", re.escape(MARK))
)
TEXT = frozenset(("string",))
ITEM = "item"
MAX_DEPTH = 128


@dataclass(slots=True)
class Node:
    """An element: its name, the text in it, the elements in it."""

    name: str
    start: int
    text: str = ""
    children: list[Node] = field(default_factory=list)


def spell(name: str, value: Any) -> str:
    """An element; null has none, but in a list."""
    if isinstance(value, dict):
        inner = "".join(spell(key, member) for key, member in value.items() if member is not None)
    elif isinstance(value, list):
        inner = "".join(spell(ITEM, item) for item in value)
    else:
        inner = "" if value is None else spell_json(value)
    return f"{MARK}<{name}>{inner}{MARK}</{name}>"


@dataclass(frozen=True, kw_only=True, eq=False)
class MinimaxM3(XmlParameters):
    """Nested elements, read by the schema."""

    def doubtful(self, call: ToolCall, tools: ToolIndex) -> bool:
        nested = any(value is None or isinstance(value, dict | list) for value in call.arguments.values())
        return nested or super().doubtful(call, tools)

    def write_parameter(self, key: str, value: Any) -> str:
        return "" if value is None else spell(key, value)

    def read_written(self, body: str, between: str, tools: ToolIndex) -> list[ToolCall] | None:
        calls = []
        repairs: list[str] = []
        for item in body.split(between):
            head = WRITTEN_HEAD.match(item)
            tree = _plain_tree(item, head.end()) if head is not None else None
            if head is None or tree is None:
                return None
            name = head[1]
            schema = tools.parameters(name)
            nested = [node.name for node in tree.children if node.children]
            properties = subschema(schema, schema, "properties") if nested else {}
            if any(types_of(properties.get(key), schema) == TEXT for key in nested):
                return None
            calls.append(ToolCall(name, _object(tree, schema, schema, repairs)))
        return None if repairs else calls

    def read_arguments(
        self, scan: Scan, at: int, arguments: dict[str, Any], schema: dict[str, Any] | None, repairs: list[str]
    ) -> int:
        tree = Node("", at)
        properties = subschema(schema, schema, "properties")
        plain = {key for key, declared in properties.items() if types_of(declared, schema) == TEXT}
        end = self._elements(scan, at, tree, plain, repairs)
        arguments.update(_object(tree, schema, schema, repairs))
        return end

    def _elements(self, scan: Scan, at: int, tree: Node, plain: set[str], repairs: list[str]) -> int:
        """Read elements into ``tree``; where they end. Of those in ``plain`` all up to the closing tag is text."""
        text = scan.text
        path = [tree]
        while True:
            node = path[-1]
            place = text.find(MARK, at)
            if place < 0 and len(path) > 1:
                raise jsonlike.Unreadable("the text ends inside a value", len(text))
            said = text[at : place if place >= 0 else len(text)]
            end_tag = f"</{node.name}>"
            if len(path) > 1 and said.rstrip().endswith(end_tag) and not text.startswith(end_tag, place + len(MARK)):
                repairs.append("marker_spelling")
                node.text += said.rstrip()[: -len(end_tag)]
                path.pop()
                at = place
                continue
            tag = ELEMENT.match(text, place + len(MARK)) if place >= 0 else None
            if len(path) == 1 and (said.strip() or tag is None or tag["close"] or tag["name"].startswith("invoke ")):
                return at if said.strip() or place < 0 else place
            if len(path) > 1 and (path[1].name in plain or tag is None or STRUCTURE.match(tag["name"])):
                top = path[1]
                end_tag = f"{MARK}</{top.name}>"
                close = scan.find(end_tag, place)
                if close < 0:
                    raise jsonlike.Unreadable("the text ends inside a value", len(text))
                top.text, top.children = text[top.start : close], []
                del path[1:]
                at = close + len(end_tag)
                continue
            if tag is None:
                raise jsonlike.Unreadable("a marker without an element", place)
            node.text += said
            at = tag.end()
            if not tag["close"]:
                if len(path) > MAX_DEPTH:
                    raise jsonlike.Unreadable(f"nested more than {MAX_DEPTH} deep", at)
                path.append(Node(tag["name"], at))
                node.children.append(path[-1])
            elif tag["name"] == node.name:
                path.pop()
            else:
                raise jsonlike.Unreadable(f"<{node.name}> is closed by </{tag['name']}>", at)


def _plain_tree(text: str, at: int) -> Node | None:
    """The elements that are all there is from ``at`` on; ``None`` where anything is odd."""
    node = Node("", 0)
    above: list[Node] = []
    found = WRITTEN.findall(text, at)
    tags = len(found)
    for close, name, said, end in found:
        if close:
            if not above or name != node.name or said:
                return None
            node = above.pop()
            continue
        if node.text or len(above) + 1 >= MAX_DEPTH:
            return None
        child = Node(name, 0, said, [])
        node.children.append(child)
        if end:
            tags += 1
        else:
            above.append(node)
            node = child
    begun = at == len(text) or text.startswith(MARK, at)
    whole = begun and text.count("<") + text.count("]") == 4 * tags  # a tag has two of each, and there are no others
    return node if whole and not above else None


def _object(node: Node, schema: Any, root: Any, repairs: list[str]) -> dict[str, Any]:
    """The children of an element as members; those of one name as a list."""
    properties = subschema(schema, root, "properties")
    if len({child.name for child in node.children}) == len(node.children):
        result = {child.name: _value(child, properties.get(child.name), root, repairs) for child in node.children}
    else:
        result = _grouped(node, properties, root, repairs)
    if node.children and node.text.strip() and node.name:
        result["$text"] = node.text.strip()
    return result


def _grouped(node: Node, properties: dict[str, Any], root: Any, repairs: list[str]) -> dict[str, Any]:
    """The same for children of which some have one name."""
    groups: dict[str, list[Node]] = {}
    for child in node.children:
        groups.setdefault(child.name, []).append(child)
    result = {}
    for name, nodes in groups.items():
        declared = properties.get(name)
        if len(nodes) > 1:
            items = subschema(declared, root, "items")
            result[name] = [_value(child, items, root, repairs) for child in nodes]
        else:
            result[name] = _value(nodes[0], declared, root, repairs)
    return result


def _value(node: Node, schema: Any, root: Any, repairs: list[str]) -> Any:
    """The value of an element."""
    allowed = types_of(schema, root)
    if not node.children and node.text.strip():
        return typed_as(node.text, allowed, repairs)
    if node.children:
        if allowed is None:
            listed = all(child.name == ITEM for child in node.children)
        else:
            listed = "array" in allowed and ("object" not in allowed or node.children[0].name == ITEM)
        if not listed:
            return _object(node, schema, root, repairs)
        if node.text.strip():
            raise jsonlike.Unreadable("text between the items of a list", node.start)
        repairs += ["item_name" for child in node.children if child.name != ITEM]
        items = subschema(schema, root, "items")
        return [_value(child, items, root, repairs) for child in node.children]
    if not node.text and allowed is None and node.name == ITEM:
        return None
    if allowed is not None and "string" not in allowed:
        if "array" in allowed:
            return []
        if "object" in allowed:
            return {}
        if "null" in allowed:
            return None
    return typed_as(node.text, allowed, repairs)


DIALECT = MinimaxM3(
    name="minimax_m3",
    aliases=("minimax-m3",),
    models=("MiniMax-M3",),
    sample=f'{MARK}<tool_call>\n{MARK}<invoke name="get_weather">{MARK}<city>Tokyo{MARK}</city>{MARK}</invoke>\n'
    f"{MARK}</tool_call>",
    reasoning=Reasoning("<mm:think>", "</mm:think>", "<mm:think>", "</mm:think>"),
    turn_tokens=("[e~[", *TURN_TOKENS),
    wrappers=((f"{MARK}<tool_call>\n", f"\n{MARK}</tool_call>"),),
    wrap_all=True,
    functions=((f'{MARK}<invoke name="{{name}}">', f"{MARK}</invoke>"),),
    parameters=((f"{MARK}<{{key}}>", f"{MARK}</{{key}}>"),),
    losses=("argument_key", "argument_null", "argument_type", "argument_value", "call"),
    chat=ChatForm(
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
    ),
)
