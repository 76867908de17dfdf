"""What ``--redact`` looks for: keys and tokens of well-known services, private keys, addresses, home directories.

Most keys begin with letters of their own, which are looked for first: a pattern is only tried where they are. No
pattern can backtrack without bound. A text may be JSON itself, at any depth of escapes, so a secret may follow the
letter of an escape (``\\n``), and never holds a quote or a backslash.

This is a table of our own since no library fits: detect-secrets 1.5 (2024) knows no keys of Anthropic, Google,
Hugging Face and xAI, no addresses and no home directories, and the rules of gitleaks are for Go and in no package. What
is found must not depend on which version of a package is installed, either.

Source: the services' documentation, and their secrets as GitHub's secret scanning and gitleaks list them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from toolconv.core.lazy_re import lazy_re


class Found(NamedTuple):
    """A secret in a text.

    Attributes:
        start, end: its place.
        kind: its name in a receipt; empty for a further part of the secret before.
        shape: what its placeholder looks like: a ``key``, an ``email`` or a ``user``.
    """

    start: int
    end: int
    kind: str
    shape: str = "key"


class Prefixed(NamedTuple):
    """Secrets that begin with letters of their own.

    Attributes:
        kind: the name.
        prefixes: the letters, which are not secret.
        rest: matches what follows; the group is the secret.
    """

    kind: str
    prefixes: tuple[str, ...]
    rest: re.Pattern[str]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _prefixed(kind: str, prefixes: str, rest: str) -> Prefixed:
    return Prefixed(kind, tuple(prefixes.split()), re.compile(rest, re.ASCII))


WORD: Final = r"([A-Za-z0-9_-]{20,255})"
PREFIXED: Final = (
    _prefixed("anthropic_key", "sk-ant-", rf"(?:[a-z]+[0-9]{{2}}-)?{WORD}"),
    _prefixed("openai_key", "sk-", rf"(?!ant-)(?:proj-|svcacct-|admin-|or-v1-|lf-)?{WORD}"),
    _prefixed("google_key", "AIza GOCSPX- ya29.", r"([A-Za-z0-9_-]{20,512})"),
    _prefixed("github_token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"([A-Za-z0-9_]{20,255})"),
    _prefixed("gitlab_token", "glpat- gldt- glft- glsoat- glrt- glcbt- glptt- glagent- gloas-", r"([\w.-]{20,255})"),
    _prefixed("slack_token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", r"([A-Za-z0-9-]{10,255})"),
    _prefixed("webhook", "hooks.slack.com/services/ hooks.slack.com/workflows/", r"([\w/-]{20,255})"),
    _prefixed("webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", r"([\w/-]{40,255})"),
    _prefixed("stripe_key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", r"([A-Za-z0-9]{16,255})"),
    _prefixed("aws_key", "AKIA ASIA ABIA ACCA", r"([A-Z0-9]{16})(?![A-Za-z0-9])"),
    _prefixed("huggingface_token", "hf_", r"([A-Za-z0-9]{30,64})(?![A-Za-z0-9_])"),
    _prefixed("npm_token", "npm_", r"([A-Za-z0-9]{36})(?![A-Za-z0-9_])"),
    _prefixed("pypi_token", "pypi-AgE", r"([A-Za-z0-9_-]{50,255})"),
    _prefixed("sendgrid_key", "SG.", r"([A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64})"),
    _prefixed("telegram_token", ":AA", r"([A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])"),
    _prefixed("twilio_key", "SK", r"([0-9a-f]{32})(?![A-Za-z0-9])"),
    _prefixed("databricks_token", "dapi", r"([0-9a-f]{32})"),
    _prefixed("azure_key", "AccountKey=", r"([A-Za-z0-9+/]{80,100}={0,2})"),
    _prefixed(
        "api_key",
        "gsk_ xai- pplx- r8_ tvly- lsv2_pt_ lsv2_sk_ dop_v1_ lin_api_ ntn_ figd_ PMAK- shpat_ shpss_ dp.pt. hvs. "
        "ATATT3 NRAK- sntrys_ sbp_ pscale_tkn_ nvapi- jina_",
        r"([A-Za-z0-9_=-]{24,512})",
    ),
    _prefixed("jwt", "eyJ", r"[A-Za-z0-9_-]{8,1024}\.(eyJ[A-Za-z0-9_-]{8,16384}\.[A-Za-z0-9_-]{8,4096})"),
    _prefixed("bearer_token", "Bearer bearer", r"[ ]{1,3}([A-Za-z0-9._~+/-]{20,8192}={0,2})"),
    _prefixed("basic_auth", "Basic basic", r"[ ]{1,3}([A-Za-z0-9+/]{16,1024}={0,2})(?![A-Za-z0-9+/])"),
)

NAME: Final = (
    r"(?:api[_-]?key|apikey|secret[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|encryption[_-]?key"
    r"|client[_-]?secret|auth[_-]?token|access[_-]?token|refresh[_-]?token|secret|token|passwd|password|pwd)"
)
SECRET_NAME: Final = lazy_re(rf"{NAME}\Z", re.IGNORECASE | re.ASCII)
"""The end of a name whose value is a secret if it looks random."""

ASSIGNED: Final = lazy_re(
    rf"{NAME}(?:\\{{0,7}}[\"'])?\s{{0,3}}(?::=|=>|=|:)\s{{0,3}}(?:\\{{0,7}}[\"'])?"
    r"([A-Za-z0-9+/_-]{16,255}={0,2})(?![A-Za-z0-9+/_.(\[-])",
    re.IGNORECASE | re.ASCII,
)
ASSIGNED_HINTS: Final = ("key", "Key", "KEY", "ecret", "ECRET", "oken", "OKEN", "pass", "Pass", "PASS", "pwd", "PWD")
_RANDOM: Final = lazy_re(r"[A-Za-z0-9+/_-]{16,255}={0,2}")
MIN_ENTROPY: Final = 3.5
"""Bits per character of a value with a secret's name, the threshold of gitleaks."""

