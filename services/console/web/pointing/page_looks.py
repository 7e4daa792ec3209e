"""A page of a site as the browser pool sees it: opened, freed of what lies over it, observed, and its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from shared.bus.ports import Blobs
from shared.contracts.actions import ByRef, Click, Goto, Screenshot
from shared.contracts.browser_pool import PageObserved, ProfilePaused
from shared.contracts.results import Artifact, Box
from shared.errors import ExhibitError, PermanentError
from shared.host.connections import LEASE_TIMEOUT_S, LEASE_WAIT_S, ManualSession, ManualSessionTerms, SessionBus
from shared.hosts import browser_form, host_of
from shared.login_walls import login_wall_words
from shared.pages.effects.closing import find_dismissal
from shared.sessions import lease_session
from shared.streams import ARTIFACTS

ALL_ELEMENTS_TOKENS = 2_000_000
"""So many that no element is left out."""
MOST_CLOSED, MOST_LOOKS = 3, 3
MOST_SHOT_BYTES, MOST_SHOTS = 12_000_000, 12
MAX_ADDRESS_CHARS = 2000


@dataclass(frozen=True)
class PageShot:
    """A picture of the page. ``area``: the part of the document that it shows."""

    data: bytes
    area: Box
    sha256: str


@dataclass(frozen=True)
class PageLook:
    """A page and its pictures. ``closed``: the buttons that were pressed because something lay over it. ``moved``: it
    was another one after its pictures were taken, so what is boxed on them may stand elsewhere."""

    page: PageObserved
    shots: tuple[PageShot, ...]
    closed: tuple[str, ...] = ()
    moved: bool = False


def address_problem(url: str) -> str:
    """Return why an address cannot be looked at; empty: it can."""
    if len(url) > MAX_ADDRESS_CHARS:
        return f"it has more than {MAX_ADDRESS_CHARS} characters"
    try:
        scheme = urlsplit(url).scheme
    except ValueError as exc:
        return f"it is no address: {exc}"
    if scheme not in ("http", "https") or not host_of(url):
        return "write it whole, as it stands in the address bar: https://..."
    return ""


async def look_at(bus: SessionBus, url: str, profile: str) -> PageLook:
    """Open an address in a session of the browser pool, and return what it shows. Nothing is kept of it elsewhere.

    Args:
        url: with http or https.
        profile: the login state to open it with; empty: none.

    Raises:
        PermanentError: the page is not one to point at: it was not opened, does not exist, or asks to sign in.
        ExhibitError: the pool does not answer, or has no free session.
    """
    terms = ManualSessionTerms(browser_form(url), profile=profile or None)
    async with lease_session(bus, terms.lease(), wait_bound_s=LEASE_WAIT_S, lease_timeout_s=LEASE_TIMEOUT_S) as lease:
        if isinstance(lease, ProfilePaused):
            raise PermanentError(lease.reason, code="login_required")
        return await _look(ManualSession(bus, lease.session), terms.url, profile)


async def pages_at(bus: SessionBus, urls: Sequence[str], profile: str) -> tuple[PageObserved, ...]:
    """Open addresses of one site one after the other, and return what each shows, to learn from it.

    Raises: as `look_at`.
    """
    terms = ManualSessionTerms(browser_form(urls[0]), profile=profile or None)
    async with lease_session(bus, terms.lease(), wait_bound_s=LEASE_WAIT_S, lease_timeout_s=LEASE_TIMEOUT_S) as lease:
        if isinstance(lease, ProfilePaused):
            raise PermanentError(lease.reason, code="login_required")
        session, pages = ManualSession(bus, lease.session), list[PageObserved]()
        for url in urls:
            await _without_covers(session, await _opened(session, browser_form(url), profile))
            pages.append(await session.observe((), ALL_ELEMENTS_TOKENS, locators=True))
    return tuple(pages)


async def look_again(session: ManualSession) -> PageLook:
    """Return the page that a session has now, as it is: nothing is pressed, and a page that is not there is none.

    Raises ExhibitError where the session is gone.
    """
    shots, page = await _pictured(session)
    return PageLook(page, shots)


async def _look(session: ManualSession, url: str, profile: str) -> PageLook:
    page, closed = await _without_covers(session, await _opened(session, url, profile))
    shots, after = await _pictured(session)
    for _ in range(MOST_LOOKS):
        if after.sha256 == page.sha256:
            return PageLook(page, shots, closed)
        page = after
        shots, after = await _pictured(session)
    return PageLook(after, shots, closed, moved=after.sha256 != page.sha256)


async def _opened(session: ManualSession, url: str, profile: str) -> PageObserved:
    """Return the page at an address. Raises PermanentError where there is none to read."""
    opened = await session.act(Goto(url=url, reason="to point at what it shows"))
    if not opened.ok:
        raise PermanentError(f"the page was not opened: {opened.message}")
    page = await _observed(session)
    if page.http_status is not None and page.http_status >= 400:
        raise PermanentError(f"the site answers HTTP {page.http_status} at this address")
    if words := login_wall_words(page):
        known = f"the login state {profile} does not open it" if profile else "choose a login state that opens it"
        raise PermanentError(f"the page {words}: {known}, or record one (Settings, Login states)")
    return page


async def _pictured(session: ManualSession) -> tuple[tuple[PageShot, ...], PageObserved]:
    """Return pictures of the whole page, and what it shows after them."""
    shots = await _pictures(session)
    return shots, await _observed(session)


async def _observed(session: ManualSession) -> PageObserved:
    return await session.observe((), ALL_ELEMENTS_TOKENS)


async def _without_covers(session: ManualSession, page: PageObserved) -> tuple[PageObserved, tuple[str, ...]]:
    """Press what closes a dialog or banner over the page, as a run does."""
    closed: list[str] = []
    while (button := find_dismissal(page)) is not None and len(closed) < MOST_CLOSED:
        target = ByRef(ref=button.ref, snapshot_id=page.snapshot_id)
        done = await session.act(Click(target=target, reason="it lies over the page"))
        if not done.ok:
            break
        closed.append(button.name)
        page = await _observed(session)
    return page, tuple(closed)


async def _pictures(session: ManualSession) -> tuple[PageShot, ...]:
    """Return pictures of the whole page, from top to bottom."""
    taken = await session.act(Screenshot(label="page", reason="to point at what it shows"))
    try:
        return await fetched_shots(session.bus, taken.artifacts)
    finally:
        await remove_blobs(session.bus, taken.artifacts)


async def fetched_shots(bus: Blobs, artifacts: Sequence[Artifact]) -> tuple[PageShot, ...]:
    """Return those of the files that are pictures of a part of the page, each once; without those that are gone."""
    found: dict[str, PageShot] = {}
    for one in artifacts:
        if one.kind != "screenshot" or one.area is None or one.size_bytes > MOST_SHOT_BYTES or len(found) >= MOST_SHOTS:
            continue
        try:
            found[one.sha256] = PageShot(await bus.get(ARTIFACTS, one.blob), one.area, one.sha256)
        except ExhibitError:  # it is gone: the values are shown without this picture
            continue
    return tuple(found.values())


async def remove_blobs(bus: Blobs, artifacts: Sequence[Artifact]) -> None:
    """Remove files from the bus, which no evidence takes."""
    for blob in {one.blob for one in artifacts}:
        await bus.remove(ARTIFACTS, blob)
