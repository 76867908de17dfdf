"""A request and its answer, each in the form of any API: what a program logs that calls a model.

- The request is an object under ``request``, ``body``, ``payload`` or ``input`` with messages, contents, a list of
  turns or a question; or the row itself has ``messages`` that end before the answer.
- The answer is under ``response``, ``output``, ``completion``, ``answer`` or a key like these, or under any key if it
  is a message of the assistant or a list of choices. It is a text, a message, an answer of OpenAI's, Anthropic's or
  Gemini's API, a list of messages, or a list of calls. ``--text-key`` names its key.

Both together are read in the layout that they have under ``messages`` or ``contents``. Each of several answers is one.
All other keys stay where they are. Rows are only read. Lost: answers after the first if one of them is empty
(``choices``).

Messages with a text as their answer are the layout ``messages-completion``; OpenAI's own requests and responses are
``chat-completion``.

Source: the API references of OpenAI, Anthropic and Google; logs of programs that call them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from toolconv import layouts
from toolconv.core import jsontext
from toolconv.core.messages import Row
from toolconv.layouts.answers import ANSWER_KEYS, ANSWERS
from toolconv.layouts.arranged import Arranged, Arrangement, Path, opened_at, path_in
from toolconv.layouts.formats.chat_completion import has_choices
from toolconv.layouts.found_answers import answer_beside
from toolconv.layouts.found_turns import turns_in
from toolconv.layouts.speakers import in_any_case, meaning_of

REQUESTS: Final[tuple[Path, ...]] = (
    ("request",), ("body",), ("request", "body"), ("payload",), ("req",), ("input",), ("inputs",), ("params",), (),
)  # fmt: skip
"""Where a request may be; the row itself comes last."""
TURNS: Final = ("messages", "contents", "conversation", "conversations", "prompt", "input")
"""The keys of the turns in a request."""


_SEVERAL: Final = ("messages-completion", "canonical", "trl")
"""The layouts of rows with messages and several answers to them."""


class RequestAnswer(Arranged):
    """Turns, and what answers them.

    Args:
        text_key: dotted path of the answer; ``None`` for the usual keys.
        roles: what names of speakers mean, in any case: roles.
    """

    name = "request-answer"
    sample = (
        '{"request":{"messages":[{"role":"user","content":"Is it up?"}],"max_tokens":99},'
        '"response":{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"ping","input":{}}]}}'
    )

    def __init__(self, text_key: str | None = None, roles: Mapping[str, str] | None = None) -> None:
        self.text_key = text_key
        self.roles = in_any_case(roles)

    def matches(self, row: Row) -> bool:
        if self.text_key is None and not _may_match(tuple(row)) and dict not in map(type, row.values()):
            return False
        halves = "prompt" in row and ("completion" in row or "chosen" in row)  # two other layouts'
        if halves or has_choices(row) or _has_several_answers(row):
            return False
        return super().matches(row)

    def arrangement(self, row: Row) -> Arrangement | None:
        for path in REQUESTS:
            if path and path[0] not in row:
                continue
            holder = opened_at(row, path)
            if type(holder) is not dict:
                continue
            for key in TURNS:
                sent = jsontext.opened(holder.get(key))
                turns = turns_in(sent)
                if turns is None and not (path and type(sent) is str and sent.strip()):  # a question
                    continue
                if turns is not None and meaning_of(turns.items[-1][turns.speaker]) == "assistant":
                    continue
                answer = self._answer_path(row, (*path, key))
                return None if answer is None else Arrangement((*path, key), answer)
        return None

    def _answer_path(self, row: Row, turns: Path) -> Path | None:
        """Where the answer is; ``None`` if there is none."""
        if self.text_key is not None:
            return path_in(row, self.text_key)
        key = answer_beside(row, turns[0], texts=len(turns) > 1)  # texts next to messages are another layout's
        return None if key is None else (key,)


def _has_several_answers(row: Row) -> bool:
    """Whether a row has several answers to its messages, which other layouts read."""
    return not ANSWER_KEYS.isdisjoint(row) and any(layouts.get(name).apart(row) is not None for name in _SEVERAL)


@lru_cache(maxsize=256)
def _may_match(keys: tuple[str, ...]) -> bool:
    """Whether a row with these keys has an answer under a usual key."""
    return not {key.lower() for key in keys}.isdisjoint(ANSWERS)


LAYOUT = RequestAnswer()
