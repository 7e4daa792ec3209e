"""`exhibit drive`: execute actions, one JSON object per line, and print each result."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from services.console import exits
from services.console.options import Allow, Nats, Profile, Secret, load_settings
from services.console.text.action_lines import parse_action
from shared.contracts.actions import Goto
from shared.contracts.discovery import Problem
from shared.host.connections import ManualSession, ManualSessionTerms, open_pool_session
from shared.settings import Settings
from shared.streams import ARTIFACTS
from shared.text.names import safe_label


def drive(
    url: str,
    out: Annotated[Path, typer.Option(help="Folder for screenshots and downloads.")] = Path("drive"),
    allow: Allow = None,
    secret: Secret = None,
    profile: Profile = None,
    nats: Nats = None,
) -> None:
    """Execute actions from standard input, one JSON object a line, and print each result as a line."""
    terms = ManualSessionTerms(url, tuple(allow or ()), tuple(secret or ()), profile)
    if not exits.run_async(drive_page(load_settings(nats), terms, sys.stdin, out), as_json=True):
        raise typer.Exit(exits.NOT_ALL_DONE)


async def drive_page(settings: Settings, terms: ManualSessionTerms, lines: Iterable[str], out: Path) -> bool:
    """Execute the lines in a session of its own. Return whether all actions succeeded."""
    async with open_pool_session(settings, terms) as session:
        return await execute_lines(session, terms.url, lines, out)


async def execute_lines(session: ManualSession, url: str, lines: Iterable[str], out: Path) -> bool:
    """Open ``url``, execute one action per line, and print each result. Return whether all succeeded.

    Screenshots and downloads are written to the folder ``out``.
    """
    opened = await session.act(Goto(url=url, reason="where to begin"))
    _print_line(opened)
    await session.observe()
    all_ok = opened.ok
    for number, line in enumerate(lines, start=1):
        if line.strip():
            all_ok = await _execute_line(session, number, line, out) and all_ok
    return all_ok


async def _execute_line(session: ManualSession, number: int, line: str, out: Path) -> bool:
    action = parse_action(line, session.snapshot_id)
    if isinstance(action, Problem):
        _print_line({"ok": False, "code": "bad_line", "message": f"line {number}, {action.where}: {action.message}"})
        return False
    if action is None:
        _print_line(await session.observe())
        return True
    result = await session.act(action)
    for artifact in result.artifacts:
        out.mkdir(parents=True, exist_ok=True)
        part = f"_{artifact.part}of{artifact.parts}" if artifact.parts > 1 else ""
        name = f"{number:02d}_{safe_label(artifact.label)}{part}{artifact.suffix}"
        (out / name).write_bytes(await session.bus.get(ARTIFACTS, artifact.blob))
        await session.bus.remove(ARTIFACTS, artifact.blob)
    _print_line(result)
    return result.ok


def _print_line(value: Any) -> None:
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")
    sys.stdout.flush()
