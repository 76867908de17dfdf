"""The figures of a run as one JSON object, and the figures that fall short of a limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.errors import ToolconvError
from toolconv.score.comparison import RunComparison
from toolconv.score.run import Scores

VERSION: Final = 1
"""The version of the object; it grows when a key changes its meaning."""


NOTABLE: Final = ("equal", "truth", "tools", "own_tools", "language")
"""What may be odd about outputs: they are the gold rows, have a truth or other tools, or the gold row has none; their
values are literals of another language."""


class UnknownFigure(ToolconvError):
    """A limit names no figure, or one that counts nothing."""


def schema() -> dict[str, Any]:
    """The JSON Schema of what :func:`document` gives."""
    found: dict[str, Any] = jsontext.loads(files("toolconv.score").joinpath("report.schema.json").read_bytes())
    return found


def document(
    runs: Sequence[Scores],
    comparison: RunComparison | None,
    names: Sequence[str],
    digests: Mapping[str, str],
    ks: Iterable[int],
) -> dict[str, Any]:
    """All figures of one or two runs; those of the last one are in ``figures``.

    Args:
        comparison: of the two.
        names: the inputs: gold, outputs, and the other outputs.
        digests: the SHA-256 of each input, by name.
        ks: the numbers of samples for pass@k and pass^k.
    """
    ks = list(ks)
    last = runs[-1]
    options, gold = last.options, last.gold
    inputs: dict[str, Any] = dict.fromkeys(("gold", "outputs", "other"))
    for role, name, rows in zip(inputs, names, [len(gold.rows), *(run.outputs for run in runs)], strict=False):
        label = "<stdin>" if name == "-" else name
        inputs[role] = {"name": label, "sha256": digests.get(label), "rows": rows}
    return {
        "version": VERSION,
        "inputs": inputs,
        "options": {
            "level": options.level, "turns": options.turns, "key": options.key,
            "pairing": last.pairing,
            "by": options.by, "names": "api" if options.api_names else "exact", "ordered": options.ordered,
            "ignore": sorted(options.ignored), "missing": "skip" if options.skip_missing else "wrong",
        },
        "tools_sha256": gold.tools_sha256,
        "figures": last.figures.as_json(ks),
        "by": {name: share.as_json() for name, share in sorted(last.figures.categories.items())},
        "tools": {name: share.as_json() for name, share in sorted(last.figures.tools.items())},
        "outputs": runs[0].figures.as_json(ks) if comparison is not None else None,
        "comparison": None if comparison is None else comparison.as_json(),
        "notable": {name: last.notable[name] for name in NOTABLE},
        "gold_invalid": [{"id": key, "tools": tools} for key, tools in gold.invalid],
        "unscorable": [{**place._asdict(), "reason": reason} for place, reason in gold.unscorable],
        "repeated": list(gold.repeated),
        "unpaired": [
            {**each.place._asdict(), "id": each.key or each.reason or "no key"} for run in runs for each in run.unpaired
        ],
    }  # fmt: skip


def shortfalls(figures: Mapping[str, Any], limits: Iterable[tuple[str, float]]) -> Iterator[str]:
    """A message for each figure that is below its limit.

    Args:
        limits: dotted paths of figures, each with the lowest value that it may have.

    Raises:
        UnknownFigure: there is no such figure, or it is a share of nothing.
    """
    for path, least in limits:
        value: Any = figures
        for key in path.split("."):
            if not isinstance(value, Mapping) or key not in value:
                raise UnknownFigure(f'no figure {path!r}: --json prints them all under "figures"')
            value = value[key]
        if not isinstance(value, int | float):
            raise UnknownFigure(f"{path} is no number" if value is not None else f"{path} is a share of no rows")
        if value < least:
            yield f"{path} is {value:.4g}, less than {least:.4g}"
