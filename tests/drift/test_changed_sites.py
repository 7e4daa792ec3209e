"""Flows that were compiled on the plain practice sites run on changed ones: nothing wrong is ever done, and what they
find in another way becomes the next version once, after recorded samples have confirmed it.

The tables are printed (``pytest -s``). `make test-long` tries all switches alone and in pairs with every family,
`make bench-drift` with more samples.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from practice.comparing import rows_of
from practice.drift import KNOWN, OTHER_MEANING, VARIABLE, Drift, alone, pairs
from practice.tickets import server as tickets_server
from practice.tickets.data import ground_truth as tickets_of
from shared.client import Client
from shared.client.workflow_calls import get_workflow
from shared.contracts.workflows.heals import LEAST_HEALED, FlowHealing, Heal
from shared.contracts.workflows.library import WorkflowShown
from shared.contracts.workflows.samples import SampleSet
from shared.evidence_format.sources.folder import FolderSource
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
from shared.recordings.from_run import read_recordings
from shared.recordings.recording import Recording
from shared.streams import FLOW_HEALS
from shared.testing.settings import library_settings
from tests.drift.flows import (
    Compiled,
    Subject,
    compile_on_plain_site,
    keep_as_compiled,
    measure,
    publish_compiled,
    record_on_plain_site,
    run,
    run_drifted,
    told,
)
from tests.drift.outcomes import Expectation, Outcome, outcomes_of, table_of
from tests.drift.subjects import FAMILIES, tickets_subject

pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass(frozen=True)
class Recorded:
    """Tickets at ``url``, and the samples that flows of them are compiled from."""

    client: Client
    url: str
    samples: Sequence[Recording]

    async def compiled(self, name: str) -> tuple[Subject, Compiled]:
        """Publish a flow for a task of its own, of which nothing is known yet."""
        subject = tickets_subject(self.url, 2)
        subject = replace(subject, spec={**subject.spec, "task_id": name})
        flow = await publish_compiled(self.client, subject, self.samples)
        # What heals have come to is kept by the content of a flow, which is the same for all of these tasks.
        await self.client.bus.modify(FLOW_HEALS, flow.version.hash, FlowHealing, _forgotten)
        return subject, flow


def _forgotten(known: FlowHealing | None) -> FlowHealing | None:
    return None if known is None else FlowHealing()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def recorded(client: Client) -> AsyncGenerator[Recorded]:
    async with tickets_server.serve() as url:
        yield Recorded(client, url, await record_on_plain_site(client, tickets_subject(url)))


# --- what becomes of samples

LEAST_DONE = 0.9
"""Share of the samples on what a person would call the same page that are done, and right."""


def assert_nothing_wrong(outcomes: list[Outcome]) -> None:
    print(f"\n{told(outcomes)}\n\n{table_of(outcomes)}")
    assert [one for one in outcomes if one.verdict == "false"] == []
    assert {one.verdict for one in outcomes if not one.drift} <= {"right"}
    same = [one for one in outcomes if one.drift and one.drift.is_same_page]
    assert sum(one.verdict == "right" for one in same) >= LEAST_DONE * len(same)
    assert any(one.healed for one in same), "no switch has changed what the flow looks for"


async def test_nothing_wrong_is_done_with_a_changed_ticket(recorded: Recorded):
    subject, flow = await recorded.compiled("tickets_changed")
    await keep_as_compiled(recorded.client, flow)
    changes = ("rename", "reorder,wrap", "popup,iframe,lookalike")
    assert_nothing_wrong(await run_drifted(recorded.client, subject, [Drift.of(one) for one in changes]))


async def test_nothing_wrong_is_done_where_a_search_leads_to_a_changed_page(client: Client):
    async with FAMILIES["people"](1) as subject:
        await keep_as_compiled(client, await compile_on_plain_site(client, subject))
        all_but_other_words = Drift(one for one in KNOWN if one not in OTHER_MEANING)
        assert_nothing_wrong(await run_drifted(client, subject, [all_but_other_words]))


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("family", list(FAMILIES))
async def test_nothing_wrong_is_done_with_any_pair_of_changes(tmp_path: Path, family: str):
    async with FAMILIES[family](1) as subject:
        settings = library_settings(tmp_path, planner="rules")
        assert_nothing_wrong(await measure(settings, subject, [*alone(), *pairs()]))


# --- what becomes of heals


SAMPLES = 2 * LEAST_HEALED + 2
"""Enough for the run to publish what the first of them have found, beside its work, and to use it."""


async def publish(
    client: Client, flow: Compiled, heals: Mapping[str, Sequence[Heal]], samples_of: VersionSamples | None = None
) -> HealOutcome:
    version, samples_of = flow.version, samples_of or LibrarySamples(client.bus)
    return await publish_heal(
        client.bus, flow.spec, version.name, version.hash, heals, samples_of, author="test", run_id="run_2"
    )


async def no_samples(name: str, hash: str) -> tuple[Sequence[Recording], SampleSet | None]:
    return (), None


async def test_one_worker_publishes_a_heal_and_the_others_take_it(recorded: Recorded, monkeypatch: pytest.MonkeyPatch):
    client = recorded.client
    subject, flow = await recorded.compiled("tickets_of_workers")
    truth = {row["ticket_number"]: Expectation(cells) for row, cells in zip(subject.rows, subject.truth, strict=True)}

    async def changed_site() -> tuple[Path, list[Outcome]]:
        folder = await run(client, subject.spec, subject.rows)
        return folder, outcomes_of("tickets", Drift(("reorder", "popup")), folder, truth)

    monkeypatch.setenv(VARIABLE, "reorder,popup")
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
    closings = [line for line in one.reason.diff.splitlines() if line.startswith("+") and "try_click(" in line]

    shown = await get_workflow(client.bus, version.name)
    assert isinstance(shown, WorkflowShown)
    assert closings, "the popup that each sample met is closed by the flow from now on"
    assert all(line[1:] in shown.source.splitlines() for line in closings)
    reason = msgspec.json.decode(shown.files[HEAL_FILE], type=HealReason)
    assert (shown.workflow.hash, reason.replaced, reason.run_id) == (one.hash, version.hash, "run_2")
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


async def test_a_run_goes_on_with_the_version_that_its_samples_call_for(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch
):
    client = recorded.client
    subject, flow = await recorded.compiled("tickets_of_a_run")
    spec = {**subject.spec, "concurrency": 1}
    tickets = [one for one in tickets_of() if one.assignee is not None and one.due_date is not None][:SAMPLES]
    rows = [{"ticket_number": one.number, "url": f"{recorded.url}/tickets/{one.number}"} for one in tickets]
    monkeypatch.setenv(VARIABLE, "reorder")
    folder = await run(client, spec, rows)
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

    off = await run(client, {**spec, "heal": "off", "workflow": "off"}, rows[:1])
    assert rows_of(off / "combined.csv")[0]["status"] == "done"
    await roll_back(client.bus, flow.version.name, flow.version.hash, author="test")
    again = await run(client, spec, rows[:1])
    assert {hash for hash, _ in versions_of(again)} == {flow.version.hash}, "a person has decided"
