"""`exhibit login`: record a login state, in a window or by steps. The state itself stays with the browser pool."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from services.console import exits
from services.console.commands.drive import Shown, execute_lines, print_text
from services.console.event_loop import run_async
from services.console.login_recording import NotRecorded, check_name, record_login
from services.console.options import Allow, Nats, Secret, load_settings
from services.console.terminal.plain_output import print_err
from services.console.text.action_lines import InvalidLine, parse_browser_line
from shared.contracts.actions import Goto, TypeSecret
from shared.contracts.browser.logins import CheckAccess
from shared.contracts.discovery import Problem
from shared.contracts.results import ActionResult
from shared.errors import PermanentError, RunRejectedError
from shared.host.connections import ManualSession, ManualSessionTerms, open_pool_session
from shared.hosts import EVERY_HOST
from shared.subjects import CHECK_ACCESS

if TYPE_CHECKING:
    from shared.settings import Settings

CHECK_LIMIT_S = 30.0


def login(
    name: Annotated[str, typer.Argument(help="What task specs call this login state: their auth_profile.")],
    url: Annotated[str, typer.Argument(help="The address of the login page.")],
    steps: Annotated[
        Path | None, typer.Option(help="Log in with these actions (docs/actions.md); - reads them.")
    ] = None,
    allow: Allow = None,
    secret: Secret = None,
    nats: Nats = None,
) -> int:
    """Record a login: in a window, or by steps where there is none."""
    settings, terms = load_settings(nats), ManualSessionTerms(url, tuple(allow or ()), tuple(secret or ()))
    if steps is None:
        recorded = run_async(log_in_by_hand(settings, name, terms))
    else:
        lines, typed = _read_steps(steps)
        terms = replace(terms, secrets=tuple(dict.fromkeys((*terms.secrets, *typed))))
        recorded = run_async(log_in_by_steps(settings, name, terms, lines, Path("drive")))
    return exits.OK if recorded else exits.NOT_ALL_DONE


def _read_steps(path: Path) -> tuple[list[str], list[str]]:
    """Return the lines, and the secrets that they type: who wrote the steps has named them there.

    Raises RunRejectedError, with every problem, where a line is no action; typer.Exit where there is no such file.
    """
    try:
        lines = (sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")).splitlines()
    except (OSError, UnicodeDecodeError) as exc:
        print_err(f"exhibit: {path} cannot be read: {exc}\n")
        raise typer.Exit(exits.BAD_INPUT) from None
    parsed = {number: parse_browser_line(line, "") for number, line in enumerate(lines, start=1) if line.strip()}
    wrong = {number: one for number, one in parsed.items() if isinstance(one, InvalidLine)}
    if wrong:
        raise RunRejectedError([Problem(where=f"line {number}", message=one.message) for number, one in wrong.items()])
    return lines, [one.secret for one in parsed.values() if isinstance(one, TypeSecret)]


async def log_in_by_steps(
    settings: Settings, name: str, terms: ManualSessionTerms, lines: Iterable[str], out: Path
) -> bool:
    """Log in with the given actions, in the form of `exhibit drive`, and record the state.

    Return False, and record nothing, when an action failed; those after it are not taken. Raises RunRejectedError where
    the browser pool lacks a secret.
    """
    check_name(name)
    async with open_pool_session(settings, terms) as session:
        checked = await session.bus.ask(CHECK_ACCESS, CheckAccess(secrets=terms.secrets), timeout_s=CHECK_LIMIT_S)
        if checked.problems:
            raise RunRejectedError([*checked.problems])
        shown: list[Shown] = []

        def show(value: Shown, saved: Sequence[Path]) -> None:
            shown.append(value)
            print_text(value, saved)

        if await execute_lines(session, terms.url, lines, out, show, stop_at_failure=True):
            return await _save_profile(session, name)
    _print(f"nothing was recorded as {name}: a step failed, and those after it were not taken{_way_on(shown)}")
    return False


def _way_on(shown: Sequence[Shown]) -> str:
    """Return what to do where the login may have gone well, and only the page that it leads to is missing."""
    last = shown[-1] if len(shown) > 1 else None
    if not isinstance(last, ActionResult) or last.code != "http_error":
        return ""
    return (
        ". If the site has let you in and only the page after it is missing, begin at the address of a login that leads"
        " to a page that there is, such as https://.../login?next=/records"
    )


async def log_in_by_hand(settings: Settings, name: str, terms: ManualSessionTerms) -> bool:
    """Open a window in which a person logs in, and record the state.

    Raises PermanentError, with the alternative, when no window can be opened.
    """
    check_name(name)
    if not has_display(os.environ) or not sys.stdin.isatty():
        raise PermanentError(no_window_message(name, terms.url, settings))
    # The window has to open on this machine, so the browser pool runs in this process even when there is a bus.
    local = settings.model_copy(update={"browser_headed": True, "nats_url": None})
    any_host = ManualSessionTerms(terms.url, (*terms.allow, EVERY_HOST), terms.secrets)
    async with open_pool_session(local, any_host) as session:
        opened = await session.act(Goto(url=terms.url, reason="to log in"))
        if not opened.ok:
            _print(opened.message)
        _print(f"Log in in the window that has opened, then press Enter here to record it as {name}.")
        await _wait_for_enter()
        return await _save_profile(session, name)


def has_display(environment: Mapping[str, str]) -> bool:
    """Return whether a window can be opened."""
    return sys.platform != "linux" or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def no_window_message(name: str, url: str, settings: Settings) -> str:
    folder = (settings.state_dir / "auth").resolve()
    return (
        "no window can be opened here: there is no display, or no terminal in which to confirm. Either write "
        f"the steps down and run `exhibit login {name} {url} --steps FILE` (one action a line, as for `exhibit drive`; "
        f"type_secret for the password), or run `exhibit login {name} {url}` on a machine with a display and copy "
        f"{name}.json from there to {folder}"
    )


async def _save_profile(session: ManualSession, name: str) -> bool:
    """Record the state, and say which page it was, or why nothing was recorded."""
    told = await record_login(session, name)
    if isinstance(told, NotRecorded):
        _print(told.why)
        return False
    saved = told.saved
    _print(f"signed in: the page is {told.page}")
    _print(
        f"recorded {name}: {_counted(saved.cookies, 'cookie')}, storage of {_counted(saved.origins, 'site')}, in "
        f'{saved.path}\n  for {", ".join(saved.hosts)}\n  use it: "auth_profile": "{name}" in a task spec'
    )
    return True


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


async def _wait_for_enter() -> None:
    """Wait for a line from the terminal, without a thread: Ctrl-C could not end a blocking read."""
    pressed = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(sys.stdin.fileno(), pressed.set)
    try:
        await pressed.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())
    sys.stdin.readline()


def _print(text: str) -> None:
    print_err(text + "\n")
