"""What somebody points at on one page of a third-party app is read off its other pages by the entry that it gives."""

from __future__ import annotations

from typing import Any

import pytest

from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.discovery import Sample
from shared.pages.elements import text_of
from shared.pages.entries.guessed_types import guess_types
from shared.pages.entries.pointed import PointedEntry, PointedText, can_be_pointed_at, pointed_entries
from shared.pages.entries.value_places import label_and_value
from shared.pages.identity.identity import read_anew
from shared.pages.read.fields import FieldFound
from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec
from shared.task.typed_values import as_shown, is_not_present
from shared.text.normal import fold
from tests.corpus import stored
from tests.unit.planner.planner_pages import box, cell, el, heading, page, row, text

NOBODY = Sample(sample_id="x", key="", row=1, url="http://site/1", fields={})


def task(**entries: Any) -> TaskSpec:
    schema = {name: OutputField.model_validate(entry) for name, entry in entries.items()}
    return TaskSpec.model_construct(task_id="pointed", goal="", output_schema=schema)


def entries(seen: PageObserved, shown: str, part: str = "", **others: Any) -> tuple[PointedEntry, ...]:
    """Return the entries of the first element that shows this text; ``part``: of it."""
    ref = next(one.ref for one in seen.elements if text_of(one) == shown)
    spec = task(**others, pointed={"type": "string"})
    return pointed_entries(spec, NOBODY, seen, "pointed", PointedText(ref, part or shown))


@pytest.mark.parametrize("name", ["app_datasette", "app_otterwiki", "app_sqladmin"])
def test_what_is_pointed_at_on_one_page_is_read_off_the_others(name: str):
    group, seen = stored.read_group(name), stored.read_observed(name)
    first, *others = [one for one in group.pages if one.truth]
    fields = [one for one, value in first.truth.items() if value and element_of(seen[first.name].page, value)]
    assert len(fields) >= 5
    right = 0
    for field in fields:
        spec = best(field, group.specs[first.spec]["identity"], first, seen[first.name].page)
        for other in others:
            sample = Sample(sample_id="x", key="", row=1, url=other.url, fields=dict(other.row))
            reading = read_anew(spec, sample, seen[other.name].page).readings[field]
            shown = reading.candidate.shown if isinstance(reading, FieldFound) else ""
            none = not shown or is_not_present(shown, spec.output_schema[field])
            wanted = other.truth.get(field)
            assert (wanted is None) == none, (field, other.name, shown)
            assert none or fold(shown) == fold(wanted or ""), (field, other.name)
            right += not none
    assert right >= 20


def element_of(seen: PageObserved, value: str) -> Element | None:
    """Return the element that a person would point at: under a label of the page, and not in what tells of the past."""
    found = [one for one in seen.elements if can_be_pointed_at(one) and fold(text_of(one)) == fold(value)]
    return min(found, key=lambda one: (one.past, one.area != "", one.header is None), default=None)


def best(field: str, identity: dict[str, str], asked: stored.AskedPage, seen: PageObserved) -> TaskSpec:
    """Return the task of one field with the first entry that reads it."""
    element = element_of(seen, asked.truth[field] or "")
    assert element is not None
    key = {field: identity[field]} if field in identity else {}
    spec = task(**{field: {"type": "string"}}).model_copy(update={"identity": key})
    sample = Sample(sample_id="x", key="", row=1, url=asked.url, fields=dict(asked.row))
    [entry, *_] = pointed_entries(spec, sample, seen, field, PointedText(element.ref, text_of(element)))
    return spec.model_copy(update={"output_schema": {field: OutputField.model_validate(dict(entry.entry))}})


def test_a_label_that_is_there_twice_counts_in_its_part_of_the_page():
    seen = page(
        heading("Request 77"),
        el("definition", "Ann Lee", header="Name", regions=("Reporter",), box=box(0, 100)),
        el("definition", "Bo Diaz", header="Name", regions=("Technician",), box=box(0, 300)),
    )
    [first, *_] = entries(seen, "Bo Diaz")
    assert first.entry == {"type": "string", "labels": ["Name"], "under": "Technician"}


