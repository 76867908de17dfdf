"""Runs that are interrupted, shared out or go wrong: through the real command, with real signals."""

from __future__ import annotations

import errno
import gzip
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.conftest import FIXTURES, each, exhaustive, rows, toolconv
from tests.helpers.command import TIMEOUT
from toolconv.cli.group import cli
from toolconv.convert import checkpoint
from toolconv.core.errors import FileError
from toolconv.io import inputs as files_module
from toolconv.io.inputs import FileSlice, Input, blocks
from toolconv.io.outputs import Output

LONG = 400
"""Rows of the file that takes long."""

STRIDE = 1 << 19
"""The bytes between two checkpoints of :data:`COMMAND`: a sixteenth of the usual, so that a file of 5 MB has several."""

SMALL_STEPS = f"""
from toolconv.io import inputs
inputs.BLOCK_BYTES >>= 4
from toolconv.convert import checkpoint
checkpoint.STRIDE = {STRIDE}
from toolconv.cli import main
main()
"""
COMMAND = [sys.executable, "-c", SMALL_STEPS]
"""The command, which reads smaller blocks and writes checkpoints more often."""


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of 5 MB: enough for several checkpoints. Some of its lines are no rows."""
    path = tmp_path_factory.mktemp("long") / "long.jsonl"
    teacher = rows(FIXTURES / "teacher.jsonl")
    with path.open("w") as file:
        for number in range(LONG):
            row = {"id": number, **{k: v for k, v in teacher[number % len(teacher)].items() if k != "id"}}
            row["text"] = "so " * 4000 + row["text"]
            file.write(json.dumps(row) + "\n" if number % 50 else "no row\n")
    return path


def command(source: Path, folder: Path, *more: object, name: str = "out.jsonl") -> list[str]:
    options = ["--from", "hermes", "--to", "qwen3_xml", "-q", "-o", folder / name, "--rejects", folder / "bad.jsonl"]
    return [*COMMAND, "convert", str(source), *map(str, options), *map(str, more)]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def account(receipt: bytes) -> Any:
    return json.loads(receipt)["function_calling"]


# ── resume ──


@pytest.mark.exhaustive
def test_a_killed_run_resumes_to_the_same_bytes(long: Path, tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    subprocess.run(command(long, whole), check=False)
    run = subprocess.Popen(command(long, killed))
    wait_for(killed / ".out.jsonl.resume", run)
    run.kill()
    run.wait()
    assert not (killed / "out.jsonl").exists()
    assert subprocess.run(command(long, killed, "--resume"), check=False).returncode == 1  # rejects
    assert files(killed) == files(whole)


@exhaustive
@pytest.mark.parametrize(("name", "jobs"), [("out.jsonl", 1), ("out.jsonl.gz", 2)])
def test_a_run_killed_at_random_moments_ends_with_the_same_bytes(
    name: str, jobs: int, long: Path, tmp_path: Path
) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    done = subprocess.run(
        command(long, whole, "--receipt", whole / "receipt.json", "--jobs", jobs, name=name), check=False
    )
    assert done.returncode == 1  # rejects
    size = (whole / name).stat().st_size
    chance = random.Random(name)
    again = command(long, killed, "--receipt", killed / "receipt.json", "--jobs", jobs, "--resume", name=name)
    for part in sorted(chance.uniform(0.3, 0.9) for _ in range(5)):  # of the output: a time depends on the load
        run = subprocess.Popen(again)
        while written(killed / f".{name}.part") < part * size and run.poll() is None:
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.02))
        run.kill()
        run.wait()
        if (killed / name).exists():  # then all of it is there
            assert (killed / name).read_bytes() == (whole / name).read_bytes()
            break
        assert (killed / f".{name}.resume").exists()
    assert subprocess.run(again, timeout=TIMEOUT, check=False).returncode == 1
    assert files(killed).keys() == files(whole).keys() == {name, "bad.jsonl", "receipt.json"}
    for file in (name, "bad.jsonl"):
        assert files(killed)[file] == files(whole)[file]
    assert account(files(killed)["receipt.json"]) == account(files(whole)["receipt.json"])
    if name.endswith(".gz"):
        assert gzip.decompress(files(killed)[name]).count(b"\n") == LONG - LONG // 50


@exhaustive
def test_resume_starts_over_if_nothing_was_interrupted_and_refuses_another_run(tmp_path: Path, long: Path) -> None:
    run = toolconv("parse", FIXTURES / "teacher.jsonl", "--resume", "-o", tmp_path / "a.jsonl")
    assert run.status == 0 and len(rows(tmp_path / "a.jsonl")) == len(rows(FIXTURES / "teacher.jsonl"))
    interrupted = subprocess.Popen(command(long, tmp_path))
    wait_for(tmp_path / ".out.jsonl.resume", interrupted)
    interrupted.kill()
    interrupted.wait()
    other = toolconv("parse", long, "--from", "hermes", "--resume", "-o", tmp_path / "out.jsonl")
    assert other.status == 2 and "run without --resume to start over" in other.err
    assert {".out.jsonl.part", ".out.jsonl.resume"} <= files(tmp_path).keys()


OWN_DIALECT = """
grammar = "json_blocks"
name = "acme"
models = ["Acme-7B"]
calls = '<acme>{"name": {name|json}, "arguments": {args}}</acme>'
losses = []
"""


TALKS = 2_000


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of 4 MB of conversations."""
    path = tmp_path_factory.mktemp("talks") / "talks.jsonl"
    row = {"messages": [{"role": "user", "content": "so " * 600}, {"role": "assistant", "content": "Yes."}]}
    path.write_text((json.dumps(row) + "\n") * TALKS)
    return path


