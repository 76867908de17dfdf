"""Names of speakers, wherever a row has texts that might be some."""

from __future__ import annotations

from tests.conftest import each
from toolconv.core.conversation import Conversation
from toolconv.layouts.speakers import CALL, LONGEST, SPEAKERS, _meaning, meaning_of, settle_roles

NAMES = {
    "system": "system sys system_prompt instruction instructions sistema système systeem система 系统 系統 システム 시스템",
    "developer": "developer",
    "user": "user human person customer client prompter question user_prompt benutzer nutzer kunde usuario usuário cliente "
    "utilisateur utente gebruiker пользователь клиент 用户 用戶 使用者 客户 ユーザー 사용자",
    "assistant": "assistant gpt ai bot model chatbot chatgpt bard bing claude gemini llama llm agent answer response "
    "ai_assistant virtual_assistant api_message assistent asistente assistente ассистент помощник 助手 助理 アシスタント "
    "어시스턴트",
    "tool": "tool function observation observations ipython environment env api tool_response tool_result tool_output "
    "function_response function_result function_output api_response tool_results tools result results execution "
    "function_return tool_message tool_return tool_execution_result execution_environment tool_call_result "
    "tool_call_output function_call_result function_call_output werkzeug herramienta outil ferramenta strumento инструмент "
    "工具 ツール 도구",
    CALL: "function_call tool_call function_calls tool_calls api_call api_request tool_use tool_call_invocation",
}
"""Who speaks, in words that data sets and people write."""
CASES = [(name, meaning) for meaning, names in NAMES.items() for name in names.split()]


@each("name, meaning", CASES)
def test_what_a_name_means(name: str, meaning: str) -> None:
    for spelled in (name, name.upper(), f" {name} ", name.replace("_", "-"), name.replace("_", " "), f"{name}:",
                    f"{name} turn", f"ROLE_{name}", f"role.{name}", f"message_role:{name}"):  # fmt: skip
        assert meaning_of(spelled) == meaning, spelled
    if name.isascii():
        assert meaning_of("".join(map(str.capitalize, name.split("_")))) == meaning
    assert meaning_of(f"{name}x") is None
    assert meaning_of(f"{name}_message") == ("assistant" if name == "api" else meaning)


def test_a_name_of_a_speaker_is_short() -> None:
    assert meaning_of("user".ljust(LONGEST)) == "user"
    assert meaning_of("user".ljust(LONGEST + 1)) is None


def test_each_name_has_a_case() -> None:
    assert dict(CASES) == SPEAKERS


def test_q_and_a_are_speakers_where_both_speak() -> None:
    for names, roles in (
        ("QA", ["user", "assistant"]),
        ("qa", ["user", "assistant"]),
        ("AB", ["A", "B"]),
        ("QQ", ["Q", "Q"]),
    ):
        read = Conversation({"messages": [{"role": name, "content": "Up?"} for name in names]})
        settle_roles(read)
        assert [message["role"] for message in read.messages] == roles


def test_a_long_text_is_no_speaker_and_is_not_kept() -> None:
    """A row's image is one text of megabytes, and each distinct one would stay in the cache."""
    kept = _meaning.cache_info()
    assert meaning_of("x" * (LONGEST + 1)) is None
    assert _meaning.cache_info() == kept
    assert all(meaning_of(f"MessageRole.{name.upper()}") == meaning for name, meaning in SPEAKERS.items())
    assert max(map(len, SPEAKERS)) < LONGEST // 4


def test_a_speaker_of_calls_that_has_calls_keeps_them() -> None:
    """Its text may be a call, too, but would take their place."""
    call = {"id": "a", "type": "function", "function": {"name": "ping", "arguments": "{}"}}
    message = {"role": "function_call", "content": '{"name": "pong", "arguments": {}}', "tool_calls": [call]}
    conversation = Conversation({"messages": [message]})
    settle_roles(conversation)
    assert conversation.messages == [message]
