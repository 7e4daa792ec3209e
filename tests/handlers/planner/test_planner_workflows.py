"""A workflow in a run: which one is used, what becomes of its value, and what is saved."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from services.planner.handlers import work_sample
from services.planner.state.workflow_choice import WorkflowChoice, arguments_for
from services.planner.workflow_use.choosing import COMPOSING_S, load_choice
from services.planner.workflow_use.prompts import COMPOSE_TRIES
from shared.contracts.actions import Done, Goto, Screenshot, UseWorkflow
from shared.contracts.base import Usage
from shared.contracts.workflows.artifacts import ArtifactEntry
from shared.contracts.workflows.invocations import BrowserAccess, SavedBlob, WorkflowRan, WorkflowUse
from shared.contracts.workflows.library import WorkflowShown
from shared.errors import ExhibitError, PermanentError
from shared.evidence_format.log_codec import entry_of
from shared.streams import WORKFLOW_CHOICES
from shared.task.spec import TaskSpec
from tests.handlers.planner.planner_bench import Bench, bench_of, values_of, work
from tests.handlers.planner.scripted_driver import told
from tests.handlers.planner.scripted_library import HASH, TICKET_URL, ScriptedLibrary, library, version
from tests.step_logs import logged
from tests.unit.planner.planner_pages import NOW, URL, artifact, heading, page, ticket

DEEP = URL + "/deep"
FIELDS = {"ticket_number": "TCK-1001", "assignee": "Ann Lee", "due_date": "2026-03-03"}


@dataclass
class ScriptedLibrarian:
    """Answers in the model's place. ``composed``: its answers to the choice, in order; else it is always ``chosen``."""

    chosen: object = None
    written: list[object] = field(default_factory=list)
    composed: list[object] = field(default_factory=list)
    shown: list[Sequence[WorkflowShown]] = field(default_factory=list)
    told: list[Sequence[str]] = field(default_factory=list)
    refused: list[Sequence[str]] = field(default_factory=list)
    meanwhile: Callable[[], Awaitable[object]] = lambda: asyncio.sleep(0)
    """What others do while the model answers."""
    name: str = "model"

    async def choose(
        self, spec: TaskSpec, candidates: Sequence[WorkflowShown], problems: Sequence[str], before: object
    ) -> tuple[object, Usage]:
        self.shown.append(candidates)
        self.refused.append(problems)
        await self.meanwhile()
        return self.composed[len(self.shown) - 1] if self.composed else self.chosen, Usage(llm_calls=1)

    async def write(
        self, spec: TaskSpec, row: Mapping[str, str], steps: str, problems: Sequence[str], before: object
    ) -> tuple[object, Usage]:
        self.told.append(problems)
        if isinstance(answer := self.written[len(self.told) - 1], ExhibitError):
            raise answer
        return self.written[len(self.told) - 1], Usage(llm_calls=1)


def bench(run: Any = None, *, name: str = "tickets", fields: Any = None, deep: Any = None, **task: Any) -> Bench:
    """Return a planner whose record is shown only where the workflow leads."""
    one = bench_of(page(heading("Search")), **task)
    one.scripted.site[DEEP] = [page(*ticket()) if deep is None else deep]

    def lead(request: Any) -> Any:
        one.scripted.go(DEEP)
        return FIELDS if fields is None else fields

    scripted = ScriptedLibrary({name: version(name, TICKET_URL)}, run or lead)
    one.bus.host(library, scripted)
    one.library = scripted  # type: ignore[attr-defined]
    return one


def used(one: Bench) -> list[UseWorkflow]:
    return [step.action for step in one.steps if isinstance(step.action, UseWorkflow)]


async def test_the_workflow_that_the_spec_names_does_the_work():
    one = bench(name="read_ticket", workflow={"name": "read_ticket", "arguments": {"url": "{url}"}})
    finished = await one.run()
    assert (finished.status, finished.flagged, finished.usage.llm_calls) == ("done", False, 0)
    assert values_of(finished)["due_date"] == "2026-03-03"
    assert [type(step.action) for step in one.steps] == [UseWorkflow, Screenshot, Done]
    assert {step.decided_by for step in one.steps} == {"workflow"}
    assert used(one) == [
        UseWorkflow(name="read_ticket", hash=HASH, arguments={"url": URL}, reason=one.steps[0].action.reason)  # type: ignore[union-attr]
    ]
    (request,) = one.library.asked  # type: ignore[attr-defined]
    assert request.browser == BrowserAccess(instance_id="pool1", session_id="session-1")
    assert (request.run_id, request.sample_id, request.hash) == ("run_1", "TCK-1001", HASH)
    assert {value.field: value.source.url for value in finished.values if value.source} == dict.fromkeys(FIELDS, DEEP)


