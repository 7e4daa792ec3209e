"""Learns from the written rows of a third-party page, and counts what the others are read as."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from shared.extraction.agreement import Verdict, read_field, verdict_on
from shared.extraction.field_rules import FieldRules
from shared.extraction.lists import ListColumn, ListRules, WrittenList, learn_list, read_list
from shared.extraction.pages import ObservedPage
from shared.extraction.synthesis import Example, common_texts, learn_field
from shared.text.normal import fold
from tests.real.learn_cases import WRITTEN_RECORDS, WRITTEN_ROWS, SeenCase, SeenPage, Values


@dataclass
class LearnScore:
    """Counts of a case. ``rules``: kept for each field. ``wrong``: what was read wrongly."""

    name: str
    labelled: bool
    counts: Counter[Verdict] = field(default_factory=Counter[Verdict])
    rules: list[int] = field(default_factory=list[int])
    wrong: list[str] = field(default_factory=list[str])
    reviewed: Counter[str] = field(default_factory=Counter[str])

    def add(self, name: str, verdict: Verdict, told: str) -> None:
        self.counts[verdict] += 1
        if verdict == "wrong":
            self.wrong.append(f"{name}: {told}")
        elif verdict == "to_review":
            self.reviewed[name] += 1

    @property
    def line(self) -> str:
        of = self.counts
        left = ", ".join(f"{name} {count}" for name, count in self.reviewed.items())
        return f"{self.name:<20} {of['right']:>5} right {of['wrong']:>4} wrong {of['to_review']:>4} to review   {left}"


def chosen_pages(pages: Sequence[SeenPage], names: Sequence[str]) -> list[SeenPage]:
    """Return the three rows that a person writes: the first two that show every field, and the next one that does not.

    Who writes rows takes some that have values."""
    whole = [one for one in pages if all(one.values[name] for name in names)]
    chosen = whole[: WRITTEN_RECORDS - 1]
    others = [one for one in pages if one not in chosen]
    lacking = [one for one in others if one not in whole] or others
    return [*chosen, lacking[0]]


def learn_records(seen: SeenCase) -> tuple[dict[str, FieldRules], frozenset[str], list[SeenPage]]:
    """Return the rules of each field, the texts of all pages, and the pages that were not learned from."""
    names = list(seen.case.fields)
    chosen = chosen_pages(seen.pages, names)
    pages = [ObservedPage.of(one.observed) for one in chosen]
    values = {fold(value) for one in chosen for value in one.values.values() if value}
    rules = {
        name: learn_field(
            [Example(page, one.values[name]) for page, one in zip(pages, chosen, strict=True)],
            [name.replace("_", " ")],
            form,
            others=values,
        )
        for name, form in seen.case.fields.items()
    }
    return rules, common_texts(pages, values), [one for one in seen.pages if one not in chosen]


def score_records(seen: SeenCase) -> LearnScore:
    result = LearnScore(seen.case.name, seen.case.labelled)
    rules, constants, others = learn_records(seen)
    result.rules = [len(one.rules) + sum(map(len, one.variants)) for one in rules.values()]
    for one in others:
        page = ObservedPage.of(one.observed)
        for name, field_rules in rules.items():
            reading = read_field(field_rules, page, constants)
            verdict = verdict_on(reading, one.values[name], field_rules.form)
            result.add(name, verdict, f"{reading.value!r}, not {one.values[name]!r} on {one.observed.url}")
    return result


def score_list(seen: SeenCase) -> LearnScore:
    """Score the rows of a list, on the page of the two written ones and on others."""
    result = LearnScore(seen.case.name, seen.case.labelled)
    rules, written = learn_rows(seen)
    result.rules = [len(one.rules) for _, columns in rules.ways[:1] for one in columns.values()]
    for page in seen.pages:
        observed = ObservedPage.of(page.observed)
        read = read_list(rules, observed)
        shown = rows_shown(page, seen)
        for at, row in enumerate(shown):
            if page is seen.pages[0] and row in written:
                continue
            for name, form in seen.case.fields.items():
                reading = read.rows[at][name] if read.agree and len(read.rows) == len(shown) else None
                verdict = "to_review" if reading is None else verdict_on(reading, row[name], form)
                told = "" if reading is None else f"{reading.value!r}, not {row[name]!r} in row {at + 1}"
                result.add(name, verdict, told)
        if read.agree and len(read.rows) != len(shown):
            result.add("rows", "wrong", f"{len(read.rows)}, not {len(shown)}, on {page.observed.url}")
    return result


def learn_rows(seen: SeenCase) -> tuple[ListRules, list[Values]]:
    """Return what two rows of the first page teach, and these rows."""
    page = seen.pages[0]
    written = _written(rows_shown(page, seen))
    columns = {name: ListColumn((name.replace("_", " "),), form) for name, form in seen.case.fields.items()}
    return learn_list([WrittenList(ObservedPage.of(page.observed), written)], columns), written


def rows_shown(page: SeenPage, seen: SeenCase) -> list[Values]:
    """Return the rows whose first column the page shows: a list may go on on other pages."""
    texts = " ".join(f"{one.name} {one.url}" for one in page.observed.elements)
    key = next(iter(seen.case.fields))
    return [row for row in page.rows if (row[key] or "") in texts]


def _written(rows: Sequence[Values]) -> list[Values]:
    """Return the first two different rows that have all values, as a person would write them."""
    whole = [row for row in rows if all(row.values())]
    return [row for at, row in enumerate(whole) if row not in whole[:at]][:WRITTEN_ROWS]


def score_case(seen: SeenCase) -> LearnScore:
    return score_list(seen) if seen.case.is_list else score_records(seen)
