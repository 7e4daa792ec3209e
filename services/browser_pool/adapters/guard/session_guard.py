"""Restricts one session to its hosts: decides documents before they are requested, and checks those that arrive."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from playwright.async_api import BrowserContext, CDPSession, Error, Frame, Page, Response

from services.browser_pool.adapters.guard.pacing import SessionPace
from services.browser_pool.adapters.outcome import PerformOutcome, refuse
from services.browser_pool.adapters.protocol import send
from services.browser_pool.login_hosts import login_refusal
from services.browser_pool.login_states import LoginState
from shared.aio import BackgroundTasks
from shared.contracts.results import NotSeen, PageChanged
from shared.hosts import Origin, fits_any, literal_address, parse_origin, private_address
from shared.network.host_policy import HostPolicy, document_refusal, part_refusal, private_refusal
from shared.network.name_resolver import NameResolver
from shared.telemetry.about import About, about_now, work_about

log = logging.getLogger(__name__)

MAX_DENIED = 50
CHECKED_BOUND_S = 6.0
BLANK_BOUND_MS = 3000
ORDINARY = ("about:blank", "about:srcdoc", "chrome-error:", ":")
"""Addresses of a tab that has no document yet, or whose document failed."""

SEALED = "a stored page is shown, and nothing is opened beside it"

DocumentUse = Literal["tab", "popup", "part", "shown"]
"""What a document is requested for. ``shown``: it had arrived before it was refused, and was removed."""


@dataclass(frozen=True)
class DeniedDocument:
    url: str
    why: str
    where: DocumentUse

    def __str__(self) -> str:
        return f"{self.url[:300]}: {self.why}"


@dataclass
class SessionGuard:
    """The guard of one session. ``tabs`` maps the protocol's ids of main frames to whether a document was admitted."""

    context: BrowserContext
    context_id: str
    bounds: HostPolicy
    pace: SessionPace
    names: NameResolver
    proxied: bool
    """A proxy resolves the names; the connected address is always the proxy's."""
    on_close: Callable[[SessionGuard], None]
    """Called when the session ends."""
    tabs: dict[str, bool]
    denied: list[DeniedDocument] = field(default_factory=list[DeniedDocument])
    sealed: str = ""
    """The file of a stored page; once it is shown, the session opens nothing else."""
    used: bool = False
    """Whether a document was admitted."""
    about: About = field(default_factory=about_now)
    """What the session was leased for: the browser's own events come outside of any question."""
    login: LoginState | None = None
    """What the session is logged in with: where no hosts are allowed by name, its first document comes from one of
    its hosts."""
    _checks: BackgroundTasks = field(default_factory=BackgroundTasks)
    _sessions: dict[Page, CDPSession] = field(default_factory=dict[Page, CDPSession])

    def begin_action(self) -> None:
        self.denied.clear()

    @property
    def refused(self) -> bool:
        """Whether a document was refused to a tab since the action began."""
        return any(denial.where != "part" for denial in self.denied)

    def denials(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(str(denial) for denial in self.denied))

    async def may_hold_secrets(self, url: str) -> bool:
        """Return whether secrets may be typed at ``url``: an allowed host, over https unless it is a named private
        host. One that is only called private is none, unless a proxy alone knows its address."""
        origin = parse_origin(url)
        if isinstance(origin, str) or not fits_any(origin, self.bounds.allowed):
            return False
        if origin.scheme == "https":
            return True
        if not fits_any(origin, self.bounds.private):
            return False
        addresses = await self.names.addresses(origin.host)
        return private_address(origin.host, addresses) is not None or (self.proxied and not addresses)

    async def apply_denials(self, outcome: PerformOutcome) -> PerformOutcome:
        """Return the outcome of an action with the documents that were refused meanwhile."""
        await self.wait_for_checks()
        refused = [denial for denial in self.denied if denial.where != "part"]
        if not refused:
            return outcome
        only_popups = all(denial.where == "popup" for denial in refused)
        came_to_nothing = isinstance(outcome.effect, NotSeen if only_popups else NotSeen | PageChanged)
        taken = any(denial.where == "shown" for denial in refused)
        if not outcome.ok or outcome.effect is None or came_to_nothing or taken:
            return refuse("policy_denied", f"not opened: {refused[0]}", target=outcome.target)
        denials = f"{outcome.message}; not opened: {refused[0]}"
        return PerformOutcome(outcome.ok, outcome.code, denials, outcome.effect, outcome.target, outcome.captures)

    async def wait_for_checks(self) -> None:
        """Wait until the address of every arrived document is checked."""
        await self._checks.drain(CHECKED_BOUND_S)

    # --- decisions

    async def document(self, url: str, where: DocumentUse, hop: bool) -> str | None:
        """Return why a document may not be requested; otherwise wait for its turn and return None."""
        if self.sealed:
            return None if (url, where, hop) == (self.sealed, "tab", False) else SEALED
        if where == "part":
            return part_refusal(url, await self._addresses(url), self.bounds)
        self.used = True
        if not self.bounds.allowed:
            first = parse_origin(url)
            elsewhere = self._login_refusal(first)
            if elsewhere:
                return elsewhere
            self.bounds = HostPolicy(() if isinstance(first, str) else (first.rule,), self.bounds.private)
        refusal = document_refusal(url, (), self.bounds)
        refusal = refusal or document_refusal(url, await self._addresses(url), self.bounds)
        if refusal is None and not hop:
            admission = await self.pace.admit(url)
            refusal = None if admission.ok else admission.reason
        return refusal

    def _login_refusal(self, first: Origin | str) -> str:
        if self.login is None or isinstance(first, str):
            return ""
        return login_refusal(self.login.name, self.login.hosts, (first.rule,))

    def socket(self, url: str, addresses: tuple[str, ...]) -> str | None:
        """Return why a WebSocket may not be opened to one of these addresses, or None."""
        return SEALED if self.sealed else part_refusal(url, addresses, self.bounds)

    async def _addresses(self, url: str) -> tuple[str, ...]:
        origin = parse_origin(url)
        if isinstance(origin, str) or literal_address(origin.host) or fits_any(origin, self.bounds.private):
            return ()
        return await self.names.addresses(origin.host)

    def deny(self, url: str, why: str, where: DocumentUse) -> None:
        # The address may quote the row, and the reason the address: both are in the step log.
        with work_about(self.about):
            log.warning("a document is refused (%s)", where)
        if len(self.denied) < MAX_DENIED:
            self.denied.append(DeniedDocument(url, why, where))

    def deny_tabs(self, refused: bool, most: int) -> None:
        """Tell that tabs were closed as they opened."""
        if refused:
            self.deny("a new tab", f"{most} tabs are open, and no more may be (EXHIBIT_SESSION_MAX_TABS)", "popup")

    async def holds(self, frame_id: str) -> bool:
        """Return whether one of the session's pages has this frame."""
        for page in self.context.pages:
            if frame_id in self.tabs or frame_id in await self._frames(page):
                return True
        return False

    async def _frames(self, page: Page) -> set[str]:
        try:
            if page not in self._sessions:
                self._sessions[page] = await self.context.new_cdp_session(page)
            tree = await send(self._sessions[page], "Page.getFrameTree")
        except Error:  # the page is closing
            return set()
        return _ids(tree["frameTree"])

    # --- what has come all the same

    def follow(self, page: Page) -> None:
        page.on("framenavigated", self._check_arrival)
        self._check_arrival(page.main_frame)

    def check_response(self, response: Response) -> None:
        """Check the connected address: a name may resolve differently by the time the browser connects."""
        if not response.request.is_navigation_request() or self.proxied:
            return
        origin = parse_origin(response.url)
        if isinstance(origin, str) or literal_address(origin.host) or fits_any(origin, self.bounds.private):
            return
        self._checks.start(self._check_origin(response, origin))

    async def _check_origin(self, response: Response, origin: Origin) -> None:
        try:
            server = await response.server_addr()
            known = (server["ipAddress"],) if server else ()
            why = private_refusal(origin, known, self.bounds)
            if why:
                self.deny(response.url, why, "shown")
                await self._blank(response.frame.page)
        except Error:
            return  # the page is gone

    def _check_arrival(self, frame: Frame) -> None:
        """Remove documents that were not intercepted: ``blob:`` addresses and whatever else a browser may add."""
        if frame.parent_frame is not None or frame.url.startswith(ORDINARY) or not frame.url:
            return
        if self.sealed:
            why = None if frame.url == self.sealed else SEALED
        else:
            why = document_refusal(frame.url, (), self.bounds)
        if why:
            self.deny(frame.url, why, "shown")
            self._checks.start(self._blank(frame.page))

    async def _blank(self, page: Page) -> None:
        try:
            if len(self.context.pages) > 1 and page is not self.context.pages[0]:
                await page.close()
            else:
                await page.goto("about:blank", timeout=BLANK_BOUND_MS)
        except Error:
            return  # it is closed

    def close(self) -> None:
        self.on_close(self)


def _ids(tree: dict[str, Any]) -> set[str]:
    found = {str(tree["frame"]["id"])}
    for child in tree.get("childFrames", ()):
        found |= _ids(child)
    return found