async def test_its_use_stands_in_the_step_log_with_version_arguments_and_value():
    ran = WorkflowRan(
        name="tickets",
        hash=HASH,
        value=FIELDS,
        stdout="working\n",
        used=(WorkflowUse(name="tickets", hash=HASH), WorkflowUse(name="login", hash="cd" * 32)),
    )
    one = bench(lambda request: ran)
    await one.run()
    step = one.steps[0]
    assert step.workflow == ran
    entry = entry_of(step)
    assert entry.action == "use_workflow"
    assert entry.params == {"name": "tickets", "hash": HASH, "arguments": {"url": URL}}
    assert logged(step) == step


async def test_it_is_chosen_once_for_a_run():
    one = bench()
    await one.run()
    one.library.versions.clear()  # type: ignore[attr-defined]
    await work_sample(work(), one.deps, 2)
    assert len(used(one)) == 2


@pytest.mark.parametrize(
    "wrong",
    [{**FIELDS, "due_date": "2026-04-04"}, {**FIELDS, "assignee": "Somebody Else"}, {"assignee": "Ann Lee"}],
)
async def test_a_value_that_the_page_does_not_show_is_not_taken(wrong):
    one = bench(fields=wrong)
    finished = await one.run()
    assert values_of(finished) == {} or values_of(finished)["due_date"] == "2026-03-03"
    assert values_of(finished).get("assignee") != "Somebody Else"


async def test_a_field_that_it_leaves_out_is_read_from_the_page():
    finished = await bench(fields={"ticket_number": "TCK-1001"}).run()
    assert finished.status == "done"
    assert values_of(finished)["due_date"] == "2026-03-03"


async def test_it_led_to_another_record():
    one = bench(deep=page(*ticket("TCK-1002")), fields={**FIELDS, "ticket_number": "TCK-1002"})
    finished = await one.run()
    assert finished.status != "done"


def fails(request: Any) -> Any:
    raise RuntimeError("there is no button 'Open'")


@pytest.mark.parametrize("run", [fails, lambda request: ["TCK-1001"]], ids=["an error", "no dict of fields"])
async def test_where_it_fails_the_planner_of_the_run_does_the_work(run: Any):
    one = bench(run)
    one.scripted.site[URL] = [page(*ticket())]
    finished = await one.run()
    assert finished.status == "done"
    assert ("there is no button 'Open'" in one.steps[0].message) is (run is fails)
    assert [type(step.action) for step in one.steps] == [UseWorkflow, Goto, Screenshot, Done]
    assert one.steps[-1].decided_by == "rules"


@pytest.mark.parametrize(
    ("workflow", "problem"),
    [
        ({"name": "nothing_like_it"}, "nothing_like_it"),
        ({"name": "tickets", "arguments": {"path": "x"}}, "no parameter 'path'"),
        ({"name": "tickets", "arguments": {"url": "{nowhere}"}}, "no column 'nowhere'"),
    ],
)
async def test_a_workflow_that_the_spec_names_must_be_there_and_its_arguments_must_fit(workflow, problem):
    with pytest.raises(PermanentError, match=problem) as caught:
        await bench(workflow=workflow).run()
    assert (caught.value.code == "unknown_workflow") is (problem == "nothing_like_it")


async def test_a_run_may_use_none():
    one = bench(workflow="off")
    one.scripted.site[URL] = [page(*ticket())]
    assert (await one.run()).status == "done"
    assert not used(one)


async def test_a_task_with_an_irreversible_step_is_not_done_by_a_workflow():
    route = [{"press": "Submit", "irreversible": True}, {"read": ["assignee"]}]
    one = bench(route=route)
    await one.run()
    assert not used(one)
    named = bench(route=route, workflow={"name": "tickets", "arguments": {"url": "{url}"}})
    with pytest.raises(PermanentError, match="only what a flow presses can be held to once"):
        await named.run()


