"""What `exhibit run` asks for, and the exit code that its end has."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from services.console.commands.run.inputs import Reconciling, RunInputs
from services.console.commands.run.run import exit_code_of, submit_inputs
from shared.bus.actor import Actor
from shared.client import Client
from shared.contracts.discovery import InputStored, RunAccepted, StoreInput, SubmitRun
from shared.contracts.evidence import OutcomeCount, RunFinished
from shared.subjects import STORE_INPUT, SUBMIT_RUN
from shared.testing.bus import MemoryBus

ACCEPTED = RunAccepted(run_id="run_1", samples=1, already_done=0, attempt_base=0, discovering=False)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


async def submitted(inputs: RunInputs, reconciling: Reconciling, **options: Any) -> SubmitRun:
    actor: Actor[list[SubmitRun]] = Actor("discovery")

    @actor.answers(SUBMIT_RUN)
    async def submit_run(request: SubmitRun, deps: list[SubmitRun]) -> RunAccepted:
        deps.append(request)
        return ACCEPTED

    @actor.answers(STORE_INPUT)
    async def store(request: StoreInput, deps: list[SubmitRun]) -> InputStored:
        return InputStored(blob=request.blob or "stored")

    bus, requests = MemoryBus(), list[SubmitRun]()
    bus.host(actor, requests)
    chosen = {"resume": None, "planner": None, "concurrency": None} | options
    assert await submit_inputs(Client(cast("Any", bus)), inputs, reconciling, **chosen) == ACCEPTED
    (request,) = requests
    return request


@pytest.mark.parametrize("fold_keys", [True, False])
async def test_a_register_is_sent_with_its_key(fold_keys: bool):
    register = ("out.csv", b"number\nT-1\n")
    inputs = RunInputs({"task_id": "t"}, file=("in.csv", b"number\nT-1\n"), register=register)
    request = await submitted(inputs, Reconciling(None, "number", fold_keys=fold_keys))
    assert request.register is not None
    assert (request.register.file.name, request.register.key) == ("out.csv", "number")
    assert request.register.fold_keys is fold_keys
    assert request.input_file is not None
    assert (request.input_file.name, request.samples) == ("in.csv", None)


async def test_the_options_are_sent():
    inputs = RunInputs({"task_id": "t"}, discovery={"task_id": "l"}, row=(("org", "acme"),), mode="agent")
    request = await submitted(inputs, Reconciling(), planner="rules", concurrency=3)
    assert (request.planner, request.concurrency, request.mode) == ("rules", 3, "agent")
    assert (request.discovery, request.discovery_row) == ({"task_id": "l"}, {"org": "acme"})
    assert (request.register, request.samples, request.resume_run_id) == (None, None, None)


@pytest.mark.parametrize(("resume", "samples"), [(None, ()), ("run_1", None)])
async def test_only_a_resumed_run_has_samples_that_are_not_named(resume: str | None, samples: tuple[()] | None):
    request = await submitted(RunInputs({"task_id": "t"}), Reconciling(), resume=resume)
    assert (request.samples, request.resume_run_id) == (samples, resume)


def ended(outcomes: dict[Any, int], *, complete: bool) -> RunFinished:
    return RunFinished(
        run_id="run_1", attempt_base=0, samples=sum(outcomes.values()), location="", table="", llm_calls=0, cost_usd=0,
        outcomes=tuple(OutcomeCount(status=status, reason="", samples=count) for status, count in outcomes.items()),
        population_complete=complete, started_at=NOW, finished_at=NOW,
    )  # fmt: skip


def test_all_done_and_complete_is_exit_code_0():
    assert exit_code_of(ended({"done": 2}, complete=True)) == 0


@pytest.mark.parametrize(
    ("outcomes", "complete"),
    [
        ({"done": 2}, False),
        ({}, False),
        ({"done": 2, "failed": 1}, True),
        ({"done": 2, "needs_review": 1}, True),
        ({"auth_required": 1}, True),
    ],
)
def test_an_incomplete_list_and_a_sample_that_is_not_done_are_exit_code_1(outcomes: dict[str, int], complete: bool):
    assert exit_code_of(ended(outcomes, complete=complete)) == 1
