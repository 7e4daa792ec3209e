"""A sample of the rules or of a list of actions, and its replay on the same and on another page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from services.planner.drivers.registry import ReplayDriver
from services.planner.state.attempt_state import Act, SampleView
from shared.bus.actor import Actor
from shared.contracts.actions import ByRef, Click, Done, Download, Goto, Screenshot
from shared.contracts.browser_pool import LeaseSession
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import LoadSteps, StepsLoaded, StepsReply, StepsUnknown
from shared.contracts.planner import SampleFinished
from shared.contracts.results import TargetFound
from shared.contracts.steps import StepTaken, note_detail
from shared.errors import PermanentError
from shared.streams import RUNS
from shared.subjects import LOAD_STEPS
from tests.handlers.planner.planner_bench import RUN, Bench
from tests.handlers.planner.scripted_pool import ScriptedPool
from tests.unit.planner.planner_pages import NOW, URL, el, heading, page, row, sample, spec, ticket
from tests.unit.planner.rows_pages import rows_spec, shows

BANNER = el("button", "Only necessary", tag="button", in_dialog=True)
SAVE = el("button", "Save changes", tag="button")
CLEAN = URL + "#clean"


@dataclass
class Evidence:
    """Answers with one step a page."""

    steps: list[StepTaken]
    problem: str = ""
    asked: list[LoadSteps] = field(default_factory=list)


evidence: Actor[Evidence] = Actor("evidence")


@evidence.answers(LOAD_STEPS)
async def load_steps(request: LoadSteps, deps: Evidence) -> StepsReply:
    deps.asked.append(request)
    if not deps.steps:
        return StepsUnknown(run_id=request.run_id, sample_id=request.sample_id, message="there is no such log")
    page = tuple(step for step in deps.steps if step.step == request.after_step + 1)
    return StepsLoaded(
        run_id=request.run_id, sample=sample(), spec={}, attempt=1, steps=page, total=len(deps.steps), status="done",
        reason="", problem=deps.problem,
    )  # fmt: skip


@dataclass
class Listed:
    """A driver that takes these actions, one after the other."""

    does: list[Callable[[SampleView], Any]]
    name: str = "rules"
    asks_model: bool = False

    def check(self) -> None: ...

    async def decide(self, view: SampleView) -> Act:
        return Act(self.does[len(view.state.history)](view), self.name)

    async def aclose(self) -> None: ...


def site(*elements: Any, **changes: Any) -> ScriptedPool:
    return ScriptedPool({URL: [page(*elements, **changes)]})


def with_banner(*elements: Any) -> ScriptedPool:
    return ScriptedPool({URL: [page(BANNER, *elements)], CLEAN: [page(*elements)]}, clicks={"Only necessary": CLEAN})


async def log_of(pool: ScriptedPool, **changes: Any) -> tuple[list[StepTaken], SampleFinished]:
    bench = Bench(pool, **changes)
    finished = await bench.run()
    return bench.steps, finished


async def replayed(
    pool: ScriptedPool,
    log: list[StepTaken] | Evidence,
    *,
    allow_effects: bool = False,
    attempt: int = 1,
    **changes: Any,
) -> tuple[Bench, SampleFinished]:
    bench = Bench(pool, **changes)
    bench.deps.driver = lambda name: ReplayDriver()
    bench.bus.host(evidence, log if isinstance(log, Evidence) else Evidence(log))
    record = RunRecord(
        run_id=RUN, spec=bench.task, planner="replay", concurrency=1, created_at=NOW, replay_run_id="run_0",
        allow_effects=allow_effects,
    )  # fmt: skip
    await bench.bus.create(RUNS, RUN, record)
    return bench, await bench.run(attempt=attempt)


def differs(bench: Bench) -> list[str]:
    return [note_detail(note) for step in bench.steps for note in step.notes if note.kind == "differs"]


def found(finished: SampleFinished) -> dict[str, Any]:
    return {value.field: (value.state, value.value) for value in finished.values}


async def test_the_same_site_gives_the_same_steps_values_and_end():
    steps, then = await log_of(with_banner(*ticket()))
    bench, now = await replayed(with_banner(*ticket()), steps)
    assert [type(action) for action in bench.scripted.actions] == [Goto, Click, Screenshot]
    assert (now.status, now.decided_by, now.usage.llm_calls, now.flagged) == ("done", "replay", 0, False)
    assert (found(now), now.notes, differs(bench)) == (found(then), (), [])
    assert [one.filename for one in now.artifacts] == [one.filename for one in then.artifacts]
    assert {step.decided_by for step in bench.steps} == {"replay"}


async def test_what_was_read_is_bound_to_the_page_of_now():
    steps, _ = await log_of(site(*ticket()))
    _, now = await replayed(site(el("text", "New"), *ticket()), steps)
    sources = {value.field: value.source for value in now.values}
    assert sources["assignee"] is not None
    assert sources["assignee"].ref == 4


RENAMED = (heading("TCK-1001: Printer on fire"), *row("Owner", "Ann Lee"), *row("Due date", "Mar 3, 2026"))


@pytest.mark.parametrize(
    ("elements", "now_said"),
    [
        (ticket(assignee="Bob Ray"), "'Bob Ray'"),
        (ticket(assignee="Unassigned"), "not present ('Unassigned')"),
        (RENAMED, "not found"),
    ],
    ids=["another value", "none", "under another label"],
)
async def test_another_value_is_named_with_both_and_goes_to_a_person(elements: Any, now_said: str):
    steps, _ = await log_of(site(*ticket()))
    bench, now = await replayed(site(*elements), steps)
    assert (now.status, now.reason, now.fault) == ("needs_review", "replay_differs", "site")
    assert now.message == f"step 3: value of assignee: then 'Ann Lee', now {now_said}"
    assert [line.partition(":")[0] for line in differs(bench)] == ["step 2", "step 3"]
    assert differs(bench)[0].startswith("step 2: content of the page")


async def test_a_page_that_is_gone_says_its_status():
    steps, _ = await log_of(site(*ticket()))
    bench, now = await replayed(site(heading("Gone"), http_status=404), steps)
    assert (now.status, now.reason) == ("needs_review", "replay_differs")
    assert "step 2: HTTP status: then 200, now 404" in differs(bench)


async def test_a_site_that_cannot_be_reached_ends_it():
    steps, _ = await log_of(site(*ticket()))
    pool = site(*ticket())
    pool.unreachable = True
    _, now = await replayed(pool, steps)
    assert (now.reason, now.steps) == ("replay_differs", 2)
    assert "step 1 (goto): it could not be done again: connection refused" in now.message


REFUSE = el("button", "Refuse everything", tag="button", in_dialog=True)


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        ((REFUSE,), ("step 2 (click): the button 'Only necessary' was looked for", "'Refuse everything'")),
        ((BANNER, BANNER), ("2 elements are like it",)),
    ],
    ids=["another one", "two alike"],
)
async def test_an_element_that_is_not_surely_there_ends_it_and_says_what_is(shown: Any, words: tuple[str, ...]):
    steps, _ = await log_of(with_banner(*ticket()))
    bench, now = await replayed(site(*shown, *ticket()), steps)
    assert (now.reason, [type(action) for action in bench.scripted.actions]) == ("replay_differs", [Goto])
    assert all(one in now.message for one in words)


async def test_a_record_that_did_not_exist_still_does_not():
    steps, then = await log_of(site(heading("Not found"), http_status=404))
    _, now = await replayed(site(heading("Not found"), http_status=404), steps)
    assert (
        (now.status, now.reason, now.fault)
        == (then.status, then.reason, then.fault)
        == ("failed", "not_found", "record")
    )


async def test_a_record_that_exists_now_is_said():
    steps, _ = await log_of(site(heading("Not found"), http_status=404))
    _, now = await replayed(site(*ticket()), steps)
    assert (now.status, now.reason) == ("needs_review", "replay_differs")
    assert "fail (not_found) then" in now.message


async def test_a_download_of_other_bytes_is_said():
    task = spec(required_artifacts=["download:csv"]).model_dump(mode="json", by_alias=True)
    pages = (el("link", "csv", tag="a", url=URL), *ticket())
    listed = Listed([lambda view: Goto(url=URL), lambda view: Download(target=ref(view, "csv"), label="csv"), all_read])
    steps, _ = await log_of(site(*pages), driver=listed, task=task)
    changed = [with_target(step) if isinstance(step.action, Download) else step for step in steps]
    bench, now = await replayed(site(*pages), changed, task=task)
    assert now.status == "done"
    assert differs(bench) == [f"step 2: file 'csv': then SHA-256 {'cd' * 6}, now SHA-256 {'ab' * 6}"]


# --- what may change something on the site


def ref(view: SampleView, name: str) -> ByRef:
    assert view.page is not None
    return ByRef(ref=next(e.ref for e in view.page.elements if e.name == name), snapshot_id=view.page.snapshot_id)


def all_read(view: SampleView) -> Done:
    return Done(values={"ticket_number": "TCK-1001", "assignee": "Ann Lee", "due_date": "Mar 3, 2026"})


def with_target(step: StepTaken) -> StepTaken:
    """As the real pool says what it acted on; and with the bytes of that day."""
    assert step.result is not None
    seen = TargetFound(role="link", name="csv", tag="a", fingerprint="")
    files = tuple(msgspec.structs.replace(one, sha256="cd" * 32) for one in step.result.artifacts)
    return msgspec.structs.replace(step, result=msgspec.structs.replace(step.result, target=seen, artifacts=files))


async def saved() -> list[StepTaken]:
    does = [
        lambda view: Goto(url=URL),
        lambda view: Click(target=ref(view, "Save changes")),
        lambda view: Screenshot(label="ticket"),
        all_read,
    ]
    steps, finished = await log_of(site(SAVE, *ticket()), driver=Listed(does))
    assert finished.status == "done"
    return steps


@pytest.mark.parametrize(
    ("asked", "does", "end"),
    [
        ({}, [Goto], ("needs_review", "replay_withheld")),
        ({"allow_effects": True}, [Goto, Click, Screenshot], ("done", "")),
        # an earlier attempt may have been cut off after it
        ({"allow_effects": True, "attempt": 2}, [Goto], ("needs_review", "unknown_outcome")),
    ],
    ids=["unasked", "allowed", "never twice"],
)
async def test_a_step_that_may_change_something_is_taken_once_where_that_is_allowed(asked: Any, does: Any, end: Any):
    bench, now = await replayed(site(SAVE, *ticket()), await saved(), **asked)
    assert [type(action) for action in bench.scripted.actions] == does
    assert (now.status, now.reason) == end
    if end[1] == "replay_withheld":
        assert "step 2 (click) on the button 'Save changes'" in now.message
        assert "--allow-effects" in now.message


# --- the log


async def test_a_log_comes_in_pages_of_one_attempt():
    steps, _ = await log_of(site(*ticket()))
    log = Evidence(steps)
    _, now = await replayed(site(*ticket()), log)
    assert now.status == "done"
    assert [(one.run_id, one.attempt, one.after_step) for one in log.asked] == [
        ("run_0", None, 0), ("run_0", 1, 1), ("run_0", 1, 2),
    ]  # fmt: skip


async def test_without_a_log_no_browser_is_leased():
    pool = site(*ticket())
    with pytest.raises(PermanentError, match="there is no such log") as caught:
        await replayed(pool, [])
    assert (caught.value.code, pool.count(LeaseSession)) == ("nothing_to_replay", 0)


async def test_a_run_that_names_none_cannot_be_replayed():
    bench = Bench(site(*ticket()))
    bench.deps.driver = lambda name: ReplayDriver()
    with pytest.raises(PermanentError, match="exhibit replay RUN"):
        await bench.run()


LINES = [("A-1", "2", "20.00"), ("B-2", "1", "4.50")]
ROWS = rows_spec(id_keys=["sku"]).model_dump(mode="json", by_alias=True)


async def replayed_rows(then: Any, now: Any) -> SampleFinished:
    log, _ = await log_of(ScriptedPool({URL: [shows(then)]}), task=ROWS)
    _, finished = await replayed(ScriptedPool({URL: [shows(now)]}), log, task=ROWS)
    return finished


async def test_rows_are_read_again_in_their_rows_and_a_cell_that_is_another_goes_to_a_person():
    same = await replayed_rows(LINES, LINES)
    assert same.status == "done"
    assert found(same)["lines"][1][1] == {"sku": "B-2", "qty": 1, "amount": "4.50"}
    other = await replayed_rows(LINES, [LINES[0], ("B-2", "1", "4.60")])
    assert (other.status, "row 2, amount" in other.message) == ("needs_review", True)
    more = await replayed_rows(LINES, [*LINES, ("C-3", "1", "1.00")])
    assert (more.status, more.reason) == ("needs_review", "incomplete_list")
