"""Values from a model that are on a page, but belong to another record or field."""

from __future__ import annotations

import pytest

from shared.contracts.actions import AskPicture, Done, Fail, Goto, SaveProgress, Screenshot
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import note_text
from shared.contracts.vision import VisionAnswered
from tests.handlers.planner.planner_bench import Bench
from tests.handlers.planner.scripted_decider import told
from tests.handlers.planner.scripted_pool import ScriptedPool
from tests.handlers.planner.scripted_vision import Eye, vision
from tests.unit.planner.planner_pages import URL, heading, page, row, spec, ticket

OTHER = "http://127.0.0.1:8000/tickets/TCK-1002"
PICTURE = Screenshot(label="ticket")
ASKS = AskPicture(question="Who is it?", field="assignee")
BARE = page(heading("TCK-1001: Printer on fire"), *row("Due date", "Mar 3, 2026"))
"""Our record, without the field in question."""


async def ends(*answers, shown=BARE, says: str = "Bob", confidence: float = 0.95) -> SampleFinished:
    site = {URL: [shown], OTHER: [page(*ticket("TCK-1002", "Bob", "Mar 9, 2026"))]}
    bench = Bench(ScriptedPool(site), decider=told(*answers), task=spec().model_dump(mode="json", by_alias=True))
    said = VisionAnswered(answer=says, confidence=confidence, reasoning="It says so.", answered_by="m")
    bench.bus.host(vision, Eye(said))
    return await bench.run()


def done(**values) -> Done:
    """The rest as it stands on the page; the assignee as it is given, without an element that shows it."""
    refs = {"ticket_number": 1}
    return Done(values={"ticket_number": "TCK-1001", "due_date": "Mar 3, 2026", **values}, refs=refs)


async def test_what_was_saved_from_another_record_is_not_this_ones():
    saves = SaveProgress(values={"assignee": "Bob"}, refs={"assignee": 3})
    finished = await ends(Goto(url=OTHER), saves, Goto(url=URL), PICTURE, done())
    assert (finished.status, finished.reason) == ("needs_review", "unconfirmed_values")
    assert "assignee: it was saved while another record was shown" in map(note_text, finished.notes)


@pytest.mark.parametrize("values", [{}, {"assignee": "Bob"}], ids=["kept", "said again"])
async def test_what_a_picture_of_another_record_says_is_not_this_ones(values):
    finished = await ends(Goto(url=OTHER), ASKS, Goto(url=URL), PICTURE, done(**values))
    assert finished.status == "needs_review"


async def test_what_a_picture_says_surely_is_taken_where_no_text_says_otherwise():
    finished = await ends(PICTURE, ASKS, done(assignee="Bob"))
    assert [(v.value, v.origin) for v in finished.values if v.field == "assignee"] == [("Bob", "vision")]
    assert finished.status == "done"


async def test_what_a_picture_hardly_says_is_not_taken():
    finished = await ends(PICTURE, ASKS, done(assignee="Bob"), confidence=0.3)
    assert (finished.status, finished.reason) == ("needs_review", "unconfirmed_values")


async def test_a_picture_does_not_speak_against_the_text_under_the_label():
    finished = await ends(PICTURE, ASKS, done(assignee="Bob"), shown=page(*ticket()))
    assert (finished.status, finished.reason) == ("needs_review", "contradicted_values")


@pytest.mark.parametrize(
    "lie", [{"values": {"assignee": ""}}, {"not_present": {"assignee": ""}}], ids=["empty", "none"]
)
async def test_nothing_is_not_what_stands_under_a_label_that_shows_a_value(lie):
    known = {"ticket_number": "TCK-1001", "due_date": "Mar 3, 2026"}
    says = Done(values={**known, **lie.get("values", {})}, not_present=lie.get("not_present", {}), refs={"assignee": 3})
    finished = await ends(PICTURE, says, shown=page(*ticket()))
    assert (finished.status, finished.reason) == ("needs_review", "contradicted_values")


# --- what a model says of another record

GONE = Fail(code="not_found", note="It is not there.")
ELSEWHERE = Fail(code="identity_mismatch", note="It is TCK-1002.")


async def test_a_model_that_calls_a_page_of_another_record_not_found_is_told_so_once():
    bench, finished = await left_with(GONE, GONE)
    assert (finished.status, finished.reason, finished.values) == ("failed", "identity_mismatch", ())
    refused = bench.steps[-2]
    assert refused.refused
    assert "the page shows ticket_number 'TCK-1002' where 'TCK-1001' was asked for" in refused.message
    assert "identity_mismatch" in refused.message


async def test_a_model_may_say_itself_that_another_record_is_shown():
    _, finished = await left_with(ELSEWHERE)
    assert (finished.status, finished.reason, finished.values) == ("failed", "identity_mismatch", ())


async def test_a_model_that_calls_the_asked_record_another_one_is_told_so_once_and_goes_to_a_person():
    bench, finished = await left_with(ELSEWHERE, ELSEWHERE, at=URL)
    assert (finished.status, finished.reason) == ("needs_review", "disputed_not_found")
    assert bench.steps[-2].refused


async def test_values_that_a_model_reports_without_an_id_from_another_record_are_in_no_result():
    values = Done(values={"assignee": "Bob", "due_date": "Mar 9, 2026"}, refs={"assignee": 3, "due_date": 5})
    _, finished = await left_with(PICTURE, values, values)
    assert (finished.status, finished.reason, finished.values) == ("failed", "identity_mismatch", ())


async def left_with(*answers, at: str = OTHER) -> tuple[Bench, SampleFinished]:
    site = {URL: [page(*ticket())], OTHER: [page(*ticket("TCK-1002", "Bob", "Mar 9, 2026"), url=OTHER)]}
    task = spec().model_dump(mode="json", by_alias=True)
    bench = Bench(ScriptedPool(site), decider=told(Goto(url=at), *answers), task=task)
    return bench, await bench.run()
