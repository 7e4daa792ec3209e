"""A heal becomes the next version once, after recorded samples have confirmed it, and can be rolled back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from practice.comparing import rows_of
from practice.drift import VARIABLE, Drift
from practice.tickets import server as tickets_server
from practice.tickets.data import ground_truth as tickets_of
from shared.client import Client
from shared.client.workflow_calls import get_workflow
from shared.contracts.workflows.heals import Heal
from shared.contracts.workflows.library import WorkflowShown
from shared.contracts.workflows.samples import SampleSet
from shared.evidence_format.sources.folder import FolderSource
from shared.flows.compiling.reading import read_recordings
from shared.flows.compiling.recording import RecordedSample
from shared.flows.healing.publishing import (
    HEAL_FILE,
    HealOutcome,
    HealPublished,
    HealReason,
    HealRefused,
    HealTaken,
    LibrarySamples,
    VersionSamples,
    heals_of_samples,
    publish_heal,
    roll_back,
)
from shared.host.services import run_embedded
from tests.drift.flows import Compiled, compile_on_plain_site, run
from tests.drift.outcomes import Expectation, Outcome, outcomes_of
from tests.drift.subjects import tickets_subject


async def publish(
    client: Client, flow: Compiled, heals: Mapping[str, Sequence[Heal]], samples_of: VersionSamples | None = None
) -> HealOutcome:
    version, samples_of = flow.version, samples_of or LibrarySamples(client.bus)
    return await publish_heal(
        client.bus, flow.spec, version.name, version.hash, heals, samples_of, author="test", run_id="run_2"
    )


async def no_samples(name: str, hash: str) -> tuple[Sequence[RecordedSample], SampleSet | None]:
    return (), None


async def test_one_worker_publishes_a_heal_and_the_others_take_it(with_library, monkeypatch):
    async with tickets_server.serve() as url, run_embedded(with_library) as client:
        subject = tickets_subject(url)
        truth = {
            row["ticket_number"]: Expectation(cells) for row, cells in zip(subject.rows, subject.truth, strict=True)
        }

        async def changed_site() -> tuple[Path, list[Outcome]]:
            folder = await run(client, subject.spec, subject.rows)
            return folder, outcomes_of("tickets", Drift(("reorder",)), folder, truth)

        flow = await compile_on_plain_site(client, subject)
        monkeypatch.setenv(VARIABLE, "reorder")
        folder, before = await changed_site()
        assert {(one.verdict, one.healed > 0) for one in before} == {("right", True)}

        version = flow.version
        heals = heals_of_samples(read_recordings(FolderSource(folder)).samples, version.name, version.hash)
        assert set(heals) == set(truth)
        assert isinstance(await publish(client, flow, heals, no_samples), HealRefused)  # nothing to check it with
        one, other = await asyncio.gather(*(publish(client, flow, heals) for _ in range(2)))
        if isinstance(one, HealTaken):
            one, other = other, one
        assert isinstance(one, HealPublished)
        assert other == HealTaken(one.hash)
        assert {change.subject for change in one.reason.changes} >= {"assignee", "due_date"}
        assert "Properties" in one.reason.diff

        shown = await get_workflow(client.bus, version.name)
        assert isinstance(shown, WorkflowShown)
        told = msgspec.json.decode(shown.files[HEAL_FILE], type=HealReason)
        assert (shown.workflow.hash, told.replaced, told.run_id) == (one.hash, version.hash, "run_2")
        assert shown.workflow.samples == version.samples != ""

        _, after = await changed_site()
        assert {(one.verdict, one.healed) for one in after} == {("right", 0)}
        assert isinstance(await publish(client, flow, heals), HealTaken)

        again = await roll_back(client.bus, version.name, version.hash, author="test")
        now = await get_workflow(client.bus, version.name)
        assert isinstance(now, WorkflowShown)
        assert (now.workflow.hash, HEAL_FILE in now.files) == (again, False)


def versions_of(folder: Path) -> list[tuple[str, bool]]:
    """Return the version that each sample used, and whether it found something in another way; by their beginning."""
    found: list[tuple[str, str, bool]] = []
    for path in folder.glob("*/action_log.json"):
        steps = json.loads(path.read_text())
        hashes = {step["flow"]["hash"] for step in steps if step.get("flow")}
        assert len(hashes) == 1, "a sample keeps the version that it began with"
        found.append((steps[0]["started_at"], hashes.pop(), any(step.get("heals") for step in steps)))
    return [(hash, healed) for _, hash, healed in sorted(found)]


async def test_a_run_goes_on_with_the_version_that_its_samples_call_for(with_library, monkeypatch):
    async with tickets_server.serve() as url, run_embedded(with_library) as client:
        subject = tickets_subject(url)
        tickets = [one for one in tickets_of() if one.assignee is not None and one.due_date is not None][:24]
        rows = [{"ticket_number": one.number, "url": f"{url}/tickets/{one.number}"} for one in tickets]
        flow = await compile_on_plain_site(client, subject)
        monkeypatch.setenv(VARIABLE, "reorder")
        folder = await run(client, {**subject.spec, "concurrency": 1}, rows)
        table = {row["ticket_number"]: row for row in rows_of(folder / "combined.csv")}
        for one in tickets:
            assert one.due_date is not None
            got = table[one.number]
            assert (got["status"], got["assignee"], got["due_date"]) == ("done", one.assignee, one.due_date.isoformat())
        used = versions_of(folder)
        shown = await get_workflow(client.bus, flow.version.name)
        assert isinstance(shown, WorkflowShown)
        assert used[0] == (flow.version.hash, True)
        assert used[-1] == (shown.workflow.hash, False) != (flow.version.hash, False)
        assert [healed for hash, healed in used if hash == shown.workflow.hash].count(True) == 0
        assert HEAL_FILE in shown.files

        off = await run(client, {**subject.spec, "heal": "off", "workflow": "off"}, rows[:2])
        assert rows_of(off / "combined.csv")[0]["status"] == "done"
        await roll_back(client.bus, flow.version.name, flow.version.hash, author="test")
        again = await run(client, {**subject.spec, "concurrency": 1}, rows[:2])
        assert {hash for hash, _ in versions_of(again)} == {flow.version.hash}, "a person has decided"