async def test_what_it_saves_is_a_file_of_the_sample():
    entry = ArtifactEntry(
        name="totals.json", sha256="0" * 64, size_bytes=2, media_type="application/json", saved_at=NOW
    )
    saved, captured = (SavedBlob(artifact=entry, blob="b1"),), (artifact("on the way"),)
    ran = WorkflowRan(name="tickets", hash=HASH, value=FIELDS, saved=saved, captured=captured)

    one = bench(lambda request: (one.scripted.go(DEEP), ran)[1])
    finished = await one.run()
    assert finished.status == "done"
    assert finished.artifacts[0].artifact.label == "on the way"
    (filed,) = [one for one in finished.artifacts if one.artifact.kind == "workflow"]
    assert (filed.filename, filed.artifact.blob, filed.artifact.original_name) == (
        "02_totals.json",
        "b1",
        "totals.json",
    )


# --- with a model


def with_model(one: Bench, librarian: ScriptedLibrarian, *answers: Any) -> Bench:
    one.driver = told(*(answers or (Done(values=FIELDS),)))
    one.deps.librarian = librarian
    return one


async def test_a_model_chooses_among_the_hits():
    librarian = ScriptedLibrarian({"workflow": "read_any_ticket", "arguments": {}, "reason": "It reads tickets."})
    one = with_model(bench(name="read_any_ticket"), librarian)
    finished = await one.run()
    assert finished.status == "done"
    assert [action.name for action in used(one)] == ["read_any_ticket"]
    assert one.library.searches == [TaskSpec.model_validate(one.task).goal]  # type: ignore[attr-defined]
    assert [one.workflow.name for one in librarian.shown[0]] == ["read_any_ticket"]
    assert one.driver.views == []  # type: ignore[attr-defined]
    assert finished.usage.llm_calls == 1  # the first sample pays for the choice


async def test_a_model_is_not_asked_to_choose_a_flow_of_another_task():
    librarian = ScriptedLibrarian({"workflow": "read_any_ticket", "arguments": {}, "reason": "It reads tickets."})
    one = with_model(bench(name="read_any_ticket"), librarian)
    one.library.files = {"workspace/fields.json": "{}"}  # type: ignore[attr-defined]
    one.scripted.site[URL] = [page(*ticket())]
    finished = await one.run()
    assert librarian.shown == []
    assert finished.drivers == ("model",)


async def test_samples_that_begin_together_ask_the_model_once():
    librarian = ScriptedLibrarian({"workflow": "read_any_ticket", "arguments": {}, "reason": ""})
    one = with_model(bench(name="read_any_ticket"), librarian)
    task = TaskSpec.model_validate(one.task)
    loaded = await asyncio.gather(*(load_choice("r1", task, one.deps, asks_model=True) for _ in range(5)))
    assert {choice.name for choice, _ in loaded} == {"read_any_ticket"}
    assert sum(usage.llm_calls for _, usage in loaded) == len(librarian.shown) == 1


@pytest.mark.parametrize("cell", ["NaN", "Infinity", "1e999", "9" * 30, "007"])
def test_a_cell_that_is_no_number_of_json_stays_a_text(cell):
    choice = WorkflowChoice(name="read", arguments={"limit": "{limit}"}, types={"limit": "float"})
    assert arguments_for(choice, {"limit": cell}) == {"limit": cell}


@pytest.mark.parametrize(
    "chosen",
    [
        None,
        {"workflow": None, "arguments": {}, "reason": "None fits."},
        {"workflow": "another", "arguments": {}, "reason": ""},
        {"workflow": "read_any_ticket", "arguments": {"path": 1}, "reason": ""},
        {"workflow": "read_any_ticket", "arguments": "all", "reason": ""},
    ],
)
async def test_what_a_model_chooses_wrongly_is_not_used(chosen):
    one = with_model(bench(name="read_any_ticket"), ScriptedLibrarian(chosen))
    one.scripted.site[URL] = [page(*ticket())]
    await one.run()
    assert not used(one)


OPEN_AND_READ = """
def run(url: str) -> dict:
    \"\"\"Open a ticket and read it.\"\"\"
    workflows.open_ticket(url=url)
    return workflows.read_opened_ticket()
"""


