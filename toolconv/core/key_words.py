"""What the keys of a row say by their words: a question, an answer, a reference, a fact about an answer."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from toolconv.core.lazy_re import lazy_re

OUTPUTS: Final = frozenset(
    {
        "completion", "output", "response", "generated_text", "raw_output", "model_output", "model_response",
        "generation", "chosen", "rejected", "rejected_response", "preferred_output", "non_preferred_output",
    }
)  # fmt: skip
"""Keys that hold an answer, also of a conversation that has one already."""
ANSWER_WORDS: Final = frozenset(
    {
        "answer", "answers", "response", "responses", "output", "outputs", "out", "completion", "completions", "reply",
        "replies", "generation", "generations", "generated", "prediction", "predicted", "result",
        "results", "solution", "assistant", "gpt", "teacher", "student", "final", "chosen", "rejected", "samples",
        "candidates",
    }
)  # fmt: skip
"""Words in the key of an answer, for a conversation that has none."""
OTHER_ANSWERS: Final = frozenset({"answers", "alternatives", "rejected"})
"""Words in the keys of further answers, which may differ from the one that was read in a word."""
REFERENCE_WORDS: Final = frozenset({"expected", "gold", "golden", "ground", "gt", "truth", "reference", "correct"})
"""Words in the key of what an answer is compared with."""
FACT_WORDS: Final = frozenset(
    {
        "id", "name", "type", "format", "time", "date", "quality", "score", "tokens", "length", "schema", "error",
        "status", "language", "finish", "reason", "explanation", "note", "notes", "comment", "params", "parameters",
        "metadata", "at", "dir",
    }
)  # fmt: skip
"""Words in the key of a fact about an answer."""
MARK_WORDS: Final = frozenset({"train", "trained", "trainable", "training", "loss", "mask", "masked", "learn"})
"""Words in the keys of marks that say what to train on."""
NO_ANSWER: Final = REFERENCE_WORDS | FACT_WORDS
DESCRIBING: Final = NO_ANSWER | {
    "title", "description", "summary", "caption", "category", "topic", "subject", "theme", "domain", "task", "tasks",
    "goal", "policy", "source", "origin", "author", "license", "url", "link", "path", "file", "tags", "keywords",
    "ref", "refs", "label", "labels", "annotation", "annotations", "correction", "corrections", "critique",
    "rationale", "feedback", "review", "score", "scores", "rubric", "info", "meta", "details", "documentation",
    "settings", "config", "attributes", "version", "environment", "location", "test", "tests", "hint", "patch", "diff",
    "warning", "warnings", "extra",
}  # fmt: skip
"""Words in the key of what is written about a conversation."""
QUESTIONS: Final = frozenset(
    {"prompt", "instruction", "question", "query", "problem", "user", "user_input", "original_question"}
)
DETAILS: Final = frozenset({"input", "context", "opening"})
"""Words in the key of what belongs to a question."""
SYSTEMS: Final = frozenset({"system", "system_prompt", "system_message", "system_instruction", "systeminstruction"})
"""Keys of a question and of a system text, for a conversation that has none."""
CALL_WORDS: Final = frozenset(
    {"call", "calls", "tool", "tools", "function", "functions", "action", "actions", "use", "uses", "invoke"}
    | {"invocation", "invocations"}
)
"""Words in the key or the type of calls."""
ARGUMENT_WORDS: Final = frozenset({"input", "inputs", "args", "arguments", "kwargs", "params", "parameters"})
"""Words in the key of the arguments of a call, next to one of the former."""
_BESIDE_ARGUMENTS: Final = CALL_WORDS | ARGUMENT_WORDS | {"as", "json"}
ELSEWHERE: Final = frozenset({"additional_kwargs", "blocks", "invalid_tool_calls", "parts", "toolInvocations"})
"""Keys of a message under which frameworks keep calls, or copies of them."""
_BESIDE_CALLS: Final = frozenset({"api", "model", "assistant", "execution", "parallel", "raw", "request", "requests"})
"""Further words in the key of the calls that a message makes."""
TEXT_NAMES: Final = OUTPUTS | QUESTIONS | SYSTEMS

_WORD: Final = lazy_re(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


@lru_cache(maxsize=1024)
def words_of(key: str) -> frozenset[str]:
    """The words of a key, in small letters."""
    return frozenset(word.lower() for word in _WORD.findall(key))


def in_snake_case(key: str) -> str:
    """A key with underscores between its words, in small letters."""
    return "_".join(word.lower() for word in _WORD.findall(key))


@lru_cache(maxsize=1024)
def is_key_of_calls(key: str) -> bool:
    """Whether a key says that it holds the calls of its message, and nothing else about them."""
    words = words_of(key)
    return not words.isdisjoint(CALL_WORDS) and words <= CALL_WORDS | _BESIDE_CALLS


@lru_cache(maxsize=1024)
def says_arguments(key: str) -> bool:
    """Whether a key says in several words that it holds the arguments of a call: ``toolInput``, ``params_as_json``."""
    words = words_of(key)
    return len(words) > 1 and not words.isdisjoint(ARGUMENT_WORDS) and words <= _BESIDE_ARGUMENTS