def test_the_one_heading_of_its_level_is_read_as_such_and_one_of_several_is_not():
    seen = page(heading("Pump leaks"), heading("Comments", 2), heading("History", 2))
    assert [(one.headline, dict(one.entry)) for one in entries(seen, "Pump leaks")[:1]] == [(1, {"type": "string"})]
    assert entries(seen, "Comments") == ()


def test_a_part_of_a_text_is_told_by_what_stands_around_it():
    seen = page(heading("Bolts"), text("Latest 1.9.17 of 40"), text("Oldest 0.1.2 of 40"))
    [first, *_] = entries(seen, "Latest 1.9.17 of 40", "1.9.17")
    read = read_anew(
        task(pointed=dict(first.entry)), NOBODY, page(text("Latest 2.0.1 of 41"), text("Oldest 0.1.2 of 41"))
    )
    reading = read.readings["pointed"]
    assert isinstance(reading, FieldFound)
    assert reading.candidate.shown == "2.0.1"


def line(*texts: str, y: float = 100) -> list[Element]:
    """Return links that stand beside each other on one line, each with a text of its own."""
    return [el("link", one, box=box(10 + 200 * at, y)) for at, one in enumerate(texts)]


def shown_by(entry: PointedEntry, seen: PageObserved) -> str | None:
    """Return what the entry reads on a page; None where it is not certain."""
    reading = read_anew(task(pointed=dict(entry.entry)), NOBODY, seen).readings["pointed"]
    return reading.candidate.shown if isinstance(reading, FieldFound) else None


def test_between_two_texts_one_of_them_alone_may_tell_the_value():
    seen = page(*line("#3", "closed", "defect"), *line("Votes", "4", y=300))
    found = entries(seen, "closed")
    assert [(one.entry.get("preceded_by"), one.entry.get("followed_by")) for one in found] == [
        ("#[0-9]+", "defect"),
        ("#[0-9]+", None),
        (None, "defect"),
    ]
    both, before, after = found
    other = page(*line("#4", "new", "task"), *line("Votes", "5", y=300))
    assert [shown_by(one, other) for one in (both, before, after)] == [None, "new", None]
    twice = page(*line("#4", "new", "task"), *line("#9", "gone", y=300))
    assert shown_by(before, twice) is None, "several texts stand so, and a person decides"
    assert before.entry not in [
        one.entry for one in entries(page(*line("#3", "closed", "a"), *line("#9", "b", y=300)), "closed")
    ]


def test_a_part_of_a_heading_that_is_a_link_of_its_own_is_found_as_that_link():
    def ticket(*texts: str) -> PageObserved:
        return page(el("heading", " ".join(texts), box=box(0, 100, 900, 40), level=2), *line(*texts))

    found = entries(ticket("#3", "closed", "defect"), "#3 closed defect", "closed")
    assert [shown_by(one, ticket("#4", "in work", "task")) for one in found[:3]] == [None, "in work", None]
    own = entries(ticket("#3", "closed", "defect"), "#3 closed defect", "#3")
    assert own
    of_heading = [one for one in own if one.entry.get("labels") or one.entry.get("preceded_by")]
    assert of_heading == [], "the heading is no label of a link within it, and does not stand before it"
    beside = [*ticket("#3", "closed", "defect").elements, text("Closed", box=box(700, 110))]
    assert len(entries(page(*beside), "#3 closed defect", "closed")) == 3, "it is written in another way"
    cut = next(one for one in entries(ticket("#3", "closed", "defect"), "#3 closed defect", "closed defect"))
    assert cut.entry["shown_in"] == "heading", "no element of its own has these words"


@pytest.mark.parametrize(
    ("shown", "value", "other", "wanted"),
    [
        ("Price: 12.25", "12.25", "Price: 1,250.00 EUR", "1,250.00 EUR"),
        ("Due back: May 13, 2026", "May 13, 2026", "Due back: tomorrow", "tomorrow"),
        ("Prix : 12,50", "12,50", "Prix : 9", "9"),
        ("价格：12.25", "12.25", "价格：免费", "免费"),
    ],
)
def test_behind_its_own_label_a_text_is_read_whatever_its_form(shown: str, value: str, other: str, wanted: str):
    assert value == (label_and_value(shown) or ("", ""))[1]
    beside = (heading("Winter"), text("Publisher", box=box(0, 40)), text("Condition: worn", box=box(0, 120)))
    [first, *_] = entries(page(*beside, text(shown, box=box(0, 80))), shown, value)
    read = read_anew(task(pointed=dict(first.entry)), NOBODY, page(*beside, text(other, box=box(0, 80))))
    reading = read.readings["pointed"]
    assert isinstance(reading, FieldFound)
    assert reading.candidate.shown == wanted


