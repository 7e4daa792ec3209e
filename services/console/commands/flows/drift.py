"""`exhibit flows drift|approve`: how far the pages of a run have moved away from its flow, and the healed version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from services.console import exits
from services.console.commands.workflows.arguments import Author, Library, author_or_user
from services.console.commands.workflows.library import ask_library
from services.console.options import AsJson, EvidenceOfRun, Nats, RunOrZip, load_settings
from services.console.outcomes import CommandOutcome, CommandResult
from services.console.run_location import find_run
from services.console.terminal.flows_view import drift_table
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.sources.source import NoRun, Unreadable
from shared.flows.healing.drift import drift_of, most_used
from shared.flows.healing.publishing import (
    HealOutcome,
    HealPublished,
    HealTaken,
    approve_heal,
    heals_of_samples,
)
from shared.recordings.from_run import RunRecordings, read_recordings
from shared.settings import Settings
from shared.text.normal import printable

if TYPE_CHECKING:
    from shared.bus.nats_bus import Bus

Flow = Annotated[str, typer.Option("--flow", help="Name of the flow. Without: the one that most samples used.")]


@dataclass(frozen=True)
class UsedFlow:
    """The version of a flow that most samples of a run used."""

    name: str
    hash: str
    recordings: RunRecordings


def drift(
    run: RunOrZip, flow: Flow = "", evidence: EvidenceOfRun = None, nats: Nats = None, as_json: AsJson = False
) -> CommandOutcome:
    """Show which elements and fields the samples of a run found in another way than recorded, and by what."""
    used = _used(load_settings(nats, evidence), run, flow)
    heals = heals_of_samples(used.recordings.samples, used.name, used.hash)
    rows = drift_of(heals)
    healed = sum(any(found) for found in heals.values())
    version = f"{used.name}, version {used.hash[:12]}"
    said = Text(f"{version}: {healed} of {len(heals)} samples found something in another way.")
    told = {"name": used.name, "version": used.hash, "samples": len(heals), "drift": rows}
    return CommandResult([drift_table(rows), "", said] if rows else [said], told)


def approve(
    run: RunOrZip,
    flow: Flow = "",
    author: Author = "",
    library: Library = None,
    evidence: EvidenceOfRun = None,
    nats: Nats = None,
) -> CommandOutcome:
    """Publish what all samples of a run found in the same other way, if recorded samples come out as before."""
    used = _used(load_settings(nats, evidence), run, flow)

    async def publish(bus: Bus) -> HealOutcome:
        recorded = used.recordings
        return await approve_heal(
            bus, recorded.record, recorded.samples, used.name, used.hash, author=author_or_user(author)
        )

    outcome = ask_library(nats, library, publish)
    if isinstance(outcome, HealPublished):
        checked = f"checked with {len(outcome.canary)} recorded samples"
        back = f"exhibit flows rollback {used.name} {used.hash[:12]}"
        said = f"{used.name} is version {outcome.hash[:12]} now, {checked}. Back: {back}"
        return CommandResult([printable(outcome.reason.diff, keep="\n"), said])
    reasons = ["another version was published meanwhile"] if isinstance(outcome, HealTaken) else outcome.problems
    lines = ["Nothing was published:", *(f"  {printable(one)}" for one in reasons)]
    return CommandResult(lines, exit_code=exits.NOT_ALL_DONE)


def _used(settings: Settings, run: str, flow: str) -> UsedFlow:
    """Return the flow that the run used. Raises RunRejectedError when there is none."""
    recordings = read_run(settings, run, with_pages=False)
    used = most_used(recordings.samples, flow)
    if used is None:
        raise exits.refused(run, f"no sample of it used the flow {flow}" if flow else "no sample of it used a flow")
    return UsedFlow(*used, recordings)


def read_run(settings: Settings, run: str, *, with_pages: bool = True) -> RunRecordings:
    """Return the recorded samples of a run. Raises RunRejectedError when there is none."""
    try:
        with exits.bad_input("RUN"), open_source(settings, find_run(settings, run)) as source:
            return read_recordings(source, with_pages=with_pages)
    except (NoRun, Unreadable) as exc:
        raise exits.refused(run, str(exc)) from exc
