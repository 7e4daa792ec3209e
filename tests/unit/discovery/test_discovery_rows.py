"""From a table and a spec to samples, or every problem."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from services.discovery.planning.plan import rejected_run_id, run_ids
from shared.contracts.discovery import Problem
from shared.submission.samples import MAX_LISTED_PROBLEMS, first_problems, samples_of_table
from shared.tables.table import find_cell_problem, objects_to_table
from shared.task.spec import TaskSpec
from tests.cases import cases
from tests.typed import expect

BASE = {"task_id": "t", "goal": "g", "output_schema": {"number": "string"}}


def samples(rows, **spec):
    table, problems = objects_to_table(rows)
    assert problems == ()
    assert table is not None
    return samples_of_table(TaskSpec.model_validate({**BASE, **spec}), table)


def told(problems):
    return {problem.where: problem.message for problem in problems}


def test_extra_columns_travel_along():
    found, problems = samples([{"sample_id": "A-1", "url": "http://x/1", "team": "red"}])
    assert problems == ()
    assert (found[0].sample_id, found[0].key, found[0].row, found[0].url) == ("A-1", "A-1", 1, "http://x/1")
    assert found[0].fields == {"sample_id": "A-1", "url": "http://x/1", "team": "red"}


def test_a_missing_column_is_one_problem_with_a_near_name():
    rows = [{"Ticket Number": str(n), "url": "http://x"} for n in range(5)]
    _, problems = samples(rows, input_schema={"ticket_number": "string"}, sample_id="{ticket_number}")
    assert list(told(problems)) == ["column ticket_number"]
    message = problems[0].message
    assert "the columns are Ticket Number, url" in message
    assert "did you mean Ticket Number?" in message
    assert "input_schema, sample_id" in message


def test_each_empty_required_cell_and_each_wrong_type_is_named():
    rows = [
        {"sample_id": "a", "url": "http://x", "due": "2026-02-30", "size": "1.5"},
        {"sample_id": "b", "url": "", "due": "", "size": "many"},
        {"sample_id": "", "url": "http://x", "due": "2026-02-28", "size": ""},
    ]
    _, problems = samples(rows, input_schema={"due": "date | null", "size": "number"})
    assert set(told(problems)) == {
        "row 1, column due", "row 2, column size", "row 2, column url", "row 3, column size",
        "row 3, column sample_id",
    }  # fmt: skip


def test_an_optional_column_may_be_absent():
    assert samples([{"sample_id": "a", "url": "u"}], input_schema={"team": "string | null"})[1] == ()


def test_placeholders_need_their_columns():
    _, problems = samples([{"sample_id": "a"}], start_url="https://x/{org}/{repo}", identity={"number": "{no}"})
    assert set(told(problems)) == {"column org", "column repo", "column no"}


def test_what_every_sample_has_needs_no_column():
    assert (
        samples([{"n": "1"}], sample_id="{n}", start_url="https://x/{key}", identity={"number": "{sample_id}"})[1] == ()
    )


def test_rows_whose_names_differ_in_capitals_alone_have_folders_of_their_own():
    found, problems = samples([{"sample_id": key, "url": "u"} for key in ("dQw4", "DQW4", "dqw4")])
    assert problems == ()
    assert [one.key for one in found] == ["dQw4", "DQW4", "dqw4"]
    assert found[0].sample_id == "dQw4"
    assert len({one.sample_id.lower() for one in found}) == 3
    twice = samples([{"sample_id": key, "url": "u"} for key in ("dQw4", "DQW4", "DQW4", "dQw4")])[1]
    assert [problem.where for problem in twice] == ["row 3", "row 4"]


def test_two_rows_of_one_sample_are_both_named():
    _, problems = samples(
        [{"sample_id": "a", "url": "u"}, {"sample_id": "b", "url": "u"}, {"sample_id": "a", "url": "u"}]
    )
    assert list(told(problems)) == ["row 3"]
    assert "row 1" in problems[0].message


@cases(
    ("row", "spec", "key"),
    [
        ({"sample_id": "S", "number": "N", "url": "http://x/u"}, {"identity": {"number": "{number}"}}, "S"),
        ({"number": "N", "url": "http://x/u"}, {"identity": {"number": "{number}"}}, "N"),
        ({"url": "http://x/a/b%20c/?q=1"}, {}, "b c"),
        ({"url": "http://x/"}, {}, "row-0001"),
        ({"org": "o", "repo": "r", "url": "http://x"}, {"sample_id": "{org}/{repo}"}, "o/r"),
    ],
)
def test_what_names_a_sample(row, spec, key):
    found, problems = samples([row], **spec)
    assert problems == ()
    assert found[0].key == key


@given(st.lists(st.text(min_size=1), min_size=1, max_size=8, unique_by=str.strip))
def test_sample_ids_are_unique_and_safe_whatever_the_keys_are(keys):
    keys = [key.strip() for key in keys if key.strip()]
    if not keys:
        return
    found, _ = samples([{"sample_id": key, "url": "http://x"} for key in keys])
    ids = [sample.sample_id for sample in found]
    assert len(set(ids)) == len(set(keys))
    assert all(set(one) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") for one in ids)


@cases(
    ("type_", "good", "bad"),
    [
        ("number", "-1.5e3", "1,5"), ("number", "7", "nan"), ("decimal", "10.20", "1e3"), ("boolean", "Yes", "maybe"),
        ("date", "2026-03-31", "31.03.2026"), ("date", "2024-02-29", "20240229"),
        ("date-time", "2026-03-31T14:05:00Z", "soon"),
    ],
)  # fmt: skip
def test_types(type_, good, bad):
    assert find_cell_problem(type_, good) is None
    assert repr(bad) in expect(find_cell_problem(type_, bad), str)
    assert find_cell_problem(f"{type_} | null", "") is None
    assert "required" in expect(find_cell_problem(type_, ""), str)


def test_a_long_list_of_problems_says_how_many_more_there_are():
    many = tuple(Problem(where=f"row {n}", message="x") for n in range(MAX_LISTED_PROBLEMS + 7))
    listed = first_problems(many)
    assert listed[:-1] == many[:MAX_LISTED_PROBLEMS]
    assert "7 more" in listed[-1].message
    assert first_problems(many[:MAX_LISTED_PROBLEMS]) == many[:MAX_LISTED_PROBLEMS]


def test_run_ids_are_told_by_the_clock_and_then_counted():
    moment = datetime(2026, 11, 21, 8, 1, 2, tzinfo=UTC)
    assert list(islice(run_ids(moment), 3)) == [
        "run_2026-11-21_080102",
        "run_2026-11-21_080102_2",
        "run_2026-11-21_080102_3",
    ]
    assert rejected_run_id(moment, "abcdef0123456789") == "rejected_20261121_080102_000000_abcdef01"
