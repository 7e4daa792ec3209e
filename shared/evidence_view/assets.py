"""The scripts and styles that report.html and the console in the browser share.

A script is a part: functions without an import, which call each other. Whoever shows a sample joins the parts that it
needs into one program, with `status_js` before them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from importlib import resources

from shared.statuses import GROUPS, STYLES, GroupStyle, population_order


def read_parts(names: Iterable[str]) -> str:
    """Return the text of these files of this package, such as ``dom.js``, one after the other."""
    folder = resources.files("shared.evidence_view")
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)


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
    types = {"STATUSES": "/** @type {Record<string, string>} */\n"}
    return "".join(f"{types.get(name, '')}const {name} = {json.dumps(value)};\n" for name, value in constants.items())


def _colours(of: Callable[[GroupStyle], tuple[str, str]]) -> str:
    named = ((group, of(style)) for group, style in GROUPS.items())
    return " ".join(f"--{group}: {ink}; --{group}-bar: {bar};" for group, (ink, bar) in named)
