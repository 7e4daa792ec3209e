"""Values from a model that are on a page, but belong to another record or field."""

from __future__ import annotations

from typing import Any

import pytest

from shared.contracts.actions import AskPicture, Done, Fail, Goto, SaveProgress, Screenshot
from shared.contracts.browser_pool import Element
from shared.contracts.planner import SampleFinished
from shared.contracts.results import TextPart
from shared.contracts.steps import note_text
from shared.contracts.vision import VisionAnswered
from tests.handlers.planner.planner_bench import Bench, bench_of
from tests.handlers.planner.scripted_driver import told
from tests.handlers.planner.scripted_vision import eye_of
from tests.unit.planner.planner_pages import URL, box, cell, el, heading, page, row, text, ticket

OTHER = "http://127.0.0.1:8000/tickets/TCK-1002"
PICTURE = Screenshot(label="ticket")
ASKS = AskPicture(question="Who is it?", field="assignee")
BARE = page(heading("TCK-1001: Printer on fire"), *row("Due date", "Mar 3, 2026"))
"""Our record, without the field in question."""


async def ends(*answers, shown=BARE, says: str = "Bob", confidence: float = 0.95) -> SampleFinished:
    bench = bench_of(shown, driver=told(*answers))
    bench.scripted.site[OTHER] = [page(*ticket("TCK-1002", "Bob", "Mar 9, 2026"))]
    eye_of(bench, VisionAnswered(answer=says, confidence=confidence, reasoning="It says so.", answered_by="m"))
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


async def test_what_a_picture_hardly_says_is_not_taken():
    finished = await ends(PICTURE, ASKS, done(assignee="Bob"), confidence=0.3)
    assert (finished.status, finished.reason) == ("needs_review", "unconfirmed_values")


async def test_a_picture_does_not_speak_against_the_text_under_the_label():
    finished = await ends(PICTURE, ASKS, done(assignee="Bob"), shown=page(*ticket()))
    assert (finished.status, finished.reason) == ("needs_review", "contradicted_values")


# --- values that stand on the page, but are no value of the field


OWNER: dict[str, Any] = {
    "output_schema": {"ticket_number": "string", "owner": "string"},
    "required_fields": ["ticket_number", "owner"],
}

HEAD = heading("TCK-1001: Printer on fire")
CHANGED = {
    "a sentence": (2, [el("listitem", "Owner changed from Ann Lee to Bob Ray")]),
    "an arrow": (2, [el("listitem", "Owner: Ann Lee → Bob Ray")]),
    "under a heading": (4, [heading("History", 2), text("Owner"), text("Bob Ray", past=True)]),
    "a labelled text of a list": (2, [el("listitem", "Owner: Bob Ray", past=True)]),
    "a row": (
        5,
        [
            el("cell", "ann", header="Who", row=1, column=0),
            el("cell", "Owner", header="What", row=1, column=1),
            el("cell", "Ann Lee", header="Removed", row=1, column=2),
            el("cell", "Bob Ray", header="Added", row=1, column=3),
        ],
    ),
}


async def reported(shown: list[Element], value: str, ref: int | None, *, saved: bool = False) -> tuple[Bench, str]:
    """How a sample ends for which a model reports this owner, twice."""
    refs = {"ticket_number": 1, **({} if ref is None else {"owner": ref})}
    values = {"ticket_number": "TCK-1001", "owner": value}
    says = Done(values=values, refs=refs)
    first = SaveProgress(values=values, refs=refs) if saved else says
    bench = bench_of(page(HEAD, *shown), driver=told(PICTURE, first, says, says), **OWNER)
    finished = await bench.run()
    return bench, finished.status if finished.status != "needs_review" else finished.reason


@pytest.mark.parametrize(("named", "saved"), [(True, False), (False, True)])
@pytest.mark.parametrize("case", CHANGED)
async def test_a_change_of_a_field_is_not_its_value(case: str, saved: bool, named: bool):
    ref, shown = CHANGED[case]
    bench, ended = await reported(shown, "Bob Ray", ref if named else None, saved=saved)
    assert ended in ("contradicted_values", "unconfirmed_values")
    assert any(step.refused for step in bench.steps)


