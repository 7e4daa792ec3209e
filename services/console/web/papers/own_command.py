"""Has a command of ours do its work in a process of its own, for a page: what takes long holds up no other page, and
ends with what it was for."""

from __future__ import annotations

import asyncio
import json
import os
import resource
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shared.child_process.parent import kill_and_wait, start_python
from shared.errors import Unavailable
from shared.settings import Settings

MOST_TOLD, MOST_ERRORS = 5_000_000, 100_000
"""Bytes that a command may say: as JSON, and as errors."""
NICE = 10
"""Services in this process go first."""


@dataclass(frozen=True)
class CommandAnswer:
    """What a command has said. ``told``: what ``--json`` shows. ``errors``: its last lines on standard error."""

    exit_code: int
    told: Mapping[str, Any]
    errors: str = ""


async def ask_command(settings: Settings, *arguments: str, bound_s: float, most_bytes: int) -> CommandAnswer:
    """Run ``exhibit ARGUMENTS`` with the environment and the state folder of this process.

    Args:
        settings: of this process.
        arguments: with ``--json`` among them.
        bound_s: it is ended after so long.
        most_bytes: of any file that it writes.

    Raises:
        Unavailable: it takes too long, or says too much or nothing that is to be understood.
    """
    env = dict(os.environ)
    if "state_dir" in settings.model_fields_set:
        env["EXHIBIT_STATE_DIR"] = str(settings.state_dir.resolve())
    process = await start_python("-m", "services.console", *arguments, stdin=None, stderr=PIPE, env=env)
    try:
        _limit(process.pid, most_bytes)
        async with asyncio.timeout(bound_s):
            told, errors = await asyncio.gather(_read(process, MOST_TOLD), _read_errors(process))
            await process.wait()
        return CommandAnswer(process.returncode or 0, json.loads(told or b"{}"), errors)
    except TimeoutError as exc:
        raise Unavailable(f"it has taken longer than {bound_s / 60:.0f} minutes, and was ended") from exc
    except ValueError as exc:
        raise Unavailable("the command has ended without an answer") from exc
    finally:
        await kill_and_wait(process)


def _limit(pid: int, most_bytes: int) -> None:
    """Bound what a child writes, and let others go first. A child that has ended already is left alone."""
    try:
        os.setpriority(os.PRIO_PROCESS, pid, NICE)
        if hasattr(resource, "prlimit"):  # Linux
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    except (ProcessLookupError, PermissionError):
        return


async def _read(process: Process, most: int) -> bytes:
    """Return all that a child says. Raises Unavailable where that is too much."""
    assert process.stdout is not None
    said = bytearray()
    while piece := await process.stdout.read(1 << 16):
        said += piece
        if len(said) > most:
            raise Unavailable("there is more to be told than a page shows: ask in a terminal")
    return bytes(said)


async def _read_errors(process: Process) -> str:
    """Return the last of what a child says on standard error; all of it is read, so that the child goes on."""
    assert process.stderr is not None
    said = bytearray()
    while piece := await process.stderr.read(1 << 16):
        said += piece
        del said[:-MOST_ERRORS]
    return said.decode(errors="replace").strip()
