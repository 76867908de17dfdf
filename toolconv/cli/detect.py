"""``detect``: the dialect and layout of each input."""

from __future__ import annotations

import click

from toolconv.cli import options as cli


@cli.command(
    examples=(
        ("Files", "toolconv detect fixtures/teacher.jsonl fixtures/conversations.jsonl"),
        ("A model's output", 'printf \'[TOOL_CALLS]search[ARGS]{"query":"x"}\' | toolconv detect'),
    ),
    see=("toolconv-dialects(7)", "toolconv-layouts(7)"),
)
@cli.files
@cli.section("Input", cli.max_line)
def detect(files: tuple[str, ...], max_line: int | None) -> None:
    """Detect the dialect and layout of each input, with a confidence.

    One JSON object per line: file, layout, dialect, confidence, runner_up. Reads standard input if no FILES are given.
    The dialect of a chat template (a .jinja file) is the one that reads all it writes; see toolconv-derive(1).
    """
    from toolconv.cli.messages import log
    from toolconv.convert.not_rows import NotRows
    from toolconv.convert.source import format_of
    from toolconv.core import jsontext
    from toolconv.core.terminal import escaped_json
    from toolconv.io.inputs import MAX_LINE_BYTES, Input

    for name in files or ("-",):
        if name.endswith(".jinja"):
            click.echo(escaped_json(jsontext.dumps(_of_template(name))))
            continue
        source = Input(name, max_line=max_line or MAX_LINE_BYTES)
        try:
            found = format_of(source)
        except NotRows as error:
            log(str(error))
            found = None
        finally:
            source.close()
        detection = found.detection if found else None
        line = {
            "file": source.label,
            "layout": found.layout if found else None,
            "dialect": detection.name if detection else None,
            "confidence": detection.confidence if detection else 0.0,
            "runner_up": detection.runner_up if detection else None,
        }
        click.echo(escaped_json(jsontext.dumps(line)))


def _of_template(name: str) -> dict[str, object]:
    """The line for a chat template; it has no dialect if toolconv has none that reads what it writes."""
    from toolconv.cli.messages import log
    from toolconv.derive import NotDerived
    from toolconv.derive.files import derived, name_of

    line: dict[str, object] = {"file": name, "layout": None, "dialect": None, "confidence": 0.0, "runner_up": None}
    try:
        found = derived(name, name_of(name))
    except NotDerived as error:
        log(str(error))
        return line
    if found.is_known:
        return {**line, "dialect": found.dialect.name, "confidence": 1.0}
    log(f"{name}: a dialect that toolconv does not have; 'toolconv derive' makes a file of it")
    return line
