"""Files at addresses, read and written through fsspec: on this machine, and in a local S3 server."""

from __future__ import annotations

import gc
import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import exhaustive, toolconv
from toolconv.core.errors import FileError
from toolconv.io import remote
from toolconv.io.inputs import Input
from toolconv.io.outputs import Output
from toolconv.io.remote import RemoteFile, is_remote

ROW = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]}
LINE = json.dumps(ROW) + "\n"
WRITTEN = json.dumps(ROW, separators=(",", ":")) + "\n"
TO_OPENAI = ("convert", "--to-layout", "openai")


@pytest.mark.whole
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("s3://bucket/a.jsonl", True),
        ("https://example.org/a.jsonl", True),
        ("file:///a.jsonl", False),
        ("a.jsonl", False),
        ("a/b://c", False),
        ("://c", False),
        ("-", False),
    ],
)
def test_what_an_address_is(name: str, expected: bool) -> None:
    assert is_remote(name) == expected


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("s3://bucket/a.jsonl", "pip install fsspec s3fs; or first aws s3 cp s3://bucket/a.jsonl ."),
        ("gs://bucket/a.jsonl", "pip install fsspec gcsfs; or first gcloud storage cp gs://bucket/a.jsonl ."),
        ("https://example.org/a.jsonl", "pip install fsspec aiohttp; or first curl -LO https://example.org/a.jsonl"),
        (
            "hf://datasets/a/b/c.jsonl",
            "pip install fsspec huggingface_hub; or first hf download a/b --repo-type dataset --include 'c.jsonl'",
        ),
    ],
)
def test_without_the_packages(name: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    for opened in (Input, Output):
        with pytest.raises(FileError) as raised:
            opened(name)
        assert told in str(raised.value)


# ── on this machine ──


@pytest.fixture
def here(tmp_path: Path) -> str:
    """The address of a folder."""
    pytest.importorskip("fsspec")
    return f"local://{tmp_path}"


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".parquet"])
def test_rows_come_back(here: str, tmp_path: Path, ending: str) -> None:
    (tmp_path / "a.jsonl").write_text(LINE * 3)
    run = toolconv(*TO_OPENAI, f"{here}/a.jsonl", "-o", f"{here}/b{ending}", "--receipt", f"{here}/receipt.json")
    assert (run.status, run.err.splitlines()[-1]) == (0, "3 rows in, 3 out; 0 calls")
    receipt = json.loads((tmp_path / "receipt.json").read_text())
    back = toolconv(*TO_OPENAI, f"{here}/b{ending}", "--receipt", "-", "-o", f"{here}/c.jsonl")
    assert (tmp_path / "c.jsonl").read_text() == WRITTEN * 3
    name = f"{here}/b{ending}"
    assert receipt["files"][name] == json.loads(back.out)["files"][name]
    assert receipt["files"][name] == sha256((tmp_path / f"b{ending}").read_bytes()).hexdigest()


def test_a_shard(here: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"id": number, **ROW}) + "\n" for number in range(9)))
    ids = []
    for part in ("1/2", "2/2"):
        run = toolconv(*TO_OPENAI, f"{here}/a.jsonl", "--shard", part)
        ids += [row["id"] for row in run.rows]
    assert ids == list(range(9))


def test_a_file_that_is_not_there(here: str) -> None:
    run = toolconv("stats", f"{here}/nope.jsonl")
    assert (run.status, run.err) == (2, f"Error: {here}/nope.jsonl: no such file\n")


def test_an_unknown_scheme(here: str) -> None:
    assert "fsspec knows no nope://, but s3://" in toolconv("stats", "nope://a/b.jsonl").err


