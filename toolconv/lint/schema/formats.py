"""The formats of JSON Schema that can be checked by themselves: dates, times, addresses, ids.

Each is checked to the letter of its source. Other formats assert nothing, as the standard has it.

Source: JSON Schema 2020-12, Validation, 7.3: RFC 3339 (dates and times), RFC 5321 (mail), RFC 1123 (host names),
RFC 2673 and 4291 (addresses), RFC 3986 (URIs), RFC 4122 (UUIDs), RFC 6901 (JSON pointers); ISO 8601 (durations).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, time
from typing import Final

from toolconv.core.lazy_re import lazy_re

_DATE: Final = lazy_re(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME: Final = lazy_re(r"([0-9]{2}:[0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|[+-]([0-9]{2}:[0-9]{2}))")
_MAIL: Final = lazy_re(r"[^\s@<>()\[\],;:\\\"]{1,64}@(?P<host>[^\s@]{1,255})")
_HOST: Final = lazy_re(r"(?=.{1,253}\.?$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
                          r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*\.?")  # fmt: skip
_URI: Final = lazy_re(r"[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+")
_DURATION: Final = lazy_re(r"P(?=.)(?:[0-9]+W|(?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?(?:T(?=.)(?:[0-9]+H)?(?:[0-9]+M)?"
                              r"(?:[0-9]+(?:\.[0-9]+)?S)?)?)")  # fmt: skip
_POINTER: Final = lazy_re(r"(?:/(?:[^/~]|~[01])*)*", re.DOTALL)
_UUID: Final = lazy_re(r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}")


def is_date(text: str) -> bool:
    """Whether a text is a day of the calendar: ``2025-03-01``."""
    if _DATE.fullmatch(text) is None:
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_time(text: str) -> bool:
    """Whether a text is a time with its offset: ``09:30:00Z``; the second may be a leap second."""
    match = _TIME.fullmatch(text)
    if match is None or int(match[2]) > 60:
        return False
    try:
        time.fromisoformat(match[1])
        time.fromisoformat(match[3] or "00:00")
    except ValueError:
        return False
    return True


def is_date_time(text: str) -> bool:
    """Whether a text is a moment: ``2025-03-01T09:30:00Z``; a blank may stand for the ``T``."""
    return text[10:11] in ("T", "t", " ") and is_date(text[:10]) and is_time(text[11:])


def is_email(text: str) -> bool:
    """Whether a text is a mail address: ``ann@example.com``; letters of any alphabet are allowed."""
    match = _MAIL.fullmatch(text)
    if match is None or ".." in text or text.startswith(".") or ".@" in text:
        return False
    host = match["host"]
    return _HOST.fullmatch(host) is not None or (not host.isascii() and "." in host)


def is_ipv4(text: str) -> bool:
    """Whether a text is an address of version 4: ``192.0.2.1``."""
    import ipaddress

    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True


def is_ipv6(text: str) -> bool:
    """Whether a text is an address of version 6: ``2001:db8::1``."""
    import ipaddress

    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return address.scope_id is None


def _like(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


FORMATS: Final[dict[str, tuple[Callable[[str], bool], str]]] = {
    "date": (is_date, "a date such as 2025-03-01"),
    "time": (is_time, "a time such as 09:30:00Z"),
    "date-time": (is_date_time, "a moment such as 2025-03-01T09:30:00Z"),
    "duration": (_like(_DURATION), "a duration such as P3D or PT1H30M"),
    "email": (is_email, "an address such as ann@example.com"),
    "idn-email": (is_email, "an address such as ann@example.com"),
    "hostname": (_like(_HOST), "a host name such as example.com"),
    "ipv4": (is_ipv4, "an address such as 192.0.2.1"),
    "ipv6": (is_ipv6, "an address such as 2001:db8::1"),
    "json-pointer": (_like(_POINTER), "a pointer such as /a/0"),
    "uri": (_like(_URI), "a URI such as https://example.com/a"),
    "uuid": (_like(_UUID), "a UUID such as 123e4567-e89b-12d3-a456-426614174000"),
}
"""The check of each format, and what it expects, for messages."""
