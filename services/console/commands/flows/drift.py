"""`exhibit flows drift|approve`: how far the pages of a run have moved away from its flow, and the healed version."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated

import msgspec
import typer

from services.console import exits
from services.console.commands.workflows.arguments import Author, Library, author_or_user
from services.console.commands.workflows.library import library_settings, open_library
from services.console.options import AsJson, EvidenceOfRun, Nats, RunOrZip, load_settings
from services.console.run_location import find_run
from services.console.terminal.flows_view import drift_table
from services.console.terminal.plain_output import PlainConsole
from shared.client import RunRejectedError
from shared.contracts.discovery import Problem
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.sources.source import NoRun, Unreadable
from shared.flows.healing.drift import drift_of, versions_used
from shared.flows.healing.publishing import (
    HealOutcome,
    HealPublished,
    HealTaken,
    LibrarySamples,
    heals_of_samples,
    publish_heal,
)
from shared.recordings.from_run import RunRecordings, read_recordings
from shared.settings import Settings
from shared.task.spec import check_spec
from shared.text.normal import printable

EXIT_CODES = "Exit codes: 0 published; 1 nothing was published, with the reasons; 2 bad input; 3 cannot run."
Flow = Annotated[str, typer.Option("--flow", help="Name of the flow. Without: the one that most samples used.")]


@dataclass(frozen=True)
class UsedFlow:
    """The version of a flow that most samples of a run used."""

    name: str
    hash: str
    recordings: RunRecordings


def drift(
    run: RunOrZip, flow: Flow = "", evidence: EvidenceOfRun = None, nats: Nats = None, as_json: AsJson = False
) -> None:
    """Show which elements and fields the samples of a run found in another way than recorded, and by what."""
    used = _used(load_settings(nats, evidence), run, flow, as_json=as_json)
    heals = heals_of_samples(used.recordings.samples, used.name, used.hash)
    rows = drift_of(heals)
    if as_json:
        told = {"name": used.name, "version": used.hash, "samples": len(heals), "drift": rows}
        sys.stdout.write(msgspec.json.encode(told).decode() + "\n")
        return
    console = PlainConsole(highlight=False)
    if rows:
        console.print(drift_table(rows))
        console.print()
    healed = sum(any(found) for found in heals.values())
    version = f"{used.name}, version {used.hash[:12]}"
    console.print(f"{version}: {healed} of {len(heals)} samples found something in another way.", markup=False)


def approve(
    run: RunOrZip,
    flow: Flow = "",
    author: Author = "",
    library: Library = None,
    evidence: EvidenceOfRun = None,
    nats: Nats = None,
) -> None:
    """Publish what all samples of a run found in the same other way, if recorded samples come out as before."""
    used = _used(load_settings(nats, evidence), run, flow, as_json=False)
    heals = heals_of_samples(used.recordings.samples, used.name, used.hash)

    async def work() -> HealOutcome:
        spec, problems = check_spec(used.recordings.record.spec)
        if spec is None:
            raise RunRejectedError(problems)
        async with open_library(library_settings(nats, library)) as bus:
            return await publish_heal(
                bus, spec, used.name, used.hash, heals, LibrarySamples(bus),
                author=author_or_user(author), run_id=used.recordings.record.run_id,
            )  # fmt: skip

    outcome = exits.run_async(work())
    if isinstance(outcome, HealPublished):
        typer.echo(printable(outcome.reason.diff, keep="\n"))
        checked = f"checked with {len(outcome.canary)} recorded samples"
        typer.echo(f"{used.name} is version {outcome.hash[:12]} now, {checked}. Back: ", nl=False)
        typer.echo(f"exhibit flows rollback {used.name} {used.hash[:12]}")
        return
    reasons = ["another version was published meanwhile"] if isinstance(outcome, HealTaken) else outcome.problems
    typer.echo("Nothing was published:\n" + "\n".join(f"  {printable(one)}" for one in reasons))
    raise typer.Exit(exits.NOT_ALL_DONE)


def _used(settings: Settings, run: str, flow: str, *, as_json: bool) -> UsedFlow:
    """Return the flow that the run used. What is wrong ends the command."""
    try:
        with exits.bad_input("RUN", as_json=as_json), open_source(settings, find_run(settings, run)) as source:
            recordings = read_recordings(source)
    except (NoRun, Unreadable) as exc:
        exits.print_problems([Problem(where=run, message=str(exc))], as_json=as_json)
        raise typer.Exit(exits.BAD_INPUT) from None
    used = {key: count for key, count in versions_used(recordings.samples).items() if not flow or key[0] == flow}
    if not used:
        message = f"no sample of it used the flow {flow}" if flow else "no sample of it used a flow"
        exits.print_problems([Problem(where=run, message=message)], as_json=as_json)
        raise typer.Exit(exits.BAD_INPUT)
    name, hash = max(sorted(used), key=lambda key: used[key])
    return UsedFlow(name, hash, recordings)