def composes(source: str = OPEN_AND_READ, **more: Any) -> dict[str, Any]:
    composition = {"name": "open_and_read", "description": "Open a ticket and read it.", "source": source}
    return {"workflow": None, "arguments": {}, "reason": "Both together.", "compose": composition, **more}


def bench_of_parts(*answers: object, **task: Any) -> tuple[Bench, ScriptedLibrarian]:
    """Return a planner whose library has two workflows that do the task together, and the model that it asks."""
    librarian = ScriptedLibrarian(composed=list(answers))
    one = with_model(bench(name="open_ticket", **{"save_workflow": True, **task}), librarian)
    one.scripted.site[URL] = [page(*ticket())]
    one.library.versions["read_opened_ticket"] = version("read_opened_ticket")  # type: ignore[attr-defined]
    return one, librarian


async def test_a_model_composes_workflows_that_do_the_task_together():
    one, librarian = bench_of_parts(composes())
    one.library.parameters = (TICKET_URL,)  # type: ignore[attr-defined]
    finished = await one.run()
    assert (finished.status, finished.usage.llm_calls) == ("done", 1)
    (created,) = one.library.created  # type: ignore[attr-defined]
    assert (created.name, created.author, created.source_run) == ("open_and_read", "model", "run_1")
    assert [(action.name, action.arguments) for action in used(one)] == [("open_and_read", {"url": URL})]
    assert one.driver.views == []  # type: ignore[attr-defined]
    await work_sample(work(), one.deps, 2)
    assert len(librarian.shown) == 1


async def test_what_is_wrong_with_a_composition_is_sent_back():
    presses = f"{OPEN_AND_READ}\n\ndef press() -> None:\n    tools.browser.click(target='Close')\n"
    one, librarian = bench_of_parts(composes(presses), composes("def run(:"), composes())
    await one.run()
    assert ["it uses tools" in " ".join(told) for told in librarian.refused] == [False, True, False]
    assert [action.name for action in used(one)] == ["open_and_read"]
    assert len(one.library.created) == 2, "what the library refuses is sent back too"  # type: ignore[attr-defined]


async def test_a_composition_that_cannot_be_called_for_each_row_is_not_kept():
    one, librarian = bench_of_parts(composes(arguments={"ticket": "{url}"}), composes())
    one.library.parameters = (TICKET_URL,)  # type: ignore[attr-defined]
    await one.run()
    assert librarian.refused == [(), ("run has no parameter 'ticket'",)]
    assert len(one.library.created) == 1  # type: ignore[attr-defined]
    assert [action.arguments for action in used(one)] == [{"url": URL}]


async def test_what_another_planner_has_chosen_meanwhile_is_used_and_nothing_is_composed():
    one, librarian = bench_of_parts(composes())
    other = WorkflowChoice(name="open_ticket", hash=HASH, arguments={"url": "{url}"}, chosen_by="model")
    librarian.meanwhile = lambda: one.deps.records.create(WORKFLOW_CHOICES, "run_1", other)
    await one.run()
    assert one.library.created == []  # type: ignore[attr-defined]
    assert [action.name for action in used(one)] == ["open_ticket"]


async def test_what_another_planner_composes_right_now_is_waited_for():
    one, librarian = bench_of_parts(composes())
    other = WorkflowChoice(name="open_ticket", hash=HASH, arguments={"url": "{url}"}, chosen_by="model")
    librarian.meanwhile = lambda: one.deps.records.create(WORKFLOW_CHOICES, "run_1.composed", WorkflowChoice())
    waits = one.deps.wait

    async def ready_at_the_second_wait(pause_s: float) -> None:
        await waits(pause_s)
        if len(one.pauses) == 2:
            await one.deps.records.create(WORKFLOW_CHOICES, "run_1", other)

    one.deps.wait = ready_at_the_second_wait
    await one.run()
    assert one.library.created == []  # type: ignore[attr-defined]
    assert [action.name for action in used(one)] == ["open_ticket"]


async def test_a_planner_that_has_ended_while_it_composed_is_not_waited_for_without_end():
    one, librarian = bench_of_parts(composes())
    librarian.meanwhile = lambda: one.deps.records.create(WORKFLOW_CHOICES, "run_1.composed", WorkflowChoice())
    await one.run()
    assert [created.name for created in one.library.created] == ["open_and_read"]  # type: ignore[attr-defined]
    assert one.clock_s >= COMPOSING_S


