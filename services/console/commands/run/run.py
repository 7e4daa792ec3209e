"""`exhibit run`: submit a run or resume one, watch it and print its summary."""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import aclosing
from dataclasses import replace
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.console import Console

from services.console import exits
from services.console.commands.run.inputs import Reconciling, RunInputs, read_inputs
from services.console.commands.run.precheck import check_inputs
from services.console.commands.run.webhook_wait import has_webhook, wait_for_webhook, webhook_text
from services.console.commands.validate import warn_of_spec
from services.console.event_loop import run_async
from services.console.options import (
    AsJson,
    Concurrency,
    Discover,
    Encoding,
    Evidence,
    FilledWith,
    HiddenRows,
    Nats,
    Sheets,
    load_settings,
    read_as,
)
from services.console.run_location import LAST, locate_run, remember_run
from services.console.terminal.plain_console import PlainConsole
from services.console.terminal.plain_output import print_err
from services.console.terminal.run_view import LineRunView, LiveRunView, RunView, SilentRunView, run_summary
from services.console.text.tally import Tally
from shared.contracts.discovery import AS_IT_IS, Problem, ReadAs, RunAccepted
from shared.contracts.evidence import KnownRun, RunFinished, RunsFound
from shared.errors import PermanentError, RunRejectedError
from shared.evidence_format.reading_words import reading_lines
from shared.host.connections import open_client
from shared.settings import Settings, with_capacity

if TYPE_CHECKING:
    from shared.client import Client


def run(
    spec: Annotated[Path | None, typer.Argument(help="The task spec, a JSON file.")] = None,
    input_file: Annotated[Path | None, typer.Option("--input", help="The samples: CSV or XLSX, with a header.")] = None,
    evidence: Evidence = None,
    planner: Annotated[str | None, typer.Option(help="Who decides: rules, anthropic or operator.")] = None,
    concurrency: Concurrency = None,
    resume: Annotated[
        str | None,
        typer.Option(
            help="Work on what is left of this run: its id, its folder, s3://..., or `last`: of this SPEC and --input."
        ),
    ] = None,
    discover: Discover = None,
    filled_with: FilledWith = None,
    mode: Annotated[
        str | None,
        typer.Option(
            help="Who works: flow (the published flow of the task; rules where it stops), agent (the planner without a "
            "flow), or auto (flow, then the planner; a flow that is missing is compiled from the first samples)."
        ),
    ] = None,
    heal: Annotated[
        str | None,
        typer.Option(
            help="What a flow may do on a page that has changed: off (it stops), recorded (it goes by what else was "
            "recorded), or planner (a model is asked once for an element that is lost). As the key `heal` of the SPEC."
        ),
    ] = None,
    reconcile: Annotated[
        Path | None,
        typer.Option(help="Compare the population with this file, both ways: CSV, XLSX, or a JSON list of objects."),
    ] = None,
    key: Annotated[
        str | None, typer.Option(help="With --reconcile: the field of the SPEC that names a record in the file.")
    ] = None,
    fold_keys: Annotated[
        bool, typer.Option("--fold-keys", help="Keys that differ only in case, blanks or Unicode form are the same.")
    ] = False,
    sheet: Sheets = None,
    encoding: Encoding = None,
    hidden_rows: HiddenRows = None,
    register_sheet: Annotated[
        list[str] | None, typer.Option("--register-sheet", help="As --sheet, of the file of --reconcile.")
    ] = None,
    register_encoding: Annotated[
        str | None, typer.Option("--register-encoding", help="As --encoding, of the file of --reconcile.")
    ] = None,
    register_hidden_rows: Annotated[
        str | None, typer.Option("--register-hidden-rows", help="As --hidden-rows, of the file of --reconcile.")
    ] = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> int:
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
        heal=heal,
        reconciling=Reconciling(
            reconcile, key, fold_keys, read_as(register_sheet, register_encoding, register_hidden_rows)
        ),
        how_read=read_as(sheet, encoding, hidden_rows),
        as_json=as_json,
    )
    return exit_code_of(run_async(work))


def exit_code_of(finished: RunFinished) -> int:
    """Return 1 when not every sample is done or the population is incomplete."""
    all_done = finished.population_complete and all(outcome.status == "done" for outcome in finished.outcomes)
    return exits.OK if all_done else exits.NOT_ALL_DONE


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
    heal: str | None = None,
    reconciling: Reconciling | None = None,
    how_read: ReadAs = AS_IT_IS,
    as_json: bool = False,
) -> RunFinished:
    """Run a batch to its end and print it. Raises RunRejectedError with all problems when nothing was started."""
    inputs = read_inputs(
        spec_file=spec_file,
        input_file=input_file,
        discovery_file=discovery_file,
        filled_with=filled_with,
        resume=resume,
        mode=mode,
        heal=heal,
        reconciling=reconciling,
        read_as=how_read,
    )
    reconciling = reconciling or Reconciling()
    if resume is None and settings.nats_url is None:
        for reading in check_inputs(inputs, reconciling, planner=planner, concurrency=concurrency):
            print_err("".join(f"exhibit: {line}\n" for line in reading_lines(reading)))
    settings, resume = locate_resumed(settings, resume)
    resumes_last = resume == LAST
    console = PlainConsole(stderr=as_json)
    async with open_client(settings) as client:
        resume, inputs = await _resolve_last(client, resume, inputs)
        accepted = await submit_inputs(
            client, inputs, reconciling, resume=resume, planner=planner, concurrency=concurrency
        )
        if resume is None and inputs.spec is not None:
            warn_of_spec(inputs.spec)
        if resumes_last:
            print_err(f"exhibit: going on with {accepted.run_id}; {accepted.already_done} of its samples are done\n")
        title = str((inputs.spec or {}).get("task_id") or f"resuming {resume}")
        remember_run(settings, accepted.run_id)
        tally = await _watch(client, accepted, _run_view(console, title, as_json=as_json), settings)
        assert tally.finished is not None
        if has_webhook(settings):
            delivery = await wait_for_webhook(client.bus, tally.finished, elapsed_s=time.monotonic)
            print_err(f"exhibit: {webhook_text(delivery)}\n")
    if as_json:
        sys.stdout.write(msgspec.json.encode(tally.finished).decode() + "\n")
    else:
        console.print(run_summary(tally.finished, tally, Path.cwd()), highlight=False, soft_wrap=True)
    return tally.finished


