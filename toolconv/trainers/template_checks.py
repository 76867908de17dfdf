"""What trainers do to rows by the student's chat template, or by one of their own: the checks that they share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Final

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import SYSTEM_ROLES, Message, calls_of
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.turns import RenderError
from toolconv.templates.base import ChatView, Template
from toolconv.templates.originals import Part, argument_effect, argument_types, deviations
from toolconv.templates.writer import Segment, SpanWriter, TextWriter
from toolconv.trainers.base import PARTS, Check, Effect, TrainerRow, copy_of
from toolconv.trainers.checks import is_text, row_messages, text_arguments

TURNS_IN_ONE: Final = "turns_in_one"
"""The repair of turns of the user and of results that are written as one: see :mod:`toolconv.trainers.one_turn`."""
TOOLS_IN_SYSTEM: Final = "tools_in_system"
"""The repair by which the tools are in the system text, as the student's template writes them."""
FIRST_UNTRAINED: Final = "first_answer_untrained"
"""The loss of first turns of the assistant that are in the system text."""
HEADER_TRAINED: Final = "header_trained"
"""The loss of turns of the assistant that are written as one."""
_NAMED_ELSEWHERE: Final = frozenset({"content_parts", "mask_differs", "message_keys", "response_keys"})
_LOSSES: Final[Mapping[str, tuple[str, str]]] = {
    "call_name": ("template_leaves_out_calls", "leaves out names of calls"),
    "calls": ("template_leaves_out_calls", "leaves out calls"),
    "content": ("template_leaves_out_prose", "leaves out a text"),
    "content_becomes_reasoning": ("template_changes_prose", "writes words of the assistant as reasoning"),
    "content_with_call": ("template_leaves_out_prose", "leaves out the text next to a call"),
    "parallel_calls": ("template_leaves_out_calls", "leaves out parallel calls"),
    "prose": ("template_leaves_out_prose", "leaves out a text"),
    "reasoning": ("template_leaves_out_reasoning", "leaves out reasoning"),
    "response": ("template_leaves_out_results", "leaves out results"),
    "response_borders": ("template_changes_results", "writes several results as one"),
    "system": ("template_leaves_out_system", "leaves out a system text"),
    "tool": ("template_leaves_out_results", "leaves out results"),
    "tool_schema": ("template_leaves_out_tools", "leaves out a part of a tool's schema"),
    "tools": ("template_leaves_out_tools", "leaves out tools"),
    "turns_merged": ("template_changes_turns", "writes two turns as one"),
}
"""What a template does, by the loss that it records."""
TOKEN: Final = lazy_re(r"<[^<>{}\s]+>|\[[^\[\]{}\s]+\]")


def original_deviates(*parts: Part) -> Check:
    """The check of what the original chat template of the student does to some parts, and toolconv's does not."""

    def deviates(seen: TrainerRow) -> Iterator[Effect]:
        if seen.template is None or not seen.template.is_known or is_text(seen.row):
            return
        name = seen.template.name
        for each in deviations(name, seen.conversation):
            if each.part in parts:
                yield Effect(deviation_name(each.effect, each.part), f"{name}: the original template {each.effect}")
        if "arguments" in parts:
            types = argument_types(row_messages(seen))
            if text_arguments not in seen.trainer.checks:  # it decodes them
                types = {dict} if types else types
            if (effect := argument_effect(name, types)) is not None:
                yield Effect(deviation_name(effect, "arguments"), f"{name}: the original template {effect}")

    return deviates


template_deviates: Final = original_deviates(*PARTS)
"""What the original chat template of the student does, and the one that toolconv writes does not."""


def deviation_name(effect: str, part: Part) -> str:
    """The name of what an original chat template does. One that only some models of a family have changes at most."""
    if effect.startswith(("refuses", "recurses")) and not effect.endswith(")"):
        return "template_refuses"
    leaves_out = effect.startswith(("leaves out", "writes only", "keeps only"))
    return f"template_leaves_out_{part}" if leaves_out else f"template_changes_{part}"