async def test_answers_are_paid_for_though_the_model_cannot_be_asked_again():
    one, librarian = bench_of_parts(composes("def run(:"))

    async def fails() -> None:
        if len(librarian.shown) == 2:
            raise PermanentError("no more", code="model_unpaid")

    librarian.meanwhile = fails
    choice, usage = await load_choice("r1", TaskSpec.model_validate(one.task), one.deps, asks_model=True)
    assert (choice.name, usage.llm_calls) == ("", 1)


async def test_where_no_answer_can_be_used_the_task_is_worked_out():
    one, librarian = bench_of_parts(*[composes("def run() -> dict:\n    return {}\n")] * COMPOSE_TRIES)
    await one.run()
    assert len(librarian.shown) == COMPOSE_TRIES
    assert not used(one)
    assert one.library.created == []  # type: ignore[attr-defined]


async def test_nothing_is_composed_where_the_task_keeps_no_workflows():
    one, librarian = bench_of_parts(composes(), save_workflow=False)
    await one.run()
    assert len(librarian.shown) == 1
    assert one.library.created == []  # type: ignore[attr-defined]
    assert not used(one)


GOOD = {
    "save": True,
    "reason": "It will be needed again.",
    "name": "read_ticket_fields",
    "description": "Open a ticket and return its fields.",
    "source": 'def run(url: str) -> dict:\n    """Read a ticket."""\n    tools.browser.goto(url=url)\n    return {}\n',
}
BAD = {**GOOD, "source": "def run():\n    try:\n        go()\n    except:\n        return {}\n"}
STEPS = [Screenshot(label="ticket"), *(Screenshot(label=f"part {number}") for number in range(4)), Done(values=FIELDS)]


def saving(librarian: ScriptedLibrarian, *answers: Any, **task: Any) -> Bench:
    one = with_model(bench(name="another", **{"save_workflow": True, **task}), librarian, *(answers or STEPS))
    one.scripted.site[URL] = [page(*ticket())]
    return one


async def test_a_long_way_is_saved_once_in_a_run():
    librarian = ScriptedLibrarian(written=[GOOD])
    one = saving(librarian)
    finished = await one.run()
    assert finished.status == "done"
    assert finished.steps > 5
    (created,) = one.library.created  # type: ignore[attr-defined]
    assert (created.name, created.author, created.source_run) == ("read_ticket_fields", "model", "run_1")
    assert "saved as the workflow read_ticket_fields" in finished.notes[-1].text
    one.driver = told(*STEPS)
    await work_sample(work(), one.deps, 1)
    assert len(librarian.told) == 1


async def test_a_source_with_errors_is_sent_back_with_them():
    librarian = ScriptedLibrarian(written=[BAD, GOOD])
    one = saving(librarian)
    finished = await one.run()
    assert "saved as the workflow" in finished.notes[-1].text
    assert any("except" in problem for problem in librarian.told[1])


async def test_what_was_answered_is_paid_for_though_a_later_answer_fails():
    librarian = ScriptedLibrarian(written=[BAD, PermanentError("no more", code="model_unpaid")])
    without = (await saving(ScriptedLibrarian(), save_workflow=False).run()).usage.llm_calls
    finished = await saving(librarian).run()
    assert (finished.status, finished.usage.llm_calls) == ("done", without + 1)
    assert len(librarian.told) == 2


async def test_the_model_may_decline():
    librarian = ScriptedLibrarian(written=[{**GOOD, "save": False, "reason": "Nobody repeats it."}])
    one = saving(librarian)
    finished = await one.run()
    assert finished.notes[-1].text == "no workflow was saved: Nobody repeats it."
    assert one.library.created == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("answers", "task"),
    [
        ((Screenshot(label="ticket"), Done(values=FIELDS)), {}),  # short
        (STEPS, {"save_workflow": False}),
        ((*STEPS[:-1], *(Done(values={**FIELDS, "assignee": name}) for name in ("Nobody", "X"))), {}),  # not done
    ],
)
async def test_what_is_not_worth_it_is_not_saved(answers, task):
    librarian = ScriptedLibrarian(written=[GOOD])
    one = saving(librarian, *answers)
    one.task = {**one.task, **task}
    await one.run()
    assert librarian.told == []
