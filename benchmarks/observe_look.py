"""The reports of both sides about one page, and the marked elements of the page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from playwright.async_api import Error, Frame, Page

from benchmarks.observe_score import PRESSABLE, AriaLine, Mark, PositionIndex, Reported, aria_lines
from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import ByRef
from shared.contracts.browser_pool import Element, PageObserved

# Open roots only: closed ones need the DevTools protocol.
_COLLECT = """() => {
  const found = [];
  const visit = (root) => {
    for (const el of root.querySelectorAll('*')) {
      if (el.hasAttribute('data-truth')) {
        const box = el.getBoundingClientRect();
        found.push([el.getAttribute('data-truth'), el.localName,
          box.left + scrollX, box.top + scrollY, box.width, box.height]);
      }
      if (el.shadowRoot) visit(el.shadowRoot);
    }
  };
  visit(document);
  return JSON.stringify(found);
}"""
_KEY = "el => el.getAttribute('data-truth')"
# The box nearly always identifies the element; otherwise the element is asked, at most this often.
ASKED_AT_MOST = 300


async def marks_of(page: Page) -> list[Mark]:
    """Return every marked element of the page, in the coordinates of the main document."""
    marks: list[Mark] = []
    for frame in page.frames:
        left, top = await _offset(frame)
        found: list[tuple[str, str, float, float, float, float]] = json.loads(await frame.evaluate(_COLLECT))
        marks += [Mark(key, tag, (x + left, y + top, w, h)) for key, tag, x, y, w, h in found]
    return marks + await _in_closed_roots(page)


async def _offset(frame: Frame) -> tuple[float, float]:
    """Return the offset of a frame. Assumes frames without border and padding, and no scrolling."""
    if frame.parent_frame is None:
        return 0.0, 0.0
    box = await (await frame.frame_element()).bounding_box()
    return (box["x"], box["y"]) if box else (0.0, 0.0)


async def _in_closed_roots(page: Page) -> list[Mark]:
    protocol = await page.context.new_cdp_session(page)
    try:
        document = await protocol.send("DOM.getDocument", {"depth": -1, "pierce": True})
        marks: list[Mark] = []
        for node in _nodes(document["root"], closed=False):
            pairs: list[str] = node.get("attributes", [])
            attributes = dict(zip(pairs[::2], pairs[1::2], strict=True))
            if "data-truth" in attributes:
                model = await protocol.send("DOM.getBoxModel", {"nodeId": node["nodeId"]})
                quad = model["model"]["border"]
                rect = (quad[0], quad[1], quad[4] - quad[0], quad[5] - quad[1])
                marks.append(Mark(attributes["data-truth"], node["localName"], rect))
        return marks
    finally:
        await protocol.detach()


def _nodes(node: dict[str, Any], *, closed: bool) -> Iterator[dict[str, Any]]:
    """Yield all nodes inside closed shadow roots."""
    if closed:
        yield node
    inner = closed or node.get("shadowRootType") == "closed"
    for child in (*node.get("children", ()), *node.get("shadowRoots", ())):
        yield from _nodes(child, closed=inner)


# --- ours


async def reported(session: PageSession, seen: PageObserved, marks: Sequence[Mark]) -> list[Reported]:
    """Return what is reported as a control, each with the key of its control."""
    index = PositionIndex(marks)
    asked = 0
    out: list[Reported] = []
    for element in filter(is_pressable, seen.elements):
        key = _by_box(index, element)
        if key is None and asked < ASKED_AT_MOST:
            asked += 1
            key = await _by_ref(session, element.ref, seen.snapshot_id)
        out.append(Reported(key, _description(element), element.covered_by is not None, "disabled" in element.states))
    return out


def is_pressable(element: Element) -> bool:
    return element.role in PRESSABLE or "clickable" in element.states


def _by_box(index: PositionIndex, element: Element) -> str | None:
    box = element.box
    return None if box is None else index.key(element.tag, (box.x, box.y, box.width, box.height))


async def _by_ref(session: PageSession, ref: int, snapshot_id: str) -> str | None:
    found = await session.find(ByRef(ref=ref, snapshot_id=snapshot_id), "read")
    locator = getattr(found, "locator", None)
    if locator is None:
        return None
    try:
        return await locator.evaluate(_KEY, timeout=1000)
    except Error:
        return None


def _description(element: Element) -> str:
    return f'{element.role} "{element.name[:40]}" <{element.tag}>'


def texts_of(seen: PageObserved) -> list[str]:
    """Return names and values; a header counts once, with any number of values."""
    headers = dict.fromkeys(element.header for element in seen.elements if element.header)
    return [
        *headers,
        *(text for element in seen.elements for text in (element.name, element.value) if text),
    ]


# --- the peer


async def peer_reported(page: Page, snapshot: str) -> list[Reported]:
    """Return the controls of ``aria_snapshot(mode="ai")``: widgets, and elements with a pointer cursor and a ref."""
    return [
        Reported(await _peer_key(page, line.ref), f'{line.role} "{line.name[:40]}"', disabled=line.disabled)
        for line in aria_lines(snapshot)
        if line.ref is not None and (line.role in PRESSABLE or line.pointer)
    ]


def peer_names(lines: Sequence[AriaLine]) -> list[str]:
    """Return the names of ``aria_snapshot()``, which has no refs."""
    return [line.name for line in lines if line.role in PRESSABLE]


async def _peer_key(page: Page, ref: str | None) -> str | None:
    try:
        return await page.locator(f"aria-ref={ref}").evaluate(_KEY, timeout=1000)
    except Error:
        return None
