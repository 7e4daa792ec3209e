"""Samples and rows joined by their keys, both ways."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from shared.evidence_format.facts import ResultFacts, TaskFacts
from shared.evidence_format.files.reconciliation import ReconciledRecord
from shared.evidence_format.files.sample import StoredField
from shared.reconciling.columns import RegisterColumns
from shared.reconciling.comparison import ComparedSample, Sides, compare_records
from shared.reconciling.keys import key_form, key_of_sample
from shared.tables.table import Row
from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec
from tests.cases import cases
from tests.handlers.evidence.written_sample import facts_of

COLUMNS = RegisterColumns("number", "Number", {"owner": "Owner"}, (), ())
FIELDS = {"number": OutputField(type="string"), "owner": OutputField(type="string | null")}


def sample(sample_id: str, key: str, owner: str | None = "Ann", status: str = "done") -> ComparedSample:
    state: Any = "value" if owner is not None else "not_present"
    return ComparedSample(sample_id, key, status, {"owner": StoredField(state=state, value=owner)})


def row(number: int, key: str, owner: str = "Ann") -> Row:
    return Row(number, {"Number": key, "Owner": owner})


def compare(samples: list[ComparedSample], rows: list[Row], *, fold_keys: bool = False) -> list[ReconciledRecord]:
    sides = Sides(samples, rows, COLUMNS, fold_keys=fold_keys)
    return list(compare_records(samples, sides, FIELDS))


def told(records: list[ReconciledRecord]) -> list[tuple[Any, ...]]:
    return [(one.verdict, one.key, one.samples, one.rows) for one in records]


def test_both_ways():
    samples = [sample("s1", "A-1"), sample("s2", "A-2"), sample("s3", "A-3")]
    records = compare(samples, [row(1, "A-2", "Bo"), row(2, "A-9"), row(3, "A-1")])
    assert told(records) == [
        ("same", "A-1", ("s1",), (3,)),
        ("differs", "A-2", ("s2",), (1,)),
        ("missing_there", "A-3", ("s3",), ()),
        ("missing_here", "A-9", (), (2,)),
    ]
    [difference] = records[1].fields
    assert (difference.field, difference.here, difference.there) == ("owner", "Ann", "Bo")


@cases("status", ["needs_review", "partial_success", "failed", "auth_required", ""])
def test_fields_of_a_sample_that_is_not_done_are_not_compared(status: str):
    [record] = compare([sample("s1", "A-1", "Eve", status)], [row(1, "A-1", "Bo")])
    assert (record.verdict, record.status, record.fields) == ("not_read", status, ())


@cases(
    ("keys", "rows", "wanted"),
    [
        (["A"], ["A", "A"], [("duplicate", "A", ("s1",), (1, 2))]),
        (["A", "A"], ["A"], [("duplicate", "A", ("s1", "s2"), (1,))]),
        (["A", "A"], [], [("duplicate", "A", ("s1", "s2"), ())]),
        ([], ["A", "B", "A"], [("duplicate", "A", (), (1, 3)), ("missing_here", "B", (), (2,))]),
    ],
)
def test_a_key_that_is_there_twice_is_told_and_joins_nothing(keys: list[str], rows: list[str], wanted: list[Any]):
    records = compare(
        [sample(f"s{number}", key) for number, key in enumerate(keys, 1)],
        [row(number, key, "Bo") for number, key in enumerate(rows, 1)],
    )
    assert told(records) == wanted
    assert not any(record.fields for record in records)


def test_what_has_no_key_is_never_joined():
    records = compare([sample("s1", "")], [row(1, "")])
    assert told(records) == [("no_key", "", ("s1",), ()), ("no_key", "", (), (1,))]


def test_keys_are_compared_exactly_and_a_key_that_differs_only_in_form_is_told():
    records = compare([sample("s1", "a-1")], [row(1, "A-1")])
    assert [(one.verdict, one.key, one.near) for one in records] == [
        ("missing_there", "a-1", "A-1"),
        ("missing_here", "A-1", "a-1"),
    ]


def test_folded_keys_are_joined_and_both_forms_are_told():
    [record] = compare([sample("s1", "a-1")], [row(1, "A-1")], fold_keys=True)
    assert (record.verdict, record.key, record.key_there) == ("same", "a-1", "A-1")


def test_keys_that_become_one_by_folding_are_duplicates():
    [record] = compare([sample("s1", "A-1")], [row(1, "A-1"), row(2, "a-1")], fold_keys=True)
    assert (record.verdict, record.rows) == ("duplicate", (1, 2))


@cases("other", ["abc 7", " ABC  7 ", "#ABC 7", "ＡＢＣ 7", "ABC\u00a07", "A\u200bBC 7", "'@ABC 7"])
def test_keys_of_one_form(other: str):
    assert key_form(other) == key_form("ABC 7")


@cases("other", ["ABC7", "ABC 07", "ABC-7", "'ABC 7"])
def test_keys_of_another_form(other: str):
    assert key_form(other) != key_form("ABC 7")


def test_a_field_that_was_not_found_makes_a_record_unclear():
    one = ComparedSample("s1", "A", "done", {"owner": StoredField(state="not_found")})
    [record] = compare([one], [row(1, "A")])
    assert (record.verdict, record.fields[0].verdict) == ("unclear", "not_read")


KEYS = st.lists(st.sampled_from(["A", "a", "B", "#B", "C ", "", "D"]), max_size=12)


@given(KEYS, KEYS, st.booleans())
def test_every_sample_and_every_row_is_in_exactly_one_record(here: list[str], there: list[str], fold_keys: bool):
    samples = [sample(f"s{number}", key.strip()) for number, key in enumerate(here)]
    rows = [row(number, key.strip()) for number, key in enumerate(there, 1)]
    records = compare(samples, rows, fold_keys=fold_keys)
    assert Counter(one for record in records for one in record.samples) == Counter(one.sample_id for one in samples)
    assert Counter(one for record in records for one in record.rows) == Counter(one.number for one in rows)
    for record in records:
        joined = len(record.samples) == len(record.rows) == 1
        assert joined or record.verdict in ("missing_here", "missing_there", "duplicate", "no_key")


# --- the key of a sample

SPEC = TaskSpec.model_validate(
    {
        "task_id": "t",
        "goal": "g",
        "input_schema": {"ticket": "string"},
        "identity": {"number": "#{ticket}"},
        "output_schema": {"number": "string", "owner": "string"},
    }
)


def known(fields: dict[str, Any] | None, status: str = "done", **row: str) -> ResultFacts:
    result = None if fields is None else {"status": status, "fields": fields}
    return facts_of({"sample_id": "s", "fields": row}, result)


VALUE = {"number": {"state": "value", "value": "A-1"}}


def test_the_key_of_a_done_sample_is_the_value_that_was_read():
    assert key_of_sample(SPEC, "number", known(VALUE, ticket="other")) == "A-1"


@cases("fields", [VALUE, None])
def test_the_key_of_any_other_sample_is_what_its_record_must_show(fields: dict[str, Any] | None):
    """What was read of a sample that is not done may be of another record."""
    assert key_of_sample(SPEC, "number", known(fields, "needs_review", ticket="A-7")) == "A-7"


def test_else_it_is_the_cell_of_the_input_with_the_name_of_the_field():
    assert key_of_sample(SPEC, "owner", known({}, "failed", ticket="A-7", owner="Bo")) == "Bo"
    assert key_of_sample(SPEC, "owner", known({}, "failed", ticket="A-7")) == ""


def test_a_sample_whose_file_is_lost_has_no_key():
    assert key_of_sample(SPEC, "number", ResultFacts(TaskFacts.of({}), "s", None, None)) == ""