async def test_a_list_of_changes_may_show_what_is_asked_for():
    shown = [heading("History", 2), el("listitem", "Bob Ray became owner of the room", past=True)]
    assert (await reported(shown, "Bob Ray became owner of the room", 3))[1] == "contradicted_values"
    shown = [heading("Activity", 2), el("listitem", "Closed by Bob Ray", past=True)]
    assert (await reported(shown, "Bob Ray", 3))[1] == "done"


GLUED = {
    "two cells": [cell("Owner", "Ann Lee", 1), cell("Team", "Sales", 1)],
    "two cells of one header": [
        el("cell", "Ann Lee", header="Owner", row=1, column=1),
        el("cell", "Sales", header="Owner", row=1, column=2),
    ],
    "a value and the next label": [*row("Owner", "Ann Lee"), text("Sales")],
    "two boxes": [text("Owner"), text("Ann Lee", box=box(100, 10)), text("Sales", box=box(400, 10))],
    "a badge": [
        el("definition", "Ann Lee Sales", tag="dd", header="Owner",
           parts=(TextPart(text="Ann Lee"), TextPart(text="Sales", kind="badge"))),
    ],
}  # fmt: skip


@pytest.mark.parametrize("case", GLUED)
async def test_a_value_is_not_put_together_from_several(case: str):
    shown = GLUED[case]
    first = next(at for at, one in enumerate(shown, 2) if one.name.startswith("Ann Lee"))
    assert (await reported(shown, "Ann Lee Sales", first))[1] == "contradicted_values"
    assert (await reported(shown, "Ann Lee", first))[1] == "done"


@pytest.mark.parametrize("saved", [True, False])
async def test_a_choice_between_two_values_of_one_label_is_checked_by_a_person(saved: bool):
    twins = [*row("Owner", "Ann Lee"), *row("Owner", "Bob Ray")]
    says = Done(values={"ticket_number": "TCK-1001", "owner": "Ann Lee"}, refs={"ticket_number": 1, "owner": 3})
    first = [SaveProgress(values=says.values, refs=says.refs)] if saved else []
    finished = await bench_of(page(HEAD, *twins), driver=told(PICTURE, *first, says), **OWNER).run()
    assert (finished.status, finished.flagged) == ("done", True)
    assert "owner: the page shows other values beside the label too: 'Bob Ray'" in map(note_text, finished.notes)


async def test_a_value_may_be_several_paragraphs():
    shown = [text("Owner"), el("text", "Ann Lee", tag="p"), el("text", "and Bob Ray", tag="p")]
    assert (await reported(shown, "Ann Lee and Bob Ray", 3))[1] == "done"


RELATED = {
    "a row of a list": (
        3,
        [
            el("cell", "TCK-2002", header="Ticket", row=1, column=0),
            el("cell", "Bob Ray", header="Owner", row=1, column=1),
        ],
    ),
    "a section": (4, [heading("Parent TCK-2002", 2), *row("Owner", "Bob Ray")]),
    "a labelled text of a section": (3, [heading("TCK-2002: Toner", 3), text("Owner: Bob Ray")]),
}


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("case", RELATED)
async def test_a_value_of_a_related_record_is_not_this_ones(case: str, named: bool):
    ref, shown = RELATED[case]
    assert (await reported(shown, "Bob Ray", ref if named else None))[1] == "contradicted_values"
    finished = await bench_of(page(HEAD, *shown), **OWNER).run()
    assert (finished.status, finished.reason) == ("needs_review", "missing_fields")


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
    bench = bench_of(page(*ticket()), driver=told(Goto(url=at), *answers))
    bench.scripted.site[OTHER] = [page(*ticket("TCK-1002", "Bob", "Mar 9, 2026"), url=OTHER)]
    return bench, await bench.run()
