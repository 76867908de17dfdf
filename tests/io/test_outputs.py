"""Outputs, without a command: a file that is not complete is not there, marks, roles of files, addresses."""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import each
from toolconv.core.errors import FileError, MissingExtra
from toolconv.io import outputs
from toolconv.io.inputs import Input
from toolconv.io.outputs import Output, allow_open_files, check_place, check_roles, descriptor_of, part_of, write_file
from toolconv.io.remote import RemoteFile, _how_to_read
from toolconv.io.zstd import ZstdReader


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "jsonl.zst"])
def test_a_file_is_there_when_it_is_complete_and_can_be_continued_from_its_mark(ending: str, tmp_path: Path) -> None:
    if ending.endswith("zst"):
        pytest.importorskip("zstandard")
    path = tmp_path / f"a.{ending}"
    path.write_bytes(b"old")
    output = Output(str(path))
    assert output.mark() == 0, "nothing was written"
    output.write(b"one\n")
    place = output.mark()
    assert place == (tmp_path / f".a.{ending}.part").stat().st_size > 0
    assert output.mark() == place
    output.write(b"lost\n")
    output.abandon(keep=True)
    assert path.read_bytes() == b"old"

    again = Output(str(path), place)
    assert again.mark() == place
    again.write(b"two\n")
    again.finish()
    again.abandon()  # does nothing any more
    data = path.read_bytes()
    if ending.endswith("zst"):
        reader = ZstdReader(io.BytesIO(data))
        assert reader.read(3) + reader.read(1) + reader.read(99) == b"one\ntwo\n"
        assert reader.read(9) == b""
    else:
        assert (gzip.decompress(data) if ending.endswith("gz") else data) == b"one\ntwo\n"
    assert again.sha256() == hashlib.sha256(data).hexdigest()
    assert names_in(tmp_path) == [path.name]


def test_a_file_that_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    output = Output(str(tmp_path / "a"))
    output.write(b"one")
    output.abandon()
    assert names_in(tmp_path) == []
    write_file(str(tmp_path / "b"), b"two")
    assert (tmp_path / "b").read_bytes() == b"two" and names_in(tmp_path) == ["b"]


def test_an_output_that_cant_be_opened(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match=r"folder: is a directory$"):
        Output(str(tmp_path / "folder"))
    with pytest.raises(FileError, match=r"no/a: No such file or directory$"):
        Output(str(tmp_path / "no" / "a"))
    for name in ("a.csv", "a.tsv.gz", "a.tab.zst", "a.CSV"):
        with pytest.raises(FileError, match="reads tables, but writes none"):
            Output(str(tmp_path / name))
    for name in ("a.jsonl.bz2", "a.xz", "a.arrow", "a.XLSX"):
        with pytest.raises(FileError, match=f"writes no {Path(name).suffix.lower()} files"):
            Output(str(tmp_path / name))
    for name in ("a.parquet.gz", "a.Parquet"):
        with pytest.raises(FileError, match="a Parquet file has the ending"):
            Output(str(tmp_path / name))
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    first = Output(str(tmp_path / "a"))
    first.write(b"one")
    first.mark()
    with pytest.raises(FileError, match=r"a: another run is writing it$"):
        Output(str(tmp_path / "a"))
    first.abandon(keep=True)
    with pytest.raises(FileError, match=r"a: the unfinished file is shorter than it was$"):
        Output(str(tmp_path / "a"), 4)
    third = Output(str(tmp_path / "a"), 3)
    third.finish()
    assert (tmp_path / "a").read_bytes() == b"one"


def test_a_missing_package_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtra, match=r"^a \.zst file needs an optional package: "):
        Output(str(tmp_path / "a.zst"))
    assert names_in(tmp_path) == []


