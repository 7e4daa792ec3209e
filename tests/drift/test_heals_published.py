"""A heal becomes the next version once, after recorded samples have confirmed it, and can be rolled back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from practice.drift import VARIABLE
from practice.tickets import server as tickets_server
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
from tests.drift.outcomes import Outcome, outcomes_of
from tests.drift.tickets import tickets_subject


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
        truth = {row["ticket_number"]: cells for row, cells in zip(subject.rows, subject.truth, strict=True)}

        async def changed_site() -> tuple[Path, list[Outcome]]:
            folder = await run(client, subject.spec, subject.rows)
            return folder, outcomes_of("tickets", "reorder", folder, truth, subject.ended)

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
