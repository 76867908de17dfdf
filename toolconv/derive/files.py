"""Dialects by the files that describe them: a dialect file, or a model's chat template."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from toolconv import dialects
from toolconv.core import jsontext
from toolconv.core.errors import MissingExtra
from toolconv.dialects.base import Dialect

if TYPE_CHECKING:
    from toolconv.derive.derivation import Derivation
    from toolconv.templates.base import Template
    from toolconv.templates.output import TextOptions

ENDINGS = (".toml", ".json", ".jinja")


def is_file_name(text: str) -> bool:
    """Whether a text names a file or a folder, and not a dialect."""
    return text.endswith(ENDINGS) or "/" in text or os.sep in text


def register_file(path: str) -> Dialect:
    """The dialect that a file describes, which is registered if toolconv doesn't have it.

    Args:
        path: a dialect file; or a ``chat_template.jinja``, a ``tokenizer_config.json``, or a folder that holds one.

    Raises:
        DialectFileError, FileError: the file can't be read, or describes no dialect.
        NotDerived: no dialect reads what the template writes.
        MissingExtra: Jinja is not installed.
    """
    if not holds_template(path):
        return dialects.register_file(path)
    found = derived(path, name_of(path))
    if not found.is_known:
        dialects.register(found.dialect)
    return found.dialect


def derived(path: str, name: str, template: str | None = None) -> Derivation:
    """The dialect that a chat template writes; see :func:`toolconv.derive.derivation.derive`.

    Raises:
        FileError: there is no template.
        NotDerived: no dialect reads what the template writes.
        MissingExtra: Jinja is not installed.
    """
    if find_spec("jinja2") is None:
        raise MissingExtra("a chat template", "jinja")
    from toolconv.derive.derivation import derive

    return derive(path, name, template)


def load_template(options: TextOptions) -> Template:
    """The template of some options; one in a file with the dialect of its calls, if that can be derived.

    Raises:
        UnknownTemplate: no built-in template has that name.
        FileError: the file can't be read, or has no template.
        MissingExtra: Jinja is not installed.
    """
    template = options.load()
    if options.file is None:
        return template
    from toolconv.derive import NotDerived
    from toolconv.templates.jinja.read_back import WrittenDialect
    from toolconv.templates.jinja.template import JinjaTemplate

    try:
        found = derived(options.file, name_of(options.file), options.template)
    except NotDerived:
        return template
    assert isinstance(template, JinjaTemplate)
    return replace(template, written_dialect=WrittenDialect(found.dialect, found.check.is_exact))


def holds_template(path: str) -> bool:
    """Whether a file is a chat template, or a tokenizer's configuration that doesn't say how to read responses."""
    if path.endswith(".jinja") or Path(path).is_dir():
        return True
    if not path.endswith(".json"):
        return False
    try:
        value = jsontext.loads(Path(path).read_bytes())
    except (OSError, ValueError):
        return False
    if not isinstance(value, dict) or "chat_template" not in value:
        return False
    return "response_template" not in value and "response_schema" not in value


def name_of(path: str) -> str:
    """A name for the dialect of a chat template: that of its file, or of its folder where all files have one name.

    It is not the name of a dialect that toolconv has.
    """
    place = Path(path).resolve()
    is_folder = place.is_dir()
    usual = place.name in ("chat_template.jinja", "tokenizer_config.json")
    word = place.name if is_folder else place.parent.name if usual else place.stem
    name = re.sub(r"[^a-z0-9]+", "_", word.lower()).strip("_") or "derived"
    return f"{name}_derived" if name in dialects.names() else name
