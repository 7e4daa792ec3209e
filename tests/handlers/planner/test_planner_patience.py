"""How long a page is waited for: until nothing more can come; and what becomes of one that still says it loads."""

from __future__ import annotations

import pytest

from services.planner.handlers import give_up
from shared.contracts.actions import Done, Fail
from shared.errors import TransientError
from shared.flows.waiting import ALL_LOOKS, IDLE_LOOKS, PAUSES_S
from shared.pages.loading import find_loading_sign
from tests.handlers.planner.planner_bench import bench_of, work
from tests.handlers.planner.scripted_driver import told
from tests.unit.planner.planner_pages import el, heading, page, row, text, ticket

LACKING = (heading("TCK-1001"), *row("Assignee", "Ann Lee"))
LACKING_PAUSES_S = PAUSES_S[:ALL_LOOKS]
LOADING = text("Loading…")


@pytest.mark.parametrize(("idle", "looks"), [(True, IDLE_LOOKS), (False, len(LACKING_PAUSES_S))])
async def test_a_page_that_lacks_a_field_is_waited_for_only_while_more_can_come(idle, looks):
    one = bench_of(page(*LACKING, idle=idle))
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", "missing_fields")
    assert one.pauses == list(LACKING_PAUSES_S[:looks])


async def test_a_step_of_the_route_that_finds_nothing_is_given_up_as_fast():
    one = bench_of(page(*ticket(), idle=True), route=[{"follow": "Attachments"}])
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", "off_route")
    assert one.pauses == list(LACKING_PAUSES_S[:IDLE_LOOKS])


async def test_a_field_that_is_not_certain_comes_with_what_nearly_matched_and_the_key_that_settles_it():
    shown = (heading("TCK-1001"), *row("Assigned to", "Ann Lee"), *row("Due date", "Mar 3, 2026"))
    one = bench_of(page(*shown))
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", "missing_fields")
    assert {value.field: value.value for value in finished.values} == {
        "ticket_number": "TCK-1001", "assignee": None, "due_date": "2026-03-03",
    }  # fmt: skip
    (assignee,) = finished.explained
    assert [(key.keys, key.value) for key in assignee.settled_by] == [({"labels": ["Assigned to"]}, "Ann Lee")]
    schema = {**one.task["output_schema"], "assignee": assignee.settled_by[0].entry}
    settled = await bench_of(page(*shown), output_schema=schema).run()
    assert (settled.status, settled.explained) == ("done", ())
    assert {value.field: value.value for value in settled.values}["assignee"] == "Ann Lee"


# --- a page that says that it is still loading

SIGNS = (
    page(*LACKING, LOADING, idle=False),
    page(*LACKING, text("Wird geladen ..."), idle=False),
    page(*LACKING, text("読み込み中"), idle=False),
    page(*LACKING, *row("Due date", "Loading..."), idle=False),
    page(*LACKING, el("progressbar", "", tag="div"), idle=False),
    page(*LACKING, busy=True, idle=False),
)


@pytest.mark.parametrize("shown", SIGNS)
def test_what_says_that_a_page_loads(shown):
    assert find_loading_sign(shown)


async def test_a_page_that_still_loads_is_tried_again_and_then_goes_to_a_person():
    loading = SIGNS[0]
    one = bench_of(loading)
    with pytest.raises(TransientError) as raised:
        await one.run()
    assert raised.value.code == "page_loading"
    assert one.pauses == list(LACKING_PAUSES_S)
    assert not one.scripted.held
    finished = await bench_of(loading).run(attempt=2)
    assert (finished.status, finished.reason) == ("needs_review", "still_loading")
    assert (await bench_of(page(*ticket())).run(attempt=2)).status == "done"


async def test_a_planner_that_tries_once_sends_it_to_a_person_at_once():
    one = bench_of(SIGNS[0])
    with pytest.raises(TransientError) as raised:
        await one.run()
    finished = give_up(work(), one.deps, 1, raised.value)
    assert (finished.status, finished.reason, finished.fault) == ("needs_review", "still_loading", "site")


async def test_an_optional_field_is_not_absent_while_the_page_loads():
    one = bench_of(page(*LACKING, LOADING, idle=False), required_fields=["ticket_number"])
    with pytest.raises(TransientError):
        await one.run()
    finished = await bench_of(page(*LACKING, idle=False), required_fields=["ticket_number"]).run()
    assert finished.status == "done"


async def test_a_page_that_shows_all_may_say_that_it_loads():
    finished = await bench_of(page(*ticket(), LOADING)).run()
    assert finished.status == "done"


async def test_a_route_waits_for_what_loads():
    one = bench_of(page(*ticket(), LOADING), route=[{"follow": "Attachments"}])
    with pytest.raises(TransientError):
        await one.run()


async def test_what_may_have_been_submitted_is_not_tried_again():
    route = [{"press": "Send", "irreversible": True}]
    finished = await bench_of(page(*LACKING, LOADING, idle=False), route=route).run()
    assert (finished.status, finished.reason) == ("needs_review", "still_loading")


async def test_a_models_done_on_a_loading_page_is_tried_again_too():
    done = Done(values={"ticket_number": "TCK-1001", "assignee": "Ann Lee"}, refs={"ticket_number": 1, "assignee": 3})
    with pytest.raises(TransientError):
        await bench_of(page(*LACKING, LOADING, idle=False), driver=told(done), required_artifacts=[]).run()
    finished = await bench_of(page(*LACKING, idle=False), driver=told(done), required_artifacts=[]).run()
    assert (finished.status, finished.reason) == ("needs_review", "missing_fields")


async def test_a_model_may_not_report_a_placeholder_as_the_value():
    shown = page(heading("TCK-1001"), *row("Assignee", "Loading…"), *row("Due date", "Mar 3, 2026"))
    said = {"ticket_number": "TCK-1001", "assignee": "Loading…", "due_date": "Mar 3, 2026"}
    done = Done(values=said, refs={"ticket_number": 1, "assignee": 3, "due_date": 5})
    one = bench_of(shown, driver=told(done, Fail(code="other", note="It does not load.")), required_artifacts=[])
    finished = await one.run()
    assert (finished.status, finished.reason) == ("failed", "gave_up")
    assert "stands there until the value comes" in next(step.message for step in one.steps if step.refused)


@pytest.mark.parametrize(
    "shown",
    [
        page(*row("Status", "Processing")),
        page(text("...")),
        page(text("Loading…", area="navigation")),
        page(el("button", "Loading…", tag="button")),
        page(el("progressbar", "", tag="div", value="40")),
        page(text("Loading dock 3 is closed, and will be until the end of the summer of this year.")),
    ],
)
def test_what_is_no_sign_of_loading(shown):
    assert find_loading_sign(shown) == ""