_PASSWORD: Final = lazy_re(r"[^\s/:@\"'\\<>]{0,64}:([^\s/:@\"'\\<>${}*%]{1,128})@")
_COMMON_PASSWORDS: Final = _words("password passwd pass pwd secret postgres root user pw")

_BEGIN: Final = lazy_re(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_TOKEN: Final = lazy_re(r"\\{1,64}(?:u[0-9A-Fa-f]{4}|.)|([A-Za-z0-9+/=]{2,})", re.DOTALL)
_LONGEST_PEM: Final = 20_000
_PEM_HEADERS: Final = lazy_re(r"(?:(?:\s|\\+[nr])*[A-Z][A-Za-z-]{2,40}: [^\n\\]{0,200})+")
_NEXT_LINE: Final = lazy_re(r"[ \t]*(?:\r?\n|\\+n|\\+r\\+n)[ \t]*")
_LINE_END: Final = lazy_re(r"\s*\Z|[ \t]*(?:[\r\n\"'`]|\\)")

_LOCAL: Final = lazy_re(r"[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}\Z")
_DOMAIN: Final = lazy_re(r"(?:[A-Za-z0-9-]{1,63}\.){1,8}([A-Za-z]{2,24})(?![A-Za-z0-9_-])")
_LOGIN: Final = lazy_re(r"://[^\s/@\"'\\<>]{0,64}:\Z")
"""The part of a URL before a password, which is no address."""

_FILE_ENDINGS: Final = _words(
    "png jpg jpeg gif webp svg ico css scss js jsx ts tsx mjs py rs go md json yaml yml toml html txt sh lock"
)
_RESERVED: Final = lazy_re(r"(?:^|\.)(?:example\.(?:com|net|org)|example|test|invalid|localhost|local)$", re.IGNORECASE)
_NO_PERSON: Final = frozenset({"git", "noreply", "no-reply", "donotreply"})

HOMES: Final = ("/home/", "/Users/", "\\Users\\", "\\users\\", "/-home-", "/-Users-")
_USER: Final = lazy_re(r"\\*([A-Za-z0-9._-]{1,64}(?: [A-Za-z0-9._-]{1,64}){0,3}(?=\\)|[A-Za-z0-9._-]+)")
_SLUG_USER: Final = lazy_re(r"([A-Za-z0-9]+)")
_DRIVE: Final = lazy_re(r"(?:[A-Za-z]:|/mnt/[a-z])\\*\Z")
_NO_USER: Final = _words(
    "user users username name you me ubuntu runner vscode node app root admin agent sandbox workspace coder codespace "
    "gitpod jovyan circleci linuxbrew shared public default all guest"
)
_PLACEHOLDER_USER: Final = lazy_re(r"user[0-9]+")
_PLACEHOLDER_KEY: Final = lazy_re(r"X*[0-9]+")

_ESCAPE: Final = lazy_re(r"\\(?:[nrtbf]|u[0-9A-Fa-f]{4})\Z")


def hints() -> dict[str, tuple[str, ...]]:
    """For each search in a text, by name, texts one of which is in every text in which it finds something."""
    found = {str(at): rule.prefixes for at, rule in enumerate(PREFIXED)}
    return {
        "private_key": ("PRIVATE KEY",),
        "password": ("://",),
        **found,
        "assigned": ASSIGNED_HINTS,
        "email": ("@",),
        "home": HOMES,
    }


def find(text: str, search: str) -> Iterator[Found]:
    """The secrets that one of the searches of :func:`hints` finds in a text, in order."""
    if search == "private_key":
        return _private_keys(text)
    if search == "password":
        return _passwords(text)
    if search == "assigned":
        return _assigned(text)
    if search == "email":
        return _emails(text)
    if search == "home":
        return _homes(text)
    return _with_prefix(text, PREFIXED[int(search)])


def is_random(text: str) -> bool:
    """Whether a whole text looks like a key: long, with digits, and of as many different characters as chance gives."""
    return _RANDOM.fullmatch(text) is not None and _is_key(text) and _entropy(text) >= MIN_ENTROPY


def _is_key(body: str) -> bool:
    """Whether what follows a prefix is a key, not words or a placeholder."""
    plain = _plain(body)
    return any(map(str.isdigit, plain)) and not plain.isdigit() and _PLACEHOLDER_KEY.fullmatch(plain) is None


def _plain(body: str) -> str:
    return "".join(filter(str.isalnum, body))


def _entropy(text: str) -> float:
    return -sum(count / len(text) * math.log2(count / len(text)) for count in Counter(text).values())


def _begins_word(text: str, at: int) -> bool:
    """Whether no word goes on at a place; letters of other scripts and of an escape are no part of a word here."""
    return (
        at == 0
        or not (text[at - 1].isalnum() and text[at - 1].isascii())
        or _ESCAPE.search(text, max(0, at - 6), at) is not None
    )


def _with_prefix(text: str, rule: Prefixed) -> Iterator[Found]:
    for prefix in rule.prefixes:
        at = text.find(prefix)
        while at >= 0:
            begins = not prefix[0].isalnum() or _begins_word(text, at)
            match = rule.rest.match(text, at + len(prefix)) if begins else None
            if match is not None and _is_key(match[1]):
                yield Found(*match.span(1), rule.kind)
            at = text.find(prefix, at + 1 if match is None else match.end())


def _assigned(text: str) -> Iterator[Found]:
    for match in ASSIGNED.finditer(text):
        if is_random(match[1]):
            yield Found(*match.span(1), "assigned_secret")


def _passwords(text: str) -> Iterator[Found]:
    at = text.find("://")
    while at >= 0:
        match = _PASSWORD.match(text, at + 3)
        if match and match[1].lower() not in _COMMON_PASSWORDS and not _PLACEHOLDER_KEY.fullmatch(match[1]):
            yield Found(*match.span(1), "password")
        at = text.find("://", at + 1)


def _private_keys(text: str) -> Iterator[Found]:
    """The runs of Base64 between the lines that begin and end a key, after its headers.

    Without an end, these are the long runs, and a short one that follows on a line of its own: the last of a cut key.
    """
    for begin in _BEGIN.finditer(text):
        end = text.find("-----END", begin.end(), begin.end() + _LONGEST_PEM)
        kind = "private_key"
        headers = _PEM_HEADERS.match(text, begin.end())
        start = last = begin.end() if headers is None else headers.end()
        for token in _PEM_TOKEN.finditer(text, start, end if end >= 0 else start + _LONGEST_PEM):
            if token[1] and (plain := _plain(token[1])) and not _PLACEHOLDER_KEY.fullmatch(plain):
                is_short = end < 0 and len(token[1]) < 16
                if is_short and not (_NEXT_LINE.fullmatch(text, last, token.start()) and kind == ""):
                    break
                if is_short and _LINE_END.match(text, token.end()) is None:
                    break
                yield Found(*token.span(1), kind)
                kind, last = "", token.end()
                if is_short:
                    break


def _emails(text: str) -> Iterator[Found]:
    at = text.find("@")
    while at >= 0:
        local, domain = _LOCAL.search(text, max(0, at - 64), at), _DOMAIN.match(text, at + 1)
        if local is not None and domain is not None:
            start = local.start()
            if text[start - 1 : start] == "\\":
                start += 5 if text[start] == "u" else 1  # an escape: its letters are no part of the address
            name, host = text[start:at], domain[0]
            is_login = text[start - 2 : start] == "//" or _LOGIN.search(text, max(0, start - 80), start) is not None
            is_file = host.count(".") == 1 and domain[1].lower() in _FILE_ENDINGS
            is_person = name.lower() not in _NO_PERSON and not _RESERVED.search(host)
            if name and name[0].isalnum() and is_person and not is_file and not is_login:
                yield Found(start, domain.end(), "email", "email")
        at = text.find("@", at + 1)


def _homes(text: str) -> Iterator[Found]:
    for home in HOMES:
        is_slug = home.startswith("/-")
        pattern = _SLUG_USER if is_slug else _USER
        at = text.find(home)
        while at >= 0:
            match = pattern.match(text, at + len(home))
            if match is not None and (is_slug or _begins_word(text, at) or _DRIVE.search(text, max(0, at - 12), at)):
                name = match[1].rstrip(".")
                if name.strip(".") and name.lower() not in _NO_USER and not _PLACEHOLDER_USER.fullmatch(name):
                    yield Found(match.start(1), match.start(1) + len(name), "home_directory", "user")
            at = text.find(home, at + 1)
