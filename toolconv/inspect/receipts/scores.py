"""Whether a score says something about a training set: other prompts, and the same tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from toolconv.core.plural import plural
from toolconv.inspect.receipts.chain import Chain, ChainCheck
from toolconv.inspect.receipts.documents import Document
from toolconv.io.hashed import sha256_of
from toolconv.lint.names import listed

CONTAMINATION = "TC510"


def score_checks(chain: Chain) -> Iterator[ChainCheck]:
    """The checks of each score against each training set."""
    sets = chain.training_sets()
    for score in chain.documents:
        if score.command != "score":
            continue
        gold, digest = next(iter(score.inputs.items()))
        if not sets:
            yield ChainCheck("unknown", score.name, "no receipt of a training set: nothing to compare the score with")
        for name, trained, writer in sets:
            about = f"{gold} and {name}"
            yield _disjoint(chain, about, (gold, digest), (name, trained))
            yield _same_tools(about, score.tools, _tools_of(name, trained, writer))


def _here(name: str, digest: str) -> bool:
    """Whether a file is there, as it was."""
    return Path(name).is_file() and sha256_of(name) == digest


def _disjoint(chain: Chain, about: str, gold: tuple[str, str], train: tuple[str, str]) -> ChainCheck:
    """Whether no prompt of the gold rows is in a training set: by their rows, else by what the runs did."""
    gold_line, train_line = chain.line(gold[1]), chain.line(train[1])
    if gold[1] in train_line:
        return ChainCheck("wrong", about, "the gold rows are those that the training set was made from")
    if _here(*gold) and _here(*train):
        found, read = _contaminated(gold[0], train[0])
        if found:
            return ChainCheck(
                "wrong", about, f"a prompt of the gold rows is in {plural(found, 'row')} of the training set"
            )
        if read:
            return ChainCheck(
                "ok", about, f"no prompt of the gold rows is in the {plural(read, 'row')} of the training set"
            )
    for each in chain.documents:
        parts = {digest: name for name, digest in each.outputs.items()}
        one = next((parts[digest] for digest in gold_line if digest in parts), None)
        other = next((parts[digest] for digest in train_line if digest in parts), None)
        if each.content["options"].get("split") and one and other and one != other:
            return ChainCheck("ok", about, f"made from {one} and {other}, parts of one split, which share no prompt")
        seen = {*each.inputs.values(), *each.outputs.values()}
        searched = each.command == "lint" and gold[1] in each.option_files.values() and not seen.isdisjoint(train_line)
        if searched and _found(each) == 0:
            return ChainCheck("ok", about, f"lint --eval found no prompt of the gold rows ({each.name})")
    return ChainCheck(
        "unknown", about, "whether they share prompts can't be checked: not all files are here and readable"
    )


def _found(document: Document) -> int | None:
    """How many rows with prompts of an evaluation set the linter found; ``None`` if the receipt doesn't say."""
    issues = (document.content.get("function_calling") or {}).get("validator_issues_by_rule")
    return None if issues is None else int(issues.get(CONTAMINATION, 0))


def _contaminated(gold: str, train: str) -> tuple[int, int]:
    """How many rows of a training set have a prompt of the gold rows, and how many have a prompt that can be read."""
    from toolconv.core.errors import FileError
    from toolconv.dataset import lint_rows, read

    try:
        rows = sum(
            any(message.get("role") == "user" for message in conversation.messages) for conversation in read(train)
        )
        options = {CONTAMINATION: {"eval": [gold]}}
        lines = {each.line for each in lint_rows(train, select=[CONTAMINATION], options=options)}
    except FileError:
        return 0, 0
    return len(lines), rows


def _tools_of(name: str, digest: str, writer: Document) -> dict[str, list[str]] | None:
    """The declarations in a training set, by its receipt or else by its rows."""
    if writer.tools is not None:
        return writer.tools
    return declared_in(name) if _here(name, digest) else None


def declared_in(name: str) -> dict[str, list[str]]:
    """The SHA-256 of the declarations in the rows of a file, by tool."""
    from toolconv.convert.options import Options
    from toolconv.convert.pipeline import conversations
    from toolconv.convert.receipt import Receipt

    receipt = Receipt()
    for _ in conversations([name], Options(account=True), receipt):
        pass
    return receipt.tools_by_name


def _same_tools(about: str, gold: Mapping[str, list[str]] | None, train: Mapping[str, list[str]] | None) -> ChainCheck:
    """Whether a training set declares the tools of the gold rows, in the same words."""
    if gold is None or train is None:
        return ChainCheck(
            "unknown", about, "whether they have the same tools can't be checked: a receipt doesn't name them"
        )
    absent = [name for name in gold if name not in train]
    other = [name for name in gold if name in train and not set(gold[name]) <= set(train[name])]
    if absent or other:
        reasons = [f"the training set has no {listed(absent)}"] if absent else []
        reasons += [f"it declares {listed(other)} in another way"] if other else []
        return ChainCheck("wrong", about, f"other tools: {'; '.join(reasons)}")
    if not gold:
        return ChainCheck("unknown", about, "the gold rows declare no tools")
    return ChainCheck(
        "ok", about, f"the same tools: {plural(len(gold), 'tool')} of the gold rows, as in the training set"
    )
