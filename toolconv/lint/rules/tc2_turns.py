"""TC2xx: the turns of a conversation: their roles, their order, empty and repeated ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from toolconv.core.messages import SYSTEM_ROLES
from toolconv.lint.datasets.duplicates import is_long
from toolconv.lint.model.finding import Finding, Once
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import ROLES, TOOL_ROLES, LintTurn
from toolconv.lint.names import did_you_mean, listed, shown
from toolconv.lint.rule import AssistantRule, RowRule, rule

LEARNABLE_KEYS = ("refusal", "audio", "function_call", "reasoning", "reasoning_content", "thinking")
"""Keys of an assistant turn that a model learns from, in addition to content and calls."""


@rule("TC209", "role-sequence", "warning", guards=("disorderly",))
class RoleSequence(RowRule):
    """Turns in an order that a chat can't have.

    Anti-pattern: a conversation that starts with the assistant or ends with the user; two user turns in a row; a
    system turn in the middle, or more than one.

    Why it hurts: templates raise an error or move the turn; a final user turn has no answer to learn from.

    A file that starts with the assistant from its first row on, as agents do that greet the caller, is named once.
    Recorded runs (``--for trace``) may start and end with anyone, and prompts (``--for rl``, ``eval``) with the user.
    In ATIF, system steps are a harness's notes and may be anywhere.

    Best practice: at most one system turn, at the start; then user and assistant alternate, ending with assistant.

    Bad: user, assistant, user

    Good: user, assistant

    Source: Llama's, Mistral's and Gemma's templates reject other orders; LLaMA-Factory skips such rows.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.conversation is None or row.conversation.text_key is not None:
            return
        turns = row.turns
        systems = [at for at, turn in enumerate(turns) if turn.role in SYSTEM_ROLES]
        layout = "" if row.read_as is None else row.read_as.name
        if layout == "atif":  # the harness notes in system steps what it does: compaction, a hand-off
            pass
        elif layout == "anthropic":  # its API takes system turns in the middle
            repeated = next((at for at in systems if at - 1 in systems), None)
            if repeated is not None:
                yield self.finding(row, turns[repeated].pointer, "two system turns in a row, expected one")
        elif len(systems) > 1:
            message = f"{len(systems)} system turns, expected one at most"
            yield self.finding(row, turns[systems[1]].pointer, message)
        elif systems and systems[0]:
            yield self.finding(row, turns[systems[0]].pointer, "the system turn is not the first")
        spoken = [turn for turn in turns if turn.role not in SYSTEM_ROLES]
        if all(turn.role != "assistant" for turn in spoken):
            return  # reported by TC211
        if spoken[0].role == "assistant" and not row.lacks("request"):
            once: Once = "starts with a request" if row.does("starts with a request") is False else ""
            message = "the conversation starts with the assistant, expected user"
            yield self.finding(row, spoken[0].pointer, message, once=once)
        with_result = len(turns) > 1 and turns[-2].role == "tool" and turns[-2].pointer == turns[-1].pointer
        if spoken[-1].role == "user" and not with_result and not row.lacks("answer"):
            yield self.finding(row, spoken[-1].pointer, "the conversation ends with the user, expected an answer")
        for before, turn in pairwise(turns):
            if before.role == turn.role == "user" and before.pointer != turn.pointer:
                yield self.finding(row, turn.pointer, "two user turns in a row, expected an assistant turn between")
                return


@rule("TC210", "unknown-role", "error", guards=("disorderly",))
class UnknownRole(RowRule):
    """An unknown role.

    Anti-pattern: framework-specific roles (``agent``, ``environment``), misspellings.

    Why it hurts: templates raise an error or silently omit the turn.

    Best practice: ``system``, ``user``, ``assistant``, ``tool``.

    Bad: ``{"role": "bot", "content": "Hello!"}``

    Good: ``{"role": "assistant", "content": "Hello!"}``

    Source: OpenAI API reference.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        unknown: Counter[str] = Counter()
        first: dict[str, str] = {}
        for turn in row.turns:
            role = row.messages[turn.message].get("role")
            if turn.role not in ROLES and role not in TOOL_ROLES:
                name = shown(role)
                unknown[name] += 1
                first.setdefault(name, turn.pointer)
        for name, count in unknown.items():
            often = f" ({count} turns)" if count > 1 else ""
            hint = did_you_mean(name.strip("'"), ROLES)
            yield self.finding(row, first[name], f"the role {name}{often}, expected one of {listed(ROLES)}{hint}")


@rule("TC211", "no-assistant-turn", "error", guards=("disorderly",))
class NoAssistantTurn(RowRule):
    """A row without an assistant turn.

    Anti-pattern: rows with questions only, or rows whose answer was filtered out.

    Why it hurts: there is nothing to learn; if only assistant turns count, the loss of such a batch is NaN.

    Prompts for reinforcement learning and questions of an evaluation have no answer: rows with a reference to compare
    answers with (``expected_answer``, ``ground_truth``) are not reported, nor is any with ``--for rl`` or ``--for
    eval``. A file without an answer from its first row on is named once, as a warning, unless ``--for sft`` is given.

    Best practice: drop the row.

    Bad: user

    Good: user, assistant

    Source: rows without a response occur in many public datasets.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.messages and not row.lacks("answer") and not any(turn.role == "assistant" for turn in row.turns):
            if row.purpose is None and row.does("answers") is False:
                message = "no turn of the assistant: prompts, for --for rl or --for eval; nothing to fine-tune on"
                yield self.finding(row, "", message, level="warning", once="answers")
                return
            roles = listed(dict.fromkeys(turn.role for turn in row.turns))
            yield self.finding(row, "", f"no turn of the assistant, only of {roles}: nothing to learn from")


