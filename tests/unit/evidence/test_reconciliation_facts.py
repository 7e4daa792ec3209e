"""The comparison with a register as rows of SQL, and in the report."""

from __future__ import annotations

from typing import Any

from services.evidence.report.reconciliation_facts import MOST_LISTED, MOST_OF_ONE, reconciliation_facts
from services.evidence.sql.reconciliation_views import DIFFERENCES, RECONCILIATION, reconciliation_rows
from shared.contracts.evidence import ReconciliationCounts
from shared.evidence_format.files.reconciliation import (
    FieldDifference,
    FiledRegister,
    ReconciledRecord,
    ReconciliationHead,
)

HEAD = ReconciliationHead(
    run_id="r",
    register=FiledRegister(path="p", name="out.csv", sha256="0" * 64, size_bytes=1),
    key="number",
    key_column="Number",
    keys="exact",
    columns=(),
    fields_without_column=(),
    columns_without_field=(),
    population_complete=True,
    counts=ReconciliationCounts(),
)
DIFFERING = FieldDifference(field="labels", verdict="differs", here=["a", "b"], there="a; c", read_there=["a", "c"])


def facts(*records: ReconciledRecord) -> dict[str, Any]:
    return reconciliation_facts(HEAD, records)


def test_rows_have_the_columns_that_the_catalogue_names_and_no_others():
    record = ReconciledRecord(verdict="differs", key="A", samples=("s",), rows=(1,), fields=(DIFFERING,))
    [(one, joined), (other, difference)] = reconciliation_rows("r", "t", [record])
    assert (one, other) == (RECONCILIATION.name, DIFFERENCES.name)
    assert (set(joined), set(difference)) == (set(RECONCILIATION.names), set(DIFFERENCES.names))
    assert (joined["sample_id"], joined["row"], joined["fields_differs"], joined["fields_unclear"]) == ("s", 1, 1, 0)
    assert (difference["value_here"], difference["value_there"]) == ('["a", "b"]', ["a", "c"])


def test_a_record_with_several_rows_has_no_single_one():
    [(_, row)] = reconciliation_rows("r", "t", [ReconciledRecord(verdict="duplicate", key="A", rows=(1, 2))])
    assert (row["row"], row["rows"], row["sample_id"]) == (None, (1, 2), None)


def test_the_report_lists_the_first_of_each_verdict_and_says_how_many_it_leaves_out():
    missing = [ReconciledRecord(verdict="missing_here", key=str(number), rows=(number,)) for number in range(60)]
    same = [ReconciledRecord(verdict="same", key="A", samples=("s",), rows=(99,))]
    differs = ReconciledRecord(verdict="differs", key="B", samples=("t",), rows=(98,), fields=(DIFFERING,))
    told = facts(*missing, *same, differs)
    assert [one["verdict"] for one in told["listed"]] == ["differs", *["missing_here"] * MOST_LISTED]
    assert told["left_out"] == 60 - MOST_LISTED


def test_a_record_with_a_thousand_rows_does_not_fill_the_page():
    [listed] = facts(ReconciledRecord(verdict="duplicate", key="A" * 5000, rows=tuple(range(1000))))["listed"]
    assert (len(listed["rows"]), listed["more_rows"]) == (MOST_OF_ONE, 1000 - MOST_OF_ONE)
    assert len(listed["key"]) < 1000


def test_a_verdict_of_a_later_version_is_listed_last():
    later: Any = "swapped"
    told = facts(ReconciledRecord(verdict=later, key="A"), ReconciledRecord(verdict="not_read", key="B"))
    assert [one["verdict"] for one in told["listed"]] == ["not_read", "swapped"]