async def submit_inputs(
    client: Client,
    inputs: RunInputs,
    reconciling: Reconciling,
    *,
    resume: str | None,
    planner: str | None,
    concurrency: int | None,
) -> RunAccepted:
    """Request the run. Raises RunRejectedError with every problem that discovery finds."""
    return await client.submit(
        inputs.spec,
        file=inputs.file,
        rows=[] if resume is None and inputs.names_no_samples else None,
        resume=resume,
        discovery=inputs.discovery,
        discovery_row=dict(inputs.row),
        planner=planner,
        concurrency=concurrency,
        mode=inputs.mode,
        requested_by=user_name(),
        reconcile=inputs.register,
        key=reconciling.key or "",
        fold_keys=reconciling.fold_keys,
        read_as=inputs.read_as,
        register_as=reconciling.read_as,
    )


async def _resolve_last(client: Client, resume: str | None, inputs: RunInputs) -> tuple[str | None, RunInputs]:
    """Replace ``last`` by the id of the run; for a new run, warn when the one before is unfinished."""
    if resume == LAST:
        run_id = await find_run_to_resume(client, inputs)
        return run_id, replace(inputs, file=None, discovery=None, row=())
    if resume is None:
        await warn_about_unfinished(client, inputs)
    return resume, inputs


def _run_view(console: Console, title: str, *, as_json: bool) -> RunView:
    if as_json:
        return SilentRunView()
    return LiveRunView(console, title, time.monotonic) if console.is_terminal else LineRunView(console)


async def _watch(client: Client, accepted: RunAccepted, view: RunView, settings: Settings) -> Tally:
    tally = Tally(accepted.run_id, accepted.attempt_base, accepted.already_done)
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
        print_err(f"\nno longer watching; {finished}. The run {tally.run_id} goes on at {settings.nats_url}.\n")
        return
    print_err(f"\ninterrupted; {finished}.\n")
    if settings.evidence_bucket or (settings.evidence_dir / tally.run_id / "run.json").exists():
        print_err(f"Go on with:\n  exhibit run --resume {tally.run_id} --evidence {settings.evidence_place}\n")


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
    """Return the id of the run that ``--resume last`` means: the latest that was cut off or whose population is not
    complete, else the latest if samples of it are not done. Raises RunRejectedError when there is none."""
    task_id = _task_id(inputs)
    known = await client.runs(task_id, inputs.sha256)
    if known.unfinished is not None:
        return known.unfinished.run_id
    if known.latest is not None and known.latest.not_done:
        return known.latest.run_id
    raise RunRejectedError([Problem(where="--resume last", message=await _nothing_to_resume(client, inputs, known))])


async def _nothing_to_resume(client: Client, inputs: RunInputs, known: RunsFound) -> str:
    task_id = _task_id(inputs)
    of = f" of {task_id}" if task_id is not None else ""
    of += " and this input" if inputs.sha256 is not None else ""
    if known.latest is not None:
        return f"there is no unfinished run{of}: nothing is left to do in {known.latest.run_id}"
    other = (await client.runs(task_id, None)).latest if inputs.sha256 is not None else None
    if other is None:
        return f"there is no unfinished run{of}"
    return (
        f"there is no unfinished run{of}; {other.run_id}, of the same task, has another input, and a resumed run keeps "
        f"its own: leave --resume out to start a new run, or go on with that one by --resume {other.run_id}"
    )


async def warn_about_unfinished(client: Client, inputs: RunInputs) -> None:
    """Print how to resume the latest run of the same task and input, if it is unfinished."""
    if inputs.spec is None or inputs.sha256 is None:
        return
    latest = (await client.runs(_task_id(inputs), inputs.sha256)).latest
    if latest is not None and not latest.finished:
        print_err(_unfinished_text(latest))


def _unfinished_text(run: KnownRun) -> str:
    samples = f" ({run.expected} samples)" if run.expected is not None else ""
    return (
        f"exhibit: {run.run_id}{samples}, of the same task and the same input, is not finished.\n"
        f"Go on with it by --resume {run.run_id}; the next time by --resume last. Another run begins now.\n"
    )


def _task_id(inputs: RunInputs) -> str | None:
    return None if inputs.spec is None else str(inputs.spec.get("task_id"))


def user_name() -> str:
    """Return the name of the user of this machine, which the evidence tells as who asked; empty where there is none."""
    try:
        return getuser()
    except (KeyError, OSError):
        return ""