def template_leaves_out(seen: TrainerRow) -> Iterator[Effect]:
    """What the student's chat template has no place for, such as reasoning in earlier turns, or refuses."""
    if seen.template is None or is_text(seen.row):
        return
    name = seen.template.name
    try:
        chat = _chat(seen, seen.template)
        chat.notes.losses.clear()  # ids and keys, which few templates have a place for
        if seen.template.is_known:
            seen.template.write(chat, TextWriter())
        else:
            seen.template.written(chat)
    except RenderError as error:
        yield Effect("template_refuses", f"{name} can't write the row: {error}")
        return
    for loss in dict.fromkeys(chat.notes.losses):
        if loss not in _NAMED_ELSEWHERE:
            effect, does = _LOSSES.get(loss, ("template_leaves_out_turns", f"leaves out {loss.replace('_', ' ')}"))
            yield Effect(effect, f"{name} {does}")


def turn_tokens_in_texts(seen: TrainerRow) -> Iterator[Effect]:
    """Turn tokens in the texts of a row, of which the tokenizer makes turns."""
    if is_text(seen.row):
        return
    line = _without_joints(jsontext.dumps_line(seen.row), seen)
    for token in turn_tokens(seen.template):
        if token.encode() in line:
            message = f"a text holds {token}, which the tokenizer reads as the token that separates turns"
            yield Effect("turn_token_in_text", message)
            return


def _without_joints(line: bytes, seen: TrainerRow) -> bytes:
    """The line of a row without the turn tokens with which turns were written as one."""
    notes, template = seen.conversation.notes, seen.template
    for role, count in (
        ("user", notes.repairs.count(TURNS_IN_ONE)),
        ("assistant", notes.losses.count(HEADER_TRAINED) + notes.losses.count(FIRST_UNTRAINED)),
    ):
        if count and template is not None:
            joint = jsontext.dumps(template.ending + template.headers[role])[1:-1]
            line = line.replace(joint, b"", count)
    return line


def turn_tokens(template: Template | None) -> Iterable[str]:
    """The tokens that separate turns in a template; those of well-known families if it is not known."""
    if template is None:
        return TURN_TOKENS
    opening = TOKEN.findall(template.begin + template.open) if template.is_known else ()
    return dict.fromkeys([*filter(None, template.stops), *opening])


def marks_differ(seen: TrainerRow) -> Iterator[Effect]:
    """A loss mask by the ``{% generation %}`` marks of the student's chat template that isn't that of the spans."""
    if seen.template is None or is_text(seen.row):
        return
    with suppress(RenderError):  # see template_leaves_out
        for difference in seen.template.mask_differences(_chat(seen, seen.template)):
            yield Effect("mask_differs", f"with assistant_only_loss, {difference}")


def earlier_reasoning_kept(seen: TrainerRow) -> Iterator[Effect]:
    """Reasoning that the trainer's own template keeps, and the student's leaves out."""
    if seen.template is None or (spans := _spans(seen, seen.template)) is None:
        return
    chat, segments = spans
    kept = {index for _, kind, _, index, *_ in segments if kind == "reasoning"}
    for index in range(len(chat.messages)):
        if chat.reasoning(index) and index not in kept:
            message = f"{seen.trainer.name} keeps the reasoning that {seen.template.name} leaves out of this turn"
            yield Effect("reasoning_kept", message, index)


def line_breaks_kept(seen: TrainerRow) -> Iterator[Effect]:
    """Line breaks before answers and around reasoning that the trainer keeps and the student's template leaves out."""
    if seen.template is None or (spans := _spans(seen, seen.template)) is None:
        return
    chat, segments = spans
    kept = {index for text, kind, _, index, _ in segments if kind == "prose" and text.startswith("\n")}
    thoughts = {index: text for text, kind, _, index, _ in segments if kind == "reasoning"}
    for index, message in enumerate(chat.messages):
        answer = message.get("content") if message.get("role") == "assistant" else None
        if isinstance(answer, str) and answer.startswith("\n") and index not in kept:
            text = f"{seen.trainer.name} keeps the line breaks before this answer, {seen.template.name} does not"
            yield Effect("text_differs", text, index)
        thought = message.get("reasoning_content")
        if isinstance(thought, str) and index in thoughts and f"\n{thought}\n" not in thoughts[index]:
            text = f"{seen.trainer.name} keeps the line breaks around this reasoning, {seen.template.name} does not"
            yield Effect("text_differs", text, index)


