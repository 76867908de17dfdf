"""The pages of section 7, which list all dialects, layouts, templates, trainers and rules with their descriptions."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, NamedTuple

from toolconv import dialects, layouts, templates, trainers
from toolconv.cli.page import module_text
from toolconv.dialects import dialect_file
from toolconv.dialects.losses import LOSSES
from toolconv.lint.engine import baseline, config
from toolconv.lint.engine.selection import all_rules
from toolconv.lint.rule import Rule
from toolconv.manual.roff import ManPage, bold, inline
from toolconv.templates.jinja import source
from toolconv.templates.originals import effects
from toolconv.trainers.base import EFFECTS, REMOVALS

WIDTH: Final = 68
"""JSON samples are wrapped to this width."""


class Reference(NamedTuple):
    """A page of section 7.

    Attributes:
        name: the name of the command that lists the same things.
        summary: the line under NAME.
        write: writes everything between NAME and SEE ALSO.
        see: related pages.
    """

    name: str
    summary: str
    write: Callable[[ManPage], None]
    see: tuple[str, ...]


DIALECTS: Final = """\
A dialect is how a model family writes tool calls in its text. A DIALECT option takes a name or alias from this page, in
upper or lower case, with ``-`` or ``_``. Most dialects have the names of vLLM's tool parsers.

Every dialect can be read and written. toolconv reads more than it writes: models deviate from their format, and
everything that can be read with certainty is read, each repair under a name. ``auto`` detects the dialect from the
texts; if that fails, name the dialect.

Each entry describes the format, its source, the models that write it, what calls can lose when written in it, and shows
a sample of one or two calls.
"""
LAYOUTS: Final = """\
A layout is how a row of a dataset stores a conversation. Rows are lines of JSON, items of a JSON array, or rows of a
Parquet file. toolconv detects the layout from the keys of the rows unless ``--from-layout`` names it. ``--to-layout``
names the layout to write.

All layouts are converted to *canonical* rows, in which the ``arguments`` of calls are objects and ``content`` is always
text. When a layout can't store something, that is a loss; losses have names, are counted in the receipt, and are errors
with ``--strict``. Samples are wrapped here; each row is a single line.
"""
TEMPLATES: Final = """\
A template writes a whole conversation as the text that a model is trained on, byte for byte like the model's own chat
template: turns, system text, declared tools, calls in the model's dialect, results, reasoning. ``--template NAME``
takes a name from this page; ``--chat-template FILE`` takes a file and needs the extra ``jinja``.

``--spans`` adds the list ``spans`` to a row, which covers the text without gaps. Each span has ``start`` and ``end`` in
characters, a ``kind`` (``system``, ``tools``, ``user``, ``reasoning``, ``prose``, ``call``, ``response``, or ``turn``
for everything between them), the index of its ``message`` and of its ``call`` in that message, and ``train``, which is
true for text that the model generates. ``--prompt-completion`` splits the text before the last assistant turn instead.

``--template-kwargs`` sets variables of a template, as in ``--template-kwargs '{"enable_thinking": false}'``.
"""
TRAINERS: Final = """\
``--trainer NAME`` of 'toolconv convert' and 'toolconv render' writes rows as that trainer, or an upload, reads them.
What would keep a row from arriving is repaired where that is possible, and each repair is counted by its name. What the
trainer will still leave out, refuse or change is counted as a loss, and ``--strict`` rejects such rows. 'toolconv lint
--trainer NAME' reports the same for rows that exist (rules TC601 to TC604).

