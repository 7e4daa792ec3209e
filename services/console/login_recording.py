"""Recording the login state of a session in which somebody has signed in: the last step of each way to do so."""

from __future__ import annotations

from dataclasses import dataclass

from shared.contracts.browser.logins import NothingToSave, ProfileSaved, SaveProfile
from shared.errors import PermanentError
from shared.host.connections import ManualSession
from shared.login_walls import login_wall_words
from shared.subjects import SAVE_PROFILE
from shared.text.names import safe_id
from shared.text.normal import one_line

SAVE_S = 60.0


@dataclass(frozen=True)
class NotRecorded:
    """Nothing was recorded; ``why`` says it for people."""

    why: str


@dataclass(frozen=True)
class LoginRecorded:
    """``page``: title and address of the page that the session has, without what may be a secret in it."""

    saved: ProfileSaved
    page: str


def check_name(name: str) -> None:
    """Raise PermanentError when ``name`` cannot name a login state."""
    if not name or safe_id(name) != name:
        raise PermanentError(f"{name!r} cannot be the name of a login state: letters, digits, - and _ can")


async def record_login(session: ManualSession, name: str) -> LoginRecorded | NotRecorded:
    """Record the state of the session under ``name``, unless its page still asks to sign in, or it has none."""
    page = await session.observe()
    where = f'"{one_line(page.title)}" at {one_line(page.url.partition("?")[0])}'
    asked = login_wall_words(page)
    if asked:
        return NotRecorded(
            f"nothing was recorded as {name}: you are not signed in, the page still {asked}: {where}. If you are "
            "logged in all the same, open another page of the site before the end"
        )
    request = SaveProfile(session_id=session.lease.session_id, instance_id=session.lease.instance_id, auth_profile=name)
    reply = await session.bus.ask(SAVE_PROFILE, request, timeout_s=SAVE_S)
    if isinstance(reply, NothingToSave):
        return NotRecorded(
            f"nothing was recorded as {name}: the session has neither cookies nor storage, so there is no login"
        )
    return LoginRecorded(reply, where)
