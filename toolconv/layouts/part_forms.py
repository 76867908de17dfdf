"""The forms that the parts of a content have in each API: one writer for all.

A part of text or media in the form of any API is written in the form of the target. What the target has no form for
stays as it is, and is a loss (``content_parts``); so is what else a part says, such as the ``detail`` of an image,
where the target has no place for it.

Source: API references of OpenAI (Chat Completions, Responses), Anthropic (``ContentBlockParam``), Gemini (``Part``) and
Bedrock (``ContentBlock``); vLLM, multimodal inputs (``video_url``, ``audio_url``); transformers,
``ProcessorMixin.apply_chat_template``; axolotl, ``docs/multimodal.qmd``; vercel/ai,
``packages/provider-utils/src/types/content-part.ts`` and ``FileUIPart``; hiyouga/LLaMA-Factory,
``src/llamafactory/v1/extras/types.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from toolconv.core.jsontext import compact
from toolconv.core.messages import Row
from toolconv.core.notes import Notes
from toolconv.layouts.media import DETAIL, FILENAME, FORMATS, Media, media_in

MEDIA_TYPES: Final = {
    "image_url": ("url",), "video_url": ("url",), "audio_url": ("url",), "input_audio": ("data",),
    "file": ("file_id", "file_data"),
}  # fmt: skip
"""The types of parts with media in OpenAI's form, each with the keys of which the object under it has one."""
LOSS: Final = "content_parts"
TEXTS: Final = frozenset({"text", "input_text", "output_text", "summary_text", "reasoning_text"})
"""The types of parts that are text."""


class PartForm(NamedTuple):
    """The form of parts in an API.

    Attributes:
        text: a text and the other keys of its part, as a part.
        media: media as a part; ``None`` if there is no form for them.
        owns: whether a part that is neither text nor media written by ``media`` is in this form.
    """

    text: Callable[[str, Row], Row]
    media: Callable[[Media], Row | None]
    owns: Callable[[Row], bool]

    def write(self, part: Any) -> tuple[Any, bool]:
        """A part in this form, and whether anything of it has no place there. One without a form stays as it is."""
        found = text_in(part)
        if found is not None:
            text, rest = found
            written = self.text(text, rest)
            return (part, False) if written == part else (written, not _holds(written, rest))
        if type(part) is not dict:
            return part, True
        if self.owns(part):
            return part, False
        media = media_in(part)
        row = None if media is None else self.media(media)
        if media is None or row is None:
            return part, True
        return row, not (_holds(row, dict(media.rest)) and _says_type(row, media))

    def write_all(self, parts: list[Any], notes: Notes | None) -> list[Any]:
        """Parts in this form; each that lost something is a loss in ``notes``."""
        written = [self.write(part) for part in parts]
        if notes is not None:
            notes.losses += [LOSS] * sum(lost for _, lost in written)
        return [part for part, _ in written]

    def read(self, part: Any) -> Any:
        """A part of this form with media in OpenAI's form, if it is written back the same; else as it is."""
        if type(part) is not dict or media_in(part) is None:
            return part
        plain, lost = OPENAI.write(part)
        return plain if not lost and self.write(plain) == (part, False) else part


def text_in(part: Any) -> tuple[str, Row] | None:
    """The text of a part and its other keys; ``None`` for anything else."""
    if type(part) is str:
        return part, {}
    if type(part) is not dict or type(part.get("text")) is not str:
        return None
    kind = part.get("type", "text")
    if type(kind) is not str or kind not in TEXTS:
        return None
    return part["text"], {key: value for key, value in part.items() if key not in ("type", "text")}


def _holds(written: Row, rest: Row) -> bool:
    """Whether a part that is written holds all values of some keys that say something."""
    held = set(map(compact, _values(written)))
    return all(compact(value) in held for value in rest.values() if value not in (None, "", [], {}))


def _says_type(written: Row, media: Media) -> bool:
    """Whether a part that is written says of what type media at an address are, as far as that is known."""
    kind = written.get("type")
    if kind is None or kind == "document" or not media.url or not media.media_type:
        return True
    return media.kind in kind or media.media_type in _values(written)


