"""Settings of the linter: ``[tool.toolconv.lint]`` of ``pyproject.toml``, or ``[lint]`` of ``toolconv.toml``.

The nearest folder above a file that has either file is used, or else the nearest above the current folder;
``toolconv.toml`` has precedence. Files with different settings are datasets of their own::

    [tool.toolconv.lint]
    select = ["TC1", "TC2"]              # only these
    extend-select = ["TC509"]            # also these
    ignore = ["vague-description"]       # not these
    fixable = ["ALL"]                    # fix only these
    unfixable = ["TC306"]                # don't fix these
    baseline = "lint-baseline.json"      # known findings; relative to this file's folder
    preview = true                       # also the rules of the preview tier

    [tool.toolconv.lint.severity]
    TC103 = "error"                      # error, warning, info

    [tool.toolconv.lint.per-file-ignores]
    "legacy/*.jsonl" = ["TC4"]

    [tool.toolconv.lint.per-row-ignores]
    "row-17" = ["TC101"]                 # by the row's id

    [tool.toolconv.lint.rules.TC501]     # a rule's own options: 'toolconv rules TC501'
    min-no-call-ratio = 0.1

Unknown keys and rules are errors. A row can also name rules itself: ``{"_toolconv": {"ignore": ["TC101"]}, …}``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, get_args

from toolconv.core.facts import Facts
from toolconv.core.settings import ConfigError as ConfigError
from toolconv.core.settings import checked, known, settings
from toolconv.lint.engine.selection import Selection, UnknownRule, all_rules, by_rule, find
from toolconv.lint.model.finding import Level

LEVELS: Final = get_args(Level)


class Config(Facts, kw_only=False):
    """Settings.

    Attributes:
        path: the file; ``None`` without one.
        selection: which rules are on.
        severity: levels by code.
        per_file_ignores: codes that are off for files whose name or path matches a pattern.
        per_row_ignores: codes that are off for rows, by their ids.
        fixable, unfixable: words for the rules to fix, and for those not to fix.
        options: the rules' own options, by code.
        baseline: path of known findings.
        preview: whether the rules of the preview tier are enabled.
    """

    path: Path | None = None
    selection: Selection = field(default_factory=Selection)
    severity: Mapping[str, Level] = field(default_factory=dict)
    per_file_ignores: tuple[tuple[str, frozenset[str]], ...] = ()
    per_row_ignores: Mapping[str, frozenset[str]] = field(default_factory=dict)
    fixable: tuple[str, ...] = ("ALL",)
    unfixable: tuple[str, ...] = ()
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    baseline: Path | None = None
    preview: bool = False

    def ignored(self, file: str) -> frozenset[str]:
        """The codes that are off for a file, whose name or path relative to the settings' folder matches a pattern."""
        found: frozenset[str] = frozenset()
        for pattern, codes in self.per_file_ignores:
            if fnmatch(Path(file).name, pattern) or fnmatch(self._relative(file), pattern):
                found |= codes
        return found

    def _relative(self, file: str) -> str:
        path = Path(file).resolve()
        base = self.path.parent.resolve() if self.path else Path.cwd()
        return path.relative_to(base).as_posix() if path.is_relative_to(base) else path.as_posix()


def load(path: str | None = None, *, start: Path | None = None) -> Config:
    """Read settings.

    Args:
        path: the file; ``None`` to search ``start`` and the folders above it.
        start: the folder to begin at; ``None`` for the current one.

    Raises:
        ConfigError: the file can't be read, or has an unknown key or rule.
    """
    found = settings("lint", path, start=start)
    return Config() if found is None else _config(*found)


def nearest(file: str) -> str | None:
    """The settings of the nearest folder that has some, above a file or else above the current folder.

    Raises:
        ConfigError: they can't be read.
    """
    return _nearest(Path(file).resolve().parent) or _nearest(Path.cwd())


@lru_cache(maxsize=1_000)
def _nearest(folder: Path) -> str | None:
    found = settings("lint", start=folder)
    return None if found is None else str(found.file)


_KEYS: Final[Mapping[str, type]] = {
    "select": list,
    "extend-select": list,
    "ignore": list,
    "severity": dict,
    "per-file-ignores": dict,
    "per-row-ignores": dict,
    "fixable": list,
    "unfixable": list,
    "rules": dict,
    "baseline": str,
    "preview": bool,
}


