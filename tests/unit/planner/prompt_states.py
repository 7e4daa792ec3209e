"""States of long samples, built with the planner's own transitions, for the prompt tests."""

from __future__ import annotations

from services.planner.prompt.assembly import Prompt, assemble_prompt
from services.planner.state.attempt_state import AttemptState, SampleView
from services.planner.state.transitions import after_step
from shared.contracts.actions import ByRef as Ref
from shared.contracts.actions import Click, Extract, Goto, SaveProgress, Scroll
from shared.contracts.browser_pool import PageObserved
from shared.contracts.results import TargetFound, TextRead
from shared.contracts.steps import ObservationRef
from tests.unit.planner.planner_pages import URL, acted, done_result, el, page, picture, shot, step

BUTTON = TargetFound(role="button", name="Show details", tag="button", fingerprint="f" * 16)


def prompt(shown: SampleView, **changes: float) -> Prompt:
    made = assemble_prompt(shown, **changes)
    assert isinstance(made, Prompt), made
    return made


def steps(count: int, text: str = "") -> AttemptState:
    """Return a sample after a number of steps of all kinds; ``text`` is the content of its pages."""
    state = AttemptState()
    for number in range(count):
        state = one_more(state, number, text)
    return state


def one_more(state: AttemptState, number: int, text: str = "") -> AttemptState:
    kinds = (_goto, _click, _scroll, _extract, _shot, _save)
    return kinds[number % len(kinds)](state, number, text)


def _goto(state: AttemptState, number: int, text: str) -> AttemptState:
    return acted(state, Goto(url=f"{URL}?{number}", reason="on"), done_result(), text or "opened")


def _click(state: AttemptState, number: int, text: str) -> AttemptState:
    action = Click(target=Ref(ref=number, snapshot_id="s0"), reason="opens")
    return acted(state, action, done_result(target=BUTTON), text or "clicked")


def _scroll(state: AttemptState, number: int, text: str) -> AttemptState:
    return acted(state, Scroll(reason="more"), done_result(), text or "scrolled")


def _extract(state: AttemptState, number: int, text: str) -> AttemptState:
    read = TextRead(text=text or "x" * 1432)
    return acted(state, Extract(target=Ref(ref=3, snapshot_id="s0"), reason="all"), done_result(effect=read), "read")


def _shot(state: AttemptState, number: int, text: str) -> AttemptState:
    return acted(state, picture(f"view {number}"), shot(f"view {number}"), text or "taken")


def _save(state: AttemptState, number: int, text: str) -> AttemptState:
    return acted(state, SaveProgress(values={"assignee": text or "Ann"}, reason="keeps"), None, "saved")


def on_pages(count: int) -> AttemptState:
    """Return a sample that has visited a number of pages."""
    state = AttemptState()
    for number in range(count):
        ref = ObservationRef(
            snapshot_id="s1", sha256="", url=f"{URL}/{number}", title="", http_status=200, dom_confidence=1.0
        )
        state = after_step(state, step(state, Scroll(reason="r"), done_result(), observation=ref))
    return state


def big_page(elements: int, name: str = "Commit 9f86d081884c7d659a2feaa0c55ad015") -> PageObserved:
    return page(*(el("link", f"{name} {number}", url=f"{URL}/{number}") for number in range(elements)))
