"""`exhibit run`: submit a run or resume one, watch it and print its summary."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Coroutine
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console

from services.console import exits
from services.console.commands.run.inputs import RunInputs, read_inputs
from services.console.options import AsJson, Evidence, Nats, load_settings
from services.console.run_location import LAST, locate_run
from services.console.terminal.run_view import LineRunView, LiveRunView, RunView, SilentRunView, run_summary
from services.console.text.tally import Tally
from shared.client import Client, RunRejectedError
from shared.contracts.discovery import RUN_MODES, Problem, RunAccepted, RunMode, find_run_mode
from shared.contracts.evidence import KnownRun, RunFinished
from shared.errors import PermanentError
from shared.host.connections import open_client
from shared.settings import Settings, with_capacity


def run(
    spec: Annotated[Path | None, typer.Argument(help="The task spec, a JSON file.")] = None,
    input_file: Annotated[Path | None, typer.Option("--input", help="The samples: CSV or XLSX, with a header.")] = None,
    evidence: Evidence = None,
    planner: Annotated[str | None, typer.Option(help="Who decides: rules, anthropic or operator.")] = None,
    concurrency: Annotated[int | None, typer.Option(min=1, max=256, help="Samples at a time.")] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            help="Work on what is left of this run: its id, its folder, s3://..., or `last`: of this SPEC and --input."
        ),
    ] = None,
    discover: Annotated[
        Path | None, typer.Option("--discover", help="Find the samples by navigating: a spec of phase discovery.")
    ] = None,
    filled_with: Annotated[
        list[str] | None, typer.Option("--with", help="NAME=VALUE that fills the discovery spec, such as org=acme.")
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            help="Who works: flow (the published flow of the task alone), agent (the planner, without a flow), or auto "
            "(the flow, and the planner where there is none; a flow is compiled from the first samples for the others)."
        ),
    ] = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> None:
    """Collect evidence for every sample of a list, or of what a discovery spec finds."""
    settings = load_settings(nats, evidence)
    if concurrency is not None and nats is None:
        settings = with_capacity(settings, concurrency)
    work = run_batch(
        settings,
        spec_file=spec,
        input_file=input_file,
        discovery_file=discover,
        filled_with=tuple(filled_with or ()),
        resume=resume,
        planner=planner,
        concurrency=concurrency,
        mode=mode,
        as_json=as_json,
    )
    run_and_exit(work, as_json=as_json)


def run_and_exit(work: Coroutine[Any, Any, RunFinished], *, as_json: bool = False) -> None:
    """Await a batch. Raises typer.Exit when not every sample is done or the population is incomplete."""
    finished = exits.run_async(work, as_json=as_json)
    if not finished.population_complete or any(outcome.status != "done" for outcome in finished.outcomes):
        raise typer.Exit(exits.NOT_ALL_DONE)


def parse_mode(written: str | None) -> RunMode | None:
    """Raises RunRejectedError for a word that is no mode."""
    if written is None:
        return None
    known = find_run_mode(written)
    if known is None:
        message = f"{written!r} is no mode; the modes are {', '.join(RUN_MODES)}"
        raise RunRejectedError([Problem(where="--mode", message=message)])
    return known


async def run_batch(
    settings: Settings,
    *,
    spec_file: Path | None,
    input_file: Path | None = None,
    discovery_file: Path | None = None,
    filled_with: tuple[str, ...] = (),
    resume: str | None = None,
    planner: str | None = None,
    concurrency: int | None = None,
    mode: str | None = None,
    as_json: bool = False,
) -> RunFinished:
    """Run a batch to its end and print it. Raises RunRejectedError with all problems when nothing was started."""
    inputs = read_inputs(
        spec_file=spec_file,
        input_file=input_file,
        discovery_file=discovery_file,
        filled_with=filled_with,
        resume=resume,
    )
    settings, resume = locate_resumed(settings, resume)
    console = Console(stderr=as_json)
    async with open_client(settings) as client:
        resume, inputs = await _resolve_last(client, resume, inputs)
        accepted = await client.submit(
            inputs.spec,
            file=inputs.file,
            rows=[] if resume is None and inputs.names_no_samples else None,
            resume=resume,
            discovery=inputs.discovery,
            discovery_row=dict(inputs.row),
            planner=planner,
            concurrency=concurrency,
            mode=parse_mode(mode),
        )
        title = str((inputs.spec or {}).get("task_id") or f"resuming {resume}")
        tally = await _watch(client, accepted, _run_view(console, title, as_json=as_json), settings)
    assert tally.finished is not None
    if as_json:
        sys.stdout.write(msgspec.json.encode(tally.finished).decode() + "\n")
    else:
        console.print(run_summary(tally.finished, tally, Path.cwd()), highlight=False, soft_wrap=True)
    return tally.finished


async def _resolve_last(client: Client, resume: str | None, inputs: RunInputs) -> tuple[str | None, RunInputs]:
    """Replace ``last`` by the id of the run; for a new run, warn when the one before is unfinished."""
    if resume == LAST:
        run_id = await find_run_to_resume(client, inputs)
        sys.stderr.write(f"exhibit: going on with {run_id}\n")
        return run_id, replace(inputs, file=None, discovery=None, row=())
    if resume is None:
        await warn_about_unfinished(client, inputs)
    return resume, inputs


def _run_view(console: Console, title: str, *, as_json: bool) -> RunView:
    if as_json:
        return SilentRunView()
    return LiveRunView(console, title, time.monotonic) if console.is_terminal else LineRunView(console)


async def _watch(client: Client, accepted: RunAccepted, view: RunView, settings: Settings) -> Tally:
    tally = Tally(run_id=accepted.run_id, attempt_base=accepted.attempt_base)
    try:
        async with aclosing(client.watch(accepted.run_id)) as events:
            async for event in events:
                tally.add(event)
                view.show(tally)
                if tally.finished is not None:
                    break
    except asyncio.CancelledError:
        view.close()
        _print_how_to_resume(tally, settings)
        raise
    finally:
        view.close()
    return tally


def _print_how_to_resume(tally: Tally, settings: Settings) -> None:
    more = " found so far" if tally.expected is None else ""
    finished = f"{len(tally.results)} of {tally.expected or tally.found} samples{more} were worked on"
    if settings.nats_url is not None:
        sys.stderr.write(f"\nno longer watching; {finished}. The run {tally.run_id} goes on at {settings.nats_url}.\n")
        return
    sys.stderr.write(f"\ninterrupted; {finished}.\n")
    if settings.evidence_bucket or (settings.evidence_dir / tally.run_id / "run.json").exists():
        sys.stderr.write(f"Go on with:\n  exhibit run --resume {tally.run_id} --evidence {settings.evidence_place}\n")


def locate_resumed(settings: Settings, resume: str | None) -> tuple[Settings, str | None]:
    """Return the settings under which the evidence of the run is found, and the run's id.

    ``last`` stays as it is: it depends on the inputs (see `find_run_to_resume`). Raises RunRejectedError.
    """
    if resume is None or resume == LAST:
        return settings, resume
    try:
        return locate_run(settings, resume)
    except PermanentError as exc:
        raise RunRejectedError([Problem(where="--resume", message=str(exc))]) from None


async def find_run_to_resume(client: Client, inputs: RunInputs) -> str:
    """Return the id of the run that ``--resume last`` means. Raises RunRejectedError when there is none."""
    task_id = _task_id(inputs)
    found = (await client.runs(task_id, inputs.sha256)).unfinished
    if found is None:
        of = f" of {task_id}" if task_id is not None else ""
        of += " and this input" if inputs.sha256 is not None else ""
        raise RunRejectedError([Problem(where="--resume last", message=f"there is no unfinished run{of}")])
    return found.run_id


async def warn_about_unfinished(client: Client, inputs: RunInputs) -> None:
    """Print how to resume the latest run of the same task and input, if it is unfinished."""
    if inputs.spec is None or inputs.sha256 is None:
        return
    latest = (await client.runs(_task_id(inputs), inputs.sha256)).latest
    if latest is not None and not latest.finished:
        sys.stderr.write(_unfinished_text(latest))


def _unfinished_text(run: KnownRun) -> str:
    samples = f" ({run.expected} samples)" if run.expected is not None else ""
    return (
        f"exhibit: {run.run_id}{samples}, of the same task and the same input, is not finished.\n"
        f"Go on with it by --resume {run.run_id}; the next time by --resume last. Another run begins now.\n"
    )


def _task_id(inputs: RunInputs) -> str | None:
    return None if inputs.spec is None else str(inputs.spec.get("task_id"))
