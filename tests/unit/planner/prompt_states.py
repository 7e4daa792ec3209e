"""States of long samples, made by the planner's own transitions, for the tests of what a model is shown."""

from __future__ import annotations

from services.planner.prompt.assembly import Prompt, assembled
from services.planner.state.sample_state import SampleState, View
from services.planner.state.transitions import advanced
from shared.contracts.actions import ByRef as Ref
from shared.contracts.actions import Click, Extract, Goto, SaveProgress, Scroll
from shared.contracts.browser_pool import PageObserved
from shared.contracts.results import TargetFound, TextRead
from shared.contracts.steps import ObservationRef
from tests.unit.planner.planner_pages import URL, acted, done_result, el, page, picture, shot, step

BUTTON = TargetFound(role="button", name="Show details", tag="button", fingerprint="f" * 16)


def prompt(shown: View, **changes: float) -> Prompt:
    made = assembled(shown, **changes)
    assert isinstance(made, Prompt), made
    return made


def steps(count: int, text: str = "") -> SampleState:
    """A sample that has gone through so many steps of all kinds; ``text`` is what pages said on the way."""
    state = SampleState()
    for number in range(count):
        state = one_more(state, number, text)
    return state


def one_more(state: SampleState, number: int, text: str = "") -> SampleState:
    kinds = (_goto, _click, _scroll, _extract, _shot, _save)
    return kinds[number % len(kinds)](state, number, text)


def _goto(state: SampleState, number: int, text: str) -> SampleState:
    return acted(state, Goto(url=f"{URL}?{number}", reason="on"), done_result(), text or "opened")


def _click(state: SampleState, number: int, text: str) -> SampleState:
    action = Click(target=Ref(ref=number, snapshot_id="s0"), reason="opens")
    return acted(state, action, done_result(target=BUTTON), text or "clicked")


def _scroll(state: SampleState, number: int, text: str) -> SampleState:
    return acted(state, Scroll(reason="more"), done_result(), text or "scrolled")


def _extract(state: SampleState, number: int, text: str) -> SampleState:
    read = TextRead(text=text or "x" * 1432)
    return acted(state, Extract(target=Ref(ref=3, snapshot_id="s0"), reason="all"), done_result(effect=read), "read")


def _shot(state: SampleState, number: int, text: str) -> SampleState:
    return acted(state, picture(f"view {number}"), shot(f"view {number}"), text or "taken")


def _save(state: SampleState, number: int, text: str) -> SampleState:
    return acted(state, SaveProgress(values={"assignee": text or "Ann"}, reason="keeps"), None, "saved")


def on_pages(count: int) -> SampleState:
    """A sample that has been on so many pages."""
    state = SampleState()
    for number in range(count):
        ref = ObservationRef(
            snapshot_id="s1", sha256="", url=f"{URL}/{number}", title="", http_status=200, dom_confidence=1.0
        )
        state = advanced(state, step(state, Scroll(reason="r"), done_result(), observation=ref))
    return state


def big_page(elements: int, name: str = "Commit 9f86d081884c7d659a2feaa0c55ad015") -> PageObserved:
    return page(*(el("link", f"{name} {number}", url=f"{URL}/{number}") for number in range(elements)))