def interrupted(folder: Path, arguments: list[object]) -> Path:
    """Kill a run at its first checkpoint: the note."""
    note = folder / ".out.jsonl.resume"
    run = subprocess.Popen([*COMMAND, *map(str, arguments)], cwd=folder, stderr=subprocess.DEVNULL)
    wait_for(note, run)
    run.kill()
    run.wait()
    return note


@pytest.mark.exhaustive
def test_resume_goes_on_only_as_the_same_run(tmp_path: Path, talks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    (tmp_path / "chat.jinja").write_text("{{ messages | length }}")
    (tmp_path / "own.toml").write_text(OWN_DIALECT)
    (tmp_path / "source.toml").write_text(OWN_DIALECT)
    command = ["convert", talks, "--from", "source.toml", "--dialect-file", "own.toml", "--chat-template", "chat.jinja"]
    command += ["-o", "out.jsonl"]
    path = interrupted(tmp_path, command)
    note = path.read_bytes()

    def differs(*more: str) -> str:
        run = toolconv(*command, *more, "--resume", cwd=tmp_path)
        assert run.status == 2 and "run without --resume to start over" in run.err, run.err
        assert path.read_bytes() == note
        return run.err.partition("differs in ")[2].partition(":")[0]

    files = {"source.toml": "--from", "own.toml": "--dialect-file", "chat.jinja": "--chat-template"}
    for name, flag in files.items():
        before = (tmp_path / name).read_text()
        (tmp_path / name).write_text(before + "\n# more\n")
        assert differs() == flag
        (tmp_path / name).write_text(before)
    (tmp_path / "tokenizer_config.json").write_text('{"bos_token": "<s>"}')  # belongs to chat.jinja
    assert differs() == "--chat-template"
    (tmp_path / "tokenizer_config.json").unlink()
    assert set(differs("--on-error", "reject", "--strict").split(", ")) == {"--strict", "--on-error"}
    assert differs("--rejects", "bad.jsonl") == "--rejects"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000")
    assert differs() == "SOURCE_DATE_EPOCH"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert toolconv(*command, "--jobs", 2, "--resume", cwd=tmp_path).status == 0
    assert len(rows(tmp_path / "out.jsonl")) == TALKS


@pytest.mark.exhaustive
def test_a_resumed_run_prints_the_date_of_its_start(
    tmp_path: Path, talks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    (tmp_path / "chat.jinja").write_text("{{ strftime_now('%Y') }}")
    command = ["render", talks, "--chat-template", "chat.jinja", "-o", "out.jsonl"]
    path = interrupted(tmp_path, command)
    note = json.loads(path.read_bytes())
    path.write_text(json.dumps({**note, "date": "0"}))  # as if it had begun on another day
    run = toolconv(*command, "--resume", cwd=tmp_path)
    assert run.status == 0, run.err
    assert rows(tmp_path / "out.jsonl")[-1]["text"] == "1970"


@pytest.mark.parametrize("options", [["--resume"], ["--resume", "-o", "x.parquet"], ["--resume", "-o", "x", "--lint"]])
def test_what_cannot_be_resumed_is_said(options: list[str], tmp_path: Path) -> None:
    run = toolconv("convert", FIXTURES / "teacher.jsonl", *options, cwd=tmp_path)
    assert run.status == 2 and "--resume needs input files" in run.err


@pytest.mark.usefixtures("small_blocks")
def test_a_run_that_a_row_stopped_is_not_continued(tmp_path: Path) -> None:
    """Another run would stop at the same row, so nothing is left of this one, though there was a checkpoint."""
    (tmp_path / "in.jsonl").write_bytes(TEACHER * 200 + b"{broken\n")
    _, errors, left = made(tmp_path / "out", tmp_path / "in.jsonl", "--on-error", "fail")
    assert "in.jsonl:801: not JSON" in errors and left == {}


def test_a_file_that_is_not_a_checkpoint_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".out.jsonl.resume").write_text("{}")
    run = toolconv("parse", FIXTURES / "teacher.jsonl", "--resume", "-o", tmp_path / "out.jsonl")
    assert run.status == 2 and "not a checkpoint" in run.err


# ── signals ──


def written(path: Path) -> int:
    """The size of a file; 0 if there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def wait_for(path: Path, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + TIMEOUT
    while not path.exists():
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.001)


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for child processes in /proc")
@pytest.mark.parametrize(
    ("sent", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGKILL, -signal.SIGKILL)],
)
def test_signals_end_a_run_and_its_workers(sent: int, status: int, long: Path, tmp_path: Path) -> None:
    run = subprocess.Popen(command(long, tmp_path, "--jobs", 2), stderr=subprocess.PIPE)
    wait_for(tmp_path / ".out.jsonl.part", run)
    until = time.monotonic() + TIMEOUT
    while len(workers := children(run.pid)) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    assert len(workers) == 2
    run.send_signal(sent)
    _, err = run.communicate(timeout=TIMEOUT)
    assert run.returncode == status, err
    assert b"Traceback" not in err
    assert not (tmp_path / "out.jsonl").exists()
    until = time.monotonic() + TIMEOUT
    while any(map(alive, workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(alive, workers))


@exhaustive
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for child processes in /proc")
def test_a_worker_that_is_killed_ends_the_run_with_one_line(long: Path, tmp_path: Path) -> None:
    run = subprocess.Popen(command(long, tmp_path, "--jobs", 2), stderr=subprocess.PIPE)
    until = time.monotonic() + TIMEOUT
    while len(workers := children(run.pid)) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    os.kill(workers[0], signal.SIGKILL)
    _, err = run.communicate(timeout=TIMEOUT)
    assert run.returncode == 2 and b"a worker process was killed" in err and err.count(b"\n") == 1
    assert not (tmp_path / "out.jsonl").exists()


@exhaustive
def test_a_reader_that_stops_ends_the_run_quietly(long: Path) -> None:
    run = subprocess.Popen(
        [*COMMAND, "parse", "-q", "--from", "hermes", str(long)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert run.stdout is not None and run.stderr is not None
    assert run.stdout.readline()
    run.stdout.close()
    assert run.wait(TIMEOUT) == 0 and run.stderr.read() == b""


# ── files that fail ──


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_one_line() -> None:
    run = toolconv("parse", "-q", FIXTURES / "teacher.jsonl", "-o", "/dev/full")
    assert run.status == 2 and run.err == f"Error: /dev/full: {os.strerror(errno.ENOSPC)}\n"


def test_devices_and_pipes_are_written_as_they_are(tmp_path: Path) -> None:
    assert toolconv("parse", FIXTURES / "teacher.jsonl", "-o", "/dev/null").status == 0
    assert Path("/dev/null").is_char_device()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    assert toolconv("parse", FIXTURES / "teacher.jsonl", "-o", pipe).status == 0
    assert reader.communicate(timeout=TIMEOUT)[0].count(b"\n") == len(rows(FIXTURES / "teacher.jsonl"))
    assert pipe.is_fifo()


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_receipt_has_the_digests_of_what_went_through_pipes(ending: str, tmp_path: Path) -> None:
    given = (FIXTURES / "teacher.jsonl").read_bytes()
    given = gzip.compress(given) if ending else given
    source, target = tmp_path / f"in{ending}", tmp_path / f"out{ending}"
    os.mkfifo(source)
    os.mkfifo(target)
    with ThreadPoolExecutor(2) as pool:
        pool.submit(source.write_bytes, given)
        written = pool.submit(target.read_bytes)
        assert toolconv("parse", source, "-o", target, "--receipt", "receipt.json", cwd=tmp_path).status == 0
    digests = json.loads((tmp_path / "receipt.json").read_bytes())["files"]
    for path, data in ((source, given), (target, written.result())):
        assert digests[str(path)] == hashlib.sha256(data).hexdigest()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    link.symlink_to(real)
    assert toolconv("parse", FIXTURES / "teacher.jsonl", "-o", link).status == 0
    assert link.is_symlink() and rows(real)


@pytest.mark.parametrize(
    ("name", "reason"),
    [("none.jsonl", "No such file or directory"), (".", "a folder without files of rows"), ("cut.gz", "")],
)
def test_inputs_that_cannot_be_read_are_one_line(name: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b'{"messages": []}\n' * 1000)[:-20])
    run = toolconv("parse", name, "-o", "out.jsonl", cwd=tmp_path)
    assert run.status == 2 and run.err.startswith(f"Error: {name}: ") and reason in run.err
    assert run.err.count("\n") == 1 and files(tmp_path).keys() == {"cut.gz"}


@pytest.mark.exhaustive
def test_a_file_that_changes_while_it_is_read_is_an_error(long: Path, tmp_path: Path) -> None:
    source = tmp_path / "growing.jsonl"
    source.write_bytes(long.read_bytes())
    os.mkfifo(tmp_path / "out.jsonl")  # nobody reads on until the file has changed
    run = subprocess.Popen(command(source, tmp_path), stderr=subprocess.PIPE)
    with (tmp_path / "out.jsonl").open("rb") as output:
        assert output.read(1)
        with source.open("a") as file:
            file.write("{}\n")
        output.read()
    _, err = run.communicate(timeout=TIMEOUT)
    assert run.returncode == 2 and b"growing.jsonl: changed while it was being read" in err


def test_two_runs_do_not_write_one_file(tmp_path: Path) -> None:
    first = Output(str(tmp_path / "out.jsonl"))
    first.write(b"{}\n")
    with pytest.raises(FileError, match="another run is writing it"):
        Output(str(tmp_path / "out.jsonl"))
    first.finish()
    assert files(tmp_path) == {"out.jsonl": b"{}\n"}


def test_an_unfinished_file_that_was_cut_is_not_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / ".out.jsonl.part").write_bytes(b"{}\n")
    with pytest.raises(FileError, match="shorter than it was"):
        Output(str(tmp_path / "out.jsonl"), 100)


# ── several processes ──

TEACHER = (FIXTURES / "teacher.jsonl").read_bytes()
MIXED = b"no row\n\n".join([b"", *[TEACHER] * 40])
LONG_LINE = b'{"text": "' + b"x" * 50_000 + b'"}\n'

OF_LINES = {
    "lines": MIXED,
    "cut": MIXED[:-1],
    "cut in a row": MIXED[:-20],
    "blank lines": b"\n" * 20_000 + MIXED + b" \n" * 9_000,
    "CRLF": MIXED.replace(b"\n", b"\r\n"),
    "a mark at the beginning": b"\xef\xbb\xbf" + MIXED,
    "long lines": TEACHER + LONG_LINE + b"\n" + MIXED + LONG_LINE + LONG_LINE[:-1],
    "nothing": b"",
}


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "BLOCK_BYTES", 3_000)
    monkeypatch.setattr(checkpoint, "STRIDE", 20_000)


def made(folder: Path, source: Path, *options: str) -> tuple[int, str, dict[str, Any]]:
    """Status, messages and files of a run in this process."""
    folder.mkdir()
    names = {"-o": "out.jsonl.gz", "--rejects": "bad", "--receipt": "receipt.json"}
    more = [part for option, name in names.items() for part in (option, str(folder / name))]
    run = CliRunner().invoke(cli, ["convert", "--to", "qwen3_xml", str(source), *more, *options])
    of_run: dict[str, Any] = files(folder)
    if "receipt.json" in of_run:
        of_run["receipt.json"] = account(of_run["receipt.json"])
    return run.exit_code, run.stderr, of_run


@exhaustive
@pytest.mark.sweep
@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        *(("in.jsonl", content, ()) for content in OF_LINES.values()),
        ("in.jsonl.gz", gzip.compress(MIXED, mtime=0), ()),
        ("in.json", b"[" + TEACHER.strip().replace(b"\n", b",") + b"]", ()),
        ("in.jsonl", MIXED, ("--on-error", "fail")),
        ("in.jsonl", MIXED, ("--shard", "2/3")),
        ("in.jsonl", TEACHER, ("--lint",)),
    ],
    ids=[*OF_LINES, "compressed", "array", "fail", "shard", "lint beside"],
)
def test_several_processes_write_what_one_writes(
    name: str, content: bytes, options: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    limit = "--max-line-bytes", "20000"
    one, two = (made(tmp_path / jobs, tmp_path / name, *limit, *options, "--jobs", jobs) for jobs in "12")
    assert two == one
    assert one[0] in (0, 1)
    assert one[2].keys() == {"out.jsonl.gz", "bad", "receipt.json"} or "fail" in options


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("content", OF_LINES.values(), ids=OF_LINES)
@pytest.mark.parametrize("longest", [20_000, 10])
def test_a_block_is_the_same_lines_in_every_process(content: bytes, longest: int, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(content)
    source = Input(str(tmp_path / "in.jsonl"), max_line=longest)
    (tmp_path / "in.jsonl").unlink()  # what is open can be read
    lines: list[bytes] = []
    for block in blocks(source, source.chunks(), own=True):
        assert block.first_line == len(lines) + 1
        lines += block.lines if block.long is None else [b"".join(block.long).removesuffix(b"\n")]
        assert block.last_line == len(lines)
        sent = block.sent()
        assert sent.lines == block.lines
        assert isinstance(sent.text, FileSlice) or block.cut or block.long or not Path("/proc/self/fd").exists()
    assert lines == content.removesuffix(b"\n").split(b"\n") if content else not lines
    source.close()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there the bytes are sent")
def test_a_file_that_was_cut_is_not_read_as_if_it_were_whole(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(TEACHER)
    source = Input(str(path))
    (block,) = blocks(source, source.chunks(), own=True)
    path.write_bytes(TEACHER[:-1000])
    with pytest.raises(FileError, match=r"in\.jsonl: changed while it was being read"):
        _ = block.sent().lines
    source.close()


# ── several files, parts of files ──


def test_several_inputs_to_a_directory_keep_their_names(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl.gz"):
        data = (FIXTURES / "teacher.jsonl").read_bytes()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    receipt = tmp_path / "receipt.json"
    run = toolconv("parse", "a.jsonl", "b.jsonl.gz", "-o", "out/", "--receipt", receipt, cwd=tmp_path)
    assert run.status == 0, run.err
    one = (tmp_path / "out" / "a.jsonl").read_bytes()
    assert gzip.decompress((tmp_path / "out" / "b.jsonl.gz").read_bytes()) == one
    assert account(receipt.read_bytes())["rows_in"] == 2 * one.count(b"\n")
    assert len(json.loads(receipt.read_text())["files"]) == 4


@pytest.mark.parametrize("names", [["a.jsonl", "x/a.jsonl"], ["-"]])
def test_names_that_meet_in_a_directory_are_refused(names: list[str], tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    for name in ("a.jsonl", "x/a.jsonl"):
        (tmp_path / name).write_text("")
    run = toolconv("parse", *names, "-o", "out/", cwd=tmp_path)
    assert run.status == 2 and "give -o FILE" in run.err and not (tmp_path / "out").exists()


@pytest.mark.parametrize("count", [3, *(pytest.param(count, marks=exhaustive) for count in (1, 2, 11))])
def test_shards_put_together_are_the_whole(count: int, tmp_path: Path) -> None:
    data = (FIXTURES / "teacher.jsonl").read_bytes()
    (tmp_path / "a.jsonl").write_bytes(data + b"\n\nno row\n")
    (tmp_path / "b.jsonl").write_bytes(data.removesuffix(b"\n"))
    whole = toolconv("convert", "a.jsonl", "b.jsonl", "--to", "qwen3_xml", "--rejects", "bad", cwd=tmp_path)
    parts, bad = b"", b""
    for number in range(1, count + 1):
        shard = f"{number}/{count}"
        run = toolconv(
            "convert",
            "a.jsonl",
            "b.jsonl",
            "--to",
            "qwen3_xml",
            "--shard",
            shard,
            "--rejects",
            "bad-part",
            cwd=tmp_path,
        )
        assert run.status in (0, 1), run.err
        rejected = (tmp_path / "bad-part").read_bytes()
        if b"no row" in rejected and count > 1:
            assert f"a.jsonl[{shard}]:" in run.err
        parts += run.raw
        bad += rejected
    assert parts == whole.raw and bad == (tmp_path / "bad").read_bytes() == b"no row\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.json", b'[{"messages": []}]'),
        ("raw.txt", b"hello"),
        ("rows.jsonl.gz", gzip.compress(b"{}", mtime=0)),
        ("-", b""),
    ],
)
def test_only_lines_can_be_shared_out(name: str, content: bytes, tmp_path: Path) -> None:
    if name != "-":
        (tmp_path / name).write_bytes(content)
    run = toolconv("parse", name, "--shard", "1/2", cwd=tmp_path)
    assert run.status == 2 and "--shard needs" in run.err


@each("shard", ["0/2", "3/2", "1", "a/b", "1/2/3", "-1/2"])
def test_wrong_shards_are_refused(shard: str) -> None:
    assert toolconv("parse", FIXTURES / "teacher.jsonl", "--shard", shard).status == 2


def test_checkpoints_are_close_enough_to_be_interrupted(long: Path, talks: Path) -> None:
    assert all(path.stat().st_size > 3 * STRIDE for path in (long, talks)), "the tests above would interrupt nothing"
    assert checkpoint.STRIDE < 10_000_000, "a run that is resumed would do long again what was done"
