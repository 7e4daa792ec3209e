"""Generate docs/drift.md from what `make bench-drift` has measured."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from practice.drift import KNOWN, OTHER_MEANING

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results" / "drift.json"
HEAD = """# Flows on changed sites

<!-- Written by scripts/write_docs.py from benchmarks/results/drift.json: measure again there. -->

A flow of each family of practice tasks was compiled on the plain site, and then run on sites that differ by each switch
of `practice/drift.py` alone, and by each pair of them: `make bench-drift`, then `make docs`. The flow worked alone
(`--mode flow`), as it was compiled. Each sample is scored against the truth of the site: its fields, what the site was
sent, which files were downloaded.

- **as recorded**: right, and everything was found as on the samples of the plain site;
- **healed**: right, and something was found in another way than recorded;
- **failed closed**: the flow stopped and said why; nothing is reported as done;
- **false heal**: a wrong value in a sample that is done, or something was sent or downloaded that is not of the row.

A person would call it the same page while each value stands beside the same words as before, and each control has the
same words. So it is with all switches but {other}, which puts other words for labels. Of pages that are the same, at
least 9 in 10 samples are to be done.
"""
COUNTS = ("samples", "done", "healed", "closed", "false")
NAMES = ("samples", "as recorded", "healed", "failed closed", "false heal", "done right")
Cell = Mapping[str, Any]


def page() -> str:
    """Return the page docs/drift.md."""
    told = json.loads(RESULTS.read_text(encoding="utf-8"))
    cells: list[Cell] = [one for one in told["setup"]["outcomes"] if one["drift"]]
    families = list(dict.fromkeys(str(one["family"]) for one in cells))
    same = [one for one in cells if one["same_page"]]
    other = [one for one in cells if not one["same_page"]]
    kept = [name for name in KNOWN if name not in OTHER_MEANING]
    parts = [
        HEAD.format(other=_listed(sorted(OTHER_MEANING))),
        f"Measured on {str(told['at'])[:10]}: {_sum(cells, 'samples')} samples on {len(cells)} of the "
        f"{told['setup']['all changed sites']} changed sites of all families.{_told_of_load(told['setup'])}\n",
        "## The same page, by family\n",
        _counted("family", {name: [one for one in same if one["family"] == name] for name in families}),
        "## The same page, by switch, alone and in pairs\n",
        _counted("switch", {f"`{name}`": [one for one in same if name in _switches(one)] for name in kept}),
        "## Labels in other words, by family\n",
        _counted("family", {name: [one for one in other if one["family"] == name] for name in families}),
        "## Every pair\n",
        "Samples done right of all, a switch alone where it meets itself.\n",
        *(_matrix(name, [one for one in cells if one["family"] == name]) for name in families),
        "## Why flows stopped on the same page\n",
        _reasons(same),
    ]
    return "\n".join(parts)


def _told_of_load(setup: Mapping[str, Any]) -> str:
    """Return how busy the machine was, where it had more to do than it could: then flows wait in vain more often."""
    load, processors = float(setup["load"]), int(setup["processors"])
    return (
        f" The machine was overloaded: {load:.0f} processes for {processors} processors."
        if load > 2 * processors
        else ""
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _switches(cell: Cell) -> list[str]:
    return str(cell["drift"]).split(",")


def _sum(cells: Iterable[Cell], key: str) -> int:
    return sum(int(one[key]) for one in cells)


def _counted(what: str, groups: Mapping[str, Sequence[Cell]]) -> str:
    """Return the counts of each group. A pair of switches is in two groups of switches, so that only families add up
    to a total."""
    lines = [_row((what, *NAMES)), _row(("---", *["--:"] * len(NAMES)))]
    total = {} if what == "switch" else {"**all**": [one for group in groups.values() for one in group]}
    for name, inside in {**groups, **total}.items():
        lines.append(_row((name, *(str(_sum(inside, key)) for key in COUNTS), _share(inside))))
    return "\n".join(lines) + "\n"


def _share(cells: Sequence[Cell]) -> str:
    samples = _sum(cells, "samples")
    return f"{100 * _right(cells) // samples} %" if samples else ""


def _right(cells: Iterable[Cell]) -> int:
    return sum(int(one["done"]) + int(one["healed"]) for one in cells)


def _matrix(family: str, cells: Sequence[Cell]) -> str:
    found = {frozenset(_switches(one)): one for one in cells}
    lines = [_row((family, *(f"`{name}`" for name in KNOWN))), _row(("---", *["--:"] * len(KNOWN)))]
    for one in KNOWN:
        shown = [found.get(frozenset({one, other})) for other in KNOWN]
        lines.append(_row((f"`{one}`", *("" if cell is None else _of_all(cell) for cell in shown))))
    return "\n".join(lines) + "\n"


def _of_all(cell: Cell) -> str:
    text = f"{_right([cell])}/{cell['samples']}"
    return text if _right([cell]) == cell["samples"] else f"**{text}**"


def _reasons(cells: Iterable[Cell]) -> str:
    """Return a line for each family and reason, without the addresses of pages, which differ from sample to sample."""
    count: Counter[tuple[str, str]] = Counter()
    where: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        for why in dict.fromkeys(map(_without_address, cell["stopped"])):
            key = str(cell["family"]), why
            count[key] += 1
            where.setdefault(key, []).append(str(cell["drift"]))
    if not count:
        return "None did.\n"
    lines = [_row(("family", "switches", "why, of one sample")), _row(("---",) * 3)]
    lines += [_row((key[0], "; ".join(f"`{one}`" for one in where[key]), key[1])) for key, _ in count.most_common()]
    return "\n".join(lines) + "\n"


def _without_address(text: str) -> str:
    words = ("(address)" if word.strip("'\",;:()").startswith("http://") else word for word in text.split())
    return " ".join(words).replace("|", "/")


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