def _values(row: Row) -> Iterator[Any]:
    for value in row.values():
        yield value
        if type(value) is dict:
            yield from _values(value)


def _others(media: Media, *used: str) -> Row:
    """The other keys of a part that stay with its media."""
    return {key: value for key, value in media.rest.items() if key not in used}


def _given(**keys: Any) -> Row:
    return {key: value for key, value in keys.items() if value}


def _typed_text(text: str, rest: Row) -> Row:
    return {"type": "text", "text": text, **rest}


def _has(part: Row, key: str, *inner: str) -> bool:
    """Whether an object under a key has one of some keys."""
    value = part.get(key)
    return type(value) is dict and any(value.get(each) for each in inner)


def _starts(text: str, *schemes: str) -> bool:
    return text.startswith(tuple(f"{scheme}:" for scheme in schemes))


# ── OpenAI's ──


def _in_openai(media: Media) -> Row | None:
    address, name = media.address, media.rest.get(FILENAME)
    if media.kind == "image" and _starts(address, "http", "https", "data", "file"):
        image = {"url": address, **_given(detail=media.rest.get(DETAIL))}
        return {"type": "image_url", "image_url": image, **_others(media, DETAIL)}
    form = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}.get(media.media_type)
    if media.kind == "audio" and media.data and form:
        return {"type": "input_audio", "input_audio": {"data": media.data, "format": form}, **_others(media)}
    if media.kind in ("audio", "video") and _starts(address, "http", "https", "data", "file"):
        return {"type": f"{media.kind}_url", f"{media.kind}_url": {"url": address}, **_others(media)}
    if media.kind == "file" and media.file_id:
        return {"type": "file", "file": {"file_id": media.file_id, **_given(filename=name)}, **_others(media, FILENAME)}
    if media.kind == "file" and media.data and address:
        file = {**_given(filename=name), "file_data": address}
        return {"type": "file", "file": file, **_others(media, FILENAME)}
    return None


def _is_openai(part: Row) -> bool:
    kind = part.get("type")
    return kind == "refusal" or (type(kind) is str and kind in MEDIA_TYPES and _has(part, kind, *MEDIA_TYPES[kind]))


OPENAI: Final = PartForm(_typed_text, _in_openai, _is_openai)
"""Chat completions, with the videos and the audio at an address that servers such as vLLM take."""
UPLOAD: Final = PartForm(
    _typed_text,
    lambda media: _in_openai(media) if media.kind == "image" else None,
    lambda part: part.get("type") in ("image_url", "refusal") and _is_openai(part),
)
"""What OpenAI's fine-tuning takes."""


def _in_responses(media: Media) -> Row | None:
    name = media.rest.get(FILENAME)
    if media.kind == "image" and (media.file_id or _starts(media.address, "http", "https", "data")):
        at = {"file_id": media.file_id} if media.file_id else {"image_url": media.address}
        return {"type": "input_image", **at, **media.rest}
    if media.kind == "file" and media.file_id:
        return {"type": "input_file", "file_id": media.file_id, **media.rest}
    if media.kind == "file" and media.data and media.address:
        return {"type": "input_file", **_given(filename=name), "file_data": media.address, **_others(media, FILENAME)}
    if media.kind == "file" and _starts(media.url, "http", "https"):
        return {"type": "input_file", "file_url": media.url, **media.rest}
    return None


def _is_responses(part: Row) -> bool:
    kind = part.get("type")
    if kind in ("input_image", "input_file"):
        return any(type(part.get(key)) is str for key in ("image_url", "file_id", "file_data", "file_url"))
    return kind == "refusal"


USER: Final = PartForm(lambda text, rest: {"type": "input_text", "text": text, **rest}, _in_responses, _is_responses)
"""What the user says in Responses, or a tool returns."""
ANSWER: Final = PartForm(
    lambda text, rest: {"type": "output_text", "text": text, **rest},
    lambda _: None,
    lambda part: part.get("type") == "refusal",
)
"""What the assistant says in Responses."""

