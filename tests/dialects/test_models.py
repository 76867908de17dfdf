"""The dialect that follows from a model's name, as its makers, Ollama or a file of weights write it."""

from __future__ import annotations

from tests.conftest import each
from toolconv import dialects
from toolconv.dialects.models import RULES, dialect_name

# Sources: the models' pages on Hugging Face, and vLLM's documentation of ``--tool-call-parser``.
MODELS = {
    "functiongemma": "google/functiongemma-270m-it",
    "gemma4": "google/gemma-4-31B-it gemma4:27b google/diffusiongemma-26B-A4B-it",
    "pythonic": "google/gemma-3-27b-it",
    "olmo3": "allenai/Olmo-3-7B-Instruct olmo3:7b allenai/Olmo-Hybrid-Instruct-7B",
    "lfm2": "LiquidAI/LFM2-1.2B FreedomIntelligence/openPangu-2.0-Flash openPangu-V2",
    "toolace": "Team-ACE/ToolACE-2-Llama-3.1-8B",
    "xlam": "Salesforce/Llama-xLAM-2-8b-fc-r",
    "functionary_v32": "meetkai/functionary-v3.2 meetkai/functionary-small-v3.2 meetkai/functionary-medium-v3.2",
    "llama3_custom": "meetkai/functionary-small-v3.1 meetkai/functionary-medium-v3.1 meetkai/functionary-v3.1",
    "functionary_v2": "meetkai/functionary-7b-v2",
    "firefunction": "fireworks-ai/llama-3-firefunction-v2",
    "hermes": "NousResearch/Hermes-3-Llama-3.1-8B NousResearch/Nous-Capybara-34B Qwen/QwQ-32B Qwen/Qwen3-8B "
    "Qwen/Qwen2.5-7B-Instruct internlm/Intern-S1-Pro LGAI-EXAONE/EXAONE-4.0-32B LGAI-EXAONE/K-EXAONE-236B-A23B "
    "exaone-k:32b K-intelligence/Midm-2.0-Base-Instruct skt/A.X-4.0 tencent/Youtu-LLM-2B RekaAI/reka-edge-2603 "
    "Motif-Technologies/Motif-2-12.7B-Instruct Tele-AI/TeleChat3-36B-Thinking miromind-ai/MiroThinker-v1.5-30B "
    "Aleph-Alpha/Kolibri-1 HuggingFaceTB/SmolLM3-3B "
    "tiiuae/Falcon3-10B-Instruct tiiuae/Falcon-H1-7B-Instruct stepfun-ai/Step3-VL-10B "
    "IQuestLab/IQuest-Coder-V1-40B-Instruct",
    "telechat4": "Tele-AI/TeleChat3-Coder-36B-Thinking Tele-AI/TeleChat4-32B Tele-AI/Xing4-29B",
    "use_mcp_tool": "miromind-ai/MiroThinker-v1.0-8B",
    "nemotron": "nvidia/Llama-3_3-Nemotron-Super-49B-v1_5 Llama-3.3-Nemotron-Super-49B-v1.5 "
    "nvidia/Llama-3.1-Nemotron-Nano-8B-v1 nvidia/Llama-3.1-Nemotron-Nano-4B-v1.1 "
    "nvidia/NVIDIA-Nemotron-Nano-9B-v2",
    "qwen3_xml": "Qwen/Qwen3-Coder-30B-A3B-Instruct Qwen/Qwen3.5-9B Qwen/Qwen3.6-27B Qwen/Qwen-AgentWorld-7B Qwen/Qwen3.8-27B "
    "Nanbeige/Nanbeige4-3B-Thinking Kwaipilot/KAT-Coder-Exp arcee-ai/Trinity-Large-Thinking deepreinforce-ai/Ornith-1.0-9B "
    "InternScience/Agents-A1 openbmb/MiniCPM-V-4.6 IQuestLab/IQuest-Coder-V1-40B-Loop-Thinking "
    "IQuestLab/IQuest-Coder-V1-40B-Thinking IQuestLab/IQuest-Coder-V1-7B-Instruct internlm/InternS2-Preview "
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B",
    "iquest_coder_v2": "IQuestLab/IQuest-Coder-V2-20B",
    "iquest_q1": "IQuestLab/IQuest-Q1-32B",
    "zaya": "Zyphra/ZAYA1-8B OsaurusAI/Osaurus-AppleScript-8B-JANG_6M",
    "qwen_agent": "Qwen/Qwen2-7B-Instruct Qwen/Qwen1.5-14B-Chat",
    "llama4_pythonic": "meta-llama/Llama-4-Scout-17B-16E-Instruct",
    "llama3_json": "meta-llama/Llama-3.1-8B-Instruct llama3.2:3b",
    "deepseek_v41": "deepseek-ai/DeepSeek-V4.1",
    "deepseek_v4": "deepseek-ai/DeepSeek-V4-Flash",
    "deepseek_v32": "deepseek-ai/DeepSeek-V3.2-Exp",
    "deepseek_v31": "deepseek-ai/DeepSeek-V3.1-Terminus",
    "deepseek_v3": "deepseek-ai/DeepSeek-V2.5 deepseek-ai/DeepSeek-Coder-V2-Instruct deepcogito/cogito-v2-preview-671B "
    "Skywork/Skywork-R1V3-38B deepseek-ai/DeepSeek-V3-0324 deepseek-ai/DeepSeek-R1-0528 deepseek-chat",
    "mistral_v3": "mistralai/Mistral-7B-Instruct-v0.3 mistralai/Mistral-Small-Instruct-2409 "
    "mistralai/Mixtral-8x22B-Instruct-v0.1",
    "mistral_v3_tekken": "mistralai/Mistral-Nemo-Instruct-2407",
    "mistral_v11": "mistralai/Mistral-Small-3.2-24B-Instruct-2506 mistralai/Devstral-Small-2507 "
    "mistralai/Magistral-Small-2509",
    "mistral": "mistralai/Mistral-Large-3-675B-Instruct-2512 mistralai/Ministral-3-8B-Instruct-2512 "
    "mistralai/Devstral-2-123B-Instruct-2512",
    "granite-20b-fc": "ibm-granite/granite-20b-functioncalling",
    "granite4": "ibm-granite/granite-4.0-h-small",
    "granite": "ibm-granite/granite-3.1-8b-instruct",
    "internlm": "internlm/internlm2_5-7b-chat internlm/Intern-S1-mini",
    "glm47": "zai-org/GLM-4.7 zai-org/GLM-5.2 iflytek/Spark2.5-13B Spark-2.5-13B iflytek/Spark3",
    "glm45": "zai-org/GLM-4.5-Air zai-org/GLM-4.6 zai-org/GLM-OCR naver-hyperclovax/HyperCLOVAX-SEED-Think-32B",
    "hyperclovax_14b": "naver-hyperclovax/HyperCLOVAX-SEED-Think-14B",
    "glm4_chat": "zai-org/glm-4-9b-chat",
    "chatglm3": "zai-org/chatglm3-6b",
    "step3p5": "stepfun-ai/Step-3.5-Flash stepfun-ai/Step3p5 stepfun-ai/Step-3.7-Flash",
    "step5": "stepfun-ai/Step-5-Flash step5:latest",
    "step3": "stepfun-ai/step3 stepfun-ai/Step-3-fp8",
    "kimi_k3": "moonshotai/Kimi-K3",
    "kimi_k2": "moonshotai/Kimi-K2-Instruct",
    "hunyuan_a13b": "tencent/Hunyuan-A13B-Instruct tencent/Hunyuan-7B-Instruct",
    "hy_v4": "tencent/Hy4-preview",
    "hy_v3": "tencent/Hy3-preview",
    "longcat": "meituan-longcat/LongCat-Flash-Chat",
    "jamba": "ai21labs/AI21-Jamba-Large-1.7",
    "minimax_m3": "MiniMaxAI/MiniMax-M3",
    "minimax_m2": "MiniMaxAI/MiniMax-M2.1",
    "minimax": "MiniMaxAI/MiniMax-M1-80k",
    "gigachat35": "ai-sage/GigaChat3.5-10B ai-sage/GigaChat-3.5-Ultra",
    "gigachat3": "ai-sage/GigaChat3-10B-A1.8B",
    "harmony": "openai/gpt-oss-20b llm-jp/llm-jp-4-8b-thinking",
    "solar_open2": "upstage/Solar-Open2-100B upstage/solar-pro-4",
    "solar_open": "upstage/Solar-Open-100B",
    "pangu": "FreedomIntelligence/openPangu-Embedded-7B-V1.1",
    "step_audio_r1": "stepfun-ai/Step-Audio-R1.1",
    "step_audio_2": "stepfun-ai/Step-Audio-2-mini",
    "cwm": "facebook/cwm",
    "apriel": "ServiceNow-AI/Apriel-1.6-15b-Thinker",
    "rwkv": "RWKV/RWKV7-G1-2.9B",
    "phi4_mini_json": "microsoft/Phi-4-mini-instruct",
    "cohere_command4": "CohereLabs/command-4",
    "cohere_command3": "CohereLabs/c4ai-command-a-03-2025 CohereLabs/c4ai-command-r7b-12-2024",
    "command_r": "CohereLabs/c4ai-command-r-plus-08-2024",
    "seed_oss": "ByteDance-Seed/Seed-OSS-36B-Instruct",
    "ernie45": "baidu/ERNIE-4.5-21B-A3B-Thinking",
    "apertus": "swiss-ai/Apertus-8B-Instruct-2509",
    "mimo": "XiaomiMiMo/MiMo-V2-Flash",
    "minicpm5": "openbmb/MiniCPM5-1B",
    "minicpm3": "openbmb/MiniCPM3-4B",
    "plamo3": "pfnet/plamo-3-nict-8b-base",
    "ling3": "inclusionAI/Ling-3.0-flash inclusionAI/Ring-2.6-1T",
    "dots": "rednote-hilab/dots.llm1.inst",
    "inkling": "thinkingmachines/Inkling",
    "muse_glimmer": "meta/Muse-Glimmer",
    "muse": "meta/Muse-Spark",
    "poolside_v1": "poolside/Laguna-XS.2 poolside-malibu",
    "k2_horizon": "LLM360/K2-Horizon",
    "raven": "Nexusflow/NexusRaven-V2-13B",
    "gorilla": "gorilla-llm/gorilla-openfunctions-v2",
    "glaive": "glaiveai/glaive-function-calling-v1",
    "anthropic_xml": "claude-2.1",
    "generic": "openai-community/gpt2 Unknown-7B",
}
CASES = [(model, dialect) for dialect, models in MODELS.items() for model in models.split()]


@each("model, dialect", CASES)
def test_the_dialect_of_a_model_follows_from_its_name(model: str, dialect: str) -> None:
    name = model.partition("/")[2] or model
    for spelled in (model, name, name.lower(), name.upper(), f"someone/{name}-GGUF", f"models/{name}"):
        assert dialect_name(spelled) == dialect, spelled


def test_the_owner_s_name_says_nothing() -> None:
    assert dialect_name("hermes-lab/Unknown-7B") == "generic"


def test_each_rule_has_a_case() -> None:
    """A rule that comes first for no name here is untested."""
    names = [model.rsplit("/", 1)[-1].lower().replace("_", "-") for model, _ in CASES]
    first = {next((rule for rule in RULES if rule[0].replace("_", "-") in name), None) for name in names}
    assert [rule for rule in RULES if rule not in first] == []


def test_every_rule_names_a_dialect() -> None:
    assert all(dialects.get(name) for _, name in RULES)
