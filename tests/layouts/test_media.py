"""Media in parts: what kind they are, where they are, and of which media type."""

from __future__ import annotations

from typing import Any

from tests.conftest import each
from toolconv.layouts.media import Media, media_in
from toolconv.layouts.part_forms import BEDROCK

# How the Base64 of a file with each signature begins. Source: the specifications of PNG, JPEG, GIF and PDF.
SIGNED = {
    "image/png": "iVBORw0KGgoAAAAN",
    "image/jpeg": "/9j/4AAQSkZJRg",
    "image/gif": "R0lGODlhAQABAIAAAAAAAP",
    "application/pdf": "JVBERi0xLjQK",
}
DOCUMENT = "application/vnd.openxmlformats-officedocument"
# Source: IANA, media types; the formats are those of botocore's ``DocumentFormat``, ``ImageFormat`` and ``VideoFormat``.
DOCUMENTS = {
    "pdf": "application/pdf", "csv": "text/csv", "doc": "application/msword",
    "docx": f"{DOCUMENT}.wordprocessingml.document", "xls": "application/vnd.ms-excel",
    "xlsx": f"{DOCUMENT}.spreadsheetml.sheet", "html": "text/html", "txt": "text/plain", "md": "text/markdown",
}  # fmt: skip
IMAGES = {form: f"image/{form}" for form in ("png", "jpeg", "gif", "webp")}
VIDEOS = {
    "mp4": "video/mp4",
    "webm": "video/webm",
    "mpeg": "video/mpeg",
    "mov": "video/quicktime",
    "mkv": "video/x-matroska",
}


def found(part: Any) -> Media:
    """The media in a part that has some."""
    media = media_in(part)
    assert media is not None, part
    return media


@each("media_type, data", SIGNED.items())
def test_base64_says_what_it_is_by_how_it_begins(media_type: str, data: str) -> None:
    for part in ({"type": "image", "image": data}, {"type": "file", "url": data}):
        media = found(part)
        assert (media.data, media.media_type) == (data, media_type)
    assert found({"type": "image", "image": f"{data}.png"}).path == f"{data}.png"


FORMS = [
    (kind, *form)
    for kind, forms in (("document", DOCUMENTS), ("image", IMAGES), ("video", VIDEOS))
    for form in forms.items()
]


@each("kind, form, media_type", FORMS)
def test_bedrock_s_formats_are_media_types_and_back(kind: str, form: str, media_type: str) -> None:
    named = {"name": "a"} if kind == "document" else {}
    part = {kind: {**named, "format": form, "source": {"bytes": "AAAA"}}}
    media = found(part)
    assert (media.kind, media.media_type, media.data) == ("file" if kind == "document" else kind, media_type, "AAAA")
    filename = {"filename": "a"} if kind == "document" else {}
    assert BEDROCK.write({"type": "file", **filename, "data": "AAAA", "mediaType": media_type}) == (part, False)


@each("form, media_type", [("mp3", "audio/mpeg"), ("wav", "audio/wav"), ("flac", "audio/flac")])
def test_the_format_of_sound_is_a_media_type(form: str, media_type: str) -> None:
    assert found({"type": "input_audio", "input_audio": {"data": "AAAA", "format": form}}).media_type == media_type
    assert found({"type": "image", "data": "AAAA", "format": "jpg"}).media_type == "image/jpeg"
    assert found({"type": "file", "data": "AAAA", "format": "zip"}).media_type == ""


TYPES = {
    "image": "image image_url input_image image-data image-url",
    "audio": "audio audio_url input_audio",
    "video": "video video_url",
    "file": "document file input_file file-data file-url media blob uri",
}


@each("kind, name", [(kind, name) for kind, names in TYPES.items() for name in names.split()])
def test_the_type_of_a_part_says_what_kind_it_is(kind: str, name: str) -> None:
    assert found({"type": name, "url": "https://a.org/b"}).kind == kind
    assert found({"block_type": name, "url": "https://a.org/b"}).kind == kind
    assert found({"type": name, "data": "AAAA", "mimeType": "video/mp4"}).kind == ("video" if kind == "file" else kind)
    assert found({"type": name, "data": "AAAA", "mimeType": "text/csv"}).kind == kind


@each(
    "key",
    [
        "url",
        "image_url",
        "audio_url",
        "video_url",
        "file_url",
        "path",
        "uri",
        "fileUri",
        "file_uri",
        "image",
        "audio",
        "video",
        "value",
    ],
)
def test_an_address_or_a_path_may_be_under_each_key(key: str) -> None:
    assert found({"type": "file", key: "https://a.org/b"}).url == "https://a.org/b"
    assert found({"type": "file", key: "gs://a/b"}).url == "gs://a/b"
    assert found({"type": "file", key: "a/b.png"}).path == "a/b.png"


@each("key", ["data", "base64", "bytes", "file_data"])
def test_base64_may_be_under_each_key(key: str) -> None:
    media = found({"type": "file", key: "AAAA", "mime_type": "image/png"})
    assert (media.data, media.kind, media.address) == ("AAAA", "image", "data:image/png;base64,AAAA")
    assert found({"type": "file", key: "data:image/png;base64,AAAA"}) == media
    assert found({"type": "blob", "content": "AAAA", "mime_type": "image/png"}).data == "AAAA"
    assert media_in({"type": "file", "content": "AAAA", "mime_type": "image/png"}) is None


@each("key", ["media_type", "mediaType", "mime_type", "mimeType"])
def test_the_media_type_may_be_under_each_key(key: str) -> None:
    media = found({"type": "file", "data": "AAAA", key: "text/csv"})
    assert (media.media_type, media.rest) == ("text/csv", {})


@each("key", ["filename", "name", "title", "displayName", "display_name"])
def test_a_file_s_name_may_be_under_each_key(key: str) -> None:
    assert found({"type": "file", "url": "https://a.org/b", key: "a.csv"}).rest == {"filename": "a.csv"}


@each("key", ["inlineData", "inline_data", "fileData", "file_data", "image", "audio", "video", "document"])
def test_a_part_without_a_type_is_known_by_its_key(key: str) -> None:
    assert found({key: {"uri": "https://a.org/b"}}).url == "https://a.org/b"
    assert media_in({key: [1]}) is None


def test_what_a_part_says_besides_stays() -> None:
    part = {
        "type": "image_url",
        "image_url": {"url": "https://a.org/b", "detail": "low"},
        "fps": 2,
        "note": "",
        "tags": [],
    }
    assert found(part).rest == {"detail": "low", "fps": 2}
