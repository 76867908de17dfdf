"""Images, audio, video and files among the parts of a content, in the form of any API: one reader for all.

Source: API references of OpenAI (Chat Completions, Responses), Anthropic, Gemini and Bedrock (Converse), openai-python
and google-genai, ``types``; transformers, ``ProcessorMixin.apply_chat_template`` (``image``, ``url``, ``path``,
``base64``); QwenLM/Qwen2.5-VL, ``qwen_vl_utils``; vercel/ai, ``packages/provider-utils/src/types/content-part.ts``;
MCP specification, ``ImageContent``; langchain-core, ``messages/content_blocks.py``; OpenTelemetry GenAI conventions,
``gen-ai-input-messages.json``; hiyouga/LLaMA-Factory, ``src/llamafactory/v1/extras/types.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Row

MediaKind = Literal["image", "audio", "video", "file"]


class Media(NamedTuple):
    """What a part holds other than text: at an address or a path, or as Base64, or by its id at the provider.

    Attributes:
        kind: what it is.
        url: its address, with a scheme.
        data: its Base64.
        path: where it is, without a scheme.
        file_id: the id of a file that was uploaded to OpenAI.
        media_type: its type, such as ``image/png``; empty if nothing says it.
        rest: the other keys of the part: ``detail``, ``filename``, and any other under its own name.
    """

    kind: MediaKind
    url: str = ""
    data: str = ""
    path: str = ""
    file_id: str = ""
    media_type: str = ""
    rest: Mapping[str, Any] = {}

    @property
    def address(self) -> str:
        """Its address, which may be a data URL; empty if it has none."""
        return self.url or (f"data:{self.media_type};base64,{self.data}" if self.data and self.media_type else "")


DETAIL: Final = "detail"
FILENAME: Final = "filename"

NAMED: Final[Mapping[str, MediaKind]] = {
    "image": "image", "image_url": "image", "input_image": "image", "image-data": "image", "image-url": "image",
    "audio": "audio", "audio_url": "audio", "input_audio": "audio", "video": "video", "video_url": "video",
    "document": "file", "file": "file", "input_file": "file", "file-data": "file", "file-url": "file", "media": "file",
    "blob": "file", "uri": "file", "inlineData": "file", "inline_data": "file", "fileData": "file", "file_data": "file",
}  # fmt: skip
"""The types of parts with media, or the keys by which parts without a type are known; files may be of any kind."""
UNTYPED: Final = ("inlineData", "inline_data", "fileData", "file_data", "image", "audio", "video", "document")
"""The keys of parts without a type: Gemini's, Bedrock's and Qwen-VL's."""
ADDRESSES: Final = (
    "url", "image_url", "audio_url", "video_url", "file_url", "path", "uri", "fileUri", "file_uri", "image", "audio",
    "video", "value",
)  # fmt: skip
"""Keys of an address, a path, or Base64."""
DATA: Final = ("data", "base64", "bytes", "file_data", "content")
"""Keys of Base64, or of a data URL."""
TYPE_KEYS: Final = ("media_type", "mediaType", "mime_type", "mimeType", "format", "modality", "source_type")
"""Keys of what it is, and of how it is stored."""
NAME_KEYS: Final = (FILENAME, "name", "title", "displayName", "display_name")
SIGNATURES: Final = (
    ("iVBORw0KGgo", "image/png"), ("/9j/", "image/jpeg"), ("R0lGOD", "image/gif"), ("JVBERi0", "application/pdf"),
)  # fmt: skip
"""How the Base64 of files begins. Source: the signatures of PNG, JPEG, GIF and PDF."""
FORMATS: Final[Mapping[str, str]] = {
    "mp3": "audio/mpeg", "jpg": "image/jpeg", "pdf": "application/pdf", "txt": "text/plain", "md": "text/markdown",
    "csv": "text/csv", "html": "text/html", "mkv": "video/x-matroska", "mov": "video/quicktime",
    "doc": "application/msword", "xls": "application/vnd.ms-excel",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}  # fmt: skip
"""The media types of formats that are not named after their kind. Source: IANA, media types."""
_SCHEME: Final = lazy_re(r"[a-z][a-z0-9+.-]{1,20}:(?://|[a-z]+/)")


def media_in(part: Any) -> Media | None:
    """The media in a part; ``None`` if it has none, or if it is in no known form."""
    if type(part) is not dict:
        return None
    named = part.get("type", part.get("block_type"))
    if named is None:
        named = next((key for key in UNTYPED if type(part.get(key)) in (str, dict)), None)
    if type(named) is not str or named not in NAMED:
        return None
    found = dict(part)
    for key in ("type", "block_type"):
        found.pop(key, None)
    for key in (named, "source", "s3Location"):  # objects in objects, which hold it
        if type(found.get(key)) is dict:
            inner = found.pop(key)
            found = {**found, **inner}
    stored = found.pop("type", None)  # of Anthropic's source
    media_type = _media_type(found, NAMED[named])
    texts = {key: value for key, value in found.items() if type(value) is str and value}
    at = next((key for key in (*DATA, *ADDRESSES) if key in texts and key != "content"), None)
    at = "content" if at is None and named == "blob" and "content" in texts else at
    file_id = texts.get("file_id", "")
    if (at is None) == (not file_id) or stored in ("file", "text", "content"):
        return None  # a file at another provider, a text, or two things
    name = next((key for key in NAME_KEYS if key in texts), None)
    known = {*TYPE_KEYS, at, "file_id", name}
    rest: Row = {key: value for key, value in found.items() if key not in known and value not in (None, "", [], {})}
    if name is not None:
        rest[FILENAME] = texts[name]
    media = Media(_kind(NAMED[named], media_type), file_id=file_id, media_type=media_type, rest=rest)
    return media if at is None else _held(media, texts[at], is_data=at in DATA)


def _held(media: Media, text: str, *, is_data: bool) -> Media | None:
    """Media with what a text says of where they are; ``None`` for Base64 of no known type."""
    head, comma, _ = text[:200].partition(",")
    if text.startswith("data:") and head.endswith(";base64") and comma:
        media_type = head[len("data:") : -len(";base64")]
        return media._replace(kind=_kind(media.kind, media_type), data=text[len(head) + 1 :], media_type=media_type)
    if _SCHEME.match(text):
        return media._replace(url=text)
    signed = "" if "." in text[:200] else next((each for start, each in SIGNATURES if text.startswith(start)), "")
    if is_data or signed or (media.media_type and "." not in text):
        return media._replace(
            kind=_kind(media.kind, media.media_type), data=text, media_type=media.media_type or signed
        )
    return media._replace(path=text)


def _media_type(found: Row, kind: MediaKind) -> str:
    """The media type that a part gives, or that of the format which it gives."""
    given = next((value for key in TYPE_KEYS[:4] if type(value := found.get(key)) is str and "/" in value), "")
    if given:
        return given
    form = found.get("format")
    if type(form) is not str or not form:
        return ""
    return FORMATS.get(form) or (f"{kind}/{form}" if kind != "file" else "")


def _kind(kind: MediaKind, media_type: str) -> MediaKind:
    """The kind of media, by their type where the part holds files of any kind."""
    start = media_type.partition("/")[0]
    return start if kind == "file" and start in ("image", "audio", "video") else kind  # type: ignore[return-value]
