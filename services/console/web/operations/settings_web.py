"""The page about this set-up: what the checks say, login states, secrets by their names, keys."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from services.console.machine_checks import CHECKS
from services.console.web.desk import desk_of, page
from services.console.web.review.desk_reviewer import reviewer_of
from shared.errors import ExhibitError
from shared.evidence_format.signing import key_path, load_known_key
from shared.host.services import service_checks
from shared.secrets.store import SecretStore, secret_store
from shared.settings import Settings
from shared.setup.check import CheckState, run_checks
from shared.setup.login_facts import read_logins

_URGENCY: tuple[CheckState, ...] = ("problem", "warning", "ok")


@dataclass(frozen=True)
class SecretFact:
    """A secret by its name. ``kind``: ``text`` or ``codes``. ``lost``: why it cannot be read. Its value is not here."""

    name: str
    kind: str = ""
    hosts: tuple[str, ...] = ()
    lost: str = ""


async def show_settings(request: Request) -> Response:
    """Show what this set-up has, without checking it."""
    desk = desk_of(request)
    return page(request, "settings.html", **await _facts(request), checks=None, person=desk.person)


async def show_checks(request: Request) -> Response:
    """Check this set-up, as `exhibit doctor` does, and show what was found. One at a time: they start a browser."""
    desk = desk_of(request)
    if desk.checking.locked():
        raise HTTPException(409, "It is being checked already. Load the page again in a moment.")
    async with desk.checking:
        asked = desk.settings.model_copy(update={"ask_model": False})
        results = await run_checks([*CHECKS, *service_checks()], asked)
    results.sort(key=lambda one: _URGENCY.index(one.state))
    return page(request, "settings.html", **await _facts(request), checks=results, person=desk.person)


async def _facts(request: Request) -> dict[str, object]:
    desk = desk_of(request)
    settings = desk.settings
    secrets, secrets_lost = await asyncio.to_thread(_secrets, settings)
    reviewer, reviewer_lost = "", ""
    try:
        reviewer = (await reviewer_of(desk)).fingerprint
    except ExhibitError as exc:
        reviewer_lost = str(exc)
    sealing, sealing_lost = await asyncio.to_thread(_sealing_key, settings)
    return {
        "logins": await asyncio.to_thread(read_logins, settings),
        "can_record": desk.has_services,
        "secrets": secrets,
        "secrets_lost": secrets_lost,
        "sealing": sealing,
        "sealing_lost": sealing_lost,
        "sealing_place": str(key_path(settings)),
        "reviewer": reviewer,
        "reviewer_lost": reviewer_lost,
        "evidence": settings.evidence_bucket or str(settings.evidence_dir.resolve()),
        "state_dir": str(settings.state_dir.resolve()),
    }


def _secrets(settings: Settings) -> tuple[list[SecretFact], str]:
    """Return the secrets by their names; none and why, where they cannot be read."""
    try:
        store = secret_store(settings)
        return [_secret(store, name) for name in store.names()], ""
    except ExhibitError as exc:
        return [], str(exc)


def _secret(store: SecretStore, name: str) -> SecretFact:
    try:
        found = store.find(name)
    except ExhibitError as exc:
        return SecretFact(name, lost=str(exc))
    if found is None:
        return SecretFact(name, lost="it is empty")
    return SecretFact(name, "codes" if found.totp else "text", found.hosts)


def _sealing_key(settings: Settings) -> tuple[str, str]:
    """Return the fingerprint of the key that seals here; empty without one, and why where it cannot be read."""
    try:
        known = load_known_key(settings)
    except ExhibitError as exc:
        return "", str(exc)
    return (known.fingerprint if known is not None else ""), ""