def test_an_input_is_no_output(here: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(LINE)
    assert toolconv(*TO_OPENAI, f"{here}/a.jsonl", "-o", f"{here}/a.jsonl").status == 2
    assert (tmp_path / "a.jsonl").read_text() == LINE


def test_a_failed_run_writes_nothing(here: str, tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text("old")
    run = toolconv(*TO_OPENAI, "--on-error", "fail", "-o", f"{here}/b.jsonl", stdin=LINE * 2 + "{\n")
    assert run.status != 0
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("b.jsonl", "old")]


def test_a_file_that_changes_while_it_is_read(here: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(LINE)
    source = Input(f"{here}/a.jsonl")
    source.check_unchanged()
    (tmp_path / "a.jsonl").write_text(LINE * 2)
    with pytest.raises(FileError, match="changed while it was being read"):
        source.check_unchanged()


def test_errors_of_stores_are_errors_of_files(here: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages of stores raise errors of their own."""

    def fails(*_: Any) -> None:
        raise RuntimeError("credentials expired")

    output = Output(f"{here}/b.jsonl")
    assert output._remote is not None
    monkeypatch.setattr(output._remote._file, "write", fails)
    with pytest.raises(FileError, match=r"b\.jsonl: RuntimeError: credentials expired"):
        output.write(b"x\n")
    output.abandon()
    assert not list(tmp_path.iterdir())


# ── in a local S3 server ──


@pytest.fixture(scope="module")
def bucket() -> Iterator[tuple[str, Any]]:
    """The address of a bucket, and what opens it."""
    s3fs = pytest.importorskip("s3fs", reason="pip install s3fs 'moto[server]': 330 MB, too much for each CI run")
    server = pytest.importorskip("moto.server", reason="pip install s3fs 'moto[server]'").ThreadedMotoServer(port=0)
    server.start()
    _, port = server.get_host_and_port()
    given = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        store = s3fs.S3FileSystem(endpoint_url=given["AWS_ENDPOINT_URL"], use_listings_cache=False)
        store.mkdir("bucket")
        yield "s3://bucket", store
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
        server.stop()


@exhaustive
@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".parquet"])
def test_rows_in_a_bucket(bucket: tuple[str, Any], ending: str) -> None:
    address, store = bucket
    store.pipe("bucket/in.jsonl", (LINE * 3).encode())
    run = toolconv(*TO_OPENAI, f"{address}/in.jsonl", "-o", f"{address}/out{ending}", "--jobs", "2")
    assert (run.status, run.err.splitlines()[-1]) == (0, "3 rows in, 3 out; 0 calls")
    back = toolconv(*TO_OPENAI, f"{address}/out{ending}")
    assert back.out == WRITTEN * 3


@exhaustive
def test_an_empty_file_in_a_bucket(bucket: tuple[str, Any]) -> None:
    address, store = bucket
    output = Output(f"{address}/empty.jsonl")
    output.finish()
    assert store.cat("bucket/empty.jsonl") == b""


@exhaustive
def test_a_large_file_is_not_there_before_it_is_complete(bucket: tuple[str, Any]) -> None:
    address, store = bucket
    output = Output(f"{address}/large.jsonl")
    data = b"x" * (1 << 20)
    for _ in range(110):  # more than two parts of fifty megabytes
        output.write(data)
    assert not store.exists("bucket/large.jsonl")
    output.finish()
    assert store.size("bucket/large.jsonl") == 110 << 20


@exhaustive
def test_parts_of_a_file_that_is_given_up_are_deleted(bucket: tuple[str, Any]) -> None:
    address, store = bucket
    output = Output(f"{address}/given-up.jsonl")
    for _ in range(60):
        output.write(b"x" * (1 << 20))
    assert len(store.list_multipart_uploads("bucket")) == 1
    output.abandon()
    del output
    gc.collect()  # fsspec completes files that are not closed
    assert store.list_multipart_uploads("bucket") == []
    assert not store.exists("bucket/given-up.jsonl")


@exhaustive
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_run_leaves_the_old_file(bucket: tuple[str, Any], sent: signal.Signals) -> None:
    address, store = bucket
    store.pipe("bucket/kept.jsonl", b"old")
    process = subprocess.Popen(
        [sys.executable, "-m", "toolconv", *TO_OPENAI, "-o", f"{address}/kept.jsonl", "--receipt", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None and process.stderr is not None
    process.stdin.write(LINE.encode() * 20_000)
    process.stdin.flush()
    process.stderr.readline()  # its layout was found
    process.send_signal(sent)
    process.communicate()
    assert store.cat("bucket/kept.jsonl") == b"old"


@exhaustive
def test_a_bucket_that_is_not_there(bucket: tuple[str, Any]) -> None:
    run = toolconv(*TO_OPENAI, "-o", "s3://nobucket/a.jsonl", stdin=LINE)
    assert run.status == 2
    assert run.err.splitlines()[-1].startswith("Error: s3://nobucket/a.jsonl: ")


@exhaustive
def test_compressed_bytes_are_those_of_a_file(bucket: tuple[str, Any]) -> None:
    address, store = bucket
    output = Output(f"{address}/a.gz")
    output.write(b"x\n" * 9)
    output.finish()
    assert gzip.decompress(store.cat("bucket/a.gz")) == b"x\n" * 9
    assert RemoteFile(f"{address}/a.gz").size == store.size("bucket/a.gz")
    assert remote.size_of(f"{address}/a.gz") == store.size("bucket/a.gz")
