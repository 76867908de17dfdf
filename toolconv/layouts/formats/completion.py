"""Completion rows: one model output as text, the prompt that it answers if there is one, and any other keys.

The text is the first string under ``completion``, ``output``, ``response``, ``generated_text``, ``raw_output``,
``text`` and, in rows with a prompt, ``answer`` and others (:data:`BESIDE_PROMPTS`), or what ``--text-key`` names by a
dotted path (``choices.0.text``).

The prompt is under ``prompt``, ``instruction`` (with ``input`` or ``context`` on a new line after it, as in Alpaca's
and Dolly's rows), ``question``, ``query`` or others (:data:`PROMPTS`), or what ``--prompt-key`` names. Text becomes the
user turn; a list of messages, which may be JSON text, becomes these turns. ``system`` or ``system_prompt`` becomes the
system turn, and pairs under ``history`` the turns before. The case of keys doesn't matter.

A prompt with turn tokens was written by a chat template: it stays as it is. One with turns in words, such as ``###
Instruction:`` and ``USER:``, that ends with the header of the answer becomes these turns (repair ``worded_turns``). Any
prompt may declare tools, and shows whether the text begins inside an open reasoning block. The row may have ``tools``.

Source: dataset cards of tatsu-lab/alpaca, databricks-dolly-15k, openai/gsm8k and Open-Orca/OpenOrca; LLaMA-Factory,
``data/README.md`` (alpaca format); TRL documentation, dataset formats.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar, Final, NamedTuple

from toolconv.core.conversation import Conversation
from toolconv.core.declarations import declarations
from toolconv.core.json_pointer import pointer_to
from toolconv.core.lazy_re import lazy_re
from toolconv.core.marks import LOSS, weights_of
from toolconv.core.message_keys import unwritten_keys
from toolconv.core.messages import SYSTEM_ROLES, Message, Row, only_text_of
from toolconv.core.notes import Notes
from toolconv.core.row_fields import RowField
from toolconv.core.rows import found_at, insert_before, replace_key, without
from toolconv.layouts.agent_steps import steps_in
from toolconv.layouts.answers import ANSWER_KEYS, ANSWERS, Samples, TextPair
from toolconv.layouts.base import Layout, LayoutError, Original, have, listed, row_for
from toolconv.layouts.formats.openai import read_message
from toolconv.layouts.found_turns import ONE_TURN, is_turn
from toolconv.layouts.tool_places import count_others
from toolconv.layouts.tool_schema import read_tools
from toolconv.layouts.worded_turns import REPAIR, may_end_in_words, worded_turns

WHOLE_TEXT: Final = "text"
"""The key of an output that may be the text of the whole row."""
TEXTS: Final = ("completion", "output", "response", "generated_text", "raw_output", WHOLE_TEXT)
"""The keys of an output."""

BESIDE_PROMPTS: Final = (*(key for key in ANSWERS if key not in TEXTS), "content")
"""The keys of an output in rows with a prompt."""

PROMPTS: Final = ("prompt", "instruction", "question", "query", "problem", "input", "inputs", "user", "user_input")
"""The keys of a prompt."""

DETAILS: Final = ("input", "context")
"""The keys of text that belongs to the prompt and follows it, unless the prompt holds it already."""

SYSTEMS: Final = ("system", "system_prompt", "system_message")
"""The keys of a system text."""

HISTORY: Final = "history"
"""The key of the turns before the prompt: a list of pairs of texts."""

TURN_TOKEN: Final = lazy_re(r"<[|｜][^\s<>|｜]{1,40}[|｜]>|\[/?INST\]|<(?:start|end)_of_turn>|<\|?turn\|?>")
"""What shows that a prompt was made by a chat template."""


TEXT_SAMPLES: Final = Samples(
    ("completions", "responses", "outputs", "generations", "samples", "candidates"), "completion", texts=True
)
"""Lists of outputs: those of samplers, and ``outputs`` of vLLM's ``RequestOutput``."""
RECORDS: Final = dict.fromkeys(
    ("prompt_token_ids", "prompt_logprobs", "token_ids", "cumulative_logprob", "logprobs", "metrics")
)
"""The records of the run in ``RequestOutput`` and its ``outputs``: the tokens of the text, and their probabilities."""