# ── Anthropic's ──

IMAGES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
PDF: Final = "application/pdf"
ANTHROPIC_TYPES: Final = frozenset({
    "thinking", "redacted_thinking", "tool_use", "tool_result", "server_tool_use", "mcp_tool_use", "search_result",
    "container_upload", "tool_reference", "browser_state", "compaction",
})  # fmt: skip


def _in_anthropic(media: Media) -> Row | None:
    if media.kind == "image":
        kind, title, known = "image", {}, media.media_type in IMAGES
    elif media.kind == "file":
        kind, title, known = "document", _given(title=media.rest.get(FILENAME)), media.media_type == PDF
    else:
        return None
    if media.data and known:
        source = {"type": "base64", "media_type": media.media_type, "data": media.data}
    elif _starts(media.url, "http", "https") and (known or not media.media_type or kind == "image"):
        source = {"type": "url", "url": media.url}
    else:
        return None
    return {"type": kind, "source": source, **title, **_others(media, DETAIL, FILENAME)}


def _is_anthropic(part: Row) -> bool:
    kind = part.get("type")
    if kind in ("image", "document"):
        return _has(part, "source", "type")
    return type(kind) is str and (kind in ANTHROPIC_TYPES or kind.endswith("_tool_result"))


ANTHROPIC: Final = PartForm(_typed_text, _in_anthropic, _is_anthropic)

# ── Gemini's ──

GEMINI_KEYS: Final = frozenset({
    "audioMetadata", "audioTranscription", "codeExecutionResult", "documentMetadata", "executableCode", "fileData",
    "functionCall", "functionResponse", "inlineData", "mediaProcessing", "mediaResolution", "partMetadata",
    "speechMetadata", "spreadsheetMetadata", "text", "thought", "thoughtSignature", "toolCall", "toolResponse",
    "videoMetadata",
})  # fmt: skip
"""The keys of parts."""


def in_camel_case(key: str) -> str:
    """A key that may be written with underscores, as the SDK's types take it, too."""
    first, *others = key.split("_")
    return first + "".join(map(str.capitalize, others))


def _in_part(keys: Mapping[str, Any]) -> Row:
    """Those of some keys that a part may have."""
    return {key: value for key, value in keys.items() if in_camel_case(key) in GEMINI_KEYS}


def _in_gemini(media: Media) -> Row | None:
    rest = _in_part(media.rest)
    if media.data and media.media_type:
        return {"inlineData": {"mimeType": media.media_type, "data": media.data}, **rest}
    if media.url and not _starts(media.url, "file", "data", "s3"):
        return {"fileData": {**_given(mimeType=media.media_type), "fileUri": media.url}, **rest}
    return None


def _is_gemini(part: Row) -> bool:
    return bool(part) and all(in_camel_case(key) in GEMINI_KEYS for key in part)


GEMINI: Final = PartForm(lambda text, rest: {"text": text, **_in_part(rest)}, _in_gemini, _is_gemini)

# ── Bedrock's ──

BEDROCK_KEYS: Final = frozenset({
    "image", "document", "video", "audio", "toolUse", "toolResult", "guardContent", "cachePoint", "reasoningContent",
    "citationsContent", "searchResult", "toolAddition", "toolRemoval", "json",
})  # fmt: skip
"""The keys of blocks, of which each has one."""
BEDROCK_FORMATS: Final = {
    **{f"image/{form}": form for form in ("png", "jpeg", "gif", "webp")},
    **{f"video/{form}": form for form in ("mp4", "webm", "mpeg")},
    **{FORMATS[form]: form for form in ("pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md", "mkv", "mov")},
}
"""The formats of the media types that Converse takes."""


def _in_bedrock(media: Media) -> Row | None:
    form, name = BEDROCK_FORMATS.get(media.media_type), media.rest.get(FILENAME)
    if form is None or (media.kind == "file" and not name) or not (media.data or _starts(media.url, "s3")):
        return None
    source = {"bytes": media.data} if media.data else {"s3Location": {"uri": media.url}}
    if media.kind == "file":
        return {"document": {"name": name, "format": form, "source": source}}
    return {media.kind: {"format": form, "source": source}}