def test_a_new_file_that_replaces_none_has_the_mode_of_any_new_file_and_another_that_of_the_old_one(
    tmp_path: Path,
) -> None:
    before = os.umask(0o022)
    try:
        for name, mode in (("new", None), ("old", 0o640)):
            path = tmp_path / name
            if mode is not None:
                path.write_bytes(b"")
                path.chmod(mode)
            output = Output(str(path))
            part = stat.S_IMODE(part_of(path).stat().st_mode)
            assert part == (0o644 if mode is None else 0o600), "nobody else may read what the old file hid"
            output.finish()
            assert stat.S_IMODE(path.stat().st_mode) == (mode or 0o644)
    finally:
        os.umask(before)


def test_an_output_replaces_its_input_if_that_is_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    source = Input(str(path))
    output = Output(str(path), replaces=source)
    output.write(b"new")
    path.write_bytes(b"other")
    with pytest.raises(FileError, match=r"a: changed while it was being read"):
        output.finish()
    output.abandon()
    source.close()
    assert path.read_bytes() == b"other" and names_in(tmp_path) == ["a"]


def test_a_file_at_the_end_of_a_link_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    write_file(str(tmp_path / "a"), b"one")
    assert (tmp_path / "a").is_symlink() and (tmp_path / "b").read_bytes() == b"one"


def test_a_device_is_written_directly_and_a_full_one_is_an_error(tmp_path: Path) -> None:
    output = Output("/dev/null", digest=True)
    output.write(b"one")
    assert output.mark() is None
    assert output.sha256() == hashlib.sha256(b"one").hexdigest()
    output.finish()
    full = Output("/dev/full")
    with pytest.raises(FileError, match=r"^/dev/full: No space left on device$"):
        full.write(b"one")
    full.abandon()
    with (tmp_path / "a").open("wb") as file:
        file.write(b"one")
        file.flush()
        name = f"/dev/fd/{file.fileno()}"
        output = Output(name)
        output.write(b"two")
        assert (tmp_path / "a").read_bytes() == b"onetwo", "it is flushed at once, and never replaced"
        output.finish()
        assert descriptor_of(name) == file.fileno()


class Pipe(io.BytesIO):
    """What stands for standard output; it fails as it is told."""

    fails: OSError | None = None
    flushed = 0

    def write(self, data: Any) -> int:
        if self.fails is not None:
            raise self.fails
        return super().write(data)

    def flush(self) -> None:
        self.flushed += 1


@pytest.mark.parametrize("name", [None, "-", "/dev/stdout"])
def test_standard_output_is_flushed_hashed_if_asked_and_never_closed(
    name: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = Pipe()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(pipe))
    output = Output(name, digest=True)
    output.write(b"one")
    assert (pipe.getvalue(), pipe.flushed, output.name) == (b"one", 1, None)
    assert output.mark() is None
    assert output.sha256() == hashlib.sha256(b"one").hexdigest()
    output.finish()
    output.abandon()
    assert not pipe.closed
    pipe.fails = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(FileError, match=r"^<stdout>: No space left on device$"):
        output.write(b"two")
    pipe.fails = BrokenPipeError()
    with pytest.raises(BrokenPipeError):
        output.write(b"two")
    pipe.fails = None


def test_a_disk_that_is_full_is_an_error_of_each_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    words = rf"^{tmp_path}/a: No space left on device$"
    output = Output(str(tmp_path / "a"))
    output.write(b"one")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(FileError, match=words):
            output.mark()
        with pytest.raises(FileError, match=words):
            output.finish()
    output.abandon()
    assert names_in(tmp_path) == []


# ── roles of files ──


