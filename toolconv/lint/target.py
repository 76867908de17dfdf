"""The target of a dataset (``--target``): a model family's chat template, or an API provider."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from toolconv.core.conversation import Conversation
from toolconv.core.errors import UnknownName
from toolconv.core.messages import Row
from toolconv.dialects.turns import RenderError, parse_turns
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import Rule

if TYPE_CHECKING:
    from toolconv.templates.base import Template
    from toolconv.templates.jinja.source import Version

PROVIDERS: Final = {
    "openai": frozenset({
        "allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies",
        "patternProperties", "propertyNames", "unevaluatedProperties", "unevaluatedItems", "minProperties",
        "maxProperties", "contains", "minContains", "maxContains", "uniqueItems", "prefixItems",
    }),
    "anthropic": frozenset({
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
        "maxItems", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies",
        "patternProperties", "propertyNames",
    }),
}  # fmt: skip
"""Keywords that a provider's strict mode refuses. Source: OpenAI, "Structured model outputs", supported schemas; Claude
docs, "Structured outputs", JSON Schema limitations.
"""


class RenderedRow(NamedTuple):
    """A row rendered by a template.

    Attributes:
        text: the whole text; empty if the template can't render the row.
        losses: what is missing from the text, by kind.
        refusal: why the template can't render the row; else empty.
        originals: what the family's original template does to the row, and toolconv's does not.
    """

    text: str
    losses: Counter[str]
    refusal: str = ""
    originals: tuple[str, ...] = ()


class TargetRule(Rule):
    """A rule that depends on the target of the dataset; without the option ``target`` it does nothing."""

    default: ClassVar[bool] = False
    options: ClassVar[dict[str, Any]] = {"target": ""}
    needs: ClassVar[tuple[str, ...]] = ("target",)

    def __init__(self, settings: dict[str, Any] | None = None) -> None:
        super().__init__(settings)
        self.target = str(self.option("target"))
        self.template = template_of(self.target)


class UnknownTarget(UnknownName):
    """No provider, template or file has the given name."""

    kind: ClassVar[str] = "target"


def template_of(target: str) -> Template | None:
    """The built-in template or template file that a target names; ``None`` for a provider or no target.

    Raises:
        UnknownTarget: there is no such template, file or provider.
        FileError: the file doesn't contain a template.
    """
    if not target or target in PROVIDERS:
        return None
    if not Path(target).is_file():
        return _template_of(target, ())
    from toolconv.templates.jinja.source import version

    return _template_of(target, version(target))


@lru_cache(maxsize=8)
def _template_of(target: str, version: Version) -> Template:
    """A template; a file that was edited is read again."""
    from toolconv.derive.files import is_file_name, load_template
    from toolconv.templates import UnknownTemplate
    from toolconv.templates.output import TextOptions

    if Path(target).is_file() or is_file_name(target):
        return load_template(TextOptions(file=target))
    try:
        return TextOptions(template=target).load()
    except UnknownTemplate as error:
        raise UnknownTarget(target, error.near, [*PROVIDERS, *error.known]) from None


def written(row: LintRow, template: Template) -> RenderedRow | None:
    """A row rendered by a template; ``None`` if the row can't be read."""
    if "written" not in row.memo:
        row.memo["written"] = _written(row, template)
    found: RenderedRow | None = row.memo["written"]
    return found


def _originals(template: Template, conversation: Conversation, row: Row) -> tuple[str, ...]:
    """What the original template does to a row."""
    from toolconv.templates.originals import argument_effect, argument_types, deviations

    if not template.is_known:
        return ()
    messages = row.get("messages")
    types = (
        argument_types(message for message in messages if isinstance(message, dict))
        if isinstance(messages, list)
        else set()
    )
    effect = argument_effect(template.name, types)
    found = (each.effect for each in deviations(template.name, conversation))
    return (*found, *([effect] if effect is not None else ()))


def _written(row: LintRow, template: Template) -> RenderedRow | None:
    from toolconv.templates.chat_view import ChatView

    if row.conversation is None or row.read_as is None or row.row is None:
        return None
    conversation = row.read_as.read(row.row)  # a copy, because it is modified
    if row.reader is not None:
        parse_turns(conversation, row.reader)
    conversation.notes.losses.clear()
    try:
        originals = _originals(template, conversation, row.row)
        page = template.written(ChatView(conversation, template.dialect))
    except RenderError as error:
        return RenderedRow("", Counter(), str(error), originals)
    return RenderedRow(page.text, Counter(conversation.notes.losses), "", originals)
