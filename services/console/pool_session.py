"""`exhibit observe` and `exhibit drive`: one session of the browser pool, by hand."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import msgspec

from services.console.terminal.tally import words
from shared.bus.nats_bus import Bus, connect_bus
from shared.contracts.actions import BrowserAction, Goto, parse_target
from shared.contracts.browser_pool import (
    ActOnPage,
    LeaseSession,
    ObservePage,
    PageObserved,
    ProfilePaused,
    SessionLeased,
)
from shared.contracts.discovery import Problem
from shared.contracts.results import ActionResult
from shared.errors import PermanentError
from shared.host.nats_server import nats_server
from shared.host.services import run_services
from shared.hosts import host_of
from shared.sessions import SESSION_TTL_S, lease_session
from shared.settings import Settings
from shared.streams import ARTIFACTS
from shared.subjects import ACT, OBSERVE
from shared.text.names import safe_label

ACT_BOUND_S = 120.0
LEASE_BOUND_S, LEASE_TIMEOUT_S = 10.0, 60.0
ANYWHERE = "*"
"""Where a person may go who sees the window himself."""


@dataclass
class Hand:
    """A leased session. ``snapshot_id`` is that of the latest observation; numbers refer to it."""

    bus: Bus
    lease: SessionLeased
    snapshot_id: str = ""

    async def act(self, action: BrowserAction) -> ActionResult:
        request = ActOnPage(session_id=self.lease.session_id, instance_id=self.lease.instance_id, action=action)
        return await self.bus.ask(ACT, request, timeout_s=ACT_BOUND_S)

    async def observe(
        self, keywords: tuple[str, ...] = (), max_tokens: int = 6000, *, locators: bool = False
    ) -> PageObserved:
        request = ObservePage(
            session_id=self.lease.session_id,
            instance_id=self.lease.instance_id,
            keywords=keywords,
            max_tokens=max_tokens,
            locators=locators,
            since=self.snapshot_id or None,
        )
        observed = await self.bus.ask(OBSERVE, request, timeout_s=ACT_BOUND_S)
        self.snapshot_id = observed.snapshot_id
        return observed


@dataclass(frozen=True)
class Terms:
    """What a person asks for on the command line: who types an address may open it, private or not."""

    url: str
    allow: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    profile: str | None = None

    def lease(self) -> LeaseSession:
        host = host_of(self.url)
        hosts = (host, *self.allow) if host else self.allow
        return LeaseSession(
            run_id="hand",
            sample_id="hand",
            ttl_s=SESSION_TTL_S,
            auth_profile=self.profile,
            allowed_hosts=hosts,
            private_hosts=tuple(host for host in hosts if host != ANYWHERE),
            secrets=self.secrets,
        )


@asynccontextmanager
async def hand(settings: Settings, terms: Terms) -> AsyncGenerator[Hand]:
    """A session on the bus the settings name, or on a bus and a browser pool of our own."""
    async with AsyncExitStack() as stack:
        url = settings.nats_url
        if url is None:
            store = stack.enter_context(TemporaryDirectory(prefix="exhibit-streams-"))
            url = await stack.enter_async_context(nats_server(Path(store)))
            await stack.enter_async_context(run_services(settings, url, ("browser_pool",)))
        bus = await stack.enter_async_context(connect_bus(url, name="hand"))
        lease = await stack.enter_async_context(
            lease_session(bus, terms.lease(), wait_bound_s=LEASE_BOUND_S, lease_timeout_s=LEASE_TIMEOUT_S)
        )
        if isinstance(lease, ProfilePaused):
            raise PermanentError(lease.reason, code="login_required")
        yield Hand(bus, lease.session)


async def observe_page(
    settings: Settings, terms: Terms, keywords: tuple[str, ...], max_tokens: int, as_json: bool
) -> bool:
    """Opens the page and prints what a planner would see. False where the page could not be opened."""
    async with hand(settings, terms) as session:
        opened = await session.act(Goto(url=terms.url, reason="to look at it"))
        started_s = time.perf_counter()
        page = await session.observe(keywords, max_tokens, locators=as_json)
        took_ms = (time.perf_counter() - started_s) * 1000
    if as_json:
        sys.stdout.write(msgspec.json.encode(page).decode() + "\n")
    else:
        sys.stdout.write(_page_text(page, opened, took_ms))
    return opened.ok


def _page_text(page: PageObserved, opened: ActionResult, took_ms: float) -> str:
    status = f"HTTP {page.http_status}" if page.http_status else opened.message
    facts = (
        f"{len(page.elements)} of {page.total_elements} elements, {took_ms:.0f} ms, {len(page.text)} characters"
        f" (about {len(page.text) // 4} tokens), confidence {page.dom_confidence:.2f}"
        + (f"; look at its picture: {', '.join(page.triggers)}" if page.triggers else "")
    )
    unsettled = "" if page.settled else "\nthe page was still changing"
    return f"{page.url}\n{page.title}\n{status}\n\n{page.text}\n\n{facts}{unsettled}\n"


async def drive_page(settings: Settings, terms: Terms, lines: Iterable[str], out: Path) -> bool:
    """Executes one action a line and prints each result as a line. False where any did not succeed."""
    async with hand(settings, terms) as session:
        return await drive(session, terms.url, lines, out)


async def drive(session: Hand, url: str, lines: Iterable[str], out: Path) -> bool:
    opened = await session.act(Goto(url=url, reason="where to begin"))
    _print_line(opened)
    await session.observe()
    all_ok = opened.ok
    for number, line in enumerate(lines, start=1):
        if line.strip():
            all_ok = await _drive_line(session, number, line, out) and all_ok
    return all_ok


async def _drive_line(session: Hand, number: int, line: str, out: Path) -> bool:
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


def parse_action(line: str, snapshot_id: str) -> BrowserAction | Problem | None:
    """An action as written: ``{"action": "click", "target": "3"}``. None for ``{"action": "observe"}``.

    A target may be a string, as a model would write it, or the long form of the contract.
    """
    try:
        data: Any = json.loads(line)
    except json.JSONDecodeError as exc:
        return Problem(where=f"column {exc.colno}", message=f"not JSON: {exc.msg}")
    if not isinstance(data, dict):
        return Problem(where="value", message='an action is a JSON object such as {"action": "click", "target": "3"}')
    fields = cast("dict[str, Any]", data)
    if fields.get("action") == "observe":
        return None
    for key in ("target", "onto"):
        written = fields.get(key)
        if isinstance(written, (str, int)) and not isinstance(written, bool):
            fields = {**fields, key: msgspec.to_builtins(parse_target(str(written), snapshot_id))}
    try:
        return msgspec.convert(fields, BrowserAction)
    except msgspec.ValidationError as exc:
        return Problem(where=words(str(fields.get("action", "action"))), message=str(exc))


def _print_line(value: Any) -> None:
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")
    sys.stdout.flush()
