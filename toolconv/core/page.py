"""Self-contained HTML pages: no scripts, fonts or images from elsewhere, and nothing in the data can add any."""

from __future__ import annotations

import html
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from toolconv.core import terminal

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""What a browser may load: nothing but the styles in the page."""


def text(data: str) -> str:
    """Text from the data as markup, with control characters escaped."""
    return html.escape(terminal.escape(data))


def tag(name: str, /, *content: str, **attributes: str) -> str:
    """An element around markup. Attributes with an empty value are left out; ``class_`` becomes ``class``."""
    given = "".join(f' {key.rstrip("_")}="{value}"' for key, value in attributes.items() if value)
    return f"<{name}{given}>{''.join(content)}</{name}>\n"


def page(title: str, main: str, css: str = "", script: str = "") -> str:
    """A whole page.

    Args:
        title: the title, as markup.
        main: the content, as markup.
        css: styles in addition to those that all pages share.
        script: a script of ours, which the page can do without; the policy allows it, by its hash, and no other.
    """
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"{_POLICY}; script-src 'sha256-{digest}'" if script else _POLICY
    ending = f"<script>{script}</script>\n" if script else ""
    shared = files("toolconv.core").joinpath("page.css").read_text(encoding="utf-8")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="{policy}"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>{title}</title>
<style>
{shared}{css}</style>
</head>
<body>
{main}{ending}</body>
</html>
"""


def drawing(kind: str, *content: str) -> str:
    """A drawing that screen readers skip, because the numbers are beside it."""
    return tag("svg", *content, class_=kind, **{"aria-hidden": "true"})


def bar(share: float) -> str:
    """A bar that is filled up to ``share``, between 0 and 1."""
    return drawing(
        "bar",
        tag("rect", class_="track", width="100%", height="100%", rx="3"),
        tag("rect", class_="fill", width=f"{share:.2%}", height="100%", rx="3"),
    )
