"""The same written rows given to `autoscraper`, which learns one wrapper of the HTML and returns whatever it finds.

It runs in an environment of its own, made of `peers/autoscraper/packages.lock`.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from shared.extraction.agreement import is_same_value
from tests.real.apps.environment import python_with
from tests.real.learn_cases import SeenCase, SeenPage, Values
from tests.real.learn_score import LearnScore, chosen_pages, learn_rows, rows_shown

Found = dict[str, list[str]]
PEER = Path(__file__).parent / "peers" / "autoscraper"
BOUND_S = 600


def score_peer(seen: SeenCase) -> LearnScore:
    """Score it: several different results for a field, and none, are left for a person."""
    return _score_list(seen) if seen.case.is_list else _score_records(seen)


def _score_records(seen: SeenCase) -> LearnScore:
    result = LearnScore(seen.case.name, seen.case.labelled)
    chosen = chosen_pages(seen.pages, list(seen.case.fields))
    others = [one for one in seen.pages if one not in chosen]
    found_on = _ask([(one, [one.values]) for one in chosen], others, similar=False)
    for one, found in zip(others, found_on, strict=True):
        for name in seen.case.fields:
            values = list(dict.fromkeys(found.get(name, [])))
            _add(result, seen, name, values[0] if len(values) == 1 else None, one.values[name])
    return result


def _score_list(seen: SeenCase) -> LearnScore:
    result = LearnScore(seen.case.name, seen.case.labelled)
    _, written = learn_rows(seen)
    found_on = _ask([(seen.pages[0], written)], seen.pages, similar=True)
    for page, found in zip(seen.pages, found_on, strict=True):
        shown = rows_shown(page, seen)
        for at, row in enumerate(shown):
            if page is seen.pages[0] and row in written:
                continue
            for name in seen.case.fields:
                column = found.get(name, [])
                _add(result, seen, name, column[at] if len(column) == len(shown) else None, row[name])
    return result


def _ask(
    learned: Sequence[tuple[SeenPage, Sequence[Values]]], read: Sequence[SeenPage], *, similar: bool
) -> list[Found]:
    asked = {
        "learned": [{"html": page.html, "wanted": _wanted(rows)} for page, rows in learned],
        "read": [page.html for page in read],
        "similar": similar,
    }
    command = [python_with(PEER / "packages.lock"), PEER / "learn.py"]
    told = subprocess.run(
        command, input=json.dumps(asked), stdout=subprocess.PIPE, text=True, timeout=BOUND_S, check=True
    )
    return json.loads(told.stdout)


def _wanted(rows: Sequence[Values]) -> Found:
    wanted = {name: [value for row in rows if (value := row[name])] for name in rows[0]}
    return {name: values for name, values in wanted.items() if values}


def _add(result: LearnScore, seen: SeenCase, name: str, shown: str | None, written: str | None) -> None:
    if shown is None:
        result.add(name, "to_review", "")
    elif written is not None and is_same_value(seen.case.fields[name], shown, written):
        result.add(name, "right", "")
    else:
        result.add(name, "wrong", f"{shown!r}, not {written!r}")