class TurnsAt(NamedTuple):
    """The messages that a row has in one place.

    Attributes:
        path: the keys, and indices of lists, that lead there.
        messages: the messages; none for text that an earlier part has taken in.
        pieces: the items of the list that they are in; ``None`` for text.
    """

    path: tuple[str, ...]
    messages: list[Message]
    pieces: list[Any] | None = None

    def field(self) -> RowField:
        """The field of the row."""
        if self.pieces is None:
            return field_at(self.path, len(self.messages))
        return RowField(pointer_to(self.path), len(self.messages), self.pieces)


class Completion(Layout):
    """A row around one text.

    Args:
        text_key: dotted path of the text; ``None`` for the usual keys.
        prompt_key: dotted path of the prompt; ``None`` for the usual keys.
        tools_key: dotted path of the tools; ``None`` for the usual keys.
    """

    name = "completion"
    sample = (
        '{"id":1,"prompt":"Is it up?","completion":"<tool_call>{\\"name\\":\\"ping\\",\\"arguments\\":{}}</tool_call>"}'
    )
    calls_in_text = True
    prompt_apart = True
    trained = frozenset({f"/{HISTORY}"})  # LLaMA-Factory's and ms-swift's
    answers = (TextPair(), TEXT_SAMPLES)
    answer_keys = ANSWER_KEYS
    run_records: ClassVar[Mapping[str, frozenset[Any] | None]] = RECORDS

    def __init__(
        self, text_key: str | None = None, prompt_key: str | None = None, tools_key: str | None = None
    ) -> None:
        self.text_key = text_key
        self.prompt_key = prompt_key
        self.tools_key = tools_key
        if text_key is not None:  # one text, or the list of several, or the preferred one of two
            pair = (TextPair(text_key, text_key),) if text_key == TextPair.answers[0] else ()
            self.answers = (*pair, Samples((text_key,), text_key, texts=True))
            self.answer_keys = frozenset({text_key})

    def matches(self, row: Row) -> bool:
        if not self.answer_keys.isdisjoint(row) and (found := self.apart(row)) is not None:
            first = found[1].rows[0]
            asked = "completions" in row or self._prompt_of(first, known_keys(tuple(first)), None) is not None
            return asked and self.key_of(first) is not None
        if self.key_of(row) is None:
            return False
        return self.text_key is not None or not (is_turn(row) or steps_in(row) is not None)

    def key_of(self, row: Row) -> str | None:
        """The key or the dotted path of a row's text; ``None`` if it has no text."""
        if self.text_key is not None:
            return self.text_key if isinstance(value_at(row, self.text_key), str) else None
        keys = known_keys(tuple(row))
        key = first_text(row, keys.texts, self.prompt_key)
        if (key is None or key.lower() == WHOLE_TEXT) and self._prompt_of(row, keys, None) is not None:
            answer = first_text(row, keys.answers, self.prompt_key)
            return key if answer is None or (key is not None and answer.lower() == "content") else answer
        return key

    def decode(self, row: Row) -> Conversation:
        key = self.key_of(row)
        if self.text_key is None and is_turn(row):
            raise LayoutError(ONE_TURN)
        if key is None:
            wanted = f"under {self.text_key!r}" if self.text_key else f"under any of {', '.join(TEXTS)}"
            raise LayoutError(f"no text {wanted}; --text-key names the key")
        notes = Notes()
        prompt, parts = self.turns_before(row, key, notes)
        messages: list[Message] = []
        fields: list[RowField] = []
        for part in parts:
            messages += part.messages
            fields.append(part.field())
        if row.get("messages") and not any(part.path == ("messages",) for part in parts):
            raise LayoutError(f"something under 'messages' beside the text under {key!r}")
        place = path_of(row, key)
        messages.append({"role": "assistant", "content": value_at(row, key)})
        fields.append(field_at(place, 1))
        beside = _tools_beside(row, parts) if self.tools_key is None else self._named_tools(row)
        paths = [*(part.path for part in parts), place, ("messages",), *((beside,) if beside is not None else ())]
        inner = [path for path in paths if len(path) > 1]
        rest = without(row, *inner) if inner else row
        taken = {path[0] for path in paths if len(path) == 1}
        canonical: Row = {}
        for name in row:
            if name == key:
                canonical["messages"] = messages
            elif name in rest and name not in taken:
                canonical[name] = rest[name]
        if key not in row:
            canonical["messages"] = messages
        if beside is not None:
            canonical["tools"] = read_tools(found_at(row, beside), notes)
            if beside != ("tools",):
                count_others(row.get("tools"), canonical["tools"], notes)
        return Conversation(canonical, notes, key, None, fields, prompt)

    def _named_tools(self, row: Row) -> tuple[str, ...] | None:
        """The path of the tools that the user names; ``None`` if nothing is there."""
        path = path_of(row, self.tools_key or "")
        return path if found_at(row, path) is not None else None

    def turns_column(self, row: Row) -> str | None:
        keys = ("completion", "text") if self.text_key is None else (self.text_key,)
        return next((key for key in keys if isinstance(row.get(key), str)), None)

    def turns_before(self, row: Row, key: str, notes: Notes) -> tuple[str | None, list[TurnsAt]]:
        """The text of the prompt, if it is a text, and the turns before the output.

        Args:
            key: the key or the dotted path of the output.
            notes: takes the repairs of messages.
        """
        keys = known_keys(tuple(row))
        found = self._prompt_of(row, keys, key)
        if found is None:
            return None, []
        name, prompt = found
        path = path_of(row, name)
        if isinstance(prompt, list):
            messages = [read_message(message, notes) for message in prompt]
            parts = [TurnsAt(path, messages, prompt if isinstance(value_at(row, name), list) else None)]
            if messages[0].get("role") in SYSTEM_ROLES:
                return None, parts
            return None, [*_system(row, keys, key, name), *parts]
        if ("<" in prompt or "[" in prompt) and TURN_TOKEN.search(prompt):
            return prompt, []
        text, details = prompt, []
        for detail in () if name in DETAILS else keys.details:
            if detail != key and isinstance(more := row[detail], str):
                if more.strip() and more in prompt:
                    continue
                text += f"\n{more}" if more.strip() else ""
                details.append(TurnsAt((detail,), []))
        if text == prompt and may_end_in_words(prompt) and (turns := worded_turns(prompt, is_prompt=True)):
            notes.repairs.append(REPAIR)
            before = [] if turns[0]["role"] == "system" else _system(row, keys, key, name)
            return prompt, [*before, *_history(row), TurnsAt(path, turns), *details]
        asked = TurnsAt(path, [{"role": "user", "content": text}])
        return prompt, [*_system(row, keys, key, name), *_history(row), asked, *details]

    def prompt_text(self, row: Row, key: str) -> tuple[str, str] | None:
        """The key and the text of the prompt before the output under ``key``; ``None`` if it has no prompt of text."""
        found = self._prompt_of(row, known_keys(tuple(row)), key)
        return None if found is None or not isinstance(found[1], str) else (found[0], found[1])

    def _prompt_of(self, row: Row, keys: KnownKeys, key: str | None) -> tuple[str, str | list[Message]] | None:
        """The key of the prompt, and its text or messages; ``None`` if there is none. ``key`` is that of the output."""
        for found in keys.prompts if self.prompt_key is None else (self.prompt_key,):
            if found == key:
                continue
            value = row[found] if found in row else value_at(row, found)
            if isinstance(value, str) and value.lstrip()[:1] not in ("", "["):
                return found, value
            if isinstance(value, dict):
                value = [value]
            messages = listed(value)
            if messages is not None and have(messages, "role", "content"):
                return found, messages
            if isinstance(value, str) and value.strip():
                return found, value
        return None

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        before = conversation.messages[:-1]
        text = _text(conversation)
        key = conversation.text_key or self.text_key or ("completion" if before else "text")
        row = conversation.row
        if before:
            row = row_for(conversation, "system", "prompt")
            system = _plain(before[0], "system")
            asked = [_plain(message, "user") for message in before[1 if system else 0 :]]
            question = asked[0] if len(asked) == 1 else None
            if system and question:
                row = insert_before(row, "messages", "system", system)
            row = insert_before(row, "messages", "prompt", question or before)
        first = key.partition(".")[0]
        if "." in key and (conversation.text_key or first in row):
            row = {**row, first: _with(row.get(first), key.split(".")[1:], text)}
            del row["messages"]
            return row
        return replace_key(row, "messages", key, text)

    def write_one(self, conversation: Conversation) -> Row:
        key, origin = conversation.text_key, conversation.origin
        if key is None or origin is None or origin[0] != self.name:
            return self.encode(conversation)
        row = origin[1]  # in which only the text changes; tools declared in the prompt and a new system turn are added
        tools, came = conversation.row.get("tools"), row.get("tools")
        if tools is not came and type(came) is not str and tools != self.read(row).row.get("tools"):
            place = key if "tools" not in row and key in row else None
            row = {**row, "tools": tools} if place is None else insert_before(row, place, "tools", tools)
        system = _plain(conversation.messages[0], "system")
        if system is not None and self.decode(origin[1]).messages[0].get("role") != "system":
            place = next(iter(row))
            row = {**row, "system": system} if "system" in row else insert_before(row, place, "system", system)
        text = _text(conversation)
        return {**row, key: text} if key in row else _with(row, key.split("."), text)


