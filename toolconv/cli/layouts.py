"""``layouts``: list the layouts, or describe one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from toolconv.cli import listing
from toolconv.cli import options as cli
from toolconv.cli import page as pages

if TYPE_CHECKING:
    from toolconv.layouts.base import Layout


@cli.command(
    examples=(
        ("List all layouts", "toolconv layouts"),
        ("Describe one layout", "toolconv layouts anthropic"),
        ("List them for a script", "toolconv layouts --json"),
        ("Print the LLaMA-Factory configuration for a file", "toolconv layouts llamafactory --dataset-info train.json"),
    ),
    see=("toolconv-layouts(7)",),
)
@click.argument("name", required=False, type=cli.LAYOUT)
@cli.section(
    "Output",
    listing.json_option,
    cli.option("--dataset-info", type=cli.ROW_FILE,
               help="For llamafactory: print the entry of dataset_info.json for FILE."),
)  # fmt: skip
def layouts(name: str | None, as_json: bool, dataset_info: str | None) -> None:
    """List the layouts, or describe the layout NAME."""
    from toolconv.layouts import get, names

    if name is not None and dataset_info is not None and not as_json:
        _print_dataset_info(get(name).name, dataset_info)
        return
    known = partial(map, get, names())
    listing.show(name, as_json, known, get, lambda each: f"{each.name:16} {_summary(each)}", facts, page)


def page(layout: Layout) -> str:
    """A layout's page: facts, description, sample."""
    named = {"name": layout.name, "aliases": ", ".join(layout.aliases)}
    return pages.page(named.items(), f"{pages.module_text(type(layout).__module__)}\n\nsample:\n\n{layout.sample}")


def facts(layout: Layout) -> dict[str, Any]:
    """What ``--json`` says of a layout."""
    return {
        "name": layout.name,
        "aliases": list(layout.aliases),
        "writable": layout.writable,
        "summary": _summary(layout),
        "sample": layout.sample,
    }


def _summary(layout: Layout) -> str:
    """The first line of a layout's page."""
    return pages.module_text(type(layout).__module__).partition("\n")[0]


def _print_dataset_info(layout: str, file: str) -> None:
    """Print the entry of LLaMA-Factory's ``dataset_info.json`` that describes the columns and tags of a file."""
    from pathlib import Path

    from toolconv.cli.messages import log
    from toolconv.core import jsontext
    from toolconv.layouts.formats.llamafactory import dataset_info

    if layout != "llamafactory":
        raise click.UsageError("--dataset-info works only with the layout llamafactory")
    name = Path(file).name
    entry = dataset_info(name.partition(".")[0], name, _keys_in(file))
    click.echo(jsontext.pretty(entry))
    if any("kto_tag" in each["columns"] for each in entry.values()):
        log("kto_tag is for stage: kto. With it, stage: sft skips the rows that have this flag: leave it out there")


def _keys_in(file: str) -> set[str]:
    """The keys of the rows of a file; those that rows may have if there is no such file yet."""
    from pathlib import Path

    from toolconv.convert.detect import Detector
    from toolconv.convert.source import UnknownDocument, open_rows
    from toolconv.core import jsontext
    from toolconv.io.inputs import Input
    from toolconv.layouts.formats.llamafactory import COLUMNS

    wanted = set(COLUMNS.values())
    if not Path(file).exists():
        return wanted
    keys: set[str] = set()
    source = Input(file)
    try:
        found = open_rows(source, Detector("llamafactory"))
        for block in () if isinstance(found, bytes | UnknownDocument) else found:
            for line in block.lines:
                row = jsontext.loads(line) if line.strip() else None
                keys |= row.keys() if isinstance(row, dict) else set()
            if wanted <= keys:
                break
    except ValueError as error:
        raise click.UsageError(f"{file}: not rows of JSON ({error})") from None
    finally:
        source.close()
    return keys
