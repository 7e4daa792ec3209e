"""Heals published: a proposal that recorded samples have confirmed becomes the next version, once for all workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec

from shared.bus.ports import Asks
from shared.client.workflow_calls import create_workflow, get_workflow
from shared.client.workflow_samples import SampleBus, load_samples
from shared.contracts.discovery import RunRecord
from shared.contracts.workflows.heals import Heal
from shared.contracts.workflows.library import WorkflowCreated, WorkflowShown, WorkflowUnknown
from shared.contracts.workflows.samples import SampleSet
from shared.errors import RunRejectedError
from shared.flows.checking.validation import Losses, validate_flow
from shared.flows.compiling.compiler import CompiledFlow
from shared.flows.files import fields_without_rules, parse_files, write_files
from shared.flows.healing.proposals import Heals, propose_heal
from shared.flows.healing.versions import HEAL_FILE, HealReason
from shared.recordings.packing import checked_recording
from shared.recordings.recording import Recording
from shared.task.spec import TaskSpec, check_spec


class VersionSamples(Protocol):
    """Returns the recorded samples that are kept with a version, and their set; none, where there are none."""

    async def __call__(self, name: str, hash: str) -> tuple[Sequence[Recording], SampleSet | None]: ...


class LibrarySamples:
    """The samples that the library keeps with a version."""

    def __init__(self, bus: SampleBus) -> None:
        self._bus = bus

    async def __call__(self, name: str, hash: str) -> tuple[Sequence[Recording], SampleSet | None]:
        """Raises ValueError where what is kept is no sample."""
        loaded = await load_samples(self._bus, f"{name}@{hash}")
        if isinstance(loaded, WorkflowUnknown) or loaded.told is None:
            return (), None
        return [checked_recording(one, loaded.data[one.sha256]) for one in loaded.told.samples], loaded.told


@dataclass(frozen=True)
class HealPublished:
    """The new version. ``canary``: the samples that it was checked with."""

    hash: str
    reason: HealReason
    canary: tuple[str, ...]


@dataclass(frozen=True)
class HealTaken:
    """Another worker has published a version meanwhile: it is used."""

    hash: str


@dataclass(frozen=True)
class HealRefused:
    """Nothing was published. ``problems``: why."""

    problems: tuple[str, ...]


HealOutcome = HealPublished | HealTaken | HealRefused


async def publish_heal(
    asks: Asks,
    spec: TaskSpec,
    name: str,
    used: str,
    heals: Heals,
    samples_of: VersionSamples,
    *,
    author: str,
    run_id: str = "",
) -> HealOutcome:
    """Publish what the samples of a run call for, if the recorded samples of the version are done by it as before.

    ``used``: the hash of the version that the samples used. Of several workers that do this at once, one publishes,
    and the others are told the version that it has published. The new version keeps the samples of the old one. Errors
    of the library are raised.
    """
    shown = await get_workflow(asks, name)
    if not isinstance(shown, WorkflowShown):
        return HealRefused((f"there is no flow {name} any more",))
    if shown.workflow.hash != used:
        return HealTaken(shown.workflow.hash)
    proposal = propose_heal(shown.source, parse_files(shown.files), heals)
    if proposal is None:
        return HealRefused(("no change was found by all samples, in at least two",))
    recorded, kept = await samples_of(name, used)
    given = tuple(one.sample_id for one in recorded)
    left = fields_without_rules(proposal.files)
    flow = CompiledFlow(name, proposal.source, proposal.files, given, (), (), left)
    accepted = shown.workflow.accepted_losses
    validation = await validate_flow(asks, flow, spec, recorded, losses=Losses(frozenset((*left, *accepted))))
    if validation.problems:
        return HealRefused(validation.problems)
    reason = HealReason(replaced=used, run_id=run_id, changes=proposal.changes, diff=proposal.diff)
    told = msgspec.json.format(msgspec.json.encode(reason), indent=1).decode() + "\n"
    files = {**shown.files, **write_files(proposal.files), HEAL_FILE: told}
    created = await create_workflow(
        *(asks, name, proposal.source),
        author=author,
        source_run=run_id or None,
        files=files,
        replace=used,
        samples=kept,
        accepted_losses=accepted,
    )
    if isinstance(created, WorkflowCreated):
        return HealPublished(created.workflow.hash, reason, flow.samples)
    now = await get_workflow(asks, name)
    if isinstance(now, WorkflowShown) and now.workflow.hash != used:
        return HealTaken(now.workflow.hash)
    return HealRefused(tuple(one.message for one in created.findings))


async def approve_heal(
    bus: SampleBus, record: RunRecord, samples: Sequence[Recording], name: str, used: str, *, author: str
) -> HealOutcome:
    """Publish what the samples of this run call for, as `publish_heal`, because a person says so.

    ``used``: the hash of the version that the samples used. Raises RunRejectedError where the spec of the run is none.
    """
    spec, problems = check_spec(record.spec)
    if spec is None:
        raise RunRejectedError(problems)
    heals = heals_of_samples(samples, name, used)
    kept = LibrarySamples(bus)
    return await publish_heal(bus, spec, name, used, heals, kept, author=author, run_id=record.run_id)


async def roll_back(asks: Asks, name: str, hash: str, *, author: str, samples: SampleSet | None = None) -> str:
    """Publish an old version of a flow again, or the current one that was set aside, and return its hash. Raises
    ValueError where that cannot be done.

    ``samples``: those that the library keeps with the old version; they stay with it."""
    old, now = await get_workflow(asks, f"{name}@{hash}"), await get_workflow(asks, name)
    if not isinstance(old, WorkflowShown) or not isinstance(now, WorkflowShown):
        raise ValueError(f"{name} has no version {hash}")
    if now.workflow.hash == old.workflow.hash and not now.set_aside:
        return now.workflow.hash
    created = await create_workflow(
        *(asks, name, old.source),
        author=author,
        files=old.files,
        replace=now.workflow.hash,
        samples=samples,
        accepted_losses=old.workflow.accepted_losses,
    )
    if not isinstance(created, WorkflowCreated):
        raise ValueError("; ".join(one.message for one in created.findings))
    return created.workflow.hash


def heals_of_samples(samples: Sequence[Recording], name: str, hash: str) -> dict[str, list[Heal]]:
    """Return the heals of each sample of a run that used this version of the flow."""
    return {
        one.sample_id: [heal for step in one.steps for heal in step.heals]
        for one in samples
        if any(step.flow is not None and (step.flow.name, step.flow.hash) == (name, hash) for step in one.steps)
    }
