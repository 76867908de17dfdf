"""What ``--redact`` looks for: keys and tokens of well-known services, private keys, addresses, home directories.

Most keys begin with letters of their own, which are looked for first: a pattern is only tried where they are. No
pattern can backtrack without bound. A text may be JSON itself, at any depth of escapes, so a secret may follow the
letter of an escape (``\\n``), and each text is searched as it is written and as it is decoded.

``--redact`` and the linter's TC315 share this table.

This is a table of our own since no library fits: detect-secrets 1.5 (2024) knows no keys of Anthropic, Google,
Hugging Face and xAI, no addresses and no home directories, and the rules of gitleaks are for Go and in no package. What
is found must not depend on which version of a package is installed, either.

Source: the services' documentation, and their secrets as GitHub's secret scanning and the rules of gitleaks
(``config/gitleaks.toml``, July 2026) list them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple

from toolconv.core.lazy_re import lazy_re


class Found(NamedTuple):
    """A secret in a text.

    Attributes:
        start, end: its place.
        kind: its name in a receipt; empty for a further part of the secret before.
        shape: what its placeholder looks like: a ``key``, an ``email`` or a ``user``.
        secret: the secret itself, decoded; empty if it is the text between ``start`` and ``end``.
    """

    start: int
    end: int
    kind: str
    shape: str = "key"
    secret: str = ""


class Search(NamedTuple):
    """A search for secrets in a text.

    Attributes:
        hints: texts one of which is in every text in which it finds something.
        find: the secrets that it finds, in order.
    """

    hints: tuple[str, ...]
    find: Callable[[str], Iterator[Found]]


class Prefixed(NamedTuple):
    """Secrets that begin with letters of their own.

    Attributes:
        kind: the name.
        prefixes: the letters, which are not secret.
        rest: matches what follows; the group is the secret.
        letters: the secret may be letters alone, of any case: nothing but a key has this form and length. One of 68
            such keys of Stripe has no digit, one of 30 of GitLab.
    """

    kind: str
    prefixes: tuple[str, ...]
    rest: re.Pattern[str]
    letters: bool = False


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _prefixed(kind: str, prefixes: str, rest: str, *, letters: bool = False) -> Prefixed:
    return Prefixed(kind, tuple(prefixes.split()), lazy_re(rest, re.ASCII), letters)


WORD: Final = r"([A-Za-z0-9_-]{20,255})"
PREFIXED: Final = (
    _prefixed("anthropic_key", "sk-ant-", rf"(?:[a-z]+[0-9]{{2}}-)?{WORD}"),
    _prefixed("openai_key", "sk-", rf"(?!ant-)(?:proj-|svcacct-|admin-|or-v1-|lf-)?{WORD}"),
    _prefixed("google_key", "AIza", r"([A-Za-z0-9_-]{35})(?![A-Za-z0-9_-])", letters=True),
    _prefixed("google_key", "AIza GOCSPX- ya29.", r"([A-Za-z0-9_-]{20,512})"),
    _prefixed("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", r"([A-Za-z0-9]{36})(?![A-Za-z0-9_])", letters=True),
    _prefixed("github_token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"([A-Za-z0-9_]{20,255})"),
    _prefixed("gitlab_token", "glpat-", r"(?=[a-z_-]{0,19}[A-Z])([\w-]{20})(?![\w.-])", letters=True),
    _prefixed(
        "gitlab_token",
        "glpat- gldt- glft- glffct- glimt- glsoat- glrt- glcbt- glptt- glagent- gloas- GR1348941",
        r"([\w.-]{20,320})",
    ),
    _prefixed("slack_token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", r"([A-Za-z0-9-]{10,255})"),
    _prefixed(
        "webhook", "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/", r"([\w/-]{20,255})"
    ),
    _prefixed("webhook", ".webhook.office.com/webhookb2/", r"([\w@/-]{40,255})"),
    _prefixed("webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", r"([\w/-]{40,255})"),
    _prefixed("stripe_key", "sk_live_ sk_test_ rk_live_ rk_test_", r"([A-Za-z0-9]{24})(?![A-Za-z0-9_])", letters=True),
    _prefixed("stripe_key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ whsec_", r"([A-Za-z0-9]{16,255})"),
    _prefixed("aws_key", "AKIA ASIA ABIA ACCA", r"([A-Z0-9]{16})(?![A-Za-z0-9])", letters=True),
    _prefixed("huggingface_token", "hf_ api_org_", r"([A-Za-z0-9]{34})(?![A-Za-z0-9_])", letters=True),
    _prefixed("huggingface_token", "hf_ api_org_", r"([A-Za-z0-9]{30,64})(?![A-Za-z0-9_])"),
    _prefixed("npm_token", "npm_", r"([A-Za-z0-9]{36})(?![A-Za-z0-9_])", letters=True),
    _prefixed("npm_token", "npm_", r"([A-Za-z0-9]{30,64})(?![A-Za-z0-9_])"),
    _prefixed("pypi_token", "pypi-AgE", r"([A-Za-z0-9_-]{50,255})"),
    _prefixed("sendgrid_key", "SG.", r"([A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64})"),
    _prefixed("telegram_token", ":AA", r"([A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])", letters=True),
    _prefixed("twilio_key", "SK", r"([0-9a-fA-F]{32})(?![A-Za-z0-9])"),
    _prefixed("databricks_token", "dapi", r"([0-9a-f]{32})"),
    _prefixed("azure_key", "AccountKey=", r"([A-Za-z0-9+/]{80,100}={0,2})"),
    _prefixed("azure_key", "sig=", r"([A-Za-z0-9+/]{43})(?:=|%3[Dd])(?![A-Za-z0-9+/=])"),
    _prefixed(
        "api_key",
        "gsk_ xai- pplx- r8_ tvly- lsv2_pt_ lsv2_sk_ dop_v1_ lin_api_ ntn_ figd_ PMAK- shpat_ shpss_ dp.pt. hvs. "
        "ATATT3 ATCTT3 NRAK- sntrys_ sntryu_ sbp_ pscale_tkn_ pscale_oauth_ pscale_pw_ nvapi- jina_ doo_v1_ dor_v1_ "
        "hvb. shpca_ shppa_ rubygems_ xkeysib- dt0c01. glsa_ glc_ dckr_pat_ rdme_ pnu_ pul- EZAK EZTK",
        r"([A-Za-z0-9_=.-]{24,512})",
    ),
    _prefixed("jwt", "eyJ", r"[A-Za-z0-9_-]{8,1024}\.(eyJ[A-Za-z0-9_-]{8,16384}(?:\.[A-Za-z0-9_-]{1,4096})?)"),
    _prefixed("bearer_token", "Bearer bearer", r"[ ]{1,3}([A-Za-z0-9._~+/-]{20,8192}={0,2})"),
    _prefixed("basic_auth", "Basic basic", r"[ ]{1,3}([A-Za-z0-9+/]{16,1024}={0,2})(?![A-Za-z0-9+/])"),
)

NAME: Final = (
    r"(?:api[_-]?key|apikey|secret[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|encryption[_-]?key"
    r"|client[_-]?secret|auth[_-]?token|access[_-]?token|refresh[_-]?token|secret|token|passwd|password|pwd)"
)
SECRET_NAME: Final = lazy_re(rf"{NAME}\Z", re.IGNORECASE | re.ASCII)
"""The end of a name whose value is a secret if it looks random."""

_BETWEEN: Final = (
    r"(?:\s{0,3}(?::=|=>|=|:)\s{0,3}"
    r"|(?:\s[^<>\n]{0,60})?>\s{0,3}"  # <parameter=api_key>
    r"|</[^<>\s]{1,40}>\s{0,3}<[^<>\s]{1,40}>\s{0,3}"  # <arg_key>api_key</arg_key><arg_value>
    r"|\s{0,3},\s{0,3}[\"'][Vv]alue[\"']\s{0,3}[:=]\s{0,3})"  # "name": "api_key", "value":
)
"""What separates the name of a secret and its value."""

ASSIGNED: Final = lazy_re(
    rf"{NAME}(?:\\{{0,7}}[\"'])?{_BETWEEN}(?:<[^<>\s]{{1,20}}>)?(?:\\{{0,7}}[\"'])?"
    r"([A-Za-z0-9+/_-]{16,255}={0,2})(?![A-Za-z0-9+/_(\[-]|\.[A-Za-z0-9_])",
    re.IGNORECASE | re.ASCII,
)
ASSIGNED_HINTS: Final = ("key", "Key", "KEY", "ecret", "ECRET", "oken", "OKEN", "pass", "Pass", "PASS", "pwd", "PWD")
_RANDOM: Final = lazy_re(r"[A-Za-z0-9+/_-]{16,255}={0,2}")
MIN_ENTROPY: Final = 3.5
"""Bits per character of a value with a secret's name, the threshold of gitleaks."""
MIN_LETTERS_ENTROPY: Final = 2.0
"""Bits per character of a key of letters alone, the threshold of gitleaks for Hugging Face and npm."""