def empty_system_is_none(*defaults: str) -> Check:
    """The check of an empty system text, which the trainer takes for none, and the student's template does not.

    Args:
        defaults: the students for which the trainer then writes a text of its own.
    """

    def system_left_out(seen: TrainerRow) -> Iterator[Effect]:
        first = next(iter(seen.conversation.messages), {})
        if seen.template is None or first.get("role") != "system" or first.get("content") != "":
            return
        if seen.conversation.tools and seen.template.name not in defaults:
            return  # the tools are in the system text
        spans = _spans(seen, seen.template)
        if spans is not None and any(index == 0 for _, _, _, index, _ in spans[1]):
            text = f"{seen.trainer.name} takes the empty system text for none, {seen.template.name} does not"
            yield Effect("text_differs", text, 0)

    return system_left_out


def empty_thinking_added(*students: str, when: str = "") -> Check:
    """The check of turns in which the trainer's own template writes empty reasoning, and the student's does not.

    Args:
        students: the templates of which that is known.
        when: with which option the trainer uses its own template; empty if always.
    """

    def thinking_added(seen: TrainerRow) -> Iterator[Effect]:
        if seen.template is None or seen.template.name not in students or is_text(seen.row):
            return
        if (spans := _spans(seen, seen.template)) is None:
            return
        chat, segments = spans
        written = {index for _, kind, _, index, *_ in segments if kind == "reasoning"}
        for index, role in enumerate(chat.roles):
            if role == "assistant" and index not in written and not chat.reasoning(index):
                who = f"{when}{', ' if when else ''}{seen.trainer.name}"
                text = f"{who} writes an empty <think> block in this turn, {seen.template.name} does not"
                yield Effect("empty_thinking_added", text, index)

    return thinking_added


def rewritten_turn(
    seen: TrainerRow, tried: Callable[[Message, Message], bool], *, prompted: Collection[str] = ()
) -> int | None:
    """The first turn that the student's template writes otherwise when others follow it; ``None`` if there is none.

    Of messages of one kind before messages of another one, the first is tried: so the cost stays linear.

    Args:
        seen: the row.
        tried: whether to try a message before another one.
        prompted: the roles after which the first messages alone end with the beginning of an answer.
    """
    messages, template = seen.conversation.messages, seen.template
    if template is None or is_text(seen.row):
        return None
    places = dict[tuple[str, bool, bool, str], int]()
    for at, (before, after) in enumerate(pairwise(messages)):
        if tried(before, after):
            kind = (
                str(before.get("role")),
                bool(before.get("reasoning_content")),
                bool(calls_of(before)),
                str(after.get("role")),
            )
            places.setdefault(kind, at)
    try:
        whole = _text(seen, messages, template)
        for at in places.values():
            first = messages[: at + 1]
            if not whole.startswith(_text(seen, first, template, generate=str(messages[at].get("role")) in prompted)):
                return at
    except RenderError:  # see template_leaves_out
        pass
    return None


def _text(seen: TrainerRow, messages: Sequence[Message], template: Template, *, generate: bool = False) -> str:
    """The student's text of messages of a row."""
    conversation = Conversation({**seen.conversation.row, "messages": [*messages]})
    chat = ChatView(conversation, template.dialect, generate=generate)
    if not template.is_known:
        return template.written(chat).text
    page = TextWriter()
    template.write(chat, page)
    return page.text


def own_template(seen: TrainerRow) -> Iterator[Effect]:
    """A student whose text no template of the trainer's own is known to write."""
    if seen.template is not None and seen.template.name not in seen.trainer.templates and not is_text(seen.row):
        name = seen.template.name
        text = f"{seen.trainer.name} has a template of its own, which isn't known to write {name}'s text: --exact does"
        yield Effect("other_template", text)


