"""What a page shows while its own request is not answered, or has failed, may stand in for the answer: never done."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from shared.contracts.actions import Done, SaveProgress, Wait
from shared.contracts.browser_pool import PageObserved
from shared.contracts.workflows.flows import CheckShown, CountElements, FlowAnswer, ReadFields, ReadList
from shared.errors import TransientError
from shared.flows.waiting import PAUSES_S, certain_answer
from tests.handlers.planner.flow_bench import bench
from tests.handlers.planner.planner_bench import Bench, bench_of, values_of
from tests.handlers.planner.scripted_driver import told
from tests.unit.planner.planner_pages import URL, el, page, row, ticket

REQUEST = "GET http://127.0.0.1:8000/api/tickets/TCK-1001"
OTHER = f"{URL}/more"


def awaiting(*elements: Any, **more: Any) -> PageObserved:
    given: dict[str, Any] = {"idle": False, "awaits_data": True, "awaited": (REQUEST,), **more}
    return page(*(elements or ticket(assignee="Nobody yet")), **given)


async def test_values_are_read_once_the_answer_has_come_however_late():
    one = bench_of(*[awaiting()] * len(PAUSES_S), page(*ticket()))
    finished = await one.run()
    assert (finished.status, values_of(finished)["assignee"]) == ("done", "Ann Lee")


async def test_an_answer_that_does_not_come_leaves_the_values_to_a_person():
    one = bench_of(awaiting())
    with pytest.raises(TransientError) as raised:
        await one.run()
    assert raised.value.code == "page_loading"
    assert one.pauses == list(PAUSES_S)
    finished = await bench_of(awaiting()).run(attempt=2)
    assert (finished.status, finished.reason) == ("needs_review", "still_loading")
    assert REQUEST in finished.message
    assert "assignee" in finished.message
    assert "ticket_number" not in finished.message  # it is what was asked for


async def test_a_request_that_failed_is_not_waited_for_and_the_sample_is_tried_once_more():
    failed = page(*ticket(assignee="Nobody yet"), failed=(REQUEST,))
    one = bench_of(failed)
    with pytest.raises(TransientError):
        await one.run()
    assert one.pauses == []
    assert (await bench_of(failed).run(attempt=2)).reason == "still_loading"


@pytest.mark.parametrize("pattern", ["/api/tickets/*", REQUEST.partition(" ")[2], "*/TCK-1001"])
async def test_what_the_task_calls_background_is_not_waited_for(pattern):
    shown = awaiting(*ticket(), failed=(REQUEST,), awaits_data=False)
    finished = await bench_of(shown, background_requests=[pattern]).run()
    assert finished.status == "done"
    finished = await bench_of(shown, background_requests=["/api/tickets"]).run(attempt=2)
    assert finished.reason == "still_loading"


async def test_an_optional_field_is_not_absent_while_the_answer_is_missing():
    lacking = ticket()[:1]
    finished = await bench_of(awaiting(*lacking), required_fields=["ticket_number"]).run(attempt=2)
    assert (finished.status, finished.reason) == ("needs_review", "still_loading")
    finished = await bench_of(page(*lacking), required_fields=["ticket_number"]).run()
    assert finished.status == "done"


def along_a_route(*first: PageObserved) -> Bench:
    link = el("link", "More", url=OTHER, tag="a")
    pages = [replace(one, elements=page(*one.elements, link).elements) for one in first]
    route = [{"read": ["assignee"]}, {"follow": "More"}, {"read": ["due_date"]}]
    one = bench_of(*pages, route=route, pool={"clicks": {"More": OTHER}})
    one.scripted.site[OTHER] = [page(*ticket()[:1], *row("Due date", "Mar 3, 2026"))]
    return one


async def test_a_page_of_a_route_is_left_only_with_its_answers():
    finished = await along_a_route(awaiting(), awaiting(), page(*ticket())).run()
    assert (finished.status, values_of(finished)["assignee"]) == ("done", "Ann Lee")
    finished = await along_a_route(awaiting()).run(attempt=2)
    assert (finished.status, finished.reason) == ("needs_review", "still_loading")


async def test_a_flow_reads_what_the_answer_brings_or_nothing_for_sure():
    one = bench()
    one.scripted.site[URL] = [*[awaiting()] * len(PAUSES_S), page(*ticket())]
    finished = await one.run()
    assert (finished.status, values_of(finished)["assignee"]) == ("done", "Ann Lee")
    one = bench(shown=awaiting())
    finished = await one.run(attempt=2)
    assert (finished.status, finished.reason) == ("needs_review", "still_loading")


def test_what_a_flow_reads_or_counts_without_an_answer_is_an_error_of_the_call():
    reads = ReadFields(fields=("assignee",)), ReadList(name="rows"), CountElements(selector="li")
    said = FlowAnswer(value=1)
    for shown in (awaiting(), page(*ticket(), failed=(REQUEST,))):
        told = [certain_answer(call, said, shown).error for call in reads]
        assert [(error and error.code, REQUEST in str(error)) for error in told] == [("value_uncertain", True)] * 3
        assert certain_answer(CheckShown(selector="li"), said, shown) is said
    assert [certain_answer(call, said, page(*ticket())) for call in reads] == [said] * 3


SAID = {"ticket_number": "TCK-1001", "assignee": "Nobody yet", "due_date": "Mar 3, 2026"}
REFS = {"ticket_number": 1, "assignee": 3, "due_date": 5}


async def test_a_model_is_told_of_the_missing_answer_and_may_wait_for_it():
    done = Done(values=SAID, refs=REFS)
    better = Done(values={**SAID, "assignee": "Ann Lee"}, refs=REFS)
    one = bench_of(awaiting(), page(*ticket()), driver=told(done, Wait(timeout_s=5), better), required_artifacts=[])
    finished = await one.run()
    assert (finished.status, values_of(finished)["assignee"]) == ("done", "Ann Lee")
    refused = next(step.message for step in one.steps if step.refused)
    assert REQUEST in refused
    assert "background_requests" in refused
    insisting = bench_of(awaiting(), driver=told(done, done), required_artifacts=[])
    assert (await insisting.run(attempt=2)).reason == "still_loading"


async def test_what_a_model_saved_too_early_counts_once_the_page_shows_it_with_its_answers():
    save = SaveProgress(values=SAID, refs=REFS)
    settled = page(*ticket(assignee="Nobody yet"))
    one = bench_of(
        awaiting(), settled, driver=told(save, Wait(timeout_s=5), Done(values=SAID, refs=REFS)), required_artifacts=[]
    )
    assert (await one.run()).status == "done"
