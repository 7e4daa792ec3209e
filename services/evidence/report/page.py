"""The HTML, CSS and JavaScript around the data of report.html.

Texts of sites are data in the page. A content security policy allows the browser to run the page's own script only, and
to load nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from shared.statuses import GROUPS, STYLES, GroupStyle, population_order

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


# --- the statuses of samples, made from `shared.statuses`


def status_css() -> str:
    """Return the colours for light, dark and print as custom properties, and the classes that use them."""
    light = _colours(lambda style: (style.ink[0], style.bar[0]))
    dark = _colours(lambda style: (style.ink[1], style.bar[1]))
    paper = _colours(lambda style: (style.print_ink, style.bar[0]))
    return "\n".join(
        (
            f":root {{ {light} }}",
            f"@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}",
            f"@media print {{ :root {{ {paper} }} }}",
            *(f".p-{group} span {{ color: var(--{group}); }}" for group in GROUPS),
            *(f".s-{group} {{ background-color: var(--{group}-bar); }}" for group in GROUPS),
            *(f".st-{status} {{ color: var(--{style.ink}); }}" for status, style in STYLES.items()),
        )
    )


def status_js() -> str:
    """Return constants: ``STATUSES``: words by status, in the order of the population; ``URGENCY``: statuses, most
    urgent first; ``GROUPS``: name, words and icon of each group of the population."""
    constants = {
        "STATUSES": {status: STYLES[status].words for status in sorted(STYLES, key=population_order)},
        "URGENCY": list(reversed(STYLES)),
        "GROUPS": [[group, style.words, style.icon] for group, style in GROUPS.items()],
    }
    return "".join(f"const {name} = {json.dumps(value)};\n" for name, value in constants.items())


def _colours(of: Callable[[GroupStyle], tuple[str, str]]) -> str:
    named = ((group, of(style)) for group, style in GROUPS.items())
    return " ".join(f"--{group}: {ink}; --{group}-bar: {bar};" for group, (ink, bar) in named)
