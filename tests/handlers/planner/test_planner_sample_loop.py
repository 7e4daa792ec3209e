"""The sample actor from command to result, with the rules driver and a scripted browser pool."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from services.planner.handlers import actor, give_up
from services.planner.state.attempt_state import Decision, SampleView
from shared.contracts.actions import Done, Fail, Goto, Screenshot
from shared.contracts.browser_pool import LeaseSession, ObservePage
from shared.contracts.planner import SampleFinished
from shared.contracts.results import ActionResult
from shared.contracts.steps import FieldValue, ObservationRef
from shared.errors import DeadlineExceeded, ExhibitError, PermanentError, TransientError, Unavailable
from shared.evidence_format.log_codec import encode_entry, entry_of
from shared.streams import RUNS
from shared.subjects import LEASE, SAMPLE_FINISHED, WORK_SAMPLE
from tests.handlers.planner.planner_bench import RUN, Bench, bench_of, recovers, work
from tests.handlers.planner.scripted_driver import ScriptedDriver, told
from tests.handlers.planner.scripted_pool import ScriptedPool
from tests.step_logs import logged
from tests.unit.planner.planner_pages import NOW, URL, el, heading, page, row, text, ticket

KEPT = ("page_01_tickets.mhtml.zst", "page_01_tickets.observation.json.zst")
"""The page that the values were taken from."""


def values(finished: SampleFinished) -> dict[str, FieldValue]:
    return {value.field: value for value in finished.values}


async def test_a_ticket_is_opened_pictured_and_done():
    one = bench_of(page(*ticket()))
    finished = await one.run()
    assert (finished.status, finished.reason, finished.fault, finished.flagged) == ("done", "", "", False)
    assert (finished.attempt, finished.decided_by, finished.usage.llm_calls) == (1, "rules", 0)
    assert values(finished)["due_date"].value == "2026-03-03"
    assert [filed.filename for filed in finished.artifacts] == ["01_ticket.png", *KEPT]
    assert [type(action) for action in one.scripted.actions] == [Goto, Screenshot]
    assert one.scripted.held == set()
    assert one.scripted.count(ObservePage) == 1, "a picture changes nothing"


async def test_every_step_is_said_with_what_it_was_decided_on():
    one = bench_of(page(*ticket()))
    finished = await one.run()
    goto, shot, done = one.steps
    assert [step.step for step in one.steps] == [1, 2, 3] == list(range(1, finished.steps + 1))
    assert isinstance(shot.observation, ObservationRef)
    assert (goto.observation, shot.observation.url) == (None, URL)
    assert isinstance(done.observation, ObservationRef)
    assert shot.observation.sha256 == done.observation.sha256 == page(*ticket()).sha256
    assert isinstance(shot.result, ActionResult)
    assert (shot.result.artifacts[0].label, shot.artifacts[0].filename) == ("ticket", "01_ticket.png")
    assert {value.field for value in done.values} == {"ticket_number", "assignee", "due_date"}
    assert all(step.decided_by == "rules" and step.action and step.action.reason for step in one.steps)
    assert (goto.started_at, goto.ended_at, goto.started_at.tzinfo is not None) == (NOW, NOW, True)
    assert (goto.browser_ms, shot.browser_ms, done.browser_ms) == (10.0, 15.0, 1.0)


async def test_steps_and_result_name_the_planner_process_and_the_session_that_they_come_from():
    one = bench_of(page(*ticket()))
    finished = await one.run()
    assert {(step.planner_id, step.session_id) for step in one.steps} == {("planner_one", "session-1")}
    assert (finished.planner_id, finished.session_id) == ("planner_one", "session-1")
    assert logged(one.steps[0]) == one.steps[0]
    earlier = entry_of(msgspec.structs.replace(one.steps[0], planner_id="", session_id=""))
    assert not any(name in encode_entry(earlier) for name in (b'"planner_id"', b'"session_id"'))


async def test_what_is_missing_in_the_end_goes_to_a_person():
    lacking = await bench_of(page(heading("TCK-1001"), *row("Assignee", "Ann"))).run()
    assert (lacking.status, lacking.reason) == ("needs_review", "missing_fields")
    assert [filed.filename for filed in lacking.artifacts][-2:] == list(KEPT)  # a person sees what was seen
    assert values(lacking)["due_date"].state == "not_found"
    assert "due_date" in lacking.message


async def test_a_page_that_renders_late_is_waited_for():
    late = page(heading("TCK-1001"), *row("Assignee", "Ann"), idle=False)
    one = bench_of(page(text("Loading…"), idle=False), late, page(*ticket()))
    assert (await one.run()).status == "done"
    assert one.pauses == [0.3, 0.7]


async def test_a_page_that_changes_by_itself_is_read_again_before_the_picture():
    one = bench_of(page(*ticket(assignee="Bob Ray"), idle=False), page(*ticket()))
    finished = await one.run()
    assert (finished.status, values(finished)["assignee"].value) == ("done", "Ann Lee")
    assert [type(action) for action in one.scripted.actions] == [Goto, Screenshot]
    assert one.pauses == [0.3]


async def test_a_record_that_does_not_exist():
    one = bench_of(page(heading("Not found"), http_status=404))
    finished = await one.run()
    assert (finished.status, finished.reason, finished.fault) == ("failed", "not_found", "record")
    assert [filed.filename for filed in finished.artifacts] == ["01_not_found.png", *KEPT]
    assert "HTTP 404" in finished.message


async def test_another_record_than_the_one_asked_for():
    finished = await bench_of(page(*ticket("TCK-1002"))).run()
    assert (finished.status, finished.reason, finished.fault) == ("failed", "identity_mismatch", "site")
    assert finished.values == ()


async def test_a_server_error_that_passes():
    one = bench_of(page(http_status=500))
    recovers(one, page(*ticket()))
    assert (await one.run()).status == "done"


async def test_a_site_that_cannot_be_reached():
    one = bench_of()
    one.scripted.unreachable = True
    finished = await one.run()
    assert (finished.status, finished.reason, finished.fault) == ("failed", "unreachable", "site")
    assert "connection refused" in finished.message
    assert one.scripted.count(ObservePage) == 0


# --- bounds


async def test_max_steps():
    finished = await bench_of(page(*ticket()), max_steps=1).run()
    assert (finished.status, finished.reason, finished.steps) == ("failed", "max_steps_exceeded", 1)


async def test_max_time_is_measured_from_the_lease_on():
    one = bench_of(page(heading("TCK-1001"), *row("Assignee", "Ann"), idle=False), max_time_s=2.0)
    one.scripted.busy = 20
    finished = await one.run()
    assert (finished.status, finished.reason) == ("partial_success", "time_exceeded")
    assert values(finished)["assignee"].value == "Ann"


# --- leases


async def test_a_pool_that_does_not_listen_is_a_full_one():
    one = bench_of(page(*ticket()))
    await one.bus.set_open(LEASE, False)
    with pytest.raises(Unavailable) as caught:
        await one.run()
    assert caught.value.code == "no_session"
    assert 120.0 <= sum(one.pauses) < 121.0


async def test_the_session_is_given_back_whatever_happens():
    lost = TransientError("the browser is gone", code="session_lost")
    one = bench_of(page(*ticket()))
    one.scripted.breaks = {2: lost}
    with pytest.raises(TransientError) as caught:
        await one.run()
    assert caught.value.code == "session_lost"
    assert one.scripted.held == set()


async def test_a_session_that_cannot_be_given_back_does_not_undo_the_work():
    one = bench_of(page(*ticket()))
    discard = one.scripted.held

    class Gone(set):
        def remove(self, _):
            raise TransientError("no such session", code="session_lost")

    one.scripted.held = Gone(discard)
    assert (await one.run()).status == "done"


async def test_the_lease_names_the_login_state_the_task_wants():
    one = bench_of(page(*ticket()), auth_profile="desk")
    await one.run()
    (lease,) = [request for request in one.scripted.asked if isinstance(request, LeaseSession)]
    assert (lease.auth_profile, lease.sample_id, lease.auth_concurrency) == ("desk", "TCK-1001", 5)


async def test_a_login_wall_is_told_to_the_pool_when_the_page_itself_shows_it():
    sign_in = page(heading("Sign in"), el("textbox", "Password", tag="input", value="(hidden)"))
    user_first = page(heading("Sign in"), el("textbox", "E-mail", tag="input", value=""), el("button", "Next"))
    providers = page(heading("Sign in"), el("button", "Continue with Example"))
    cases = {
        "asks for a password": bench_of(sign_in),
        "asks for a user name": bench_of(user_first),
        "asks to sign in": bench_of(providers, driver=told(Fail(code="auth_required", note="please log in"))),
        "answered HTTP 401": bench_of(page(text("Who are you?"), http_status=401)),
        # One record may be kept from us; that says nothing of the others.
        "": bench_of(page(text("Forbidden"), http_status=403)),
    }
    for words, one in cases.items():
        assert (await one.run()).status == "auth_required"
        (wall,) = one.scripted.walls
        assert wall.endswith(words)
        assert bool(wall) == bool(words)


async def test_a_drivers_word_alone_pauses_no_login_state():
    one = bench_of(page(*ticket()), driver=ScriptedDriver([Fail(code="auth_required", note="please log in")]))
    assert (await one.run()).status == "auth_required"
    assert one.scripted.walls == [""]


async def test_a_sample_whose_login_state_is_paused_is_not_begun():
    one = bench_of(page(*ticket()), auth_profile="desk")
    one.scripted.paused = "record desk again"
    finished = await one.run()
    assert (finished.status, finished.reason, finished.fault) == ("auth_required", "login_required", "site")
    assert (finished.message, finished.steps, one.scripted.actions) == ("record desk again", 0, [])


async def test_a_session_is_kept_while_a_driver_thinks():
    thinks = Thinks([Fail(code="other", note="no idea")])
    one = bench_of(page(*ticket()), driver=thinks)
    thinks.until = one.scripted.beat
    one.deps.heartbeat_every_s = 0.0
    assert (await one.run()).status == "failed"
    assert one.scripted.beat.is_set()


class Thinks(ScriptedDriver):
    """A driver that answers once something has happened."""

    until: asyncio.Event

    async def decide(self, view: SampleView) -> Decision:
        await asyncio.wait_for(self.until.wait(), 60)
        return await super().decide(view)


# --- what comes before a browser


async def test_attempts_count_on_in_a_resumed_round():
    one = bench_of(page(*ticket()))
    finished = await one.run(attempt=2, attempt_base=3)
    assert finished.attempt == 5
    assert {step.attempt for step in one.steps} == {5}


async def test_an_unknown_planner_is_refused_before_a_browser_is_leased():
    one = bench_of(page(*ticket()))
    one.planner = "oracle"
    with pytest.raises(PermanentError):
        await one.run()
    assert one.scripted.asked == []


async def test_a_run_without_a_record_is_tried_again():
    one = bench_of()
    with pytest.raises(Unavailable) as caught:
        await actor.stored[WORK_SAMPLE.pattern].handler(work(), one.deps, 1)
    assert caught.value.code == "run_unknown"


async def test_a_spec_that_cannot_be_run_says_so():
    with pytest.raises(PermanentError) as caught:
        await Bench(ScriptedPool({}), task={"task_id": "x"}).run()
    assert caught.value.code == "invalid_spec"


async def test_rules_collect_what_they_can_of_a_task_that_asks_for_a_judgment():
    finished = await bench_of(page(*ticket()), judgment_required=True, judgment_question="Is it late?").run()
    assert (finished.status, finished.reason, finished.judgment) == ("needs_review", "judgment_missing", None)
    assert values(finished)["due_date"].value == "2026-03-03"
    assert [filed.filename for filed in finished.artifacts] == ["01_ticket.png", *KEPT]


async def test_the_spec_of_a_run_is_read_once():
    one = bench_of(page(*ticket()))
    await one.run()
    del one.bus._records[RUNS.name, RUN]
    assert (await work_again(one)).status == "done"


async def work_again(one: Bench) -> SampleFinished:
    return await actor.stored[WORK_SAMPLE.pattern].handler(work(sample_id="TCK-1001"), one.deps, 2)


OF_NO_LIST: Any = "unreachable"
"""A code that a transient error does not have."""


@pytest.mark.parametrize(
    ("error", "reason", "fault"),
    [
        (PermanentError("no key", code="model_key_missing"), "model_key_missing", "us"),
        (DeadlineExceeded("too slow"), "retries_exhausted", "us"),
        (Unavailable("host down", code=OF_NO_LIST), "retries_exhausted", "site"),
        (ExhibitError("given up after 4 attempts", code="retries_exhausted"), "retries_exhausted", "us"),
    ],
)
async def test_a_sample_that_is_given_up_is_accounted_for(error, reason, fault):
    finished = give_up(work(attempt_base=4), bench_of().deps, 4, error)
    assert (finished.status, finished.reason, finished.fault, finished.attempt) == ("failed", reason, fault, 8)
    assert str(error) in finished.message
    assert (finished.run_id, finished.planner_id) == (RUN, "planner_one")
    assert actor.stored[WORK_SAMPLE.pattern].emits is SAMPLE_FINISHED


# --- drivers that are no rules


async def test_done_without_its_fields_is_sent_back_once_then_reviewed():
    driver = told(Done(values={"ticket_number": "TCK-1001"}))
    one = bench_of(page(*ticket()), driver=driver, required_artifacts=[])
    finished = await one.run()
    assert (finished.status, finished.reason, finished.steps) == ("needs_review", "missing_fields", 3)
    last = driver.views[2].state.last
    assert last is not None
    assert last.refused
    assert last.message == "You called done but these required fields are missing: assignee, due_date"
