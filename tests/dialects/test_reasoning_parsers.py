"""A pair of server flags can be typed as it is: each name of a parser in the registries of vLLM and SGLang is known."""

from __future__ import annotations

import pytest

from tests.conftest import each
from tests.helpers.command import toolconv
from toolconv import dialects
from toolconv.dialects.reasoning_parsers import UnknownReasoningParser, reasoning_of
from toolconv.dialects.turn_reader import TurnReader

# vllm/tool_parsers/__init__.py of vLLM 0.33, and sglang/srt/function_call/function_call_parser.py of SGLang 0.5.23;
# the last is of aleph-alpha-inference 1.0.0, a plugin of vLLM.
TOOL_NAMES = """
dots deepseek_v3 deepseek_v31 deepseek_v32 deepseek_v4 deepseek_v41 cohere_command3 cohere_command4 ernie45 glm45 glm47
ling3 granite-20b-fc granite granite4 hermes hf beam poolside_v1 hunyuan_a13b hy_v3 hy_v4 internlm jamba lfm2 kimi_k2
kimi_k3 k2_horizon llama3_json llama4_json llama4_pythonic longcat mimo minimax_m2 minimax_m3 minicpm5 mistral olmo3
plamo3 muse muse_glimmer musespark1x openai phi4_mini_json pythonic qwen3_coder qwen3_json qwen3_xml seed_oss step3
step3p5 step5 inkling xlam gigachat3 functiongemma gemma4 apertus
apertus2509 deepseekv3 deepseekv31 deepseekv32 deepseekv4 deepseekv41 glm gpt-oss llama3 qwen qwen25 spark25 minimax-m2
minimax-m3 nanbeige trinity interns1 hunyuan gigachat35 iquest_q1 response_template
kolibri1
"""

# vllm/reasoning/__init__.py of vLLM 0.33, and sglang/srt/parser/reasoning_parser.py of SGLang 0.5.23; the last
# is of aleph-alpha-inference 1.0.0, a plugin of vLLM.
REASONING_NAMES = """
deepseek_r1 deepseek_v3 deepseek_v4 deepseek_v41 poolside_v1 cohere_command3 cohere_command4 ernie45 gemma4 glm45 glm47
ling3 openai_gptoss granite granite_thinking_parser hf beam holo2 hunyuan_a13b hy_v3 hy_v4 kimi_k2 kimi_k3 k2_horizon
mimo minicpmv minimax_m2 minimax_m2_append_think minimax_m3 mistral nemotron_v3 olmo3 plamo3 muse muse_glimmer
musespark1x qwen3 seed_oss step3 step3p5 step5 inkling
apertus2509 deepseek-r1 deepseek-v3 deepseek-v4 deepseek-v41 dots hunyuan gpt-oss kimi qwen3-thinking minimax
minimax-append-think minimax-m3 nanbeige nemotron_3 interns1 gigachat35 iquest_q1 response_template
kolibri1
"""

CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'


@each("name", TOOL_NAMES.split())
def test_each_tool_parser_is_a_dialect(name: str) -> None:
    assert dialects.get(name)


@each("name", [*REASONING_NAMES.split(), "off"])
def test_each_reasoning_parser_is_known(name: str) -> None:
    reasoning_of(name)


def test_another_name_is_an_error() -> None:
    with pytest.raises(UnknownReasoningParser, match="did you mean 'qwen3'"):
        reasoning_of("qwen4")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("deepseek-r1", f"I look.</think>{CALL}"),
        ("qwen3", f"<think>\nI look.\n</think>\n\n{CALL}"),
        ("seed_oss", f"<seed:think>I look.</seed:think>{CALL}"),
        ("mistral", f"I look.[/THINK]{CALL}"),
        ("kimi", f"◁think▷I look.◁/think▷{CALL}"),
    ],
)
def test_reasoning_ends_at_the_mark_of_the_named_parser(name: str, text: str) -> None:
    """Whatever the dialect of the calls."""
    parsed = TurnReader(dialects.get("hermes"), reasoning=reasoning_of(name)).read(text)
    assert (parsed.reasoning, parsed.content, [call.name for call in parsed.calls]) == ("I look.", "", ["f"])


def test_the_flags_of_a_server_are_options() -> None:
    """vLLM's and SGLang's names for both, so that a command line of a server can be copied."""
    text = f"<think>\nI look.\n</think>\n\n{CALL}"
    as_served = ("--tool-call-parser", "hermes", "--reasoning-parser", "qwen3")
    result = toolconv("parse", *as_served, stdin=text)
    assert result.out == toolconv("parse", "--from", "hermes", "--reasoning-parser", "qwen3", stdin=text).out
    assert '"reasoning_content":"I look."' in result.out


def test_off_leaves_texts_alone() -> None:
    row = (
        '{"messages":[{"role":"assistant","content":"<tool_call>{\\"name\\":\\"f\\",\\"arguments\\":{}}</tool_call>"}]}'
    )
    assert toolconv("parse", "--from", "off", stdin=row).out.strip() == row