def _is_bedrock(part: Row) -> bool:
    return len(part) == 1 and part.keys() <= BEDROCK_KEYS and type(next(iter(part.values()))) is not str


BEDROCK: Final = PartForm(lambda text, _: {"text": text}, _in_bedrock, _is_bedrock)

# ── those of libraries ──


def _in_transformers(media: Media) -> Row | None:
    if media.kind == "file" or (media.kind != "image" and not (media.url or media.path)):
        return None
    at = _given(url=media.url, path=media.path, base64=media.data)
    return {"type": media.kind, **at, **media.rest} if at else None


def _is_transformers(part: Row) -> bool:
    kind = part.get("type")
    return kind in ("image", "audio", "video") and (
        part.keys() == {"type"} or any(part.get(key) for key in (kind, "url", "path", "base64"))
    )


TRANSFORMERS: Final = PartForm(_typed_text, _in_transformers, _is_transformers)
"""What Hugging Face's processors load."""
CHAT: Final = PartForm(_typed_text, _in_openai, lambda part: _is_openai(part) or _is_transformers(part))
"""What chat templates take: media in OpenAI's form or in that of transformers."""
CANONICAL: Final = PartForm(
    _typed_text,
    _in_openai,
    lambda part: CHAT.owns(part) or (media := media_in(part)) is None or _in_openai(media) is None,
)
"""The same in canonical rows, where a part that has no other form stays unchanged."""


def _in_ai_sdk(media: Media) -> Row | None:
    at = media.url or media.data
    typed = _given(mediaType=media.media_type)
    if not at or (media.kind != "image" and not typed):
        return None
    if media.kind == "image":
        return {"type": "image", "image": at, **typed, **media.rest}
    return {"type": "file", "data": at, **typed, **media.rest}


def _is_ai_sdk(part: Row) -> bool:
    kind = part.get("type")
    if kind in ("image", "file"):
        return type(part.get("image" if kind == "image" else "data")) is str and (
            kind == "image" or "mediaType" in part
        )
    return kind in ("reasoning", "tool-call", "tool-result", "tool-approval-request", "tool-approval-response")


AI_SDK: Final = PartForm(_typed_text, _in_ai_sdk, _is_ai_sdk)


def _in_ai_sdk_result(media: Media) -> Row | None:
    if media.data and media.media_type:
        return {"type": "media", "data": media.data, "mediaType": media.media_type, **media.rest}
    kind = "image-url" if media.kind == "image" else "file-url"
    return {"type": kind, "url": media.url, **media.rest} if media.url else None


AI_SDK_RESULT: Final = PartForm(
    _typed_text,
    _in_ai_sdk_result,
    lambda part: part.get("type") in ("media", "image-data", "image-url", "file-data", "file-url"),
)
"""What a tool returns in the AI SDK."""


def _in_ai_sdk_ui(media: Media) -> Row | None:
    media_type = media.media_type or ("image/*" if media.kind == "image" else "")
    if not media.address or not media_type:
        return None
    return {"type": "file", "mediaType": media_type, "url": media.address, **media.rest}


def _is_ai_sdk_ui(part: Row) -> bool:
    kind = part.get("type")
    if kind == "file":
        return type(part.get("url")) is str and "mediaType" in part
    return type(kind) is str and kind.startswith(
        ("reasoning", "tool-", "dynamic-tool", "step-start", "source-", "data-")
    )


AI_SDK_UI: Final = PartForm(_typed_text, _in_ai_sdk_ui, _is_ai_sdk_ui)


def _in_llamafactory(media: Media) -> Row | None:
    at = media.address or media.path
    return {"type": "image_url", "value": at} if media.kind == "image" and at else None


LLAMAFACTORY: Final = PartForm(
    lambda text, _: {"type": "text", "value": text},
    _in_llamafactory,
    lambda part: type(part.get("value")) is str,
)
