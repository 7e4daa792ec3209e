"""Which samples of a run refute the order in which dates of others were read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from services.evidence.state.run_doubts import date_readings, dated_fields, doubted_result, refuted_orders
from shared.contracts.base import Usage
from shared.contracts.steps import ValueSource
from shared.evidence_format.files.sample import ResultFile, StoredCell, StoredField, StoredRow
from tests.cases import cases

NOW = datetime(2026, 3, 3, tzinfo=UTC)
HOST = "https://desk.example.com/t/1"


def source(order: str | None = None, url: str = HOST, **more: Any) -> ValueSource:
    given: dict[str, Any] = {"snapshot_id": "s", "observation_sha256": "x", "ref": 1, "role": "text", "label": None}
    return ValueSource(**{**given, "box": None, "frame": "main", "url": url, "date_order": order, **more})


def read(shown: str, value: str | None, order: str | None = None, **more: Any) -> StoredField:
    """Return a date as it was read; ``order``: what the other dates of its page have settled."""
    where = source(order, **{name: more.pop(name) for name in ("url", "title", "date_language") if name in more})
    return StoredField(state="value", value=value, shown=shown, source=where, **more)


def result(**fields: StoredField) -> ResultFile:
    return ResultFile(
        sample_id="A-1", key="A-1", row=1, status="done", reason="", message="", fault="", steps=3, llm_calls=0,
        usage=Usage(), extracted={}, fields=fields, artifacts=(), judgment=None, flagged=False, notes=(), attempt=1,
        decided_by="rules", started_at=NOW, finished_at=NOW,
    )  # fmt: skip


def refuted(field: Any, *dates: StoredField) -> dict[int, int]:
    """Return the numbers of the samples whose date is refuted, each with that of the sample that refutes it."""
    fields = dated_fields({"output_schema": {"opened": field, "owner": "string"}})
    readings = [
        one for number, date in enumerate(dates) for one in date_readings(str(number), result(opened=date), fields)
    ]
    return {int(of): int(found[0].refuted_by) for of, found in refuted_orders(readings).items()}


DMY = {"type": "date | null", "date_order": "dmy"}
OPEN, OTHER = read("03/04/2024", "2024-04-03"), read("05.06.2024", "2024-06-05")
REFUSED = read("03/25/2024", None)


def test_an_order_of_the_task_that_one_page_refutes_is_held_on_none():
    assert refuted(DMY, OPEN, REFUSED, OTHER) == {0: 1, 2: 1}
    assert refuted(DMY, OPEN, OTHER, read("25/03/2024", "2024-03-25")) == {}


def test_dates_that_need_no_order_stay_as_they_are():
    certain = (
        read("25/03/2024", "2024-03-25"),
        read("04/04/2024", "2024-04-04"),
        read("5 March 2024", "2024-03-05"),
        read("2024-03-05", "2024-03-05"),
        read("Fri 05/04/2024", "2024-04-05"),
        read("03/04/2024", "2024-04-03", title="2024-04-03"),
        read("05/03/2024", "2024-03-05", origin="person"),
    )
    assert refuted(DMY, REFUSED, *certain) == {}


@cases("shown", ["31/31/2024", "2.13.24", "1.25.2024.7", "soon", "Version 1/25/2024/3", ""])
def test_what_is_no_date_refutes_nothing(shown: str):
    assert refuted(DMY, OPEN, read(shown, None)) == {}


def test_the_year_first_is_not_refuted_by_dates_that_end_in_it():
    ymd = {"type": "date", "date_order": "ymd"}
    assert refuted(ymd, read("24-03-10", "2024-03-10"), read("25/03/2024", "2024-03-25")) == {}
    assert refuted(ymd, read("24-03-10", "2024-03-10"), read("10-03-75", None)) == {0: 1}


def test_another_field_refutes_nothing():
    fields = dated_fields({"output_schema": {"opened": DMY, "closed": {"type": "date", "date_order": "mdy"}}})
    both = result(opened=OPEN, closed=read("03/25/2024", "2024-03-25"))
    assert refuted_orders(list(date_readings("0", both, fields))) == {}


# --- orders that pages have settled by their other dates


def test_two_pages_that_settle_different_orders_are_both_for_a_person():
    pages = read("03/04/2024", "2024-04-03", "dmy"), read("03/05/2024", "2024-03-05", "mdy")
    assert refuted("date", *pages, read("03/25/2024", "2024-03-25")) == {0: 1, 1: 0}


def test_a_date_of_one_meaning_refutes_what_another_page_has_settled():
    assert refuted("date", read("03/04/2024", "2024-04-03", "dmy"), read("03/25/2024", "2024-03-25")) == {0: 1}
    assert refuted("date", read("03/04/2024", "2024-04-03", "dmy"), read("25/03/2024", "2024-03-25")) == {}


def test_pages_of_other_hosts_and_dates_of_another_form_may_be_written_otherwise():
    own = read("03/04/2024", "2024-04-03", "dmy")
    elsewhere = read("03/05/2024", "2024-03-05", "mdy", url="https://us.example.com/t/1")
    assert refuted("date", own, elsewhere, read("03-05-2024", "2024-03-05", "mdy")) == {}
    assert refuted(DMY, OPEN, read("03/25/2024", None, url="https://us.example.com/t/1")) == {0: 1}


def test_the_language_that_settles_a_month_is_no_order():
    words = read("3 listopad 2024", "2024-11-03", date_language="pl")
    assert refuted(DMY, words, REFUSED) == {}


# --- the result that follows


def test_a_person_is_told_both_texts_and_keeps_the_values():
    fields = dated_fields({"output_schema": {"opened": DMY}})
    readings = [
        *date_readings("A-1", result(opened=OPEN), fields),
        *date_readings("A-2", result(opened=REFUSED), fields),
    ]
    before = result(opened=OPEN)
    after = doubted_result(before, refuted_orders(readings)["A-1"])
    assert (after.status, after.reason, after.fault) == ("needs_review", "date_order_refuted", "us")
    assert after.flagged
    for told in ("opened", "'03/04/2024'", "dmy", "A-2", "'03/25/2024'"):
        assert told in after.message
    assert after.fields == before.fields


def test_fields_that_cannot_be_read_and_other_types_have_no_dates():
    schema = {"a": "date", "b": {"type": "date-time | null"}, "c": "string", "d": {"type": "date", "pattern": "("}}
    assert list(dated_fields({"output_schema": schema})) == ["a", "b"]
    assert dated_fields({}) == {}


def test_dates_in_columns_of_rows_refute_each_other_too():
    asked = {"type": "rows", "columns": {"shipped": {"type": "date", "date_order": "dmy"}}}
    fields = dated_fields({"output_schema": {"lines": asked}})

    def lines(*dates: StoredField) -> ResultFile:
        cells = [StoredCell(state="value", value=one.value, shown=one.shown, source=one.source) for one in dates]
        rows = tuple(StoredRow(cells={"shipped": cell}) for cell in cells)
        return result(lines=StoredField(state="value", value=[], rows=rows))

    readings = [*date_readings("0", lines(OTHER, OPEN), fields), *date_readings("1", lines(OPEN, REFUSED), fields)]
    found = refuted_orders(readings)
    assert {sample: {one.field for one in doubts} for sample, doubts in found.items()} == {
        "0": {"lines.shipped"},
        "1": {"lines.shipped"},
    }
    agreeing = [*date_readings("0", lines(OPEN), fields), *date_readings("1", lines(OTHER), fields)]
    assert refuted_orders(agreeing) == {}