@pytest.mark.parametrize(
    "shown", ["12:30", "at 12:30", "urn:isbn:12", "https://site/1", "Label:", ": value", "a b c d e f: g"]
)
def test_a_text_without_a_short_label_of_its_own_has_none(shown: str):
    assert label_and_value(shown) is None


def test_no_entry_is_offered_where_nothing_tells_the_text_from_others():
    seen = page(text("beta", box=box(0, 0)), text("beta", box=box(0, 300)))
    assert entries(seen, "beta") == ()


def test_what_cannot_be_seen_a_secret_and_a_button_are_not_pointed_at():
    here = {"box": box(0, 0)}
    shown = [
        text("a", **here),
        text("b"),
        el("textbox", "c", value="(hidden)", secret=True, **here),
        el("button", "d", **here),
    ]
    assert [can_be_pointed_at(one) for one in shown] == [True, False, False, False]


def test_an_entry_that_would_change_another_field_is_not_offered():
    seen = page(*row("Owner", "Ann"), *row("Backup", "Bo"))
    with_owner = entries(seen, "Bo", owner={"type": "string"})
    assert with_owner
    taken = [one for one in with_owner if one.entry.get("labels") == ["Owner"]]
    assert taken == []


@pytest.mark.parametrize(
    ("shown", "guess", "value"),
    [
        ("2026-03-14", "date", "2026-03-14"),
        ("14 March 2026", "date", "2026-03-14"),
        ("$1,250.00", "decimal", "1250.00"),
        ("17", "number", "17"),
        ("0017", "string", "0017"),
        ("TCK-1001", "string", "TCK-1001"),
        ("yes", "string", "yes"),
        ("In progress", "string", "In progress"),
    ],
)
def test_the_type_of_a_text_is_guessed(shown: str, guess: str, value: str):
    seen = page(cell("Column", shown, 1))
    found = guess_types(shown, seen.elements[0], seen)
    assert found.guess is not None
    assert (found.guess.type, as_shown(found.guess.value)) == (guess, value)
    assert "string" in {one.type for one in found.all}


def test_a_date_that_only_the_markup_says_is_offered_beside_the_text():
    title = "See timeline at 08/15/26 02:39:00"
    seen = page(text("Opened", box=box(0, 0)), text("4 months ago", title=title, box=box(100, 0)))
    found = guess_types("4 months ago", seen.elements[1], seen)
    assert found.guess is not None
    assert [(one.type, one.value) for one in found.all] == [
        ("date-time", "2026-08-15T02:39:00"),
        ("date", "2026-08-15"),
        ("string", "4 months ago"),
    ]
    spec = task(pointed={"type": "date-time"})
    [first, *_] = pointed_entries(spec, NOBODY, seen, "pointed", PointedText(2, "4 months ago"))
    assert (first.entry["type"], first.shown) == ("date-time", "4 months ago")
    open_ = page(text("4 months ago", title="See timeline at 08/09/26"))
    found = guess_types("4 months ago", open_.elements[0], open_)
    assert found.guess is None
    assert {(one.date_order, one.value) for one in found.all if one.type == "date"} == {
        ("dmy", "2026-09-08"), ("mdy", "2026-08-09"), ("ymd", "2008-09-26"),
    }  # fmt: skip


def test_a_date_that_the_page_leaves_open_is_for_a_person_and_one_that_it_settles_is_not():
    open_ = page(cell("Due", "03/04/2026", 1))
    found = guess_types("03/04/2026", open_.elements[0], open_)
    assert found.guess is None
    assert {(one.date_order, one.value) for one in found.all if one.type == "date"} == {
        ("dmy", "2026-04-03"),
        ("mdy", "2026-03-04"),
    }
    settled = page(cell("Due", "03/04/2026", 1), cell("Made", "25/03/2026", 2))
    guess = guess_types("03/04/2026", settled.elements[0], settled).guess
    assert guess is not None
    assert (guess.value, guess.date_order) == ("2026-04-03", None)
