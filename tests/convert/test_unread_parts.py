"""Parts of contents: those of APIs are content, whatever they hold; other ones with words are named."""

from __future__ import annotations

from typing import Any

from tests.conftest import each
from toolconv import Options, Receipt, convert_rows

# Sources: the API references of OpenAI (Chat Completions, Responses), Anthropic, Gemini and Bedrock.
TYPED = [
    "audio",
    "audio_url",
    "citation",
    "container_upload",
    "cache_point",
    "image_file",
    "refusal",
    "search_result",
    "media",
    "video",
    "video_url",
    "compaction",
    "reasoning_text",
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "computer_call",
    "computer_call_output",
    "local_shell_call",
    "tool_search_call",
    "tool_search_output",
    "additional_tools",
]
KEYED = [
    "audio",
    "cachePoint",
    "citationsContent",
    "codeExecutionResult",
    "document",
    "executableCode",
    "guardContent",
    "image",
    "image_url",
    "searchResult",
    "video",
]
RUN_BY_PROVIDER = ["server_tool_use", "mcp_tool_use", "mcp_call"]
WORDS = "Some words that nobody reads."


def unread(part: Any, role: str = "user") -> dict[str, int]:
    """What nobody reads of a row with a part in a content, by kind."""
    said = {"user": "Is it up?", "assistant": "It is."}
    messages = [{"role": each, "content": text} for each, text in said.items()]
    at = list(said).index(role)
    messages[at] = {"role": role, "content": [part, {"type": "text", "text": said[role]}]}  # type: ignore[dict-item]
    receipt = Receipt()
    (row,) = convert_rows([{"messages": messages}], Options(to_layout="openai"), receipt=receipt)
    assert part in row["messages"][at]["content"]
    return dict(receipt.unread)


@each("kind", TYPED)
def test_a_part_of_a_type_of_an_api_is_content(kind: str) -> None:
    for part in ({"type": kind, "zz": {"label": WORDS}}, {"type": kind, "zz": WORDS}):
        assert unread(part) == {}
        assert unread({**part, "type": f"{kind}x"}) == {"messages": 1}


@each("key", KEYED)
def test_a_part_under_a_key_of_an_api_is_content(key: str) -> None:
    assert unread({key: {"label": WORDS}}) == {}
    assert unread({f"{key}x": {"label": WORDS}}) == {"messages": 1}


@each("kind", RUN_BY_PROVIDER)
def test_a_call_that_the_provider_runs_is_content(kind: str) -> None:
    part = {"type": kind, "id": "a", "name": "ping", "input": {"host": "a b"}}
    assert unread(part, "assistant") == {}
    assert unread({**part, "type": f"{kind}_of_another"}, "assistant") == {"calls": 1}
