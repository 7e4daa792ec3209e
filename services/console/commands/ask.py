"""`exhibit ask`: a sentence becomes a task spec, is shown, saved, and run when told to."""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from rich.console import Console
from rich.json import JSON

from services.console.commands.run.command import Request, system
from shared.client import RunRejectedError
from shared.contracts.discovery import Problem
from shared.contracts.planner import DraftRefused, DraftTask, TaskDrafted
from shared.errors import PermanentError
from shared.settings import Settings
from shared.subjects import DRAFT_TASK

DRAFT_BOUND_S = 300.0


@dataclass(frozen=True)
class Asked:
    """What was asked for on the command line."""

    request: str
    folder: Path
    force: bool
    as_json: bool


@dataclass(frozen=True)
class Saved:
    """The files that were written. ``rows`` are samples that the sentence itself named."""

    spec: Path
    discovery: Path | None
    discovery_row: dict[str, str]
    rows: tuple[dict[str, str], ...]
    only_lists: bool


async def draft(settings: Settings, asked: Asked) -> Saved:
    """Drafts, shows and saves. Raises RunRejectedError with all that is wrong, PermanentError where there is no key."""
    async with system(settings, ("planner",)) as client:
        reply = await client.bus.ask(DRAFT_TASK, DraftTask(request=asked.request), timeout_s=DRAFT_BOUND_S)
    if isinstance(reply, DraftRefused):
        raise RunRejectedError(reply.problems)
    saved = save(reply, asked)
    if asked.as_json:
        sys.stdout.write(json.dumps(_told(reply, saved), ensure_ascii=False) + "\n")
    else:
        show(reply, saved, Console())
    return saved


def save(drafted: TaskDrafted, asked: Asked) -> Saved:
    """One file a task, never over one that is there unless told to."""
    spec = asked.folder / f"{drafted.spec['task_id']}.json"
    discovery = asked.folder / f"{drafted.discovery['task_id']}.json" if drafted.discovery is not None else None
    files = {spec: drafted.spec}
    if discovery is not None and drafted.discovery is not None:
        files[discovery] = drafted.discovery
    written = [*files, *([rows_file(spec)] if drafted.samples else [])]
    there = [path for path in written if path.exists() and not asked.force]
    if there:
        told = "a file of this name is there already; --force writes over it, --out takes another folder"
        raise RunRejectedError([Problem(where=str(path), message=told) for path in there])
    for path, data in files.items():
        _write(path, data)
    only_lists = drafted.spec.get("phase") == "discovery"
    return Saved(spec, discovery, drafted.discovery_row, drafted.samples, only_lists)


def show(drafted: TaskDrafted, saved: Saved, console: Console) -> None:
    """The task as it will run, what is still open, and what to type next."""
    if drafted.explanation:
        console.print(drafted.explanation, highlight=False, markup=False)
    for path in filter(None, (saved.discovery, saved.spec)):
        console.rule(str(path), align="left")
        console.print(JSON(path.read_text(encoding="utf-8")))
    for question in drafted.open_questions:
        console.print(f"? {question}", style="yellow", highlight=False, markup=False)
    cost = f", ${drafted.usage.cost_usd:.4f}" if drafted.usage.cost_usd else ""
    console.print(f"Drafted by {drafted.drafted_by}{cost}. It validates; nothing was run.", highlight=False)
    console.print(f"Run it with:\n  {how_to_run(saved)}", highlight=False, markup=False, soft_wrap=True)


def how_to_run(saved: Saved) -> str:
    """As a shell takes it, whatever a model has written into it."""
    row = "".join(f" --with {quote(f'{name}={value}')}" for name, value in saved.discovery_row.items())
    spec = quote(str(saved.spec))
    if saved.discovery is not None:
        return f"exhibit run {spec} --discover {quote(str(saved.discovery))}{row}"
    return f"exhibit run {spec}{row}" + ("" if saved.only_lists else " --input SAMPLES.csv")


def to_run(saved: Saved, given: Path | None, *, as_json: bool) -> Request:
    """The run of what was drafted. ``given`` is an input file; without one, the rows that the sentence named."""
    found = saved.only_lists or saved.discovery is not None
    samples = given if given is not None or found else write_rows(saved)
    row = tuple(f"{name}={value}" for name, value in saved.discovery_row.items())
    return Request(saved.spec, samples, None, None, None, as_json, saved.discovery, row)


def write_rows(saved: Saved) -> Path | None:
    """The rows that the sentence named, as an input file beside the spec."""
    if not saved.rows:
        return None
    path = rows_file(saved.spec)
    columns = list(dict.fromkeys(name for row in saved.rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(saved.rows)
    return path


def rows_file(spec: Path) -> Path:
    return spec.with_suffix(".csv")


def _write(path: Path, data: dict[str, Any]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    except OSError as exc:
        raise PermanentError(f"{path} cannot be written: {exc.strerror}", code="cannot_write") from exc


def _told(drafted: TaskDrafted, saved: Saved) -> dict[str, Any]:
    return {
        "spec": drafted.spec,
        "discovery": drafted.discovery,
        "discovery_row": drafted.discovery_row,
        "samples": list(drafted.samples),
        "explanation": drafted.explanation,
        "open_questions": list(drafted.open_questions),
        "files": [str(path) for path in (saved.spec, saved.discovery) if path is not None],
        "run": how_to_run(saved),
        "drafted_by": drafted.drafted_by,
        "cost_usd": drafted.usage.cost_usd,
    }
