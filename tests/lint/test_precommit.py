"""The hooks of ``.pre-commit-hooks.yaml``, run by pre-commit on a real repository."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, exhaustive
from tests.helpers.command import TIMEOUT
from tests.helpers.lint_rows import TWICE_ENCODED, WRONG_NAME, lines, row

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("pre_commit") is None, reason="pre-commit is not installed"),
    pytest.mark.skipif(not shutil.which("git"), reason="git is not installed"),
]

MANIFEST = ROOT / ".pre-commit-hooks.yaml"


def run(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PRE_COMMIT_HOME": str(cwd.parent / "cache"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
    }
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        env.pop(name, None)
    return subprocess.run(
        [str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository that uses the hooks as the manifest has them, but for where the program comes from."""
    path = tmp_path / "repository"
    path.mkdir()
    run("git", "init", "-q", ".", cwd=path)
    hooks = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    for hook in hooks:
        assert hook["language"] == "python"
        hook.pop("additional_dependencies", None)
        hook["language"] = "system"  # the program under test, not one that pip would fetch
        hook["entry"] = f"{sys.executable} -m {hook['entry']}"
    config = {"repos": [{"repo": "local", "hooks": hooks}]}
    (path / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    (path / "toolconv.toml").write_text('[lint]\nselect = ["TC0", "TC1"]\n', encoding="utf-8")
    run("git", "add", ".", cwd=path)
    return path


def hook(repository: Path, name: str) -> subprocess.CompletedProcess[str]:
    run("git", "add", ".", cwd=repository)
    return run(sys.executable, "-m", "pre_commit", "run", name, "--all-files", "--verbose", cwd=repository)


def test_the_manifest_is_valid(tmp_path: Path) -> None:
    done = run(sys.executable, "-m", "pre_commit", "validate-manifest", MANIFEST, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_nothing_to_check(repository: Path) -> None:
    (repository / "notes.txt").write_text("{", encoding="utf-8")
    done = hook(repository, "toolconv-lint")
    assert done.returncode == 0
    assert "no files to check" in done.stdout


@exhaustive
def test_rows_of_all_kinds_of_files_are_checked(repository: Path) -> None:
    wrong = lines(WRONG_NAME).encode()
    names = ["a.jsonl", "b.ndjson", "c d.jsonl", "e.jsonl.gz", "f.ndjson.gz", "g.jsonl"]
    for name in names:
        data = b"\0" if name == "g.jsonl" else gzip.compress(wrong) if name.endswith(".gz") else wrong
        (repository / name).write_bytes(data)  # a file with a NUL is no text to pre-commit
    (repository / "other.txt").write_bytes(wrong)
    (repository / "package.json").write_text('{"name": "package", "version": "1.0.0"}')
    (repository / "tokenizer.json").write_bytes(wrong)
    done = hook(repository, "toolconv-lint")
    assert done.returncode == 1
    for name in names:
        assert f"{name}:" in done.stdout, done.stdout
    assert "other.txt" not in done.stdout and ".json:" not in done.stdout
    assert "in 6 rows" in done.stdout  # one run sees them all


@exhaustive
def test_parquet_is_checked_and_json_by_configuration(repository: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(
        arrow.Table.from_pylist([{key: json.dumps(value) for key, value in WRONG_NAME.items()}]),
        repository / "a.parquet",
    )
    (repository / "data").mkdir()
    (repository / "data" / "b.json").write_text(json.dumps([WRONG_NAME]))
    (repository / "package.json").write_text('{"name": "package"}')
    config = repository / ".pre-commit-config.yaml"
    found = yaml.safe_load(config.read_text())
    found["repos"][0]["hooks"][0]["files"] += r"|^data/.*\.json$"
    config.write_text(yaml.safe_dump(found))
    done = hook(repository, "toolconv-lint")
    assert done.returncode == 1 and "a.parquet:1" in done.stdout and "data/b.json:" in done.stdout, done.stdout
    assert "package.json" not in done.stdout


@exhaustive
def test_fix_removes_no_row(repository: Path) -> None:
    path = repository / "a.jsonl"
    path.write_text(lines(row(), TWICE_ENCODED, row()), encoding="utf-8")
    (repository / "toolconv.toml").write_text("[lint]\n", encoding="utf-8")
    assert "files were modified by this hook" in hook(repository, "toolconv-fix").stdout
    assert path.read_text(encoding="utf-8").count("\n") == 3


def test_clean_rows_pass(repository: Path) -> None:
    (repository / "a.jsonl").write_text(lines(row()), encoding="utf-8")
    assert hook(repository, "toolconv-lint").returncode == 0


@pytest.mark.exhaustive
def test_fix_fails_once_and_passes_then(repository: Path) -> None:
    path = repository / "a.jsonl"
    path.write_text(lines(row(), TWICE_ENCODED), encoding="utf-8")
    assert hook(repository, "toolconv-lint").returncode == 1
    first = hook(repository, "toolconv-fix")
    assert first.returncode == 1
    assert "files were modified by this hook" in first.stdout
    assert hook(repository, "toolconv-fix").returncode == 0
    assert hook(repository, "toolconv-lint").returncode == 0
