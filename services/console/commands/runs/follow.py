"""`exhibit runs status` and `exhibit runs events`: the status record and the event log of a run."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from services.console import exits
from services.console.event_loop import run_async
from services.console.options import AsJson, Evidence, Nats, load_settings
from services.console.outcomes import CommandOutcome, CommandResult
from services.console.run_location import HOW_TO_NAME_A_RUN, locate_run
from services.console.terminal.plain_output import print_err
from services.console.text.session_lines import event_line, status_lines
from shared.contracts.evidence import RunUnknown
from shared.contracts.sessions.status import RunStatus
from shared.errors import PermanentError
from shared.host.connections import open_client
from shared.text.normal import printable

if TYPE_CHECKING:
    from shared.client import Client
    from shared.settings import Settings

Run = Annotated[str, typer.Argument(help=f"The run: {HOW_TO_NAME_A_RUN}.")]
POLL_S = 0.5


def status(run: Run, nats: Nats = None, evidence: Evidence = None, as_json: AsJson = False) -> CommandOutcome:
    """Show how a run stands: what it brought, whether it is paused, how it ended."""
    settings = load_settings(nats, evidence)
    with exits.bad_input("RUN"):
        settings, run_id = locate_run(settings, run)
    found = run_async(_load_status(settings, run_id))
    code = exits.NOT_ALL_DONE if found.success is False else exits.OK
    return CommandResult([*map(printable, status_lines(found))], found, code)


def events(
    run: Run,
    since: Annotated[int, typer.Option(help="Index of the first entry.")] = 0,
    limit: Annotated[int, typer.Option(help="Most entries of one page, up to 1000.")] = 100,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until the run ends, or Ctrl-C.")] = False,
    nats: Nats = None,
    as_json: AsJson = False,
) -> None:
    """Show the event log of a run on the bus, from its beginning or from an index on."""
    run_async(_show_events(load_settings(nats), run, since, limit, follow=follow, as_json=as_json))


async def _load_status(settings: Settings, run_id: str) -> RunStatus:
    """Return the status with the first page of samples. Without a bus it is read from the evidence of this machine."""
    read_only = settings.model_copy(update={"evidence_read_only": settings.nats_url is None})
    async with open_client(read_only, ("evidence",)) as client:
        found = await client.status(run_id)
    if isinstance(found, RunUnknown):
        raise PermanentError(found.message, code="no_run")
    return found


async def _show_events(settings: Settings, run: str, since: int, limit: int, *, follow: bool, as_json: bool) -> None:
    async with open_client(require_bus(settings)) as client:
        while True:
            since, ended = await _show_page(client, run, since, limit, as_json=as_json)
            if not follow or ended:
                return
            await asyncio.sleep(POLL_S)


async def _show_page(client: Client, run: str, since: int, limit: int, *, as_json: bool) -> tuple[int, bool]:
    """Print one page, with ``as_json`` as it is; return the next index, and whether the run has ended."""
    page = await client.events(run, since, limit)
    if isinstance(page, RunUnknown):
        raise PermanentError(page.message, code="no_run")
    if not page.from_beginning:
        print_err("exhibit: the bus does not hold the beginning of this run any more\n")
    if as_json:
        sys.stdout.write(msgspec.json.encode(page).decode() + "\n")
    else:
        sys.stdout.writelines(f"{printable(event_line(entry))}\n" for entry in page.events)
    sys.stdout.flush()
    ended = any(entry.event in ("RunCompleted", "RunError") for entry in page.events) and not page.more
    return page.next_index, ended


def require_bus(settings: Settings) -> Settings:
    """Return the settings. Raises PermanentError if they name no bus: a run at work is on one."""
    if settings.nats_url is None:
        message = "a run at work is on a bus: name it with --nats or EXHIBIT_NATS_URL (`exhibit up` prints its own)"
        raise PermanentError(message, code="no_run")
    return settings