_PASSWORD: Final = lazy_re(r"[^\s/:@\"'\\<>]{0,64}:([^\s/:@\"'\\<>${}*%]{1,128})@")
_COMMON_PASSWORDS: Final = _words("password passwd pass pwd secret postgres root user pw")

_BEGIN: Final = lazy_re(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_TOKEN: Final = lazy_re(r"\\{1,64}(?:u[0-9A-Fa-f]{4}|.)|([A-Za-z0-9+/=]{2,})", re.DOTALL)
_LONGEST_PEM: Final = 20_000
_PEM_HEADERS: Final = lazy_re(r"(?>(?:(?>(?:\s|\\+[nr])*)[A-Z][A-Za-z-]{2,40}: [^\n\\]{0,200}+)+)")
_NEXT_LINE: Final = lazy_re(r"[ \t]*(?:\r?\n|\\+n|\\+r\\+n)[ \t]*")
_LINE_END: Final = lazy_re(r"\s*\Z|[ \t]*(?:[\r\n\"'`]|\\)")

_LATIN: Final = r"A-Za-z\u00c0-\u024f\u0300-\u052f\u1e00-\u1fff"
"""Letters of scripts that put spaces between words, with their accents: Latin, Greek, Cyrillic."""

_LOCAL: Final = lazy_re(rf"[{_LATIN}0-9][{_LATIN}0-9._%+-]{{0,63}}\Z")
_OTHER_LOCAL: Final = lazy_re(r"[\w.%+-]{1,64}\Z")
_QUOTED_LOCAL: Final = lazy_re(r'(?:^|(?<=[\s<(,;:="]))"[^"@\\\n]{1,64}"\Z')
_DOMAIN: Final = lazy_re(rf"(?:[A-Za-z0-9-]{{1,63}}\.){{1,8}}([A-Za-z]{{2,24}})(?![{_LATIN}0-9_-])")
_OTHER_DOMAIN: Final = lazy_re(
    rf"(?:[\w\u0300-\u036f-]{{1,63}}\.){{1,8}}((?:xn--[A-Za-z0-9-]{{2,59}}|[{_LATIN}]{{2,24}})(?![{_LATIN}0-9_-])"
    r"|\u4e2d[\u56fd\u570b]|\u516c\u53f8|\u7f51\u7edc|\u5728\u7ebf|\u53f0[\u6e7e\u7063]|\u9999\u6e2f|\ud55c\uad6d"
    r"|\u307f\u3093\u306a|\u092d\u093e\u0930\u0924)"
)
"""A domain with letters outside ASCII; the last names are those of China, Taiwan, Hong Kong, Korea, Japan, India."""
_NUMBERS: Final = lazy_re(r"\[((?:[0-9]{1,3}\.){3}[0-9]{1,3}|IPv6:[0-9A-Fa-f:.]{2,45})\]")
"""An Internet address in place of a domain: ``jo@[192.168.0.4]``. Source: RFC 5321, 4.1.3."""
_LOGIN: Final = lazy_re(r"://[^\s/@\"'\\<>]{0,64}:\Z")
"""The part of a URL before a password, which is no address."""

_FILE_ENDINGS: Final = _words(
    "png jpg jpeg gif webp svg ico css scss js jsx ts tsx mjs go json yaml yml toml html txt lock"
)
_FILE_OR_COUNTRY: Final = _words("py rs md sh")
_FILE_NAME: Final = lazy_re(
    r"(?:main|mod|lib|index|init|__init__|__main__|setup|test|tests|conftest|utils|app|build|run|install|readme"
    r"|changelog|v?[0-9][0-9x]*)\.[a-z]+",
    re.IGNORECASE,
)
"""Files whose endings are also those of countries: Paraguay, Serbia, Moldova, Saint Helena."""

_RESERVED: Final = lazy_re(r"(?:^|\.)(?:example\.(?:com|net|org)|example|test|invalid|localhost|local)$", re.IGNORECASE)
_COMMON_DOMAINS: Final = _words("com net org cn jp kr tw hk in th il ru")
"""In other domains, what precedes an ``@`` in a script without spaces may be a sentence."""

_NO_PERSON: Final = frozenset({"git", "noreply", "no-reply", "donotreply"})

HOMES: Final = (
    "/home/", "/Users/", "\\Users\\", "\\users\\", "\\home\\",
    "\\Documents and Settings\\", "/-home-", "/-Users-", "--Users-",
)  # fmt: skip
_USER: Final = lazy_re(
    rf"\\*((?:[{_LATIN}0-9._-]|[^\W{_LATIN}0-9_]){{1,64}}(?: [{_LATIN}0-9._-]{{1,64}}){{0,3}}(?=\\)"
    rf"|[{_LATIN}0-9._-]+|[\w.-]+)"
)
_DRIVE_USER: Final = lazy_re(rf"([{_LATIN}0-9._-]{{1,64}}(?: [{_LATIN}0-9._-]{{1,64}}){{1,3}})(?=/)")
"""On Windows, a name may hold spaces."""

_TILDE_USER: Final = lazy_re(r"(?<![A-Za-z0-9_~/.)\]-])~([a-z_][a-z0-9_.-]{1,31})(?=/[\w.-])")
_SLUG_USER: Final = lazy_re(r"([A-Za-z0-9]+)")
_DRIVE: Final = lazy_re(r"(?:[A-Za-z]:|/mnt/[a-z]|(?<![A-Za-z0-9_.-])/(?:cygdrive/)?[a-z])\\*\Z")
_ABOVE_HOME: Final = lazy_re(
    r"(?:^|(?<=[^\w.-]))/(?:var|usr|export|data|private|nfs|net|mnt|host|hosthome|rootfs|System/Volumes/Data)\Z"
)
"""Folders in which some systems have the folder of the homes."""
_BEFORE_HOME: Final = lazy_re(
    r"(?:(?<![A-Za-z0-9+.-])(?!https?:)[a-z][a-z0-9+.-]{1,20}://[^\s/\"'<>]{1,100}"  # vscode-remote://wsl+Ubuntu/home/jo
    r"|[\\]{2}[\w.$-]{1,64}[\\]{1,2}[\w. -]{1,64}"  # \\wsl$\Ubuntu\home\jo
    r"|(?<![\w-])-[A-Za-z]"  # -I/home/jo/include
    r"|/Volumes/[\w. -]{1,64})\Z"
)
"""What may stand right before the folder of the homes: a host, an option of a command, a disk of macOS."""
_NO_USER: Final = _words(
    "user users username name you me ubuntu runner vscode node app root admin agent sandbox workspace coder codespace "
    "gitpod jovyan circleci linuxbrew shared public default all guest"
)
_PLACEHOLDER_USER: Final = lazy_re(r"user[0-9]+")
_PLACEHOLDER_EMAIL: Final = lazy_re(r"user[0-9]+@example\.com")
_PLACEHOLDER_KEY: Final = lazy_re(r"X*[0-9]+")

_ESCAPE: Final = lazy_re(r"\\(?:[nrtbf]|u[0-9A-Fa-f]{4})\Z")


KEY_STARTS: Final = (*dict.fromkeys(prefix for rule in PREFIXED for prefix in rule.prefixes), "PRIVATE KEY")
"""A text with a key of a service, or a private key, has one of these."""


def key_starts_in(text: str) -> list[str]:
    """How the keys of services, and the private keys, in a text begin."""
    starts = dict.fromkeys(
        prefix
        for rule in PREFIXED
        for prefix in rule.prefixes
        if prefix in text and any(_with_prefix(text, rule, (prefix,)))
    )
    if "PRIVATE KEY" in text and any(_private_keys(text)):
        starts["PRIVATE KEY"] = None
    return list(starts)


def is_random(text: str) -> bool:
    """Whether a whole text looks like a key: long, with digits, and of as many different characters as chance gives."""
    return _RANDOM.fullmatch(text) is not None and is_key(text) and _entropy(text) >= MIN_ENTROPY


def is_key(body: str, *, letters: bool = False) -> bool:
    """Whether what follows a prefix is a key, not words or a placeholder."""
    plain = _plain(body)
    if letters and plain.isalpha():
        return _entropy(plain) >= MIN_LETTERS_ENTROPY
    return any(map(str.isdigit, plain)) and not plain.isdigit() and _PLACEHOLDER_KEY.fullmatch(plain) is None


def is_placeholder(text: str) -> bool:
    """Whether a text is what ``--redact`` writes for a secret."""
    return any(pattern.fullmatch(text) for pattern in (_PLACEHOLDER_USER, _PLACEHOLDER_EMAIL)) or bool(
        _PLACEHOLDER_KEY.fullmatch(_plain(text))
    )


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


def _with_prefix(text: str, rule: Prefixed, prefixes: tuple[str, ...] = ()) -> Iterator[Found]:
    """The keys of a rule, or those with one of some of its prefixes."""
    for prefix in prefixes or rule.prefixes:
        at = text.find(prefix)
        while at >= 0:
            begins = not prefix[0].isalnum() or _begins_word(text, at)
            match = rule.rest.match(text, at + len(prefix)) if begins else None
            if match is not None and is_key(match[1], letters=rule.letters):
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
    begin = _BEGIN.search(text)
    while begin is not None:
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
        begin = _BEGIN.search(text, max(end, last))


def _emails(text: str) -> Iterator[Found]:
    at = text.find("@")
    while at >= 0:
        domain = _DOMAIN.match(text, at + 1) or _OTHER_DOMAIN.match(text, at + 1) or _NUMBERS.match(text, at + 1)
        start = _start_of_local(text, at, domain[1]) if domain is not None else at
        if domain is not None and start < at and _is_address(text, start, at, domain):
            yield Found(start, domain.end(), "email", "email")
        at = text.find("@", at + 1)


def _start_of_local(text: str, at: int, country: str) -> int:
    """Where the part of an address before the ``@`` begins; ``at`` if there is none."""
    before = max(0, at - 66)
    local = _LOCAL.search(text, before, at)
    if local is None:
        local = _QUOTED_LOCAL.search(text, before, at)
        if local is None and (not country.isascii() or country.lower() in _COMMON_DOMAINS):
            local = _OTHER_LOCAL.search(text, before, at)
        return at if local is None else local.start()
    start = local.start()
    if text[start - 1 : start] == "\\":
        start += 5 if text[start] == "u" else 1  # an escape: its letters are no part of the address
    return start if text[start].isalnum() else at


def _is_address(text: str, start: int, at: int, domain: re.Match[str]) -> bool:
    """Whether a local part and a domain are the address of a person: no file, no login, no name for examples."""
    host, ending = domain[0], domain[1].lower()
    if host.count(".") == 1 and (
        ending in _FILE_ENDINGS or (ending in _FILE_OR_COUNTRY and _FILE_NAME.fullmatch(host) is not None)
    ):
        return False
    if text[start - 2 : start] == "//" or _LOGIN.search(text, max(0, start - 80), start) is not None:
        return False
    return text[start:at].lower() not in _NO_PERSON and not _RESERVED.search(host)


def _homes(text: str) -> Iterator[Found]:
    for home in HOMES:
        is_slug = home.startswith(("/-", "--"))
        at = text.find(home)
        while at >= 0:
            drive = None if is_slug else _DRIVE.search(text, max(0, at - 16), at)
            match = (_SLUG_USER if is_slug else _USER).match(text, at + len(home))
            if drive is not None:
                match = _DRIVE_USER.match(text, at + len(home)) or match
            if match is not None and (
                is_slug
                or drive is not None
                or _begins_word(text, at)
                or _ABOVE_HOME.search(text, max(0, at - 24), at) is not None
                or _BEFORE_HOME.search(text, max(0, at - 140), at) is not None
            ):
                yield from _user(match)
            at = text.find(home, at + 1)


def _tildes(text: str) -> Iterator[Found]:
    for match in _TILDE_USER.finditer(text):
        yield from _user(match)


def _user(match: re.Match[str]) -> Iterator[Found]:
    """The name in a home folder, if it is that of a person."""
    name = match[1].rstrip(".")
    if name.strip(".") and name.lower() not in _NO_USER and not _PLACEHOLDER_USER.fullmatch(name):
        yield Found(match.start(1), match.start(1) + len(name), "home_directory", "user")


SEARCHES: Final = (
    Search(("PRIVATE KEY",), _private_keys),
    Search(("://",), _passwords),
    *(Search(rule.prefixes, partial(_with_prefix, rule=rule)) for rule in PREFIXED),
    Search(ASSIGNED_HINTS, _assigned),
    Search(("@",), _emails),
    Search(HOMES, _homes),
    Search(("~",), _tildes),
)
