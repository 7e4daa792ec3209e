"""The facts of one sample in the report."""

from __future__ import annotations

from typing import Any

import pytest

from services.evidence.report.run_summary import RunSums
from services.evidence.report.sample_details import detail_of, row_of
from tests.handlers.evidence.written_sample import facts_of

OLD = ["differs: step 2: address: then a, now b", "owner: gone"]
TYPED: list[Any] = [
    {"kind": "differs", "step": 2, "text": "address: then a, now b"},
    {"kind": "remark", "field": "owner", "text": "gone"},
]


@pytest.mark.parametrize("notes", [OLD, TYPED], ids=["strings of an older run", "typed"])
def test_what_differs_stands_apart_from_other_notes(notes: list[Any]):
    facts = facts_of({"sample_id": "A-1"}, {"status": "needs_review", "notes": notes})
    detail, sums = detail_of(facts), RunSums()
    sums.add(facts)
    assert (detail["differs"], detail["notes"]) == (["step 2: address: then a, now b"], ["owner: gone"])
    assert row_of(facts)[-1] == "; ".join(OLD)
    assert sums.differing == 1


def test_the_search_for_samples_counts_with_its_own_steps_and_is_no_sample():
    log = [{"step": n, "attempt": 1, "decided_by": "rules"} for n in (1, 2, 3)]
    sums = RunSums()
    sums.add_work(facts_of({"sample_id": "_discovery"}, {"status": "done"}, log))
    assert (sums.steps, sums.workers["rules"].steps, sums.attempted, sums.statuses.total()) == (3, 3, 0, 0)
