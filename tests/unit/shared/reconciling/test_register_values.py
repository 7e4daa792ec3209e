"""A value of a run and a cell of a register: the same, in another form, another value, or not to be told."""

from __future__ import annotations

from typing import Any

import msgspec

from shared.contracts.steps import ValueSource
from shared.evidence_format.files.reconciliation import FieldDifference
from shared.evidence_format.files.sample import StoredField
from shared.reconciling.values import EQUAL_TO_THE_MINUTE, UNEQUAL_ZONES, compare_field
from shared.task.output_field import OutputField
from tests.cases import cases
from tests.typed import there

SOURCE = ValueSource(
    snapshot_id="s", observation_sha256="", url="http://x", ref=1, role="cell", label=None, box=None, frame="main"
)


def compare(
    type_: str,
    here: Any,
    there: str,
    *,
    shown: str | None = None,
    state: Any = "value",
    order_of_page: Any = None,
    **field: Any,
) -> FieldDifference | None:
    source = msgspec.structs.replace(SOURCE, date_order=order_of_page)
    stored = StoredField(state=state, value=here, shown=shown, source=source)
    return compare_field("f", OutputField.model_validate({"type": type_, **field}), stored, there)


def verdict(*given: Any, **more: Any) -> str:
    difference = compare(*given, **more)
    return difference.verdict if difference is not None else "same"


@cases(
    ("type_", "here", "there", "wanted"),
    [
        ("string", "Ann Lee", "Ann Lee", "same"),
        ("string", "Ann Lee", " Ann Lee ", "same"),
        ("string", "Ann Lee", "Ann\u00a0 Lee", "other_form"),
        ("string", "Zoë", "Zoe\u0308", "other_form"),
        ("string", "a\u200bb", "ab", "other_form"),
        ("string", "Open", "open", "differs"),
        ("string", "=1+1", "'=1+1", "other_form"),
        ("string", "'tis", "tis", "differs"),
        ("number", 1234.5, "1234.5", "same"),
        ("number", 1234.5, "1,234.50", "other_form"),
        ("number", 1234, "1234.0", "other_form"),
        ("number", 1234, "1235", "differs"),
        ("number", 1234, "n/a", "unclear"),
        ("number", 5, "1.234", "unclear"),
        ("decimal", "10.50", "10.5", "other_form"),
        ("decimal", "10.50", "10.51", "differs"),
        ("decimal", "12345678901234567890.12", "12345678901234567890.13", "differs"),
        ("date", "2026-03-04", "2026-03-04", "same"),
        ("date", "2026-03-04", "4 March 2026", "other_form"),
        ("date", "2026-03-04", "5 March 2026", "differs"),
        ("date", "2026-03-04", "03/04/2026", "unclear"),
        ("date", "2026-03-04", "45000", "unclear"),
        ("date-time", "2026-03-04T14:05:00+00:00", "2026-03-04T15:05:00+01:00", "other_form"),
        ("date-time", "2026-03-04T14:05:00+00:00", "2026-03-04T14:06:00+00:00", "differs"),
        ("date-time", "2026-03-04T14:05:00+00:00", "2026-03-04T14:05:00", "unclear"),
        ("date-time", "2026-03-04T14:05:00", "2026-03-04T14:05:33", "unclear"),
        ("date-time", "2026-03-04T14:05:11", "2026-03-04T14:05:33", "differs"),
        ("boolean", True, "yes", "other_form"),
        ("boolean", True, "0", "differs"),
        ("boolean", True, "perhaps", "unclear"),
        ("array", ["a", "b"], "a; b", "other_form"),
        ("array", ["a, x", "b"], '["a, x","b"]', "other_form"),
        ("array", ["a", "b"], "b; a", "differs"),
        ("array", ["a", "b"], "a, b", "same"),
        ("array", ["a, b"], "a, b", "unclear"),
    ],
)
def test_form_is_told_apart_from_value(type_: str, here: Any, there: str, wanted: str):
    assert verdict(type_, here, there) == wanted


def test_an_enum_is_compared_as_pages_write_it():
    assert verdict("enum", "Open", "OPEN", values=["Open", "Closed"]) == "other_form"
    assert verdict("enum", "Open", "closed", values=["Open", "Closed"]) == "differs"
    assert verdict("enum", "Open", "parked", values=["Open", "Closed"]) == "unclear"


def test_an_order_of_dates_that_the_task_states_counts_and_that_of_a_page_does_not():
    assert verdict("date", "2026-03-04", "04/03/2026", date_order="dmy") == "other_form"
    assert verdict("date", "2026-03-04", "04/03/2026", shown="04 Mar 2026", order_of_page="dmy") == "unclear"