@each(
    "written, read, message",
    [
        ({"-o": "a"}, ["b"], None),
        ({"-o": "a"}, ["a"], "-o a and the input a are the same file"),
        ({"-o": "link"}, ["a"], "-o link and the input a are the same file"),
        ({"-o": "new", "--rejects": "new"}, ["a"], "--rejects new and -o new are the same file"),
        ({"-o": "new", "--rejects": "./new"}, ["a"], "--rejects ./new and -o new are the same file"),
        ({"-o": "/dev/null", "--rejects": "/dev/null"}, ["/dev/null", "/dev/null"], None),
        ({"-o": "-"}, ["-"], None),
        ({}, ["-", "-"], "standard input can be read only once, and is named twice"),
        ({}, ["-", "/dev/stdin"], "standard input can be read only once, and is named twice"),
        ({}, ["pipe", "pipe"], "pipe can be read only once, and is named twice"),
        ({}, ["a", "a"], None),
        ({"-o": "/dev/stderr", "--rejects": "/dev/stderr"}, ["a"], "--rejects /dev/stderr and -o /dev/stderr are the same file"),
    ],
)  # fmt: skip
def test_no_file_has_two_roles(
    written: dict[str, str], read: list[str], message: str | None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("roles")
    (folder / "a").write_bytes(b"")
    (folder / "link").symlink_to("a")
    os.mkfifo(folder / "pipe")
    before = Path.cwd()
    ends = os.pipe()
    kept = os.dup(0), os.dup(2)
    os.dup2(ends[0], 0)  # a pipe, as a shell gives
    os.dup2(ends[1], 2)
    os.chdir(folder)
    try:
        try:
            check_roles(written, read)
            found = None
        except FileError as error:
            found = str(error).replace(f"{folder}/", "")
    finally:
        os.chdir(before)
        for number, stream in zip((0, 2), kept, strict=True):
            os.dup2(stream, number)
            os.close(stream)
        for end in ends:
            os.close(end)
    assert found == message


def test_standard_output_that_goes_to_a_file_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"")
    kept = os.dup(1)
    with path.open("ab") as file:
        os.dup2(file.fileno(), 1)
    found = []
    try:
        for written, read in (({}, [str(path)]), ({"-o": str(path)}, []), ({"-o": "-"}, []), ({}, ["x"])):
            try:
                check_roles(written, read)
                found.append("")
            except FileError as error:
                found.append(str(error))
    finally:
        os.dup2(kept, 1)
        os.close(kept)
    assert found == [
        f"standard output and the input {path} are the same file",
        f"-o {path} and standard output are the same file",
        "",
        "",
    ]


@each(
    "name, number",
    [
        (None, 1),
        ("-", 1),
        ("/dev/stdout", 1),
        ("/dev/stderr", 2),
        ("/dev/fd/17", 17),
        ("/proc/self/fd/3", 3),
        ("/dev/null", None),
        ("/dev/fd/x", None),
        ("17", None),
        ("a/17", None),
    ],
)
def test_what_open_file_a_name_stands_for(name: str | None, number: int | None) -> None:
    assert descriptor_of(name) == number


def test_links_to_an_open_file_are_followed(tmp_path: Path) -> None:
    (tmp_path / "0").symlink_to("/dev/fd/7")
    for at in range(1, 41):
        (tmp_path / str(at)).symlink_to(str(at - 1))
    assert descriptor_of(str(tmp_path / "38")) == 7
    assert descriptor_of(str(tmp_path / "39")) is None  # one link more than Linux follows


def test_whether_a_file_can_be_written_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"")
    for name in (f"{tmp_path}/a", f"{tmp_path}/new", "/dev/null", "s3://no/where", "/dev/fd/1"):
        check_place(name)
    for name, words in (
        (f"{tmp_path}", f"{tmp_path}: is a directory"),
        (f"{tmp_path}/no/a", f"{tmp_path}/no/a: there is no folder {tmp_path}/no"),
    ):
        with pytest.raises(FileError) as raised:
            check_place(name)
        assert str(raised.value) == words
    monkeypatch.setattr(os, "access", lambda *_: False)
    check_place("/dev/null")
    check_place("/dev/fd/1")
    for name in ("a", "new"):
        with pytest.raises(FileError, match=rf"{name}: Permission denied$"):
            check_place(f"{tmp_path}/{name}")


