"""One step of the route on the current page: its marks in the history, its actions, and how it can fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from services.planner.judge.login_page import login_page_words
from services.planner.state.attempt_state import Act, Entry, ObserveAgain, SampleView
from services.planner.state.common_decisions import by_rule, fail_with_screenshot, observe_later, observe_more
from shared.contracts.actions import AnyAction, ByRef, Fail
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.codes import FailCode
from shared.contracts.discovery import Sample
from shared.contracts.steps import FieldValue, Note, RouteMark
from shared.field_types import nullable
from shared.pages.elements import says_not_found
from shared.pages.identity.identity import PageRead
from shared.pages.loading import find_loading_sign
from shared.pages.read.fields import field_values
from shared.task.route import Step, step_in_words
from shared.task.row_values import template_values
from shared.task.spec import TaskSpec, fill
from shared.text.normal import quoted

RELOAD = "reload"
"""The part of a mark for loading the page of a step again after an error."""


def route_reason(mark: RouteMark, why: str) -> str:
    """Return why an action is taken, such as `Route step 2.press: the search is sent.`"""
    part = f".{mark.part}" if mark.part else ""
    return f"Route step {mark.step}{part}: {why}"


def last_mark(history: Sequence[Entry]) -> RouteMark | None:
    """Return the mark of the last action that was taken for the route, or None."""
    return next((entry.route for entry in reversed(history) if entry.route is not None and _counts(entry)), None)


def entries_of(history: Sequence[Entry], at: int, part: str | None = None) -> tuple[Entry, ...]:
    """Return the actions taken for one step of the route, counted from 0, or for one part of it."""
    return tuple(e for e in history if e.route is not None and _counts(e) and _is_of(e.route, at, part))


def reloads(history: Sequence[Entry]) -> int:
    """Return how often the page of a step was loaded again."""
    return sum(entry.route is not None and entry.route.part == RELOAD for entry in history)


def _counts(entry: Entry) -> bool:
    return entry.action is not None and not entry.refused


def _is_of(mark: RouteMark, at: int, part: str | None) -> bool:
    return mark.step == at + 1 and (mark.part == part if part is not None else mark.part != RELOAD)


OFFERED = 14
"""Most names that an error message lists."""


@dataclass(frozen=True)
class NextStep:
    """Nothing is left to do for this step. `skip`: further steps that depend on it and are left out."""

    seen: tuple[FieldValue, ...] = ()
    notes: tuple[Note, ...] = ()
    skip: int = 0


@dataclass(frozen=True)
class RouteContext:
    """One step of the route on one page. `index` counts the steps from 0."""

    view: SampleView
    page: PageObserved
    read: PageRead
    index: int

    @property
    def step(self) -> Step:
        return self.view.spec.route[self.index]

    def filled_text(self, template: str) -> str:
        """Return the template filled with the sample's row."""
        return fill(template, row_with_gaps(self.view.spec, self.view.sample)).strip()

    def entries(self, part: str | None = None) -> tuple[Entry, ...]:
        """Return the actions taken for this step, or for one part of it."""
        return entries_of(self.view.state.history, self.index, part)

    def is_done(self, part: str | None = None) -> bool:
        """Return whether one of these actions succeeded."""
        return any(entry.ok for entry in self.entries(part))

    def ref(self, element: Element) -> ByRef:
        """Return a target of the current observation."""
        return ByRef(ref=element.ref, snapshot_id=self.page.snapshot_id)

    def act(self, action: AnyAction, why: str, part: str = "", *, found: int = 0, at: str = "") -> Act:
        """Return the action with its mark. `found` and `at`: as in `RouteMark`."""
        mark = RouteMark(step=self.index + 1, part=part, found=found, at=at)
        return by_rule(msgspec.structs.replace(action, reason=route_reason(mark, why)), mark)

    # --- failures

    def missing_element(self, what: str, *, looks: int | None = None) -> Act | ObserveAgain:
        """Observe more of the page, then later, then fail because `what` was not found."""
        later = observe_more(self.view, self.page) or (
            observe_later(self.view) if looks is None else observe_later(self.view, looks=looks)
        )
        return later or self.off_route(f"there is no {what}; {offered_text(self.page)}")

    def off_route(self, why: str) -> Act:
        """Fail because the page is not the one that the route describes."""
        words = says_not_found(self.page, tuple(self.view.spec.not_found_texts))
        values = field_values(self.view.spec, self.read.readings, self.page)
        asked = login_page_words(self.view, self.page, (*self.view.state.seen.values(), *values))
        if asked:
            return self.fail("auth_required", f"{self.page.url} {asked}")
        if words is not None and not self.view.state.proven and self.view.spec.not_found_texts:
            return self.fail("not_found", f"the page says: {words}")
        sign = find_loading_sign(self.page)
        return self.fail("still_loading", f"{self.page.url} {sign}") if sign else self.fail("off_route", why)

    def fail(self, code: FailCode, why: str) -> Act:
        """Fail with this code, after a screenshot. The message names the step and the page."""
        where = f"step {self.index + 1} of the route ({_short(step_in_words(self.step))}) on {self.page.url}"
        return fail_with_screenshot(self.view, Fail(code=code, note=f"{why} [{where}]"))


def _short(text: str, most: int = 90) -> str:
    return text if len(text) <= most else f"{text[:most]} ..."


def row_with_gaps(spec: TaskSpec, sample: Sample) -> dict[str, str]:
    """Return the sample's row, with empty texts for optional columns that it lacks."""
    gaps = {name: "" for name, kind in spec.input_schema.items() if nullable(kind)}
    return {**gaps, **template_values(sample)}


def offered_text(page: PageObserved) -> str:
    """Return what can be pressed on the page, as part of a sentence."""
    roles = ("link", "button", "tab", "menuitem")
    names = list(dict.fromkeys(e.name for e in page.elements if e.role in roles and e.name))
    more = f" and {len(names) - OFFERED} more" if len(names) > OFFERED else ""
    alerts = [e.name for e in page.elements if e.role == "alert" and e.name]
    said = f"; it says {', '.join(quoted(text) for text in alerts[:3])}" if alerts else ""
    return f"the page offers {', '.join(quoted(name, 40) for name in names[:OFFERED]) or 'nothing'}{more}{said}"


def is_on_trail(view: SampleView, read: PageRead) -> bool:
    """Return whether the page shows this record, or was reached from its page and shows no other identity."""
    return read.proof.state == "proven" or (read.proof.state == "unproven" and view.state.proven)
