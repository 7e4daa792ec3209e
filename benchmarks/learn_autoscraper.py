"""The same written rows given to `autoscraper`, which learns one wrapper of the HTML and returns whatever it finds."""

from __future__ import annotations

from typing import Any

from autoscraper import AutoScraper  # pyright: ignore[reportMissingTypeStubs]

from shared.extraction.agreement import is_same_value
from tests.real.learn_cases import SeenCase, Values
from tests.real.learn_score import LearnScore, chosen_pages, learn_rows, rows_shown

Found = dict[str, list[str]]


def score_peer(seen: SeenCase) -> LearnScore:
    """Score it: several different results for a field, and none, are left for a person."""
    return _score_list(seen) if seen.case.is_list else _score_records(seen)


def _score_records(seen: SeenCase) -> LearnScore:
    result = LearnScore(seen.case.name, seen.case.labelled)
    chosen = chosen_pages(seen.pages, list(seen.case.fields))
    scraper: Any = AutoScraper()
    for one in chosen:
        _build(scraper, one.html, [one.values])
    for one in seen.pages:
        if one not in chosen:
            found: Found = scraper.get_result_exact(html=one.html, group_by_alias=True) or {}
            for name in seen.case.fields:
                values = list(dict.fromkeys(found.get(name, [])))
                _add(result, seen, name, values[0] if len(values) == 1 else None, one.values[name])
    return result


def _score_list(seen: SeenCase) -> LearnScore:
    result = LearnScore(seen.case.name, seen.case.labelled)
    _, written = learn_rows(seen)
    scraper: Any = AutoScraper()
    _build(scraper, seen.pages[0].html, written)
    for page in seen.pages:
        found: Found = scraper.get_result_similar(html=page.html, group_by_alias=True, unique=False) or {}
        shown = rows_shown(page, seen)
        for at, row in enumerate(shown):
            if page is seen.pages[0] and row in written:
                continue
            for name in seen.case.fields:
                column = found.get(name, [])
                _add(result, seen, name, column[at] if len(column) == len(shown) else None, row[name])
    return result


def _build(scraper: Any, html: str, rows: list[Values]) -> None:
    wanted = {name: [value for row in rows if (value := row[name])] for name in rows[0]}
    scraper.build(html=html, wanted_dict={name: values for name, values in wanted.items() if values}, update=True)


def _add(result: LearnScore, seen: SeenCase, name: str, shown: str | None, written: str | None) -> None:
    if shown is None:
        result.add(name, "to_review", "")
    elif written is not None and is_same_value(seen.case.fields[name], shown, written):
        result.add(name, "right", "")
    else:
        result.add(name, "wrong", f"{shown!r}, not {written!r}")
