"""Media and texts among content parts: each API's spelling is read, and written in the form that each target takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.conftest import each, exhaustive
from toolconv import Options, Receipt, convert_rows, layouts
from toolconv.core import jsontext
from toolconv.layouts import part_forms
from toolconv.layouts.media import media_in
from toolconv.layouts.part_forms import PartForm

Row = dict[str, Any]

PNG: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
URL: Final = "https://example.com/cat.png"
WAV: Final = "UklGRiQAAABXQVZFZm10IBAAAAABAAEA"
PDF: Final = "JVBERi0xLjQKJeLjz9MKMSAwIG9iago8PA=="
DATA: Final = f"data:image/png;base64,{PNG}"
FILE: Final = f"data:application/pdf;base64,{PDF}"

# Sources: openai-python, ``types/chat/chat_completion_content_part_param.py`` and ``types/responses``;
# anthropic-sdk-python, ``types/content_block_param.py``; Gemini API, ``Part``; botocore, ``bedrock-runtime``;
# transformers, ``ProcessorMixin.apply_chat_template``; axolotl, ``docs/multimodal.qmd``; vercel/ai, ``content-part.ts``
# and ``FileUIPart``; LLaMA-Factory, ``v1/extras/types.py``; QwenLM/Qwen2.5-VL, README; MCP, ``ImageContent``;
# LlamaIndex, ``ImageBlock``; LangChain, ``content_blocks.py``.
SPELLINGS: Final[dict[str, list[Row]]] = {
    "an image at an address": [
        {"type": "image_url", "image_url": {"url": URL}},
        {"type": "image_url", "image_url": URL},
        {"type": "image_url", "value": URL},
        {"type": "input_image", "image_url": URL},
        {"type": "image", "source": {"type": "url", "url": URL}},
        {"type": "image", "image": URL},
        {"type": "image", "url": URL},
        {"type": "image", "source_type": "url", "url": URL},
        {"block_type": "image", "url": URL},
        {"image": URL},
    ],
    "an image": [
        {"type": "image_url", "image_url": {"url": DATA}},
        {"type": "input_image", "image_url": DATA},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        {"inlineData": {"mimeType": "image/png", "data": PNG}},
        {"inline_data": {"mime_type": "image/png", "data": PNG}},
        {"image": {"format": "png", "source": {"bytes": PNG}}},
        {"type": "image", "base64": PNG},
        {"type": "image", "image": PNG},
        {"type": "image", "image": DATA},
        {"type": "image", "image": PNG, "mediaType": "image/png"},
        {"type": "image", "data": PNG, "mimeType": "image/png"},
        {"type": "file", "data": PNG, "mediaType": "image/png"},
        {"type": "file", "url": DATA, "mediaType": "image/png"},
        {"type": "media", "data": PNG, "mediaType": "image/png"},
        {"type": "blob", "modality": "image", "mime_type": "image/png", "content": PNG},
    ],
    "sound": [
        {"type": "input_audio", "input_audio": {"data": WAV, "format": "wav"}},
        {"inlineData": {"mimeType": "audio/wav", "data": WAV}},
        {"type": "audio", "data": WAV, "mimeType": "audio/wav"},
    ],
    "sound at an address": [
        {"type": "audio_url", "audio_url": {"url": "https://example.com/a.wav"}},
        {"type": "audio", "url": "https://example.com/a.wav"},
        {"type": "audio", "audio": "https://example.com/a.wav"},
    ],
    "a video at an address": [
        {"type": "video_url", "video_url": {"url": "https://example.com/a.mp4"}},
        {"type": "video", "url": "https://example.com/a.mp4"},
        {"type": "video", "video": "https://example.com/a.mp4"},
    ],
    "a document": [
        {"type": "file", "file": {"filename": "a", "file_data": FILE}},
        {"type": "input_file", "filename": "a", "file_data": FILE},
        {"type": "document", "title": "a", "source": {"type": "base64", "media_type": "application/pdf", "data": PDF}},
        {"document": {"name": "a", "format": "pdf", "source": {"bytes": PDF}}},
        {"type": "file", "filename": "a", "data": PDF, "mediaType": "application/pdf"},
        {"type": "file", "filename": "a", "url": FILE, "mediaType": "application/pdf"},
    ],
    "an uploaded file": [
        {"type": "file", "file": {"file_id": "file-a"}},
        {"type": "input_file", "file_id": "file-a"},
    ],
    "an image on a disk": [{"type": "image", "path": "cats/1.png"}, {"type": "image", "image": "cats/1.png"}],
    "a text": [
        {"type": "text", "text": "Look."},
        {"type": "input_text", "text": "Look."},
        {"type": "output_text", "text": "Look."},
        {"text": "Look."},
    ],
}
"""The same in the forms of all APIs."""

Forms = dict[str, Row | None]
FORMS: Final[dict[str, Forms]] = {
    "OPENAI": {
        "an image at an address": {"type": "image_url", "image_url": {"url": URL}},
        "an image": {"type": "image_url", "image_url": {"url": DATA}},
        "sound": {"type": "input_audio", "input_audio": {"data": WAV, "format": "wav"}},
        "sound at an address": {"type": "audio_url", "audio_url": {"url": "https://example.com/a.wav"}},
        "a video at an address": {"type": "video_url", "video_url": {"url": "https://example.com/a.mp4"}},
        "a document": {"type": "file", "file": {"filename": "a", "file_data": FILE}},
        "an uploaded file": {"type": "file", "file": {"file_id": "file-a"}},
        "an image on a disk": None,
        "a text": {"type": "text", "text": "Look."},
    },
    "UPLOAD": {
        "an image at an address": {"type": "image_url", "image_url": {"url": URL}},
        "an image": {"type": "image_url", "image_url": {"url": DATA}},
        **dict.fromkeys(("sound", "sound at an address", "a video at an address", "a document", "an uploaded file")),
        "a text": {"type": "text", "text": "Look."},
    },
    "USER": {
        "an image at an address": {"type": "input_image", "image_url": URL},
        "an image": {"type": "input_image", "image_url": DATA},
        "a document": {"type": "input_file", "filename": "a", "file_data": FILE},
        "an uploaded file": {"type": "input_file", "file_id": "file-a"},
        **dict.fromkeys(("sound", "sound at an address", "a video at an address", "an image on a disk")),
        "a text": {"type": "input_text", "text": "Look."},
    },
    "ANSWER": {**dict.fromkeys(SPELLINGS), "a text": {"type": "output_text", "text": "Look."}},
    "ANTHROPIC": {
        "an image at an address": {"type": "image", "source": {"type": "url", "url": URL}},
        "an image": {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        "a document": {
            "type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PDF}, "title": "a",
        },
        **dict.fromkeys(("sound", "sound at an address", "a video at an address", "an uploaded file")),
        "an image on a disk": None,
        "a text": {"type": "text", "text": "Look."},
    },
    "GEMINI": {
        "an image at an address": {"fileData": {"fileUri": URL}},
        "an image": {"inlineData": {"mimeType": "image/png", "data": PNG}},
        "sound": {"inlineData": {"mimeType": "audio/wav", "data": WAV}},
        "an uploaded file": None,
        "an image on a disk": None,
        "a text": {"text": "Look."},
    },
    "BEDROCK": {
        "an image": {"image": {"format": "png", "source": {"bytes": PNG}}},
        "a document": {"document": {"name": "a", "format": "pdf", "source": {"bytes": PDF}}},
        **dict.fromkeys(("sound at an address", "a video at an address", "an uploaded file")),
        "a text": {"text": "Look."},
    },
    "TRANSFORMERS": {
        "sound at an address": {"type": "audio", "url": "https://example.com/a.wav"},
        "a video at an address": {"type": "video", "url": "https://example.com/a.mp4"},
        **dict.fromkeys(("a document", "an uploaded file")),
        "a text": {"type": "text", "text": "Look."},
    },
    "AI_SDK": {
        "an image at an address": {"type": "image", "image": URL},
        "sound": {"type": "file", "data": WAV, "mediaType": "audio/wav"},
        "a document": {"type": "file", "data": PDF, "mediaType": "application/pdf", "filename": "a"},
        **dict.fromkeys(("sound at an address", "a video at an address", "an uploaded file")),
        "a text": {"type": "text", "text": "Look."},
    },
    "AI_SDK_RESULT": {
        "an image at an address": {"type": "image-url", "url": URL},
        "an image": {"type": "media", "data": PNG, "mediaType": "image/png"},
        "an uploaded file": None,
    },
    "AI_SDK_UI": {
        "an image at an address": {"type": "file", "mediaType": "image/*", "url": URL},
        "an image": {"type": "file", "mediaType": "image/png", "url": DATA},
        "a document": {"type": "file", "mediaType": "application/pdf", "url": FILE, "filename": "a"},
        **dict.fromkeys(("sound at an address", "a video at an address", "an uploaded file")),
    },
    "LLAMAFACTORY": {
        "an image at an address": {"type": "image_url", "value": URL},
        "an image": {"type": "image_url", "value": DATA},
        "an image on a disk": {"type": "image_url", "value": "cats/1.png"},
        **dict.fromkeys(("sound", "sound at an address", "a video at an address", "a document", "an uploaded file")),
        "a text": {"type": "text", "value": "Look."},
    },
}  # fmt: skip
"""What each form writes; ``None`` where it has nothing. Where it takes several spellings, it is not listed."""


@each(
    "name, what, part",
    [(name, what, part) for name, forms in FORMS.items() for what in forms for part in SPELLINGS[what]],
)
def test_each_spelling_is_written_in_the_form_of_the_target(name: str, what: str, part: Row) -> None:
    form: PartForm = getattr(part_forms, name)
    wanted = FORMS[name][what]
    if wanted is None:
        assert form.write(part) == (part, True), "what has no form stays, and is a loss"
    else:
        assert form.write(part) == (part if form.owns(part) else wanted, False)


@each(
    "part",
    (
        {"type": "image", "source": {"type": "file", "file_id": "file_a"}},  # at Anthropic
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Words."}},
        {"type": "image"}, {"type": "image", "image": 3}, {"type": ["image"]}, {"image": []}, {}, "Look.", None, 3, [DATA],
        {"type": "image", "url": ""}, {"type": "widget", "url": URL},
        {"type": "input_image", "image_url": URL, "file_id": "file-a"},
    ),
)  # fmt: skip
def test_what_is_no_media_that_others_can_hold_stays(part: Any) -> None:
    assert media_in(part) is None


def test_base64_of_an_unknown_type_is_given_none() -> None:
    media = media_in({"type": "image", "base64": "AAAA"})
    assert media is not None and (media.data, media.media_type, media.address) == ("AAAA", "", "")
    assert part_forms.OPENAI.write({"type": "image", "base64": "AAAA"})[1]


@each(
    "form, part, lost",
    (
        ("ANTHROPIC", {"type": "image_url", "image_url": {"url": URL, "detail": "low"}}, True),
        ("USER", {"type": "image_url", "image_url": {"url": URL, "detail": "low"}}, False),
        ("GEMINI", {"type": "file", "file": {"filename": "a", "file_data": FILE}}, True),
        ("BEDROCK", {"type": "file", "file": {"file_data": FILE}}, True),  # a document needs a name
        ("ANTHROPIC", {"type": "text", "text": "Look.", "cache_control": {"type": "ephemeral"}}, False),
        ("BEDROCK", {"type": "text", "text": "Look.", "cache_control": {"type": "ephemeral"}}, True),
        ("GEMINI", {"type": "text", "text": "Look.", "thoughtSignature": "s"}, False),
        ("LLAMAFACTORY", {"type": "text", "text": "Look.", "citations": None}, False),
        ("LLAMAFACTORY", {"type": "text", "text": "Look.", "citations": [1]}, True),
        ("AI_SDK_RESULT", {"fileData": {"fileUri": URL, "mimeType": "video/mp4"}}, True),
        ("ANTHROPIC", {"type": "file", "data": "https://example.com/a.pdf", "mediaType": "application/pdf"}, False),
        ("OPENAI", {"fileData": {"fileUri": "gs://a/b.png", "mimeType": "image/png"}}, True),
        ("GEMINI", {"type": "image_url", "image_url": {"url": "file:///a.png"}}, True),
        ("BEDROCK", {"type": "video", "data": "AAAA", "mimeType": "video/mp4"}, False),
    ),
)
def test_what_a_form_has_no_place_for_is_a_loss(form: str, part: Row, lost: bool) -> None:
    assert getattr(part_forms, form).write(part)[1] is lost


# Sources: the references of Gemini's ``Part``, of Bedrock's ``ContentBlock``, of Anthropic's content blocks, and
# vercel/ai, ``content-part.ts`` and ``ui-messages.ts``.
OWN: Final[dict[str, list[Row]]] = {
    "GEMINI": [
        {key: {"a": 1}} for key in (
            "audioMetadata", "audioTranscription", "codeExecutionResult", "documentMetadata", "executableCode", "fileData",
            "functionCall", "functionResponse", "inlineData", "mediaProcessing", "mediaResolution", "partMetadata",
            "speechMetadata", "spreadsheetMetadata", "text", "thought", "thoughtSignature", "toolCall", "toolResponse",
            "videoMetadata", "inline_data", "function_call", "thought_signature",
        )
    ],
    "BEDROCK": [
        {key: {"a": 1}} for key in (
            "image", "document", "video", "audio", "toolUse", "toolResult", "guardContent", "cachePoint",
            "reasoningContent", "citationsContent", "searchResult", "toolAddition", "toolRemoval", "json",
        )
    ],
    "ANTHROPIC": [
        {"type": kind} for kind in (
            "thinking", "redacted_thinking", "tool_use", "tool_result", "server_tool_use", "mcp_tool_use", "search_result",
            "container_upload", "tool_reference", "browser_state", "compaction", "web_search_tool_result",
        )
    ],
    "AI_SDK": [
        {"type": kind}
        for kind in ("reasoning", "tool-call", "tool-result", "tool-approval-request", "tool-approval-response")
    ],
    "AI_SDK_RESULT": [{"type": kind} for kind in ("media", "image-data", "image-url", "file-data", "file-url")],
    "AI_SDK_UI": [
        {"type": kind}
        for kind in ("reasoning", "tool-ping", "dynamic-tool", "step-start", "source-url", "source-document", "data-x")
    ] + [{"type": "file", "mediaType": "image/png", "url": URL}],
    "USER": [
        {"type": kind, key: "a"}
        for kind in ("input_image", "input_file") for key in ("image_url", "file_id", "file_data", "file_url")
    ],
    "OPENAI": [{"type": "refusal"}, {"type": "file", "file": {"file_id": "a"}}, {"type": "file", "file": {"file_data": "a"}}],
    "UPLOAD": [{"type": "refusal"}, {"type": "image_url", "image_url": {"url": URL}}],
    "ANSWER": [{"type": "refusal"}],
    "TRANSFORMERS": [
        {"type": kind, **at}
        for kind in ("image", "audio", "video") for at in ({}, {kind: URL}, {"url": URL}, {"path": "a"}, {"base64": "AAAA"})
    ],
    "LLAMAFACTORY": [{"type": "audio_url", "value": "a"}],
}  # fmt: skip
"""Parts that are in the form of a target, and stay as they are."""
FOREIGN: Final[dict[str, list[Row]]] = {
    "GEMINI": [{}, {"zz": 1}, {"text": "a", "zz": 1}],
    "BEDROCK": [{}, {"zz": {}}, {"image": {}, "audio": {}}, {"image": "a"}],
    "ANTHROPIC": [{"type": "zz"}, {"type": 1}, {"type": "image"}, {"type": "document", "source": {"url": URL}}],
    "AI_SDK": [{"type": "zz"}, {"type": "file", "data": "a"}, {"type": "image", "url": URL}],
    "AI_SDK_RESULT": [{"type": "image"}],
    "AI_SDK_UI": [{"type": "file", "url": URL}, {"type": "file", "mediaType": "image/png"}, {"type": 1}],
    "USER": [{"type": "input_image"}, {"type": "input_file", "image_url": {}}, {"type": "image_url", "image_url": URL}],
    "OPENAI": [
        {"type": "image_url", "image_url": URL},
        {"type": "file", "file": {}},
        {"type": "input_audio", "input_audio": {}},
    ],
    "UPLOAD": [{"type": "input_audio", "input_audio": {"data": WAV}}],
    "ANSWER": [{"type": "image"}],
    "TRANSFORMERS": [{"type": "image", "zz": 1}, {"type": "file", "path": "a"}],
    "LLAMAFACTORY": [{"type": "image_url", "value": 1}],
}


@each("form, part", [(form, part) for form, parts in OWN.items() for part in parts])
def test_a_part_in_the_form_of_the_target_stays(form: str, part: Row) -> None:
    assert getattr(part_forms, form).owns(part)
    assert getattr(part_forms, form).write(part) == (part, False)


@each("form, part", [(form, part) for form, parts in FOREIGN.items() for part in parts])
def test_other_parts_are_not_in_the_form_of_the_target(form: str, part: Row) -> None:
    assert not getattr(part_forms, form).owns(part)


@each(
    "media_type, form",
    [("audio/wav", "wav"), ("audio/x-wav", "wav"), ("audio/mpeg", "mp3"), ("audio/mp3", "mp3"), ("audio/flac", "")],
)
def test_chat_completions_take_two_formats_of_sound(media_type: str, form: str) -> None:
    part = {"type": "audio", "data": WAV, "mimeType": media_type}
    address = {"type": "audio_url", "audio_url": {"url": f"data:{media_type};base64,{WAV}"}}
    wanted = {"type": "input_audio", "input_audio": {"data": WAV, "format": form}} if form else address
    assert part_forms.OPENAI.write(part) == (wanted, False)


# ── through conversions ──

OTHERS: Final[list[Row]] = [
    {"type": "refusal", "refusal": "I can't help with that."},
    {"type": "search_result", "source": URL, "title": "Cats", "content": [{"type": "text", "text": "Cats purr."}]},
    {"type": "widget", "payload": {"label": "Some words in it."}},
    {"fileData": {"mimeType": "video/mp4", "fileUri": "gs://a/b.mp4"}, "videoMetadata": {"fps": 2}},
    {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://a/b.png"}}}},
    {"type": "text", "text": "Look.", "citations": [{"type": "char_location", "cited_text": "Cats purr."}]},
]
PARTS: Final = [part for spellings in SPELLINGS.values() for part in spellings] + OTHERS
CALL: Final = {"id": "c1", "type": "function", "function": {"name": "ping", "arguments": "{}"}}
TARGETS: Final = {
    "openai": "OPENAI", "openai-ft": "UPLOAD", "anthropic": "ANTHROPIC", "gemini": "GEMINI", "bedrock": "BEDROCK",
    "responses": "USER", "ai-sdk": "AI_SDK", "ai-sdk-ui": "AI_SDK_UI", "llamafactory-v1": "LLAMAFACTORY",
    "axolotl": "TRANSFORMERS", "trl": "TRANSFORMERS", "prompt-completion": "TRANSFORMERS",
}  # fmt: skip
"""The layouts whose contents are lists of parts, and the form of what the user says."""
CONTENTS: Final = {
    "gemini": ("contents", "parts"),
    "responses": ("input", "content"),
    "ai-sdk-ui": ("messages", "parts"),
}


def rows(part: Row) -> Iterator[tuple[str, Row]]:
    """Rows of several layouts with a part in a question."""
    said = {"type": "text", "text": "What is it?"}
    yield (
        "openai",
        {"messages": [{"role": "user", "content": [part, said]}, {"role": "assistant", "tool_calls": [CALL]}]},
    )
    use = {"type": "tool_use", "id": "c1", "name": "ping", "input": {}}
    yield (
        "anthropic",
        {"messages": [{"role": "user", "content": [part, said]}, {"role": "assistant", "content": [use]}]},
    )
    parts = [{"text": "It is a cat."}]
    yield (
        "gemini",
        {"contents": [{"role": "user", "parts": [part, {"text": "What is it?"}]}, {"role": "model", "parts": parts}]},
    )
    yield (
        "sharegpt",
        {"conversations": [{"from": "human", "value": [part, said]}, {"from": "gpt", "value": "It is a cat."}]},
    )


def accounted(part: Row, source: str, row: Row, target: str) -> None:
    """Nothing of a part is missing in a row of the target, or in another form, without a name."""
    receipt = Receipt()
    written = next(iter(convert_rows([row], Options(to_layout=target, from_layout=source), receipt=receipt)))
    named = receipt.losses["content_parts"] or receipt.unread
    where = f"{jsontext.dumps(part).decode()} from {source} to {target}: {jsontext.dumps(written).decode()}"
    text = jsontext.dumps(written).decode()
    media = media_in(part)
    held = [media.url or media.data or media.path or media.file_id] if media else list(leaves(part))
    assert named or all(leaf in text for leaf in held), where
    if target in TARGETS:
        form: PartForm = getattr(part_forms, TARGETS[target])
        turns, key = CONTENTS.get(target, ("prompt" if target == "prompt-completion" else "messages", "content"))
        content = written[turns][0][key]
        parts = content if isinstance(content, list) else []
        assert named or all(form.write(each)[0] == each for each in parts), where


def leaves(value: Any) -> Iterator[str]:
    """The texts in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from leaves(member) if key != "type" else ()
    elif isinstance(value, list):
        for member in value:
            yield from leaves(member)


WRITABLE: Final = [
    name for name in layouts.names() if layouts.get(name).writable and not layouts.get(name).calls_in_text
]


@each("number", range(0, len(PARTS), 3))
def test_a_part_is_in_the_form_of_each_target_or_named(number: int) -> None:
    found = list(rows(PARTS[number]))
    source, row = found[number % len(found)]
    for target in WRITABLE:
        if target != source:
            accounted(PARTS[number], source, row, target)


@exhaustive
@pytest.mark.parametrize("target", WRITABLE)
def test_every_part_from_each_layout_is_in_the_form_of_the_target_or_named(target: str) -> None:
    for part in PARTS:
        for source, row in rows(part):
            if source != target:
                accounted(part, source, row, target)


def test_media_of_another_form_in_openai_s_rows_are_written_in_openai_s() -> None:
    part = {"type": "image", "image": URL}
    row = dict(rows(part))["openai"]
    receipt = Receipt()
    (written,) = convert_rows([row], Options(to_layout="openai", from_layout="openai"), receipt=receipt)
    assert written["messages"][0]["content"][0] == {"type": "image_url", "image_url": {"url": URL}}
    assert not receipt.losses
