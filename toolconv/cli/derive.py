"""``derive``: the dialect that a chat template writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from toolconv.cli import options as cli

if TYPE_CHECKING:
    from toolconv.derive.check import Check
    from toolconv.derive.derivation import Derivation


@cli.command(
    examples=(
        ("Tell which dialect a template writes", "toolconv derive fixtures/derive/hermes.jinja"),
        ("Make a dialect file of a template", "toolconv derive fixtures/derive/acme.jinja"),
        (
            "Let Transformers' parse_response read the model's calls",
            "toolconv derive fixtures/derive/hermes.jinja --response-template",
        ),
    ),
    statuses={1: "no dialect reads all that the template writes", 2: "wrong usage, or unreadable input"},
    see=("toolconv-dialects(7)", "toolconv-convert(1)"),
)
@click.argument("template", type=cli.FILE)
@cli.section(
    "Output",
    cli.option("-o", "--output", type=cli.OUTPUT, help="Write to FILE.  [default: standard output]"),
    cli.option("--response-template", "form", flag_value="response_template",
               help="Write Transformers' response_template instead, for tokenizer_config.json."),
    cli.option("--vllm-plugin", "form", flag_value="vllm_plugin",
               help="Write a plugin for vLLM's --tool-parser-plugin instead."),
)  # fmt: skip
def derive(template: str, output: str | None, form: str | None) -> int:
    """Work out the dialect that a chat template writes, and prove it.

    TEMPLATE is a chat_template.jinja, a tokenizer_config.json, or a folder that holds one of them. The template writes
    200 made-up conversations. If a dialect of toolconv reads and writes all of them, its name is printed. Otherwise, a
    dialect file is written, for --dialect-file and --from: how calls, declarations and results are written, and under
    [verified] what was checked. If that does not read all of the conversations, it is not written, the first that it
    does not read is shown, and the exit status is 1.

    --response-template and --vllm-plugin write the dialect in other forms, if these can express it: for Transformers'
    tokenizer.parse_response, and for a vLLM server in whose environment toolconv is installed.

    \f
    The conversations are the same in every run. They hold one to three calls, arguments of all types, prose, reasoning
    and turns without calls, as far as the template writes them. A turn is *read* if its calls, their types, the prose
    and the reasoning come back; it is *written to the byte* if the dialect writes the same turn, except for white space
    at its ends. For each kind of turn that is written otherwise, ``[verified]`` holds the first.

    What the template can't show is not in the file: slips of the model, which the grammar reads anyway, and notations
    of tools other than those of ``toolconv-dialects(7)``.
    """
    from toolconv.cli.messages import log
    from toolconv.derive import NotDerived
    from toolconv.derive.files import derived, name_of
    from toolconv.export.response_template import NoResponseTemplate
    from toolconv.io.outputs import write_file

    try:
        found = derived(template, name_of(template if form else output or template))
        exported = _exported(template, found, form)
    except (NotDerived, NoResponseTemplate) as error:
        log(str(error))
        return 1
    if exported:
        if output:
            write_file(output, exported.encode())
        else:
            click.echo(exported, nl=False)
        return 0
    if found.is_known:
        click.echo(f"{found.dialect.name}: {found.check}")
        if output:
            log(f"toolconv has this dialect, so {output} is not written: use --from {found.dialect.name}")
        _log_differences(found.check)
        return 0
    if output:
        write_file(output, found.text.encode())
    else:
        click.echo(found.text, nl=False)
    log(f"{found.dialect.name}: {found.check}")
    _log_differences(found.check)
    if found.undescribed:
        log(f"not described, because the file can't express it: {', '.join(found.undescribed)}")
    return 0


def _exported(template: str, found: Derivation, form: str | None) -> str:
    """The dialect of a template in another form; empty if none is asked for.

    Raises:
        NoResponseTemplate: the form can't express the dialect.
    """
    if form == "vllm_plugin":
        from toolconv.export.vllm_plugin import vllm_plugin

        return vllm_plugin(found.dialect, found.text)
    if form == "response_template":
        from toolconv.core import jsontext
        from toolconv.export.verified import checked_response_template

        described = checked_response_template(template, found.dialect)
        return jsontext.dumps_indented({"response_template": described}).decode()
    return ""


def _log_differences(check: Check) -> None:
    """Log the first turn that is written otherwise."""
    from toolconv.cli.messages import log
    from toolconv.derive.derivation import shown

    for kind, (sample, written) in list(check.differs.items())[:1]:
        own, others = shown(written, sample.text), shown(sample.text, written)
        log(f"the first turn that is written otherwise ({kind}): {own} instead of {others}")
