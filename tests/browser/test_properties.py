"""Generated pages: no twin is ever hit, and a ref always means the element it was reported for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from services.browser_pool.adapters.observe.targets import KEPT_SNAPSHOTS
from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import ByRef, Click
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import ActionResult
from tests.browser.generated_pages import examples, observed

pytestmark = pytest.mark.asyncio(loop_scope="session")

RECORDS = f"""<!doctype html><style>[data-r] {{ min-height: 24px }}</style><body><script>
{Path(__file__).with_name("records.js").read_text(encoding="utf-8")}</script>"""
WHO = st.sampled_from(["Ann", "Anna", "Bob", "Item 1", "Item 10", "Item 2", "7", "17 items", "1,234.50"])
KINDS = ("table", "list", "card", "div", "open", "closed", "part")
CONTROLS = ("button", "link", "check", "div", "named")
CHANGES = (
    *("swap", "reverse", "write", "overwrite", "shift", "renew", "refill", "rename"),
    *("rerole", "hide", "remove", "exchange", "insert", "again"),
)


@dataclass(frozen=True)
class Change:
    name: str
    first: int
    second: int
    who: str

    @property
    def script(self) -> str:
        return f"change({json.dumps([self.name, self.first, self.second, self.who])[1:-1]})"


@dataclass(frozen=True)
class Listing:
    kind: str
    control: str
    whos: tuple[str, ...]

    @property
    def script(self) -> str:
        return f"build({json.dumps([self.kind, self.control, self.whos])[1:-1]})"


changes = st.builds(Change, st.sampled_from(CHANGES), st.integers(0, 3), st.integers(0, 3), WHO)
listings = st.builds(
    Listing, st.sampled_from(KINDS), st.sampled_from(CONTROLS), st.lists(WHO, min_size=1, max_size=4).map(tuple)
)


async def press(session: PageSession, ref: int, snapshot_id: str) -> ActionResult:
    return (await session.act(Click(target=ByRef(ref=ref, snapshot_id=snapshot_id)))).result


def controls(page: PageObserved, whos: Sequence[str]) -> list[Element]:
    pressable = ("button", "link", "checkbox", "tab")
    return [one for one in page.elements if one.role in pressable and one.name in ("Open", *whos)]


@examples(12)
@given(
    listed=st.lists(listings, min_size=1, max_size=2),
    framed=st.booleans(),
    mutations=st.lists(changes, max_size=4),
    chosen=st.integers(0, 3),
)
@example([Listing("div", "named", ("Item 1", "Bob"))], False, [Change("overwrite", 0, 0, "Item 10")], 0)
@example([Listing("div", "button", ("Ann", "Bob"))], False, [Change("shift", 0, 0, "")], 0)
@example([Listing("closed", "link", ("Ann", "Bob"))], True, [Change("shift", 0, 0, "")], 1)
@example([Listing("part", "button", ("Ann", "Bob"))], False, [Change("write", 1, 0, "Anna")], 1)
@example([Listing("list", "button", ("Ann", "Bob", "Anna"))], False, [Change("shift", 0, 0, "")] * 2, 0)
async def test_a_ref_hits_what_it_was_shown_for_or_nothing(
    session: PageSession, listed: list[Listing], framed: bool, mutations: list[Change], chosen: int
) -> None:
    page = session.page
    await page.set_content("<body><iframe style='width:900px;height:600px' id=f></iframe>" if framed else RECORDS)
    frame = page.main_frame
    if framed:
        await page.evaluate("html => new Promise((on) => { f.onload = on; f.srcdoc = html })", RECORDS)
        frame = page.frames[-1]
    await frame.evaluate(";".join(one.script for one in listed))
    snapshot = await observed(session, "twins")
    before = await frame.evaluate("told()")
    shown = controls(snapshot, [who for one in listed for who in one.whos])
    assert len(shown) == len(before), snapshot.text
    at = chosen % len(before)
    for one in mutations:
        await frame.evaluate(one.script)
    after = await frame.evaluate("told()")
    result = await press(session, shown[at].ref, "twins")
    log = await page.evaluate("log")
    if result.ok:
        twins = [one for one in shown if (one.role, one.name) == (shown[at].role, shown[at].name)]
        said = before[at][2] if len(twins) > 1 else log[0][1]  # alone, it is known by its role and name
        assert log == [[before[at][0], said]], result
    else:
        assert log == []
        assert result.code in ("stale_ref", "not_found", "blocked"), result
        assert before[at] not in after, f"it is as it was: {result.message}"


@examples(3)
@given(looks=st.lists(st.sampled_from(["look", "reverse", "navigate"]), min_size=1, max_size=9), data=st.data())
async def test_a_ref_means_what_its_own_snapshot_says(
    session: PageSession, looks: list[str], data: st.DataObject
) -> None:
    """Whatever came after: later snapshots, other documents, more snapshots than are kept."""
    page = session.page
    await page.set_content(RECORDS)
    await page.evaluate(Listing("list", "button", ("Ann", "Bob", "Anna")).script)
    taken: list[tuple[str, list[tuple[int, str]], list[int], int]] = []
    document = 0
    for turn, step in enumerate(looks):
        if step == "reverse":
            await page.evaluate("change('reverse', 0, 0, '')")
        if step == "navigate":
            document += 1
            await page.goto("about:blank")
            await page.set_content(RECORDS)
            await page.evaluate(Listing("list", "button", ("Ann", "Bob", "Anna")).script)
        snapshot_id = f"{id(taken)}-{turn}"
        snapshot = await observed(session, snapshot_id)
        refs = [one.ref for one in controls(snapshot, ())]
        taken.append((snapshot_id, [(n, who) for n, _, who, *_ in await page.evaluate("told()")], refs, document))
    used = data.draw(st.integers(0, len(taken) - 1))
    snapshot_id, hits, refs, of = taken[used]
    at = data.draw(st.integers(0, 2))
    result = await press(session, refs[at], snapshot_id)
    log = await page.evaluate("log")
    if of == document and used >= len(taken) - KEPT_SNAPSHOTS:
        assert (result.ok, log) == (True, [list(hits[at])]), result
    else:
        assert (result.code, log) == ("stale_ref", []), result
    unknown = await press(session, refs[at], "never taken")
    assert (unknown.code, await page.evaluate("log")) == ("stale_ref", log)
    beyond = await press(session, 1000, taken[-1][0])
    assert (beyond.code, await page.evaluate("log")) == ("not_found", log)
