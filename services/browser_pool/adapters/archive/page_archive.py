"""Captures a page at one moment: its elements and its file.

The page is walked anew, so that everything that is stored together belongs together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from playwright.async_api import Error
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.archive.ink_look import Looked, MeasuredValues, look_in_place
from services.browser_pool.adapters.archive.value_pictures import ValuePictures, ViewPicture
from services.browser_pool.adapters.observe import engine
from services.browser_pool.adapters.observe.engine import DocumentState, decode
from services.browser_pool.adapters.observe.frames import FRAME_TIMEOUT_S, PageWalk, WalkedPage
from services.browser_pool.adapters.observe.worlds import Worlds
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page import matching
from services.browser_pool.page.model import Seen
from services.browser_pool.page.snapshot import page_hash
from services.browser_pool.ports import NOTHING, Capture, CaptureFailed, OnPicture, PageCapture, WantedRefs
from shared.contracts.results import Viewport

SNAPSHOT_ID = "kept"
"""One id for all captures, so that they displace no snapshot that an action may still use."""
TIMEOUT_S = 20.0
"""Time limit for a whole capture."""
MAX_FILE_BYTES = 32 * 2**20
"""Maximum size of the MHTML file. A larger one would be in memory several times before its size is known, so the size
is also estimated before."""
MAX_URL = 2000
TRIES = 2


async def capture_page(
    session: PageSession, known: Sequence[str] = (), wanted: WantedRefs = NOTHING
) -> PageCapture | CaptureFailed:
    """Return the captured page, or why it failed. Raises Unavailable (``session_lost``) when the browser or page is
    gone."""
    if session.tabs.waiting is not None:
        return CaptureFailed("a dialog of the page waits for an answer")
    try:
        async with asyncio.timeout(TIMEOUT_S):
            moment = await session.run_timed(_capture(session, known, wanted))
        return await _with_pictures(session, moment, wanted)
    except (TimeoutError, PlaywrightTimeout):
        return CaptureFailed("the page did not answer in time")
    except Error as error:
        session.tabs.raise_if_lost(error)
        return CaptureFailed(matching.first_line(error.message))


@dataclass(frozen=True)
class _Moment:
    """A page as it was captured, with the wanted elements that it has, and what pictures of it show of them."""

    capture: PageCapture
    worlds: Worlds
    whole: WalkedPage
    found: Mapping[int, Seen]
    values: MeasuredValues
    looked: Mapping[int, Looked]


async def _capture(session: PageSession, known: Sequence[str], wanted: WantedRefs) -> _Moment:
    """Capture the page, once more if it navigates meanwhile."""
    for _ in range(TRIES):
        moment = await _capture_once(session, known, wanted)
        if moment.capture.file is None:
            return moment
        now = await engine.ask(session.page.main_frame, DocumentState, session.limits.action_s, "state")
        if (now.doc, now.url) == (moment.whole.main.doc, moment.whole.main.url):
            return moment
    raise Error("the page moved on to another one while it was kept")


async def _capture_once(session: PageSession, known: Sequence[str], wanted: WantedRefs) -> _Moment:
    page, rest = session.page, session.rest.state
    worlds = await engine.worlds(page)
    look = PageWalk(worlds, SNAPSHOT_ID, TIMEOUT_S, with_size=True)
    whole = await look.survey(scripts=rest is not None and rest.scripts)
    seen = await look.read_elements(whole, range(len(whole.contents)))
    taken_at, url, main = datetime.now(UTC), page.url, whole.main
    answered = session.network.document(page)
    status = None if answered is None else answered.status
    raw = whole.raw_page(url, status, seen, range(1, len(whole.contents) + 1), settled=session.rest.settled)
    sha256 = page_hash(url, main.title, whole.contents)
    found = await _locate_wanted(session, worlds, look, whole, seen, wanted)
    here = {ref: one for ref, one in found if one is not None}
    values = MeasuredValues(worlds, [place for place, _, _ in whole.parts], here, SNAPSHOT_ID)
    looked = await look_in_place(page, values, main, session.pictures.of_page(sha256, wanted.pictures)) if here else {}
    file, problems = (
        (None, ())
        if sha256 in known
        else await _mhtml_file(worlds, sum(surveyed.weight for _, surveyed, _ in whole.parts))
    )
    capture = PageCapture(
        raw=raw,
        sha256=sha256,
        headers=() if answered is None else answered.headers,
        viewport=Viewport(width_px=round(main.view_width), height_px=round(main.view_height), scale=main.scale),
        taken_at=taken_at,
        file=file,
        problems=problems,
        known=sha256 in known,
        secrets=frozenset() if file is None else await _secret_texts(worlds, whole),
        found=found,
    )
    return _Moment(capture, worlds, whole, here, values, looked)


# --- the page as one file


async def _mhtml_file(worlds: Worlds, reckoned_bytes: int) -> tuple[bytes | None, tuple[str, ...]]:
    if reckoned_bytes > MAX_FILE_BYTES:
        return None, (_too_large(reckoned_bytes),)
    reply = await worlds.send_command("Page.captureSnapshot", format="mhtml")
    data: str = reply["data"]
    if len(data) > MAX_FILE_BYTES:
        return None, (_too_large(len(data)),)
    return await asyncio.to_thread(data.encode), ()


def _too_large(size_bytes: int) -> str:
    return f"the page itself is not kept: it is of {size_bytes / 2**20:.0f} MiB, and {MAX_FILE_BYTES // 2**20} may be"


async def _secret_texts(worlds: Worlds, whole: WalkedPage) -> frozenset[str]:
    """Return what secret fields contain; some pages write it into their markup."""
    holders = [place for place, surveyed, _ in whole.parts if surveyed.secrets]
    reply = await asyncio.gather(*(worlds.ask(place.frame_id, FRAME_TIMEOUT_S, "secretTexts") for place in holders))
    return frozenset(text for one in reply for text in decode(one, tuple[str, ...]))


# --- what was wanted of an earlier look


async def _locate_wanted(
    session: PageSession, worlds: Worlds, look: PageWalk, whole: WalkedPage, seen: tuple[Seen, ...], wanted: WantedRefs
) -> tuple[tuple[int, Seen | None], ...]:
    """Return where the wanted elements are now, each with its locators."""
    places = {ref: session.targets.place(wanted.snapshot_id, ref) for ref in wanted.refs}
    by_frame: dict[str, dict[int, int]] = {}
    for ref, place in places.items():
        if place is not None:
            by_frame.setdefault(place.place.frame_id, {})[ref] = place.n
    reply: dict[int, Seen] = {}
    for frame_id, then in by_frame.items():
        reply |= await _locate_in_frame(worlds, look, whole, seen, wanted.snapshot_id, frame_id, then)
    return tuple((ref, reply.get(ref)) for ref in wanted.refs)


async def _locate_in_frame(
    worlds: Worlds,
    look: PageWalk,
    whole: WalkedPage,
    seen: tuple[Seen, ...],
    snapshot_id: str,
    frame_id: str,
    then: dict[int, int],
) -> dict[int, Seen]:
    part = next((one for one in whole.parts if one[0].frame_id == frame_id), None)
    if part is None:
        return {}
    asked = ("where", snapshot_id, SNAPSHOT_ID, ",".join(map(str, then.values())))
    now = decode(await worlds.ask(frame_id, FRAME_TIMEOUT_S, *asked), tuple[int, ...])
    places = {ref: n for ref, n in zip(then, now, strict=True) if n >= 0}
    items = await look.with_locators(part[0], sorted(set(places.values())))
    of_frame = {one.item.n: one for one in seen if one.frame_id == frame_id}
    return {ref: of_frame[n].located(items[n].locators) for ref, n in places.items() if n in of_frame and n in items}


# --- pictures that show them


async def _with_pictures(session: PageSession, moment: _Moment, wanted: WantedRefs) -> PageCapture:
    """Return the capture with what pictures show of the wanted elements, and with pictures of those that no other
    picture shows."""
    looked = dict(moment.looked)
    hidden = await session.run_timed(_scrolled_away(session, moment))
    bare: list[int] = []
    on_picture = {ref: OnPicture(one.shown_on, one.box) for ref, one in looked.items() if one.shown_on and one.is_shown}
    if wanted.pictures:
        bare = [ref for ref, one in looked.items() if one.is_shown and not one.shown_on]
        unseen = [ref for ref, one in looked.items() if not one.is_shown and not one.drawn.judged]
        on_picture |= {ref: OnPicture("") for ref in (*bare, *unseen)}
    taken: dict[str, ViewPicture] = {}
    if hidden or bare:
        pictures = ValuePictures(session, moment.worlds, moment.whole, moment.found, SNAPSHOT_ID)
        for ref, shown in (await pictures.show(hidden, bare, moment.values)).items():
            looked[ref], sha256 = shown.looked, shown.picture.sha256
            on_picture[ref] = OnPicture(sha256, shown.looked.box)
            taken[sha256] = shown.picture
    ink = {ref: one.ink for ref, one in looked.items() if one.drawn.judged}
    return replace(moment.capture, ink=ink, on_picture=on_picture, pictures=_captures(session, taken.values()))


async def _scrolled_away(session: PageSession, moment: _Moment) -> list[int]:
    """Return the elements that are not seen where they are, and may be seen when the page is scrolled."""
    unseen = [ref for ref, one in moment.looked.items() if not one.is_shown]
    try:
        movable = await moment.values.may_show_more() if unseen else ()
    except (Error, PlaywrightTimeout) as error:
        session.tabs.raise_if_lost(error)
        return []
    return [ref for ref in unseen if ref in movable]


def _captures(session: PageSession, taken: Iterable[ViewPicture]) -> tuple[Capture, ...]:
    pictures, url = list(taken), session.page.url[:MAX_URL]
    return tuple(
        Capture(
            *("screenshot", "values", "image/png", ".png", one.png, url),
            part=part,
            parts=len(pictures),
            area=one.area,
            of_values=True,
        )
        for part, one in enumerate(pictures, start=1)
    )
