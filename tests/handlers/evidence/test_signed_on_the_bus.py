"""Who sent an event: forgeries by a client that knows the secret of the bus, on a real nats-server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from shared.bus.floods import MOST_LETTERS
from shared.bus.signing.service_keys import KeysInMemory
from shared.bus.signing.signatures import EventSigner
from shared.client import connect
from shared.contracts.evidence import OutcomeCount, RunFinished
from shared.contracts.sessions.events import EventsLoaded, LoadEvents
from shared.subjects import (
    EVIDENCE_BLOCKED,
    LOAD_EVENTS,
    PREFIX,
    RUN_FINISHED,
    SAMPLE_FINISHED,
    STEP_TAKEN,
)
from tests.handlers.evidence.evidence_desk import NOW, ended, outcomes, took
from tests.handlers.evidence.signing_world import (
    ONE,
    SignedRun,
    World,
    signed,
    signing_world,
    world_with_users,
)
from tests.typed import expect

FORGED = ended(ONE, steps=1, number="66")
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.system]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    async with signing_world(tmp_path_factory.mktemp("signing")) as world:
        yield world


async def end_honestly(run: SignedRun, *refused: tuple[str, str]) -> None:
    """End the run by its planner: it is as if nothing had been forged, and the doctor tells what was refused."""
    assert outcomes(await run.end()) == {("done", ""): 1}
    assert run.refused() == list(refused)
    assert run.result()["extracted"]["number"] == "7"
    assert [run.result()[name] for name in ("attempt", "steps", "planner_id")] == [1, 1, "planner_one"]
    assert run.is_whole()


async def test_a_forged_result_of_a_run_that_is_not_there_is_a_dead_letter(world: World):
    run = await world.begun()
    nowhere = replace(run.of(FORGED), run_id="nowhere")
    await run.forge(SAMPLE_FINISHED, nowhere, {})
    await end_honestly(run)
    where = "exhibit.v1.dlq.evt.planner.sample.finished.nowhere.A-1"
    letter = await world.client.bus.js.get_last_msg("DLQ", where)
    assert '"code":"not_signed"' in (letter.headers or {})["Exhibit-Failure"]
    assert not (world.settings.evidence_dir / "nowhere").exists()


async def test_a_flood_of_forged_results_is_no_flood_of_dead_letters(world: World):
    run = await world.begun()
    nowhere = replace(run.of(FORGED), run_id="flooded")
    for number in range(MOST_LETTERS * 3):
        await run.forge(SAMPLE_FINISHED, replace(nowhere, sample_id=f"F-{number}"), {})
    await end_honestly(run)  # evidence has handled all that came before
    kept = await world.client.bus.js.stream_info("DLQ", subjects_filter="exhibit.v1.dlq.evt.*.*.*.flooded.>")
    assert 0 < len(kept.state.subjects or {}) <= MOST_LETTERS


async def test_on_a_bus_with_users_who_may_publish_must_sign_as_well(tmp_path: Path):
    async with world_with_users(tmp_path) as world:
        run, own = await world.begun(), EventSigner(Ed25519PrivateKey.generate())
        result, step = run.of(FORGED), run.of(took(ONE, step=2))
        other = run.of(ended(ONE, steps=2))
        await run.forge(SAMPLE_FINISHED, result, {})
        await run.forge(SAMPLE_FINISHED, other, signed(own, SAMPLE_FINISHED, other))
        await run.forge(STEP_TAKEN, step, world.signed_by("evidence", STEP_TAKEN, step))
        await end_honestly(
            run,
            ("SampleFinished", "not_signed"),
            ("SampleFinished", "unknown_signer"),
            ("StepTaken", "other_signer"),
        )


async def test_a_client_of_the_same_process_tells_only_what_is_signed(world: World):
    """So `exhibit run` does not end with what somebody else says of its run."""
    run = await world.begun()
    lie = RunFinished(
        run_id=run.run_id,
        attempt_base=0,
        samples=1,
        outcomes=(OutcomeCount(status="done", reason="", samples=99),),
        location="",
        table="",
        llm_calls=0,
        cost_usd=0.0,
        started_at=NOW,
        finished_at=NOW,
    )
    await run.forge(RUN_FINISHED, lie, {})
    for elsewhere in (f"{EVIDENCE_BLOCKED.pattern}.{run.run_id}.A-1", f"{PREFIX}.evt.evidence.run.over.{run.run_id}"):
        await run.forge(RUN_FINISHED, lie, {}, at=elsewhere)
    assert outcomes(await run.world.client.result(run.run_id)) == {("done", ""): 99}, "one that believes all"
    async with connect(world.url, known=expect(world.keys, KeysInMemory)) as own:
        told = asyncio.create_task(own.result(run.run_id))
        await run.end()
        assert outcomes(await asyncio.wait_for(told, 30)) == {("done", ""): 1}


async def test_the_event_log_tells_that_an_event_is_not_signed_and_nothing_that_it_says(world: World):
    run = await world.begun()
    await run.forge(SAMPLE_FINISHED, run.of(replace(FORGED, message="forged words")), {})
    await end_honestly(run, ("SampleFinished", "not_signed"))
    told = await world.client.bus.ask(LOAD_EVENTS, LoadEvents(run_id=run.run_id))
    entries = expect(told, EventsLoaded).events
    assert [one.text for one in entries if "not signed" in one.text or "forged" in one.text] == [
        "an event that is not signed by a service that may send it"
    ]
    assert [one.status for one in entries if one.status] == ["done"]
