"""`exhibit login`: records a login state, by hand in a window or by steps. It stays with the browser pool."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from services.console.pool_session import ANYWHERE, Hand, Terms, drive, hand
from shared.contracts.actions import Goto
from shared.contracts.browser_pool import NothingToSave, SaveProfile
from shared.errors import PermanentError
from shared.settings import Settings
from shared.subjects import SAVE_PROFILE
from shared.text.names import safe_id


def check_name(name: str) -> None:
    if safe_id(name) != name:
        raise PermanentError(f"{name!r} cannot be the name of a login state: letters, digits, - and _ can")


async def by_steps(settings: Settings, name: str, terms: Terms, lines: Iterable[str], out: Path) -> bool:
    """Logs in with the actions that are given, as `exhibit drive` takes them. False, and nothing is recorded, where any
    of them did not succeed."""
    check_name(name)
    async with hand(settings, terms) as session:
        if await drive(session, terms.url, lines, out):
            return await _record(session, name)
    _say(f"nothing was recorded as {name}: not all steps succeeded")
    return False


async def by_hand(settings: Settings, name: str, terms: Terms) -> bool:
    """Opens a window in which a person logs in. Raises PermanentError, saying what to do instead, where it cannot."""
    check_name(name)
    if not has_display(os.environ) or not sys.stdin.isatty():
        raise PermanentError(no_window(name, terms.url, settings))
    # The window is to open here, so the browser pool is one of our own, whatever bus the settings name.
    own = settings.model_copy(update={"browser_headed": True, "nats_url": None})
    wide = Terms(terms.url, (*terms.allow, ANYWHERE), terms.secrets)
    async with hand(own, wide) as session:
        opened = await session.act(Goto(url=terms.url, reason="to log in"))
        if not opened.ok:
            _say(opened.message)
        _say(f"Log in in the window that has opened, then press Enter here to record it as {name}.")
        await _enter()
        return await _record(session, name)


def has_display(environment: Mapping[str, str]) -> bool:
    return sys.platform != "linux" or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def no_window(name: str, url: str, settings: Settings) -> str:
    folder = (settings.state_dir / "auth").resolve()
    return (
        "no window can be opened here: there is no display, or no terminal to say in when you are done. Either write "
        f"the steps down and run `exhibit login {name} {url} --steps FILE` (one action a line, as for `exhibit drive`; "
        f"type_secret for the password), or run `exhibit login {name} {url}` on a machine with a display and copy "
        f"{name}.json from there to {folder}"
    )


async def _record(session: Hand, name: str) -> bool:
    request = SaveProfile(session_id=session.lease.session_id, instance_id=session.lease.instance_id, auth_profile=name)
    reply = await session.bus.ask(SAVE_PROFILE, request, timeout_s=60.0)
    if isinstance(reply, NothingToSave):
        _say(f"nothing was recorded as {name}: the session has neither cookies nor storage, so nobody is logged in")
        return False
    _say(
        f"recorded {name}: {_count(reply.cookies, 'cookie')}, storage of {_count(reply.origins, 'site')}, in "
        f'{reply.path}\n  use it: "auth_profile": "{name}" in a task spec'
    )
    return True


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


async def _enter() -> None:
    """Until a line comes from the terminal; a thread that reads could not be ended by Ctrl-C."""
    pressed = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(sys.stdin.fileno(), pressed.set)
    try:
        await pressed.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())
    sys.stdin.readline()


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
