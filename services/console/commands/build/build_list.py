"""`exhibit build list`: the build sessions of a bus, or the workspaces of this folder."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from services.console import exits
from services.console.event_loop import run_async
from services.console.options import AsJson, Nats, load_settings
from services.console.outcomes import CommandOutcome, CommandResult, ErrorLine
from shared.contracts.workflows.builds import BuildsListed, BuildStanding, ListBuilds, ListedBuild
from shared.text.normal import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from shared.settings import Settings

WORKSPACES = Path("builds")
NONE_THERE = "There is no build session {where}. `exhibit build SPEC --input FILE` begins one."


def list_(nats: Nats = None, as_json: AsJson = False) -> CommandOutcome:
    """List the build sessions of a bus, or without one the workspaces below builds/, with how far each is."""
    from services.console.terminal.builds_view import builds_table  # only here: the options are told without it

    settings = load_settings(nats)
    lost: tuple[str, ...] = ()
    if settings.nats_url is None:
        listed, lost = workspaces(WORKSPACES)
    else:
        listed = run_async(_ask(settings))
    where = "on the bus" if settings.nats_url is not None else f"below {WORKSPACES}/"
    lines: list[str | RenderableType] = (
        [builds_table(listed.builds, datetime.now(UTC))] if listed.builds else [NONE_THERE.format(where=where)]
    )
    if listed.more:
        lines.append(f"{listed.more} older sessions are not listed.")
    told = [*lines, *(ErrorLine(printable(one)) for one in lost)]
    return CommandResult(told, {"builds": listed.builds, "more": listed.more, "problems": lost}, exits.OK)


async def _ask(settings: Settings) -> BuildsListed:
    from shared.client.bus_use import OPERATOR
    from shared.host.connections import open_bus
    from shared.subjects import LIST_BUILDS

    async with open_bus(settings, (), OPERATOR) as opened:
        return await opened.bus.ask(LIST_BUILDS, ListBuilds())


def workspaces(folder: Path) -> tuple[BuildsListed, tuple[str, ...]]:
    """Return the sessions whose workspaces are below a folder, and what is wrong with those that cannot be read."""
    found: list[ListedBuild] = []
    lost: list[str] = []
    for one in sorted(path for path in folder.glob("*") if path.is_dir()):
        try:
            listed = _workspace(one)
        except (OSError, ValueError) as exc:
            lost.append(f"{one}: {exc}")
            continue
        found += [] if listed is None else [listed]
    found.sort(key=lambda one: one.standing.changed_at, reverse=True)
    return BuildsListed(builds=tuple(found)), tuple(lost)


def _workspace(folder: Path) -> ListedBuild | None:
    """Return the session of a workspace; None: it is none, or nothing has happened in it."""
    from shared.contracts.workflows.build_events import SessionOpened
    from shared.flows.building.folder import read_events
    from shared.flows.building.state import replayed

    events = read_events(folder)
    if not events:
        return None
    state = replayed(events)
    standing = BuildStanding(
        changed_at=events[-1].at,
        todos=len(state.todos),
        done=state.done,
        rows=len(state.finished),
        published=state.published,
    )
    opened = [one for one in events if isinstance(one, SessionOpened)]
    task_id, by = (opened[-1].task_id, opened[-1].by) if opened else ("", "")
    return ListedBuild(build_id=str(folder), task_id=task_id, by=by, agent=False, rows=0, standing=standing)
