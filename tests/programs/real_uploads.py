"""Whether the types of the SDKs and APIs accept rows that toolconv writes for uploads."""

from __future__ import annotations

import importlib
import json
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any


def in_gemini(row: dict[str, Any]) -> None:
    """Validate a row with the types of google-genai."""
    from google.genai import types as gemini

    for content in row["contents"]:
        gemini.Content.model_validate(content)
    for tool in row.get("tools", []):
        gemini.Tool.model_validate(tool)


def in_anthropic(row: dict[str, Any]) -> None:
    """Validate a row with the types of anthropic, block by block: those of a message validate blocks lazily."""
    _validate("anthropic.types", "MessageParam", row["messages"])
    for message in row["messages"]:
        if isinstance(message["content"], list):
            _validate("anthropic.types", "ContentBlockParam", message["content"])
    _validate("anthropic.types", "ToolParam", row.get("tools", []))


def in_openai(row: dict[str, Any]) -> None:
    """Validate a row with the types of openai, its calls and content parts one by one."""
    _validate("openai.types.chat", "ChatCompletionMessageParam", row["messages"])
    for message in row["messages"]:
        if isinstance(parts := message.get("content"), list):
            texts = [each for each in parts if message["role"] != "assistant" or each.get("type") != "refusal"]
            kind = "ContentPart" if message["role"] == "user" else "ContentPartText"
            _validate("openai.types.chat", f"ChatCompletion{kind}Param", texts)
        _validate("openai.types.chat", "ChatCompletionMessageToolCallUnionParam", message.get("tool_calls") or [])
    _validate("openai.types.chat", "ChatCompletionToolParam", row.get("tools", []))


def _validate(module: str, name: str, values: list[Any]) -> None:
    from pydantic import TypeAdapter

    TypeAdapter(list[getattr(importlib.import_module(module), name)]).validate_python(values)


def in_mistral(row: dict[str, Any]) -> None:
    """Validate a row with mistral-common, as for fine-tuning of models of its version 3."""
    from mistral_common.protocol.instruct.messages import FinetuningMessage
    from mistral_common.protocol.instruct.request import ChatCompletionRequest
    from mistral_common.protocol.instruct.validator import MistralRequestValidatorV3, ValidationMode

    request = ChatCompletionRequest[FinetuningMessage].model_validate(
        {"messages": row["messages"], "tools": row.get("tools", []), "model": "any"}
    )
    MistralRequestValidatorV3(ValidationMode.finetuning).validate_request(request)


def in_bedrock(row: dict[str, Any]) -> None:
    """Validate a row with the Converse types of botocore."""
    import botocore.session
    from botocore.validate import ParamValidator

    model = botocore.session.get_session().get_service_model("bedrock-runtime").operation_model("Converse")
    keys = {key: row[key] for key in ("system", "messages", "toolConfig") if key in row}
    errors = ParamValidator().validate({"modelId": "any", **keys}, model.input_shape)
    if errors.has_errors():
        raise ValueError(errors.generate_report())


def in_together(row: dict[str, Any]) -> None:
    """Validate a row with the check of files of together, which later versions than 2.10 leave to the server."""
    from together.lib.utils.files import check_file

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "train.jsonl"
        file.write_text(json.dumps(row) + "\n", encoding="utf-8")
        report = check_file(file, "fine-tune")
    if not report["is_check_passed"]:
        raise ValueError(report["message"])


def in_fireworks(row: dict[str, Any]) -> None:
    """Validate a row with the types of fireworks-ai, its content parts and calls one by one."""
    _validate("fireworks.types.shared_params.chat_message", "ChatMessage", row["messages"])
    for message in row["messages"]:
        if isinstance(parts := message.get("content"), list):
            _validate("fireworks.types.shared_params.chat_message", "ContentUnionMember1", parts)
        calls = message.get("tool_calls") or []
        _validate(
            "fireworks.types.shared_params.chat_completion_message_tool_call", "ChatCompletionMessageToolCall", calls
        )
    _validate("fireworks.types.shared_params.chat_completion_tool", "ChatCompletionTool", row.get("tools") or [])


def accepted(check: Callable[[dict[str, Any]], None]) -> Callable[[list[dict[str, Any]]], list[Any]]:
    """Whether a check accepts each row."""

    def results(rows: list[dict[str, Any]]) -> list[Any]:
        found: list[Any] = []
        for row in rows:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    check(row)
                found.append(True)
            except Exception:  # each package has exceptions of its own
                found.append(False)
        return found

    return results


UPLOADS: dict[str, tuple[str, Callable[[list[dict[str, Any]]], list[Any]]]] = {
    "gemini": ("google.genai", accepted(in_gemini)),
    "anthropic": ("anthropic", accepted(in_anthropic)),
    "openai": ("openai", accepted(in_openai)),
    "mistral": ("mistral_common", accepted(in_mistral)),
    "bedrock": ("botocore", accepted(in_bedrock)),
    "together": ("together", accepted(in_together)),
    "fireworks": ("fireworks", accepted(in_fireworks)),
}
"""For each upload the module that its package installs, and what its types accept."""
