"""`exhibit run`: submit, watch, summarise."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console

from services.console.commands.run.resume import input_sha256, run_to_resume, say_where_one_was_cut_off
from services.console.run_location import LAST, run_kept
from services.console.terminal.run_view import LineScreen, LiveScreen, NoScreen, Screen, summary
from services.console.terminal.tally import Tally
from shared.client import Client, RunRejectedError, connect
from shared.contracts.discovery import Problem, RunAccepted
from shared.contracts.evidence import RunFinished
from shared.errors import PermanentError
from shared.host.embedded import run_embedded
from shared.host.services import NAMES
from shared.settings import Settings
from shared.task.spec import read_spec

INPUT_SUFFIXES = (".csv", ".tsv", ".xlsx", ".xls")


@dataclass(frozen=True)
class Request:
    """What was asked for on the command line."""

    spec: Path | None
    input: Path | None
    resume: str | None
    planner: str | None
    concurrency: int | None
    as_json: bool
    discover: Path | None = None
    filled_with: tuple[str, ...] = ()
    """``name=value``: what fills the placeholders of the discovery spec."""


async def run_batch(settings: Settings, request: Request) -> RunFinished:
    """Runs a batch to its end and shows it. Raises RunRejectedError with all problems where nothing was started."""
    asked = _read(request)
    settings, request = _resumed(settings, request)
    console = Console(stderr=request.as_json)
    async with system(settings) as client:
        request, asked = await _going_on(client, request, asked)
        accepted = await client.submit(
            asked.spec,
            file=asked.file,
            rows=[] if asked.has_no_samples else None,
            resume=request.resume,
            discovery=asked.discovery,
            discovery_row=asked.row,
            planner=request.planner,
            concurrency=request.concurrency,
        )
        title = str((asked.spec or {}).get("task_id") or f"resuming {request.resume}")
        tally = await _follow(client, accepted, _screen(console, title, request.as_json), settings)
    assert tally.finished is not None
    if request.as_json:
        sys.stdout.write(msgspec.json.encode(tally.finished).decode() + "\n")
    else:
        console.print(summary(tally.finished, tally, Path.cwd()), highlight=False, soft_wrap=True)
    return tally.finished


def _resumed(settings: Settings, request: Request) -> tuple[Settings, Request]:
    """The run of --resume by its id, and the settings under which its evidence is found."""
    if request.resume is None or request.resume == LAST:
        return settings, request
    try:
        settings, run_id = run_kept(settings, request.resume)
    except PermanentError as exc:
        raise RunRejectedError([Problem(where="--resume", message=str(exc))]) from None
    return settings, replace(request, resume=run_id)


async def _going_on(client: Client, request: Request, asked: _Asked) -> tuple[Request, _Asked]:
    """The request with ``--resume last`` resolved; where another one was cut off, it says so."""
    sha256 = input_sha256(asked.spec, asked.file, asked.discovery, asked.row)
    if request.resume == LAST:
        run_id = await run_to_resume(client, asked.spec, sha256)
        sys.stderr.write(f"exhibit: going on with {run_id}\n")
        return replace(request, resume=run_id), replace(asked, file=None, discovery=None, row={})
    if request.resume is None and asked.spec is not None and sha256 is not None:
        await say_where_one_was_cut_off(client, asked.spec, sha256)
    return request, asked


@asynccontextmanager
async def system(settings: Settings, names: Iterable[str] = NAMES) -> AsyncGenerator[Client]:
    """The bus the settings name, or a system of our own with the named services, for as long as it is needed."""
    manager = run_embedded(settings, names) if settings.nats_url is None else connect(settings.nats_url)
    async with manager as client:
        yield client


@dataclass(frozen=True)
class _Asked:
    """The request with its files read."""

    spec: dict[str, Any] | None
    file: tuple[str, bytes] | None
    discovery: dict[str, Any] | None
    row: dict[str, str]
    resumes: bool

    @property
    def has_no_samples(self) -> bool:
        finds = self.discovery is not None or (self.spec or {}).get("phase") == "discovery"
        return self.file is None and not self.resumes and not finds


def _read(request: Request) -> _Asked:
    """The specs and the input as they are on disk; all that cannot be read is said at once."""
    problems: list[Problem] = []
    spec: dict[str, Any] | None = None
    discovery: dict[str, Any] | None = None
    file: tuple[str, bytes] | None = None
    if request.spec is not None:
        spec, found = read_spec(request.spec)
        problems += found
    elif request.resume is None:
        problems.append(Problem(where="SPEC", message="name a task spec, or an earlier run with --resume"))
    if request.discover is not None:
        discovery, found = read_spec(request.discover)
        problems += found
    if request.input is not None:
        file, found = _read_input(request.input)
        problems += found
    row, found = _row(request.filled_with)
    problems += found
    if request.resume not in (None, LAST) and (file is not None or discovery is not None):
        told = f"{request.resume} goes on with its own samples: leave --input and --discover out, or say --resume last"
        problems.append(Problem(where="--resume", message=told))
    if problems:
        raise RunRejectedError(problems)
    return _Asked(spec, file, discovery, row, request.resume is not None)


def _row(written: tuple[str, ...]) -> tuple[dict[str, str], list[Problem]]:
    """``name=value`` as a row; a name that is given twice means nothing."""
    row: dict[str, str] = {}
    problems: list[Problem] = []
    for pair in written:
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not name:
            problems.append(Problem(where=f"--with {pair}", message="write NAME=VALUE, such as org=acme"))
        elif name in row:
            problems.append(Problem(where=f"--with {name}", message="it is given twice"))
        row[name] = value
    return row, problems


def _read_input(path: Path) -> tuple[tuple[str, bytes] | None, list[Problem]]:
    if path.suffix.lower() not in INPUT_SUFFIXES:
        return None, [Problem(where=str(path), message=f"an input file ends in {', '.join(INPUT_SUFFIXES)}")]
    try:
        return (path.name, path.read_bytes()), []
    except FileNotFoundError:
        return None, [Problem(where=str(path), message="no such file")]
    except OSError as exc:
        return None, [Problem(where=str(path), message=f"cannot be read: {exc.strerror}")]


def _screen(console: Console, title: str, as_json: bool) -> Screen:
    if as_json:
        return NoScreen()
    return LiveScreen(console, title, time.monotonic) if console.is_terminal else LineScreen(console)


async def _follow(client: Client, accepted: RunAccepted, screen: Screen, settings: Settings) -> Tally:
    tally = Tally(run_id=accepted.run_id, attempt_base=accepted.attempt_base)
    try:
        async with aclosing(client.watch(accepted.run_id)) as events:
            async for event in events:
                tally.add(event)
                screen.show(tally)
                if tally.finished is not None:
                    break
    except asyncio.CancelledError:
        screen.close()
        _say_how_to_go_on(tally, settings)
        raise
    finally:
        screen.close()
    return tally


def _say_how_to_go_on(tally: Tally, settings: Settings) -> None:
    more = " found so far" if tally.expected is None else ""
    finished = f"{len(tally.results)} of {tally.expected or tally.found} samples{more} were worked on"
    if settings.nats_url is not None:
        sys.stderr.write(f"\nno longer watching; {finished}. The run {tally.run_id} goes on at {settings.nats_url}.\n")
        return
    sys.stderr.write(f"\ninterrupted; {finished}.\n")
    if settings.evidence_bucket or (settings.evidence_dir / tally.run_id / "run.json").exists():
        sys.stderr.write(f"Go on with:\n  exhibit run --resume {tally.run_id} --evidence {settings.evidence_place}\n")
