"""The HTML, CSS and JavaScript around the data of report.html.

Texts of sites are data in the page. A content security policy allows the browser to run the page's own script only, and
to load nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

SAMPLES_A_CHUNK = 16
"""Samples whose details are compressed together: their steps are alike, so they compress well. Opening one sample
decompresses all of these."""


@dataclass(frozen=True)
class Assets:
    """Style, program and skeleton (``body``) of the page."""

    css: str
    js: str
    body: str


def head(assets: Assets, title: str, run_label: str) -> str:
    """Return the beginning of the page, up to the end of its skeleton. ``run_label``: the footer of printed pages."""
    styles = (assets.css, _page_foot(run_label))
    return "\n".join(
        (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy(assets.js, styles)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">',
            f"<title>{_without_special(title)}</title>",
            *(f"<style>{style}</style>" for style in styles),
            f"</head>{assets.body}",
        )
    )


def policy(script: str, styles: Sequence[str]) -> str:
    """Return the content security policy: this script, these styles, and images of the page or of its folder."""
    style_src = " ".join(_hash(style) for style in styles)
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {style_src}; img-src data: 'self' file:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )


def data_block(name: str, text: str) -> str:
    """Return an element with data that the browser does not run. ``text``: JSON or base64."""
    return f'<script type="text/plain" id="{name}">{text}</script>\n'


def program(assets: Assets) -> str:
    return f"<script>{assets.js}</script>\n"


def as_json(value: Any) -> str:
    """Return JSON that cannot end the HTML element that contains it."""
    text = msgspec.json.encode(value).decode()
    return re.sub("[<>&\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", text)


def packed(details: Sequence[Any]) -> str:
    """Return deflated JSON in base64. The page decompresses it with the browser's DecompressionStream."""
    return base64.b64encode(zlib.compress(msgspec.json.encode(details), 6)).decode()


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _without_special(text: str) -> str:
    """Return the text without characters that would need escaping. It is for names made by Exhibit."""
    return re.sub(r"[^A-Za-z0-9_. :·-]", "", text)


def _page_foot(label: str) -> str:
    return (
        f'@page{{@bottom-left{{content:"{_without_special(label)}";font:8pt sans-serif;color:#555}}'
        '@bottom-right{content:counter(page) " / " counter(pages);font:8pt sans-serif;color:#555}}'
    )
