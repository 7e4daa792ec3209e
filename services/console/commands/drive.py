"""`exhibit drive`: execute actions, one per line, and print each result, and pages as people read them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from services.console import exits
from services.console.event_loop import run_async
from services.console.options import Allow, AsJson, Nats, Profile, Secret, load_settings
from services.console.terminal.plain_output import print_out
from services.console.text.action_lines import InvalidLine, parse_browser_line
from services.console.text.page_text import BadLine, page_text, result_text
from shared.contracts.actions import Goto
from shared.contracts.browser_pool import PageObserved
from shared.contracts.results import ActionResult
from shared.host.connections import ManualSession, ManualSessionTerms, open_pool_session
from shared.streams import ARTIFACTS
from shared.text.names import safe_label

if TYPE_CHECKING:
    from shared.settings import Settings


def drive(
    url: str,
    out: Annotated[Path, typer.Option(help="Folder for screenshots and downloads.")] = Path("drive"),
    allow: Allow = None,
    secret: Secret = None,
    profile: Profile = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> int:
    """Open URL, print the page, execute actions from standard input, one a line, and print each result.

    `observe` prints the page again. docs/actions.md lists the actions, such as `click 12`.
    """
    terms = ManualSessionTerms(url, tuple(allow or ()), tuple(secret or ()), profile)
    work = drive_page(load_settings(nats), terms, sys.stdin, out, as_json=as_json)
    return exits.OK if run_async(work) else exits.NOT_ALL_DONE


async def drive_page(
    settings: Settings, terms: ManualSessionTerms, lines: Iterable[str], out: Path, *, as_json: bool
) -> bool:
    """Execute the lines in a session of its own. Return whether all actions succeeded."""
    async with open_pool_session(settings, terms) as session:
        show = print_json if as_json else print_text
        return await execute_lines(session, terms.url, lines, out, show, first_page=not as_json)


async def execute_lines(
    session: ManualSession,
    url: str,
    lines: Iterable[str],
    out: Path,
    show: Show,
    *,
    first_page: bool = False,
    stop_at_failure: bool = False,
) -> bool:
    """Open ``url``, execute one action per line, and show each result. Return whether all succeeded.

    Screenshots and downloads are written to the folder ``out``. ``first_page``: show the page that was opened, too.
    ``stop_at_failure``: nothing is executed after an action that failed.
    """
    opened = await session.act(Goto(url=url, reason="where to begin"))
    show(opened, ())
    page = await session.observe()
    if first_page:
        show(page, ())
    all_ok = opened.ok
    for number, line in enumerate(lines, start=1):
        if stop_at_failure and not all_ok:
            return False
        if line.strip():
            all_ok = await _execute_line(session, number, line, out, show) and all_ok
    return all_ok


async def _execute_line(session: ManualSession, number: int, line: str, out: Path, show: Show) -> bool:
    action = parse_browser_line(line, session.snapshot_id)
    if isinstance(action, InvalidLine):
        show(BadLine(message=f"line {number}, {action.message}"), ())
        return False
    if action is None:
        show(await session.observe(), ())
        return True
    result = await session.act(action)
    saved: list[Path] = []
    for artifact in result.artifacts:
        out.mkdir(parents=True, exist_ok=True)
        part = f"_{artifact.part}of{artifact.parts}" if artifact.parts > 1 else ""
        name = f"{number:02d}_{safe_label(artifact.label)}{part}{artifact.suffix}"
        (out / name).write_bytes(await session.bus.get(ARTIFACTS, artifact.blob))
        saved.append(out / name)
        await session.bus.remove(ARTIFACTS, artifact.blob)
    show(result, saved)
    return result.ok


Shown = ActionResult | PageObserved | BadLine
Show = Callable[[Shown, Sequence[Path]], None]
"""Shows a result, with the files that were saved of it."""


def print_json(value: Shown, saved: Sequence[Path]) -> None:
    """Print one line of JSON, for scripts."""
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")
    sys.stdout.flush()


def print_text(value: Shown, saved: Sequence[Path]) -> None:
    """Print a page with the numbers of its elements, or what came of an action."""
    if isinstance(value, PageObserved):
        text = page_text(value)
    else:
        text = f"not done: {value.message}\n" if isinstance(value, BadLine) else result_text(value, saved)
    print_out(text)
