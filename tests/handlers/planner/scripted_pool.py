"""A browser pool with scripted pages: a small state machine with the real one's requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from shared.bus.actor import Actor
from shared.contracts.actions import (
    Action,
    Click,
    Download,
    Extract,
    Goto,
    Screenshot,
    ScreenshotElement,
    Scroll,
    TypeText,
)
from shared.contracts.browser_pool import (
    ActOnPage,
    CapturePage,
    Element,
    ElementFound,
    KeepSession,
    LeaseReply,
    LeaseSession,
    NoSessionFree,
    ObservePage,
    PageCaptured,
    PageObserved,
    ProfilePaused,
    ReleaseSession,
    SessionKept,
    SessionLeased,
    SessionReleased,
)
from shared.contracts.results import (
    ActionResult,
    Box,
    Captured,
    Change,
    ClosingButton,
    Ink,
    Locator,
    Navigated,
    PageChanged,
    TargetFound,
    TextRead,
    ValueSet,
)
from shared.errors import ExhibitError
from shared.subjects import ACT, CAPTURE, HEARTBEAT, LEASE, OBSERVE, RELEASE
from tests.unit.planner.planner_pages import artifact, el, kept_artifacts, page

BLANK = page(url="about:blank", title="", http_status=None)


@dataclass
class ScriptedPool:
    """``site`` maps a URL to its pages, one per observation; the last one repeats.

    ``clicks`` maps a button's name to the URL it leads to, ``late_clicks`` to one that comes after the page was
    observed once more. ``breaks`` maps the number of an action (from 1) to the error that it raises.
    """

    site: dict[str, list[PageObserved]]
    clicks: dict[str, str] = field(default_factory=dict)
    late_clicks: dict[str, str] = field(default_factory=dict)
    coming: list[str] = field(default_factory=list)
    """Where the page will be at the next observations."""
    breaks: dict[int, ExhibitError] = field(default_factory=dict)
    refuses: dict[int, str] = field(default_factory=dict)
    """The code by which an action, by its number from 1, is refused before anything is pressed."""
    busy: int = 0
    unreachable: bool = False
    at: str = "about:blank"
    looks: int = 0
    asked: list[Any] = field(default_factory=list)
    held: set[str] = field(default_factory=set)
    paused: str = ""
    """The error of a request for the login state."""
    beat: asyncio.Event = field(default_factory=asyncio.Event)
    walls: list[str] = field(default_factory=list)
    unkept: str = ""
    """The error of a capture."""
    lost: ExhibitError | None = None
    meanwhile: PageObserved | None = None
    parts: dict[str, Callable[[float], PageObserved]] = field(default_factory=dict[str, Any])
    """Pages that are drawn by how far the part is scrolled that holds their list."""
    scrolled_px: float = 0.0
    turned_by: str = ""
    """The name of a button that leads from each page of the site to the next."""
    with_pages: bool = False
    """Whether a screenshot includes the page."""
    closed_by: tuple[ClosingButton, ...] = ()
    """What the pool presses at each click, to close what lies over the page."""
    on_picture: dict[int, tuple[str, Box]] = field(default_factory=dict)
    """On which picture a capture finds an element, by its ref, and where."""

    @property
    def shown(self) -> PageObserved:
        """Return the last observed page."""
        if (draw := self.parts.get(self.at)) is not None:
            return draw(self.scrolled_px)
        pages = self.site.get(self.at, [BLANK])
        return pages[max(0, min(self.looks, len(pages)) - 1)]

    @property
    def actions(self) -> list[Action]:
        return [request.action for request in self.asked if isinstance(request, ActOnPage)]

    def count(self, kind: type[Any]) -> int:
        return sum(isinstance(request, kind) for request in self.asked)

    def show(self) -> PageObserved:
        if self.coming and (url := self.coming.pop(0)) != self.at:
            self.at, self.looks = url, 0
        draw = self.parts.get(self.at)
        pages = [draw(self.scrolled_px)] if draw is not None else self.site.get(self.at, [BLANK])
        shown = pages[min(self.looks, len(pages) - 1)]
        self.looks += 1
        return msgspec.structs.replace(shown, url=self.at, snapshot_id=f"s{self.count(ObservePage)}")

    def go(self, url: str) -> ActionResult:
        before, self.at, self.looks, self.scrolled_px = self.at, url, 0, 0.0
        status = self.site[url][0].http_status if url in self.site else 200 if url in self.parts else 404
        change = Change(url_before=before, url_after=url, http_status=status)
        return result(change, effect=Navigated(url=url, http_status=status))


pool: Actor[ScriptedPool] = Actor("browser_pool")


def result(change: Change, **rest: Any) -> ActionResult:
    return ActionResult(**{"ok": True, "code": "ok", "message": "done", "browser_ms": 10.0, "change": change, **rest})


@pool.answers(LEASE)
async def lease(request: LeaseSession, deps: ScriptedPool) -> LeaseReply:
    deps.asked.append(request)
    if deps.paused:
        return ProfilePaused(auth_profile=request.auth_profile or "", reason=deps.paused)
    if deps.busy > 0:
        deps.busy -= 1
        return NoSessionFree(retry_after_s=0.5)
    session_id = f"session-{len(deps.asked)}"
    deps.held.add(session_id)
    return SessionLeased(session_id=session_id, instance_id="pool1", browser="scripted 1.0")


@pool.answers(RELEASE)
async def release(request: ReleaseSession, deps: ScriptedPool) -> SessionReleased:
    deps.held.remove(request.session_id)
    deps.walls.append(request.login_wall)
    return SessionReleased(session_id=request.session_id)


@pool.answers(HEARTBEAT)
async def heartbeat(request: KeepSession, deps: ScriptedPool) -> SessionKept:
    assert request.session_id in deps.held
    deps.beat.set()
    return SessionKept(session_id=request.session_id)


@pool.answers(OBSERVE)
async def observe(request: ObservePage, deps: ScriptedPool) -> PageObserved:
    deps.asked.append(request)
    return deps.show()


@pool.answers(CAPTURE)
async def keep_page(request: CapturePage, deps: ScriptedPool) -> PageCaptured:
    """Capture the page. ``deps.meanwhile`` is the page if it has changed by then."""
    deps.asked.append(request)
    if deps.lost is not None:
        raise deps.lost
    if deps.unkept:
        return PageCaptured(observation_sha256="", problems=(deps.unkept,))
    shown = deps.meanwhile or deps.shown
    by_ref = {one.ref: one for one in shown.elements}
    found = tuple(_found(ref, by_ref.get(ref), deps) for ref in request.refs)
    artifacts = () if shown.sha256 in request.known else kept_artifacts(request.label, shown)
    return PageCaptured(observation_sha256=shown.sha256, artifacts=artifacts, found=found, browser_ms=1.0)


def _found(ref: int, element: Element | None, deps: ScriptedPool) -> ElementFound:
    picture, place = deps.on_picture.get(ref, (None, None))
    return ElementFound(ref=ref, element=_located(element), ink=Ink(state="seen"), picture=picture, on_picture=place)


def _located(element: Element | None) -> Element | None:
    where = (Locator(kind="css", value=f"#e{element.ref}", matches=1),) if element is not None else ()
    return None if element is None else msgspec.structs.replace(element, locators=where)


@pool.answers(ACT)
async def act(request: ActOnPage, deps: ScriptedPool) -> ActionResult:
    deps.asked.append(request)
    if len(deps.actions) in deps.breaks:
        raise deps.breaks[len(deps.actions)]
    if (code := deps.refuses.get(len(deps.actions))) is not None:
        return result(Change(url_before=deps.at, url_after=deps.at), ok=False, code=code, message="nothing was pressed")
    done = DOES.get(type(request.action), nothing)(request.action, deps)
    if deps.closed_by and isinstance(request.action, Click):
        done = msgspec.structs.replace(done, change=msgspec.structs.replace(done.change, closed_by=deps.closed_by))
    return done


def goto(action: Goto, deps: ScriptedPool) -> ActionResult:
    if deps.unreachable:
        change = Change(url_before=deps.at, url_after=deps.at)
        return result(change, ok=False, code="unreachable", message="connection refused")
    return deps.go(action.url)


def click(action: Click, deps: ScriptedPool) -> ActionResult:
    shown = deps.site[deps.at][min(deps.looks - 1, len(deps.site[deps.at]) - 1)]
    said = getattr(action.target, "text", None)
    meant = [e for e in shown.elements if getattr(action.target, "ref", None) == e.ref]
    meant = meant or [e for e in shown.elements if said and said.lower() in e.name.lower()]
    element = meant[0] if meant else el("button", getattr(action.target, "text", ""))
    found = TargetFound(
        role=element.role, name=element.name, tag=element.tag, fingerprint=element.fingerprint,
        locators=element.locators,
    )  # fmt: skip
    if element.name in deps.clicks:
        return msgspec.structs.replace(deps.go(deps.clicks[element.name]), target=found)
    if element.name == deps.turned_by and element.role == "button":
        pages = list(deps.site)
        following = pages[min(pages.index(deps.at) + 1, len(pages) - 1)]
        return msgspec.structs.replace(deps.go(following), target=found)
    if element.name in deps.late_clicks:
        deps.coming = [deps.at, deps.late_clicks[element.name]]
    return result(Change(url_before=deps.at, url_after=deps.at), effect=PageChanged(), target=found)


def extract(action: Extract, deps: ScriptedPool) -> ActionResult:
    css, text = getattr(action.target, "css", None), getattr(action.target, "text", None)
    meant = [e for e in deps.shown.elements if any(css == one.value for one in e.locators if one.kind == "css")]
    meant = meant if text is None else [e for e in deps.shown.elements if e.name == text]
    where = Change(url_before=deps.at, url_after=deps.at)
    if len(meant) != 1:
        return result(where, ok=False, code="ambiguous" if meant else "not_found", message=f"css={css}: {len(meant)}")
    [e] = meant
    found = TargetFound(role=e.role, name=e.name, tag=e.tag, fingerprint=e.fingerprint)
    return result(where, effect=TextRead(text=e.name), target=found)


def type_text(action: TypeText, deps: ScriptedPool) -> ActionResult:
    ref = getattr(action.target, "ref", None)
    fields = [e for e in deps.shown.elements if e.ref == ref]
    found = [TargetFound(role=e.role, name=e.name, tag=e.tag, fingerprint=e.fingerprint) for e in fields]
    change = Change(url_before=deps.at, url_after=deps.at)
    return result(change, effect=ValueSet(value=action.text), target=found[0] if found else None)


def capture(action: Screenshot | ScreenshotElement | Download, deps: ScriptedPool) -> ActionResult:
    kind, suffix = ("download", ".pdf") if isinstance(action, Download) else ("screenshot", ".png")
    taken = artifact(action.label, suffix, kind)
    if kind == "download" or not deps.with_pages:
        return result(Change(url_before=deps.at, url_after=deps.at), effect=Captured(), artifacts=(taken,))
    page, observation = kept_artifacts(action.label, deps.shown)
    whole = Box(x=0, y=0, width=1280, height=5000)
    taken = msgspec.structs.replace(taken, area=whole, capture=page.capture)
    return result(
        Change(url_before=deps.at, url_after=deps.at), effect=Captured(), artifacts=(taken, page, observation)
    )


def scroll(action: Scroll, deps: ScriptedPool) -> ActionResult:
    draw = deps.parts.get(deps.at)
    if draw is not None and action.target is not None:
        part = next(iter(draw(deps.scrolled_px).scrollers))
        moved = action.amount_px if action.direction == "down" else -action.amount_px
        deps.scrolled_px = min(part.max_y_px, max(0.0, deps.scrolled_px + moved))
    return result(Change(url_before=deps.at, url_after=deps.at), effect=PageChanged())


def nothing(action: Action, deps: ScriptedPool) -> ActionResult:
    return result(Change(url_before=deps.at, url_after=deps.at))


DOES: dict[type[Action], Callable[[Any, ScriptedPool], ActionResult]] = {
    Goto: goto,
    Extract: extract,
    Click: click,
    TypeText: type_text,
    Screenshot: capture,
    ScreenshotElement: capture,
    Download: capture,
    Scroll: scroll,
}