@rule("TC212", "no-final-answer", "info", default=False)
class NoFinalAnswer(RowRule):
    """A row that ends with a tool response.

    Anti-pattern: conversations cut off after the last result.

    Why it hurts: not much, but the model never sees what to do with that result.

    Best practice: end with the assistant's answer.

    Bad: user, assistant with a call, tool

    Good: user, assistant with a call, tool, assistant

    Source: BFCL's and tau-bench's trajectories.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.turns and row.turns[-1].role == "tool":
            yield self.finding(row, row.turns[-1].pointer, "the row ends on a tool response, expected an answer")


@rule("TC213", "empty-turn", "warning", guards=("silent",))
class EmptyTurn(AssistantRule):
    """An assistant turn with neither content nor calls.

    Anti-pattern: calls that a converter could not read and dropped; empty completions that were kept.

    Why it hurts: the model learns to end its turn without an answer.

    Best practice: drop the turn or the row.

    Bad: ``{"role": "assistant", "content": ""}``

    Good: ``{"role": "assistant", "content": "It is 12 degrees."}``

    Source: generation runs with tool parsers that fail silently.
    """

    def check(self, row: LintRow, turn: LintTurn) -> Iterator[Finding]:
        message, parsed = row.messages[turn.message], row.parsed.get(turn.message)
        content = message.get("content")
        if turn.calls or turn.text.strip() or (content and not isinstance(content, str)) or message.get("tool_calls"):
            return
        if not (parsed is not None and parsed.reasoning) and not any(message.get(key) for key in LEARNABLE_KEYS):
            yield self.finding(row, turn.pointer, "an assistant turn with neither content nor calls")


def _is_said_twice(text: str) -> bool:
    """Whether a text consists of one twice, with at most three whitespace characters between."""
    for between in range(len(text) % 2, 4, 2):
        size = (len(text) - between) // 2
        if (
            is_long(text[:size], MIN_TWICE)
            and text[:size] == text[size + between :]
            and not text[size:][:between].strip()
        ):
            return True
    return False


MIN_TWICE = 60
"""A shorter text, such as a line of a song, may well come twice in an answer."""


def _repeats_answer(row: LintRow) -> LintTurn | None:
    """The first answer that is the same as the turn before."""
    for before, turn in pairwise(row.turns):
        answers = before.role == turn.role == "assistant" and before.pointer != turn.pointer
        if answers and not before.calls and not turn.calls and before.text == turn.text != "":
            return turn
    return None


def _repeats(row: LintRow) -> LintTurn | None:
    """The first user's turn that is, with the answer to it, the same as the two turns before; if short, as four."""
    turns = row.turns
    again = -1  # the user's turn of the last exchange that came twice
    for at in range(2, len(turns) - 1):
        user, answer = turns[at], turns[at + 1]
        if (user.role, answer.role) != ("user", "assistant") or answer.calls:
            continue
        earlier, before = turns[at - 2], turns[at - 1]
        are_both = (earlier.role, before.role, before.calls) == ("user", "assistant", [])
        if are_both and answer.text.strip() and (earlier.text, before.text) == (user.text, answer.text):
            if is_long(answer.text, MIN_ANSWER) or again == at - 2:
                return user
            again = at
    return None


MIN_ANSWER = 16
"""A shorter answer, such as a greeting, may well be given twice."""


def _repeats_request(row: LintRow) -> LintTurn | None:
    """The first answer that is a request before it again."""
    requests: set[str] = set()
    for turn in row.turns:
        text = turn.text.strip()
        if turn.role == "user":
            requests.add(text)
        elif turn.role == "assistant" and not turn.calls and text in requests and is_long(text, MIN_ANSWER):
            return turn
    return None


@rule("TC216", "repeated-turns", "warning", preview=True)
class RepeatedTurns(RowRule):
    """A request and its answer, and both again; or the answer again; or a request as the answer; or an answer twice.

    Anti-pattern: turns stored twice by a retry, or conversations joined with an overlap.

    Why it hurts: the model learns to repeat itself.

    Best practice: leave out what comes again.

    Bad: user, assistant, and the same user and assistant turn again

    Good: user, assistant

    An answer of fewer than 16 characters, six in Chinese or Japanese, may well be given to a request twice; not three
    times in a row.

    In 44,000 rows of more than 70 publishers: 93 different findings of 4 of them right, and 6 arguable (a game in which
    the same board gets the same move). Of 42 planted cases in English, Chinese and German it finds 42, and it reports
    none of 42 sound rows like them.

    Source: merged logs.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if (turn := _repeats(row)) is not None:
            yield self.finding(row, turn.pointer, "a request and its answer, the same as the two turns before")
        if (turn := _repeats_answer(row)) is not None:
            yield self.finding(row, turn.pointer, "an answer that is the same as the turn before")
        if (turn := _repeats_request(row)) is not None:
            yield self.finding(row, turn.pointer, "an answer that is a request again")
        for turn in row.turns:
            if turn.role == "assistant" and _is_said_twice(turn.text.strip()):
                yield self.finding(row, row.text_pointer(turn.message), "an answer that says everything twice")