def _config(file: Path, table: dict[str, Any]) -> Config:
    _known(file, table, _KEYS, "lint.")
    for key, value in table.items():
        checked(file, key, value, _KEYS[key])
    try:
        for key in ("select", "extend-select", "ignore", "fixable", "unfixable"):
            for word in _words(file, key, table.get(key, [])):
                find(word)
        for word, level in table.get("severity", {}).items():
            if level not in LEVELS:
                raise ConfigError(f"{file}: severity of {word}: {level!r} is none of {', '.join(LEVELS)}")
        baseline = table.get("baseline")
        return Config(
            file,
            Selection(
                _words(file, "select", table["select"]) if "select" in table else None,
                _words(file, "extend-select", table.get("extend-select", [])),
                _words(file, "ignore", table.get("ignore", [])),
            ),
            by_rule(table.get("severity", {})),
            tuple(
                (pattern, codes_of(_words(file, pattern, words)))
                for pattern, words in table.get("per-file-ignores", {}).items()
            ),
            {name: codes_of(_words(file, name, words)) for name, words in table.get("per-row-ignores", {}).items()},
            _words(file, "fixable", table.get("fixable", ["ALL"])),
            _words(file, "unfixable", table.get("unfixable", [])),
            {
                code: options
                for word, given in table.get("rules", {}).items()
                for code, options in rule_options(word, checked(file, f"rules.{word}", given, dict), str(file)).items()
            },
            None if baseline is None else file.parent / baseline,
            table.get("preview", False),
        )
    except UnknownRule as error:
        raise ConfigError(f"{file}: {error}") from None


def codes_of(words: Iterable[str]) -> frozenset[str]:
    """The codes of all rules that some words select.

    Raises:
        UnknownRule: a word selects no rule.
    """
    return frozenset(code for word in words for code in find(word))


def unfixable(fixable: Iterable[str], not_fixable: Iterable[str]) -> frozenset[str]:
    """The codes of the rules that are not fixed; ``not_fixable`` has precedence.

    Raises:
        UnknownRule: a word selects no rule.
    """
    return (frozenset(all_rules()) - codes_of(fixable)) | codes_of(not_fixable)


def rule_options(word: str, given: Mapping[str, Any], where: str) -> dict[str, dict[str, Any]]:
    """Options of a rule, by their names as the rule writes them.

    Raises:
        ConfigError: the rule has no such option, or the value's type differs from the default's.
        UnknownRule: no such rule.
    """
    found = {}
    for code in find(word):
        options = all_rules()[code].options
        names = {_plain(name): name for name in options}
        result = {}
        for name, value in given.items():
            known = names.get(_plain(name))
            if known is None:
                hint = f"has {', '.join(map(repr, options))}" if options else "has no options"
                raise ConfigError(f"{where}: unknown option {name!r}: {code} {hint}")
            if not _fits(value, options[known]):
                default = options[known]
                raise ConfigError(f"{where}: option {name!r} of {code}: {value!r}, where {default!r} is the default")
            result[known] = value
        found[code] = result
    return found


def _plain(name: str) -> str:
    return name.replace("_", "-").lower()


def _fits(value: Any, default: Any) -> bool:
    """Whether a value has the type of an option's default."""
    if default is None:
        return True
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(value, bool) and isinstance(default, bool)
    if isinstance(default, int | float):
        return isinstance(value, int | float)
    if isinstance(default, list | tuple | set | frozenset):
        return isinstance(value, list | tuple)
    return isinstance(value, type(default))


def _known(file: Path, table: Mapping[str, Any], keys: Iterable[str], where: str) -> None:
    for key in table:
        code = None if key in keys else _rule_with(key)
        own = f"; options of rules have tables of their own, such as [{where}rules.{code}]"
        known(file, {key: None}, keys, where, own if code is not None else "")


def _rule_with(word: str) -> str | None:
    """The code of the rule that a word names, or the first one with an option of that name."""
    for code, rule in all_rules().items():
        if word.upper() == code or word == rule.name or _plain(word) in map(_plain, rule.options):
            return code
    return None


def _words(file: Path, key: str, words: Any) -> tuple[str, ...]:
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ConfigError(f"{file}: {key} must be a list of rules")
    return tuple(words)
