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
    """
    from toolconv.cli.messages import log
    from toolconv.convert.not_rows import NotRows
    from toolconv.convert.source import format_of
    from toolconv.core import jsontext
    from toolconv.core.terminal import escaped_json
    from toolconv.io.inputs import MAX_LINE_BYTES, Input

    for name in files or ("-",):
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