``--template`` or ``--chat-template`` names the student's chat template. Trainers that read texts then get texts. With
``--exact``, trainers that take a text and a mask get the student's own, in the form that their pages describe.
"""
RULES: Final = """\
'toolconv lint' checks rows against these rules. ``--select``, ``--extend-select`` and ``--ignore`` take codes, prefixes
of codes, names and ``ALL``; if several match a rule, the most specific one wins. ``--filter`` drops rows with *errors*;
any finding, whatever its level, makes the exit status 1.
"""


def _dialects(page: ManPage) -> None:
    page.heading("Description")
    page.prose(DIALECTS)
    page.heading("Dialects")
    for family in _families(dialects.all_dialects()):
        page.subheading(", ".join(dialect.name for dialect in family))
        page.prose(module_text(family[0].module))
        for dialect in family:
            _facts(page, dialect.name if len(family) > 1 else "", {
                "Models": dialect.models, "Other names": dialect.aliases, "Also read": dialect.fallback_dialects,
                "Can be lost": dialect.losses,
            })  # fmt: skip
            page.example(dialect.sample)
    page.heading("Losses")
    page.prose("What the calls of a row can lose when they are written in a dialect:")
    for name, meaning in LOSSES.items():
        page.item(bold(name), f"{meaning[0].upper()}{meaning[1:]}.")
    page.heading("Custom dialects")
    page.prose("``--dialect-file FILE`` adds a dialect for one run. " + module_text(dialect_file.__name__))
    page.prose("Packages can add dialects through the entry point group ``toolconv.dialects``.")


def _layouts(page: ManPage) -> None:
    page.heading("Description")
    page.prose(LAYOUTS)
    page.heading("Layouts")
    for layout in map(layouts.get, layouts.names()):
        page.subheading(layout.name)
        page.prose(module_text(type(layout).__module__))
        _facts(page, "", {"Other names": layout.aliases, "Written": () if layout.writable else ("never",)})
        page.example("\n".join(map(_fitted_line, layout.sample.split("\n"))))
    page.heading("Layouts of your own")
    page.prose("Packages add layouts through the entry point group ``toolconv.layouts``.")


def _templates(page: ManPage) -> None:
    page.heading("Description")
    page.prose(TEMPLATES)
    page.heading("Templates")
    for family in _families(templates.all_templates()):
        page.subheading(", ".join(template.name for template in family))
        page.prose(module_text(family[0].module))
        for template in family:
            _facts(page, template.name if len(family) > 1 else "", {
                "Models": template.models, "Dialect": (template.dialect.name,), "Other names": template.aliases,
                "Variables": template.variables,
                "Its original": effects(template.name),
            })  # fmt: skip
    page.heading("Custom templates")
    page.prose(module_text(source.__name__))
    page.prose("Packages add templates through the entry point group ``toolconv.templates``.")


def _trainers(page: ManPage) -> None:
    page.heading("Description")
    page.prose(TRAINERS)
    page.heading("Trainers")
    for trainer in trainers.all_trainers():
        page.subheading(trainer.name)
        page.prose(module_text(trainer.module))
        _facts(page, "", {
            "Other names": trainer.aliases, "Layout": (trainer.layout,), "Marks": trainer.mark_keys,
            "Repairs": trainer.repairs, "Leaves out": trainer.removals, "Checked with": (trainer.checked_with,),
        })  # fmt: skip
    page.heading("Effects")
    page.prose("What a trainer can do to a row, and what is left out for it, by the name under which it is counted:")
    for name, meaning in {**{name: meaning for name, (_, meaning) in EFFECTS.items()}, **REMOVALS}.items():
        page.item(bold(name), f"{meaning[0].upper()}{meaning[1:]}.")
    page.heading("Custom trainers")
    page.prose("Packages add trainers through the entry point group ``toolconv.trainers``.")


def _rules(page: ManPage) -> None:
    page.heading("Description")
    page.prose(RULES)
    for family, rules in groupby(all_rules().values(), lambda rule: rule.code[:3]):
        page.heading(f"{family}xx")
        members = list(rules)
        homes = [module_text(rule.__module__) for rule in members]
        title = next(text for text in homes if text.startswith(f"{family}xx: ")).removeprefix(f"{family}xx: ")
        page.prose(title[0].upper() + title[1:])
        for rule in members:
            _rule(page, rule)
    page.heading("Settings")
    page.prose(module_text(config.__name__))
    page.heading("Baseline")
    page.prose(module_text(baseline.__name__))


def _rule(page: ManPage, rule: type[Rule]) -> None:
    page.subheading(f"{rule.code} {rule.name}")
    text = inspect.getdoc(rule) or ""
    page.prose(re.sub(r"(?<=\n\n)([A-Z][a-z]+[a-z -]*):", r"*\1:*", text))
    fix = {"safe": ("--fix",), "unsafe": ("--fix --unsafe-fixes",)}
    _facts(page, "", {
        "Level": (f"{rule.level}, {'on' if rule.default else 'off'} by default",),
        "Fixed by": fix.get(rule.fix or "", ()),
        "Options": [f"{name} = {json.dumps(value)}" for name, value in rule.options.items()],
    })  # fmt: skip


def _families(members: Iterable[Any]) -> list[list[Any]]:
    """Group dialects or templates by the modules that define and describe them; groups and members sorted by name."""
    by_file = groupby(sorted(members, key=attrgetter("module")), attrgetter("module"))
    return sorted((list(family) for _, family in by_file), key=lambda family: str(family[0].name))


def _facts(page: ManPage, name: str, facts: dict[str, Iterable[str]]) -> None:
    """Write facts, one per line, after an optional heading ``name``."""
    lines = [bold(name)] if name else []
    for title, words in facts.items():
        if values := ", ".join(words):
            lines += [".br"] * bool(lines) + [f"\\fI{title}:\\fR {inline(values)}"]
    if lines:
        page.raw(*lines)


def _fitted_line(line: str) -> str:
    """A line of a sample, wrapped if it is JSON and too long."""
    try:
        return _fitted(json.loads(line), 0) if len(line) > WIDTH else line
    except ValueError:
        return line


def _fitted(value: Any, indent: int) -> str:
    """JSON wrapped to the page width; values that fit on a line stay on it."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= WIDTH or not value or not isinstance(value, dict | list):
        return flat
    inner, outer = "\n" + " " * (indent + 2), "\n" + " " * indent
    if isinstance(value, list):
        return "[" + inner + f",{inner}".join(_fitted(item, indent + 2) for item in value) + outer + "]"
    members = (f"{json.dumps(key, ensure_ascii=False)}: {_fitted(item, indent + 2)}" for key, item in value.items())
    return "{" + inner + f",{inner}".join(members) + outer + "}"


REFERENCES: Final = (
    Reference(
        "dialects", "how model families write tool calls", _dialects, ("toolconv-convert(1)", "toolconv-layouts(7)")
    ),
    Reference(
        "layouts", "how dataset rows store conversations", _layouts, ("toolconv-convert(1)", "toolconv-dialects(7)")
    ),
    Reference(
        "templates",
        "the chat templates that toolconv writes",
        _templates,
        ("toolconv-render(1)", "toolconv-dialects(7)"),
    ),
    Reference(
        "trainers",
        "what trainers and uploads do with rows",
        _trainers,
        ("toolconv-convert(1)", "toolconv-lint(1)", "toolconv-layouts(7)"),
    ),
    Reference("rules", "the rules of toolconv lint, and its settings", _rules, ("toolconv-lint(1)",)),
)
