"""The people are a pure function of the seed, with cases that separate good readers from bad ones."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from practice.people import asking, words
from practice.people.data import TODAY, Person, company_slug, folded, ground_truth, shown_span
from practice.people.demo import (
    COLUMNS,
    FIELDS,
    accepted,
    compare,
    compare_enriched,
    compare_list,
    expected_cells,
    input_rows,
    sample_id,
    write_input,
)

PEOPLE = ground_truth()
BASE = "http://127.0.0.1:1"
SEEDS = pytest.mark.parametrize("seed", [1, 11, 99])
Rows = list[dict[str, str]]


def test_equal_seeds_give_equal_people_and_others_do_not():
    assert ground_truth(3) == ground_truth(3)
    assert ground_truth(3) != ground_truth(4)


@SEEDS
def test_there_are_400_each_with_an_address_of_their_own(seed: int):
    people = ground_truth(seed)
    assert len({person.slug for person in people}) == len(people) == 400


@SEEDS
def test_a_name_at_three_companies_is_settled_by_the_company(seed: int):
    people = ground_truth(seed)
    for name in words.HOMONYM_NAMES:
        same = [person for person in people if person.name == name]
        assert len({person.current_company for person in same}) == len(same) == 3
        assert all(asking.settle(people, name, one.current_company or "").person == one for one in same)


@SEEDS
def test_a_name_twice_at_a_company_is_settled_by_nothing(seed: int):
    people = ground_truth(seed)
    for name in words.TWIN_NAMES:
        one, other = (person for person in people if person.name == name)
        assert one.current_company == other.current_company
        assert one.school != other.school
        assert asking.settle(people, name, one.current_company or "") == asking.Answer("ambiguous")


@SEEDS
def test_a_near_spelling_is_nobody_proven(seed: int):
    people = ground_truth(seed)
    kinds = {
        asking.settle(people, f"{first} {last}", company).kind
        for last, one, other, _ in words.SPELLINGS
        for first in (one, other)
        for company in {person.current_company or "" for person in people if person.name == f"{one} {last}"}
    }
    assert kinds == {"found", "near"}


@SEEDS
def test_former_employees_are_found_at_the_company_they_left(seed: int):
    people = ground_truth(seed)
    left = [
        asking.settle(people, person.name, person.positions[-1].company)
        for person in people
        if person.name not in words.HOMONYM_NAMES and person.positions[-1].company not in ("Self-employed", None)
    ]
    assert sum(one.person is not None and one.person.current_company is None for one in left) >= 3
    assert sum(one.person is not None for one in left) >= 200


@SEEDS
def test_nobody_of_a_name_that_is_not_there(seed: int):
    people = ground_truth(seed)
    assert {asking.settle(people, name, words.COMPANIES[0][0]).kind for name in words.ABSENT_NAMES} == {"not_found"}


def test_the_tenure_is_the_time_at_the_company_not_in_the_role():
    moved_up = [one for one in PEOPLE if one.positions[0].company == one.positions[1].company and one.tenure]
    assert len(moved_up) > 30
    for person in moved_up:
        assert person.started == person.positions[1].start
        assert person.tenure != shown_span(person.positions[0].start, TODAY)


@pytest.mark.parametrize(
    ("start", "end", "shown"),
    [
        (date(2023, 9, 1), date(2026, 11, 1), "3 years 2 months"),
        (date(2025, 10, 1), date(2026, 11, 1), "1 year 1 month"),
        (date(2024, 11, 1), date(2026, 11, 1), "2 years"),
        (date(2026, 6, 1), date(2026, 11, 1), "5 months"),
        (date(2026, 11, 1), date(2026, 11, 1), "1 month"),
    ],
)
def test_times_are_shown_in_years_and_months(start: date, end: date, shown: str):
    assert shown_span(start, end) == shown


def test_search_minds_neither_accents_nor_capitals():
    assert folded("  Zoë  SØRENSEN-Łuk ") == "zoe sorensen-luk"
    assert {one.name for one in asking.search(PEOPLE, "zoe sorensen")} == {"Zoë Sørensen"}


def test_search_shows_near_spellings_beside_each_other():
    assert {one.name for one in asking.search(PEOPLE, "John Smith")} == {"Jon Smith", "John Smith", "John A. Smith"}


def test_names_are_suggested_once_each():
    assert asking.suggestions(PEOPLE, "maria g") == ["Maria Garcia"]
    assert asking.suggestions(PEOPLE, " ") == []


@pytest.mark.parametrize("count", [1, 19, 20, 21, 22, 23, 38, 39, 89])
def test_pages_of_a_list_repeat_people_and_leave_nobody_out(count: int):
    pages = asking.listed_pages(PEOPLE[:count])
    listed = [person for page in pages for person in page]
    assert list(dict.fromkeys(listed)) == PEOPLE[:count]
    assert len(listed) == count + asking.REPEATED * (len(pages) - 1)


def test_companies_have_an_address_each():
    slugs = {company_slug(name) for name, _, _ in words.COMPANIES}
    assert len(slugs) == len(words.COMPANIES)
    assert company_slug("Halden & Pryce") == "halden-pryce"
    assert {asking.company_of(slug) for slug in slugs} == {name for name, _, _ in words.COMPANIES}


# --- the input and the check


@SEEDS
def test_the_input_has_every_kind_of_row_and_none_twice(seed: int):
    people = ground_truth(seed)
    rows = input_rows(people)
    kinds = Counter(asking.settle(people, row["name"], row["company"]).kind for row in rows)
    assert len({sample_id(row) for row in rows}) == len(rows)
    assert kinds == {"found": 55, "ambiguous": 6, "near": 4, "not_found": 4}
    wanted = [expected_cells(people, row, BASE) for row in rows]
    assert sum(one.get("not_present") == "current_company;tenure" for one in wanted) >= 2
    assert sum("school" in one.get("not_present", "") for one in wanted) >= 4
    gone = [
        one for row, one in zip(rows, wanted, strict=True) if one.get("current_company") not in ("", row["company"])
    ]
    assert len([one for one in gone if one.get("current_company")]) >= 6


def _right(row: dict[str, str], people: list[Person]) -> dict[str, str]:
    status, reason = accepted(people, row)[0]
    return {
        "name": "",
        "sample_id": sample_id(row),
        "status": status,
        "reason": reason,
        **expected_cells(people, row, BASE),
    }


@pytest.fixture
def right() -> Rows:
    return [_right(row, PEOPLE) for row in input_rows(PEOPLE)]


def _written(path: Path, rows: Rows) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_right_table_has_no_difference(tmp_path: Path, right: Rows):
    assert compare(_written(tmp_path / "combined.csv", right), PEOPLE, BASE) == []


def _found(row: dict[str, str]) -> bool:
    return row["status"] == "done"


def _twin(row: dict[str, str]) -> bool:
    return row["sample_id"].startswith(words.TWIN_NAMES)


def _absent(row: dict[str, str]) -> bool:
    return row["sample_id"].startswith(words.ABSENT_NAMES)


@pytest.mark.parametrize(
    ("which", "column", "wrong"),
    [
        (_found, "profile_url", f"{BASE}/in/somebody-else"),
        (_found, "tenure", "2 months"),
        (_found, "school", ""),
        (_found, "status", "needs_review"),
        (_twin, "status", "done"),
        (_twin, "profile_url", f"{BASE}/in/michael-johnson"),
        (_absent, "status", "needs_review"),
        (_absent, "current_company", "Northwind Analytics"),
    ],
)
def test_one_wrong_cell_is_one_difference(
    tmp_path: Path, right: Rows, which: Callable[[dict[str, str]], bool], column: str, wrong: str
):
    row = next(one for one in right if which(one))
    row[column] = wrong
    [difference] = compare(_written(tmp_path / "combined.csv", right), PEOPLE, BASE)
    assert (difference.sample, difference.column) == (row["sample_id"], column)
    assert wrong in str(difference)


def test_a_near_spelling_may_be_asked_about_or_said_not_to_be_there(tmp_path: Path, right: Rows):
    near = {
        sample_id(row)
        for row in input_rows(PEOPLE)
        if len(accepted(PEOPLE, row)) > 1 and ("failed", "not_found") in accepted(PEOPLE, row)
    }
    assert len(near) == 4
    for row in right:
        if row["sample_id"] in near:
            row.update(status="failed", reason="not_found")
    assert compare(_written(tmp_path / "combined.csv", right), PEOPLE, BASE) == []


def test_the_original_columns_and_rows_are_all_kept(tmp_path: Path):
    original = tmp_path / "people.csv"
    assert write_input(original, PEOPLE) == 69
    rows = [{**row, **dict.fromkeys(FIELDS[1:], ""), **_found_cells(row)} for row in input_rows(PEOPLE)]
    assert compare_enriched(_written(tmp_path / "enriched.csv", rows), original, PEOPLE, BASE) == []
    assert any('"' in row["note"] and "," in row["note"] for row in rows)
    rows[5]["note"] = "lost"
    [difference] = compare_enriched(_written(tmp_path / "enriched.csv", rows), original, PEOPLE, BASE)
    assert (difference.column, difference.got) == ("note", "lost")
    assert tuple(rows[0])[: len(COLUMNS)] == COLUMNS
    assert compare_enriched(_written(tmp_path / "enriched.csv", rows[1:]), original, PEOPLE, BASE)[0].column == "row"


def _found_cells(row: dict[str, str]) -> dict[str, str]:
    return {name: cell for name, cell in expected_cells(PEOPLE, row, BASE).items() if name in FIELDS[1:]}


def test_a_list_is_everybody_once(right: Rows):
    company = "Northwind Analytics"
    rows = [
        {"name": person.name, "profile_url": f"{BASE}/in/{person.slug}"}
        for person in PEOPLE
        if person.current_company == company
    ]
    assert compare_list(rows, PEOPLE, company, BASE) == []
    wrong = [*rows[1:], rows[1], {"name": "Next", "profile_url": f"{BASE}/companies"}]
    found = {(one.sample, one.got) for one in compare_list(wrong, PEOPLE, company, BASE)}
    assert found == {
        (rows[0]["profile_url"], "0 rows"),
        (rows[1]["profile_url"], "2 rows"),
        (f"{BASE}/companies", "a row"),
    }
