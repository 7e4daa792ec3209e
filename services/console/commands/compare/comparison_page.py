"""A comparison of two runs as one HTML page, without a script and without anything that it loads. Pure.

Texts of sites are escaped, apart from the direction of what stands around them; what cannot be seen is written out.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from services.console.commands.compare.comparison_lines import (
    VERDICT_WORDS,
    count_text,
    counts_text,
    end_text,
    outcome_text,
    parts_of,
    parts_that_differ,
    population_text,
    side_words,
)
from shared.comparing.run_comparison import (
    COMPARED_VERDICTS,
    ComparedVerdict,
    FieldComparison,
    RunComparison,
    SampleComparison,
)
from shared.comparing.sides import FieldSide
from shared.text.normal import printable

MOST_LETTERS = 10_000
"""Of a value on the page."""
MOST_ROWS = 5_000
"""Samples of one verdict on the page; of more it gives the number."""
STYLE = """
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #8886; }
td { overflow-wrap: anywhere; }
thead th { position: sticky; top: 0; background: Canvas; }
small { opacity: .75; }
.changed { font-weight: 600; }
"""


def comparison_page(compared: RunComparison, seals: Mapping[str, str]) -> str:
    """Return the page. ``seals``: how ``a`` and ``b`` are sealed, in words."""
    title = f"{compared.a.run_id} and {compared.b.run_id} compared"
    hashed = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{hashed}'; base-uri 'none'; form-action 'none'"
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{_text(title)}</title><style>{STYLE}</style></head><body><main>",
        f"<h1>{_said(outcome_text(compared))}</h1>",
        *_summary(compared, seals),
        *(line for verdict in COMPARED_VERDICTS if verdict != "same" for line in _section(compared, verdict)),
        "</main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _summary(compared: RunComparison, seals: Mapping[str, str]) -> Iterator[str]:
    rows = [
        ("task", compared.task_id),
        ("A", f"{compared.a.run_id}: {population_text(compared.a)}"),
        ("", seals["a"]),
        ("B", f"{compared.b.run_id}: {population_text(compared.b)}"),
        ("", seals["b"]),
        ("samples", counts_text(compared)),
        *((label, count_text(one)) for label, one in parts_that_differ(compared)),
        *(("not compared", f"{one.name}: {one.why}") for one in compared.left_out),
    ]
    yield "<table>"
    yield from (f'<tr><th scope="row">{_text(label)}</th><td>{_said(words)}</td></tr>' for label, words in rows)
    yield "</table>"


def _section(compared: RunComparison, verdict: ComparedVerdict) -> Iterator[str]:
    """Yield the samples of a verdict; nothing where there are none."""
    found = [one for one in compared.samples if one.verdict == verdict]
    if not found:
        return
    yield f"<h2>{_text(VERDICT_WORDS[verdict].capitalize())}: {len(found)}</h2>"
    yield f"<p>{_text(COMPARED_VERDICTS[verdict].capitalize())}.</p>"
    yield "<table><thead><tr>"
    yield from (f'<th scope="col">{name}</th>' for name in ("Sample", "Ended", "Field", "A", "B"))
    yield "</tr></thead><tbody>"
    for one in found[:MOST_ROWS]:
        yield from _sample_rows(one)
    yield "</tbody></table>"
    if len(found) > MOST_ROWS:
        yield f"<p>And {len(found) - MOST_ROWS} more, which <code>--csv</code> and <code>--json</code> have.</p>"


def _sample_rows(sample: SampleComparison) -> Iterator[str]:
    end = sample.a or sample.b
    name = sample.key or (end.sample_id if end is not None else "")
    parts: Sequence[FieldComparison | None] = parts_of(sample) or [None]
    for place, part in enumerate(parts):
        head = f"<td>{_said(name)}</td><td>{_said(end_text(sample))}</td>" if place == 0 else "<td></td><td></td>"
        yield f"<tr>{head}{_part_cells(part)}</tr>"


def _part_cells(part: FieldComparison | None) -> str:
    if part is None:
        return "<td></td><td></td><td></td>"
    why = f"<br><small>{_said(part.why)}</small>" if part.why else ""
    mark = ' class="changed"' if part.verdict == "changed" else ""
    return f"<td{mark}>{_said(part.name)}{why}</td><td>{_side(part.a)}</td><td>{_side(part.b)}</td>"


def _side(side: FieldSide | None) -> str:
    words = side_words(side, MOST_LETTERS)
    files = "".join(f"<br><small>{_said(file)}</small>" for file in words.files)
    url = f"<br><small>{_said(side.url)}</small>" if side is not None and side.url else ""
    return f"{_said(words.value)}{files}{url}"


def _said(text: str) -> str:
    """Return text of others, apart from the direction of what stands around it."""
    return f"<bdi>{_text(text)}</bdi>"


def _text(text: str) -> str:
    return escape(printable(text))