def blank_line_before_tools(*students: str) -> Check:
    """The check of tools without a system text, before which the trainer's own template writes an empty line."""

    def blank_line(seen: TrainerRow) -> Iterator[Effect]:
        if seen.template is None or seen.template.name not in students or not seen.conversation.tools:
            return
        messages = seen.conversation.messages
        if not messages or messages[0].get("role") not in SYSTEM_ROLES:
            text = f"{seen.trainer.name} writes an empty line before the tools, {seen.template.name} does not"
            yield Effect("blank_line_before_tools", text)

    return blank_line


def prompt_thinking_trained(seen: TrainerRow) -> Iterator[Effect]:
    """The opening of reasoning that the generation prompt already holds, where the trainer trains the whole answer."""
    if seen.template is None or (spans := _spans(seen, seen.template)) is None:
        return
    for index in dict.fromkeys(index for _, kind, train, index, *_ in spans[1] if kind == "reasoning" and not train):
        text = f"{seen.trainer.name} trains the beginning of the reasoning, which {seen.template.name}'s prompt holds"
        yield Effect("think_trained", text, index)


def ends_open_turns(seen: TrainerRow) -> Iterator[Effect]:
    """An answer that ends with the token that opens the next turn, as GLM's do: the trainer does not train it."""
    if seen.template is None or not seen.template.is_known or any(seen.template.stops):
        return
    for index, (before, after) in enumerate(pairwise(seen.conversation.messages)):
        if before.get("role") == "assistant" and after.get("role") in ("user", "tool"):
            name = seen.template.name
            yield Effect(
                "end_untrained", f"{seen.trainer.name} does not train the token that ends an answer of {name}", index
            )


def results_in_one_turn(seen: TrainerRow) -> Iterator[Effect]:
    """Results of parallel calls that the student's template writes as one turn, and the trainer as several."""
    if seen.template is None or not seen.template.dialect.chat.one_turn:
        return
    for index, (before, after) in enumerate(pairwise(seen.conversation.messages), 1):
        if before.get("role") == after.get("role") == "tool":
            yield Effect("results_apart", f"{seen.trainer.name} writes each result as a turn of its own", index)


def end_is_added(seen: TrainerRow) -> Iterator[Effect]:
    """A text without an end token, as GLM's, to which the trainer adds the tokenizer's."""
    if seen.template is not None and seen.template.is_known and not any(seen.template.stops):
        text = f"{seen.trainer.name} adds an end token, which {seen.template.name} does not write at the end of a text"
        yield Effect("end_added", text)


def last_thinking(seen: TrainerRow) -> Iterator[Effect]:
    """The opening of reasoning in the last answer, where the student's template has it: it is not trained."""
    if seen.template is None or (spans := _spans(seen, seen.template)) is None:
        return
    chat, segments = spans
    last = max((at for at, message in enumerate(chat.messages) if message.get("role") == "assistant"), default=-1)
    found = [text for text, kind, train, index, *_ in segments if kind == "reasoning" and train and index == last]
    if found:
        part = "the beginning of the reasoning" if chat.reasoning(last) else "the empty reasoning"
        yield Effect("thinking_untrained", f"{seen.trainer.name} does not train {part}, {found[0].split()[0]}", last)


def segments_of(conversation: Conversation, template: Template) -> list[Segment]:
    """The parts of the student's text of a conversation; none if it can't be written."""
    page = SpanWriter()
    try:
        template.write(ChatView(copy_of(conversation), template.dialect), page)
    except RenderError:  # see template_leaves_out
        return []
    return page.segments


def _spans(seen: TrainerRow, template: Template) -> tuple[ChatView, list[Segment]] | None:
    """The row as the student's built-in template sees it, and the parts of the text; ``None`` if there are none."""
    if not template.is_known or is_text(seen.row):
        return None
    page = SpanWriter()
    try:
        chat = _chat(seen, template)
        template.write(chat, page)
    except RenderError:  # see template_leaves_out
        return None
    return chat, page.segments


def _chat(seen: TrainerRow, template: Template) -> ChatView:
    """The row as the student's chat template sees it.

    Raises:
        RenderError: the template can't write it.
    """
    return ChatView(copy_of(seen.conversation), template.dialect)
