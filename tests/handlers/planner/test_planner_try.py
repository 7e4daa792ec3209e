"""One row that is tried outside of any run: worked on as in a run, and nothing of it is published."""

from __future__ import annotations

from typing import Any

import pytest

from services.planner.handlers import actor
from shared.contracts.actions import Screenshot
from shared.contracts.planner import SampleFinished
from shared.contracts.tried import SampleTried, TryRefused, TryReply, TrySample
from shared.errors import PermanentError
from shared.subjects import TRY_SAMPLE
from tests.handlers.planner.planner_bench import Bench, bench_of, values_of
from tests.typed import expect
from tests.unit.planner.planner_pages import heading, page, row, sample, ticket


async def tried(one: Bench, **changes: Any) -> TryReply:
    one.bus.host(actor, one.deps)
    return await one.bus.ask(TRY_SAMPLE, TrySample(**{"spec": one.task, "sample": sample(), **changes}), timeout_s=30)


async def test_a_row_is_worked_on_as_in_a_run_and_nothing_is_published():
    history = (heading("History", 2), *row("Assignee", "Bo Diaz"))
    one = bench_of(page(*ticket(), *history))
    told = expect(await tried(one), SampleTried)
    in_run = await bench_of(page(*ticket(), *history)).run()
    assert told.finished.status == in_run.status == "done"
    assert values_of(told.finished) == values_of(in_run)
    assert told.values == told.finished.values
    assert one.steps == []
    assert one.bus.events(SampleFinished) == []
    assert not one.scripted.held
    explained = {field.field: field for field in told.finished.explained}
    assert {name: field.label for name, field in explained.items()} == {
        "ticket_number": "", "assignee": "Assignee", "due_date": "Due date",
    }  # fmt: skip
    assert [(near.shown, near.why) for near in explained["assignee"].near] == [("Bo Diaz", "past")]


async def test_the_last_thing_is_a_picture_of_the_page_and_it_comes_with_the_answer():
    one = bench_of(page(*ticket()))
    told = expect(await tried(one), SampleTried)
    assert expect(one.scripted.actions[-1], Screenshot).label == "try"
    assert [one.label for one in told.pictures if one.kind == "screenshot"] == ["try"]
    assert "try" not in {filed.artifact.label for filed in told.finished.artifacts}


async def test_of_a_page_that_counts_for_nothing_its_values_are_shown_and_none_is_in_the_result():
    one = bench_of(page(*ticket("TCK-7")))
    told = expect(await tried(one), SampleTried)
    assert (told.finished.status, told.finished.reason, told.finished.values) == ("failed", "identity_mismatch", ())
    assert {value.field: value.value for value in told.values} == {
        "ticket_number": "TCK-7", "assignee": "Ann Lee", "due_date": "2026-03-03",
    }  # fmt: skip


async def test_on_a_page_that_is_not_the_records_no_key_of_the_spec_is_tried():
    lost = (heading("Results"), *row("Responsible", "Bo Diaz"))
    one = bench_of(page(*lost), route=[{"follow": "Open it"}])
    told = expect(await tried(one), SampleTried)
    assert told.finished.reason == "off_route"
    assert [field.settled_by for field in told.finished.explained] == [(), (), ()]


async def test_other_entries_of_a_field_are_read_on_the_page_of_the_record_and_on_no_other():
    others: dict[str, tuple[dict[str, Any], ...]] = {
        "assignee": (
            {"type": "string", "labels": ["Owner"]},
            {"type": "string", "labels": ["Team"]},
            {"type": "string", "labels": ["Assignee"]},
        ),
        "unknown": ({"type": "string"},),
    }
    shown = (heading("TCK-1001: Printer on fire"), *row("Owner", "Bo Diaz"), *row("Team", "A"), *row("Team", "B"))
    told = expect(await tried(bench_of(page(*shown)), others=others), SampleTried)
    assert told.finished.reason == "missing_fields"
    read = told.others["assignee"]
    assert [None if one is None else one.value for one in read] == ["Bo Diaz", None, None]
    assert list(told.others) == ["assignee"]
    elsewhere = expect(await tried(bench_of(page(*ticket("TCK-7"))), others=others), SampleTried)
    assert (elsewhere.finished.reason, elsewhere.others) == ("identity_mismatch", {})


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"phase": "discovery", "identity": {}, "required_fields": [], "required_artifacts": []}, "spec.phase"),
        ({"route": [{"press": "Submit", "irreversible": True}]}, "spec.route"),
    ],
)
async def test_what_would_leave_something_behind_is_refused_before_a_browser_is_asked(
    changes: dict[str, Any], where: str
):
    one = bench_of(page(*ticket()), **changes)
    assert [problem.where for problem in expect(await tried(one), TryRefused).problems] == [where]
    assert one.scripted.actions == []


async def test_all_problems_of_a_spec_and_a_planner_that_is_not_there_are_told():
    one = bench_of(page(*ticket()))
    told = expect(await tried(one, spec={"task_id": "T", "goal": 1}), TryRefused)
    assert {problem.where for problem in told.problems} == {"spec.task_id", "spec.goal", "spec.output_schema"}
    with pytest.raises(PermanentError, match="no planner nobody"):
        await tried(one, planner="nobody")


async def test_a_login_state_that_is_paused_ends_it_without_a_browser():
    one = bench_of(page(*ticket()), pool={"paused": "sign in again"}, auth_profile="a")
    told = expect(await tried(one), SampleTried)
    assert (told.finished.status, told.finished.reason, told.values) == ("auth_required", "login_required", ())
    assert one.scripted.actions == []
