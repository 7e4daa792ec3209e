"""`exhibit ask`: draft a task spec from a sentence; print it, save it, and run it with --run."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.json import JSON

from services.console import exits
from services.console import task_drafting as drafting
from services.console.commands.run.run import exit_code_of, run_batch
from services.console.event_loop import run_async
from services.console.options import AsJson, Evidence, Nats, load_settings
from services.console.terminal.plain_console import PlainConsole
from shared.contracts.discovery import Problem
from shared.contracts.planner import DraftRefused, TaskDrafted
from shared.errors import PermanentError, RunRejectedError
from shared.host.connections import open_client
from shared.settings import Settings


@dataclass(frozen=True)
class DraftFiles:
    """The files that were written. ``rows`` are the samples that the sentence named."""

    spec: Path
    discovery: Path | None
    discovery_row: dict[str, str]
    rows: tuple[dict[str, str], ...]
    lists_only: bool


def ask(
    request: Annotated[list[str], typer.Argument(help='What to collect and where: "Go to https://... and get ..."')],
    out: Annotated[Path, typer.Option(help="Folder for the task spec.")] = Path("task_specs"),
    force: Annotated[bool, typer.Option(help="Overwrite a spec of the same name.")] = False,
    run_it: Annotated[bool, typer.Option("--run", help="Run the task once it is drafted.")] = False,
    input_file: Annotated[Path | None, typer.Option("--input", help="With --run: the samples, CSV or XLSX.")] = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> int:
    """Draft a task spec from a sentence: it is checked, shown and saved, and runs when you say so."""
    work = draft_task(load_settings(nats), " ".join(request), out, force=force, as_json=as_json)
    files = run_async(work)
    if not run_it:
        return exits.OK
    batch = run_batch(
        load_settings(nats, evidence),
        spec_file=files.spec,
        input_file=samples_file(files, input_file),
        discovery_file=files.discovery,
        filled_with=tuple(f"{name}={value}" for name, value in files.discovery_row.items()),
        as_json=as_json,
    )
    return exit_code_of(run_async(batch))


async def draft_task(settings: Settings, request: str, folder: Path, *, force: bool, as_json: bool) -> DraftFiles:
    """Draft, save and print the task. Raises RunRejectedError with all problems, PermanentError without a key."""
    async with open_client(settings, ("planner",)) as client:
        reply = await drafting.draft_task(client.bus, request)
    if isinstance(reply, DraftRefused):
        raise RunRejectedError(reply.problems)
    files = save_draft(reply, folder, force=force)
    if as_json:
        sys.stdout.write(json.dumps(_to_json_object(reply, files), ensure_ascii=False) + "\n")
    else:
        print_draft(reply, files, PlainConsole())
    return files


def save_draft(drafted: TaskDrafted, folder: Path, *, force: bool) -> DraftFiles:
    """Write one file per task. Raises RunRejectedError when a file exists already and ``force`` is off."""
    spec = folder / f"{drafted.spec['task_id']}.json"
    discovery = folder / f"{drafted.discovery['task_id']}.json" if drafted.discovery is not None else None
    files = {spec: drafted.spec}
    if discovery is not None and drafted.discovery is not None:
        files[discovery] = drafted.discovery
    written = [*files, *([rows_path(spec)] if drafted.samples else [])]
    existing = [path for path in written if path.exists() and not force]
    if existing:
        message = "a file of this name is there already; --force writes over it, --out takes another folder"
        raise RunRejectedError([Problem(where=str(path), message=message) for path in existing])
    for path, data in files.items():
        _write_json(path, data)
    lists_only = drafted.spec.get("phase") == "discovery"
    return DraftFiles(spec, discovery, drafted.discovery_row, drafted.samples, lists_only)


def print_draft(drafted: TaskDrafted, files: DraftFiles, console: Console) -> None:
    """Print the task, its open questions, and the command that runs it."""
    if drafted.explanation:
        console.print(drafted.explanation, highlight=False, markup=False)
    for path in filter(None, (files.discovery, files.spec)):
        console.rule(str(path), align="left")
        console.print(JSON(path.read_text(encoding="utf-8")))
    for question in drafted.open_questions:
        console.print(f"? {question}", style="yellow", highlight=False, markup=False)
    cost = f", ${drafted.usage.cost_usd:.4f}" if drafted.usage.cost_usd else ""
    console.print(f"Drafted by {drafted.drafted_by}{cost}. It validates; nothing was run.", highlight=False)
    console.print(f"Run it with:\n  {run_command(files)}", highlight=False, markup=False, soft_wrap=True)


def run_command(files: DraftFiles) -> str:
    """Return the command that runs the draft, quoted for a shell: the names come from a model."""
    row = "".join(f" --with {quote(f'{name}={value}')}" for name, value in files.discovery_row.items())
    spec = quote(str(files.spec))
    if files.discovery is not None:
        return f"exhibit run {spec} --discover {quote(str(files.discovery))}{row}"
    return f"exhibit run {spec}{row}" + ("" if files.lists_only else " --input SAMPLES.csv")


def samples_file(files: DraftFiles, given: Path | None) -> Path | None:
    """Return the input file of the draft's run: ``given``, or a new file with the rows that the sentence named."""
    finds_samples = files.lists_only or files.discovery is not None
    return given if given is not None or finds_samples else write_rows(files)


def write_rows(files: DraftFiles) -> Path | None:
    """Write the rows that the sentence named to a CSV file beside the spec; return None when there are none."""
    if not files.rows:
        return None
    path = rows_path(files.spec)
    path.write_text(drafting.rows_table(files.rows), encoding="utf-8", newline="")
    return path


def rows_path(spec: Path) -> Path:
    return spec.with_suffix(".csv")


def _write_json(path: Path, data: dict[str, Any]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    except OSError as exc:
        raise PermanentError(f"{path} cannot be written: {exc.strerror}", code="cannot_write") from exc


def _to_json_object(drafted: TaskDrafted, files: DraftFiles) -> dict[str, Any]:
    return {
        "spec": drafted.spec,
        "discovery": drafted.discovery,
        "discovery_row": drafted.discovery_row,
        "samples": list(drafted.samples),
        "explanation": drafted.explanation,
        "open_questions": list(drafted.open_questions),
        "files": [str(path) for path in (files.spec, files.discovery) if path is not None],
        "run": run_command(files),
        "drafted_by": drafted.drafted_by,
        "cost_usd": drafted.usage.cost_usd,
    }