def test_the_very_text_of_the_page_is_no_difference_where_the_page_settles_what_it_means():
    assert verdict("date", "2026-03-04", "03/04/2026", shown="03/04/2026", order_of_page="mdy") == "same"
    assert verdict("date", "2026-03-04", "03/04/2026", shown="03/04/2026") == "unclear"


def test_a_text_that_means_another_thing_on_another_day_is_not_the_same():
    """The value was read off the title of the element."""
    assert verdict("date", "2026-03-04", "3 days ago", shown="3 days ago") == "unclear"


def test_a_number_is_not_the_same_for_being_written_like_another_one():
    assert verdict("number", 1234, "1.234", shown="1.234") == "unclear"


@cases("there", ["", "  ", "Unassigned", "unassigned"])
def test_nothing_on_both_sides_is_the_same(there: str):
    assert verdict("string | null", None, there, state="not_present", not_present=["Unassigned"]) == "same"


def test_nothing_on_one_side_is_another_value():
    assert verdict("string | null", None, "Ann", state="not_present") == "differs"
    assert verdict("string | null", "Ann", "") == "differs"
    assert verdict("string | null", "Ann", "Unassigned", not_present=["Unassigned"]) == "differs"


def test_what_the_run_could_not_find_is_not_compared():
    assert verdict("string | null", None, "Ann", state="not_found") == "not_read"
    assert verdict("string | null", None, "", state="not_found") == "not_read"
    missing = there(compare_field("f", OutputField(type="string"), None, "Ann"))
    assert (missing.verdict, missing.there) == ("not_read", "Ann")


def test_both_texts_and_what_they_were_read_as_are_kept():
    difference = compare("date", "2026-03-04", " 5 March 2026", shown="Mar 4, 2026")
    assert difference == FieldDifference(
        field="f",
        verdict="differs",
        here="2026-03-04",
        shown="Mar 4, 2026",
        there=" 5 March 2026",
        read_there="2026-03-05",
    )


def test_what_could_not_be_compared_says_why():
    def why(*given: Any) -> str:
        difference = compare(*given)
        return difference.why if difference is not None else "same"

    assert why("date-time", "2026-03-04T14:05:00+00:00", "2026-03-04T14:05:00") == UNEQUAL_ZONES
    assert why("date-time", "2026-03-04T14:05:00", "2026-03-04T14:05:33") == EQUAL_TO_THE_MINUTE
    assert "'n/a'" in why("number", 1, "n/a")


COLUMNS = {"sku": "string", "amount": "decimal", "shipped": "date | null"}
ROWS = [{"sku": "A-1", "amount": "20.00", "shipped": "2026-03-04"}, {"sku": "B-2", "amount": "4.50", "shipped": None}]
SAME = '[{"sku": "A-1", "amount": "20.00", "shipped": "2026-03-04"}, {"sku": "B-2", "amount": "4.50"}]'


@cases(
    ("cell", "wanted", "why"),
    [
        (SAME, "same", ""),
        (
            '[{"sku": "B-2", "amount": "4.50"}, {"sku": "A-1", "amount": "20.00", "shipped": "4 March 2026"}]',
            "other_form",
            "",
        ),
        (SAME.replace('"4.50"', "4.5"), "other_form", ""),
        (SAME.replace("4.50", "4.51"), "differs", "sku 'B-2': amount is '4.50' here and '4.51' there"),
        (SAME.replace("B-2", "B-3"), "differs", "sku 'B-2' is here only"),
        ('[{"sku": "A-1", "amount": "20.00", "shipped": "2026-03-04"}]', "differs", "sku 'B-2' is here only"),
        (SAME.replace("]", ', {"sku": "C-3", "amount": "1.00"}]'), "differs", "sku 'C-3' is there only"),
        ("[]", "differs", "is here only"),
        ("", "differs", ""),
        ("A-1, 20.00", "unclear", "a list of objects"),
        (SAME.replace("4.50", "many"), "unclear", "row 2, amount"),
        (SAME.replace('"sku": "B-2"', '"colour": "red"'), "unclear", "no column"),
    ],
)
def test_rows_are_compared_by_what_tells_them_apart_in_any_order(cell: str, wanted: str, why: str):
    given = {"columns": COLUMNS, "id_keys": ["sku"]}
    assert verdict("rows", ROWS, cell, **given) == wanted
    difference = compare("rows", ROWS, cell, **given)
    assert why in (difference.why if difference is not None else "").replace("“", "'").replace("”", "'")


def test_no_rows_are_the_same_as_an_empty_cell_or_an_empty_list():
    given: dict[str, Any] = {"columns": COLUMNS, "state": "not_present"}
    assert [verdict("rows | null", None, cell, **given) for cell in ("", "[]", SAME)] == ["same", "same", "differs"]