def _text(conversation: Conversation) -> str:
    """The text of the last message, the output.

    Raises:
        LayoutError: it is not the assistant's.
    """
    message = conversation.messages[-1] if conversation.messages else {}
    if message.get("role") != "assistant":
        raise LayoutError("the conversation does not end with a turn of the assistant")
    text, whole = only_text_of(message.get("content"))
    if not whole:
        conversation.notes.losses.append("content_parts")
    conversation.notes.losses += ["message_keys"] * len(unwritten_keys(message))
    conversation.notes.losses += [LOSS] * len(weights_of([message], []))  # the completion is what is trained on
    return text


def _plain(message: Message, role: str) -> str | None:
    """The text of a message of a role without any further keys; ``None`` for any other message."""
    content = message.get("content")
    plain = message.keys() == {"role", "content"} and message["role"] == role and isinstance(content, str)
    return content if plain else None


def _system(row: Row, keys: KnownKeys, *taken: str) -> list[TurnsAt]:
    """The system turn of a row; none if it has no system text. The keys ``taken`` are others'."""
    for found in keys.systems:
        if found not in taken and isinstance(text := row[found], str):
            return [TurnsAt((found,), [{"role": "system", "content": text}] if text.strip() else [])]
    return []


def _tools_beside(row: Row, parts: list[TurnsAt]) -> tuple[str, ...] | None:
    """The path of the tools next to a prompt inside an object, for a row without ``tools``; ``None`` without."""
    for path in (part.path for part in parts if len(part.path) > 1 and not row.get("tools")):
        beside = *path[:-1], "tools"
        if any(each.named for each in declarations(value_at(row, ".".join(beside)))):
            return beside
    return None