def test_the_limit_of_open_files_rises_as_far_as_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    found: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: found.append(limits))
    for limits in ((210, 1000), (211, 1000), (100, 205), (100, -1)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, limits=limits: limits)
        allow_open_files(11)
    assert found == [(211, 1000), (205, 205), (211, -1)]
    assert outputs.SPARE_FILES == 200


# ── addresses ──


def test_a_file_at_an_address_is_there_when_it_is_complete(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    here = f"local://{tmp_path}"
    output = Output(f"{here}/a.jsonl", digest=True)
    output.write(b'{"a": 1}\n')
    assert not (tmp_path / "a.jsonl").exists()
    assert output.mark() is None
    output.finish()
    assert (tmp_path / "a.jsonl").read_bytes() == b'{"a": 1}\n'
    assert output.sha256() == hashlib.sha256(b'{"a": 1}\n').hexdigest()

    given_up = Output(f"{here}/b.jsonl")
    given_up.write(b"x")
    given_up.abandon()
    assert not (tmp_path / "b.jsonl").exists()

    file = RemoteFile(f"{here}/a.jsonl")
    assert (file.size, file.readable(), file.writable(), file.seekable()) == (9, True, False, True)
    assert (file.read(2), file.tell(), file.seek(1), file.read(), file.closed) == (b'{"', 2, 1, b'"a": 1}\n', False)
    assert (file.seek(-1, 2), file.read()) == (8, b"\n")
    buffer = bytearray(3)
    assert (file.seek(0), file.readinto(buffer), bytes(buffer)) == (0, 3, b'{"a')
    file.close()
    assert file.closed
    written = RemoteFile(f"{here}/c", write=True)
    assert (written.readable(), written.writable(), written.seekable()) == (False, True, False)
    assert written.write(b"ab") == 2
    written.close()
    assert not written.closed and not (tmp_path / "c").exists(), "it is not there before it is committed"
    written.discard()
    with pytest.raises(FileError, match=rf"^{here}/none: no such file$"):
        Input(f"{here}/none")
    source = Input(f"{here}/a.jsonl")
    assert (b"".join(source.chunks()), source.size, source.is_file) == (b'{"a": 1}\n', 9, False)
    assert source.sha256() == hashlib.sha256(b'{"a": 1}\n').hexdigest()
    source.check_unchanged()
    (tmp_path / "a.jsonl").write_bytes(b'{"a": 12}\n')
    with pytest.raises(FileError, match="changed while it was being read"):
        source.check_unchanged()


@each(
    "name, needed, packages, fetch",
    [
        ("s3://b/a", "fsspec", "fsspec s3fs", "aws s3 cp s3://b/a ."),
        ("s3://b/a", "", "s3fs", "aws s3 cp s3://b/a ."),
        ("gcs://b/a", "", "gcsfs", "curl -LO gcs://b/a"),
        ("az://b/a", "", "adlfs", "curl -LO az://b/a"),
        ("abfs://b/a", "", "adlfs", "curl -LO abfs://b/a"),
        ("http://b/a", "", "aiohttp", "curl -LO http://b/a"),
        ("odd://b/a", "", "fsspec", "curl -LO odd://b/a"),
        ("hf://datasets/a/b", "", "huggingface_hub", "hf download a/b --repo-type dataset --local-dir ."),
        (
            "hf://datasets/a/b/c/d.jsonl",
            "",
            "huggingface_hub",
            "hf download a/b --repo-type dataset --include 'c/d.jsonl' --local-dir .",
        ),
    ],
)
def test_what_to_do_without_the_packages_of_an_address(name: str, needed: str, packages: str, fetch: str) -> None:
    found = _how_to_read(name, needed)
    assert found.startswith("an address needs optional packages: ")
    assert found.endswith(f" {packages}; or first {fetch}")