def _history(row: Row) -> list[TurnsAt]:
    """The turns before the prompt, in pairs."""
    pairs = row.get(HISTORY)
    if not isinstance(pairs, list):
        return []
    messages: list[Message] = []
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(text, str) for text in pair):
            return []
        messages += [{"role": "user", "content": pair[0]}, {"role": "assistant", "content": pair[1]}]
    return [TurnsAt((HISTORY,), messages)]


class KnownKeys(NamedTuple):
    """The keys of a row that have a meaning here, the first choice first."""

    texts: tuple[str, ...]
    answers: tuple[str, ...]
    prompts: tuple[str, ...]
    details: tuple[str, ...]
    systems: tuple[str, ...]


@lru_cache(maxsize=256)
def known_keys(keys: tuple[str, ...]) -> KnownKeys:
    """The known ones among the keys of a row, in any case."""
    lower = {key.lower(): key for key in keys}
    lower |= {key: key for key in keys}  # a key as it is comes first

    def among(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(lower[name] for name in names if name in lower)

    return KnownKeys(among(TEXTS), among(BESIDE_PROMPTS), among(PROMPTS), among(DETAILS), among(SYSTEMS))


def first_text(row: Row, keys: tuple[str, ...], but: str | None = None) -> str | None:
    """The first of ``keys`` that holds a string, other than ``but``."""
    for key in keys:
        if key != but and isinstance(row[key], str):
            return key
    return None


@lru_cache(maxsize=256)
def field_at(path: tuple[str, ...], size: int) -> RowField:
    """The field of a text from which so many messages were read."""
    return RowField(pointer_to(path), size)


def path_of(row: Row, key: str) -> tuple[str, ...]:
    """The keys and indices that lead to a key or a dotted path."""
    return (key,) if key in row else tuple(key.split("."))


def value_at(row: Row, key: str) -> Any:
    """What is under a key or a dotted path; ``None`` if nothing is."""
    return row[key] if key in row else found_at(row, key.split("."))


def _with(value: Any, path: list[str], text: str) -> Any:
    """A copy of ``value`` with ``text`` at ``path``, which need not exist."""
    if not path:
        return text
    step, *rest = path
    if isinstance(value, list) and step.isdigit():
        at = int(step)
        return [*value[:at], _with(value[at] if at < len(value) else None, rest, text), *value[at + 1 :]]
    if value is None and step.isdigit():
        return [_with(None, rest, text)]
    members = value if isinstance(value, dict) else {}
    return {**members, step: _with(members.get(step), rest, text)}


LAYOUT = Completion()
