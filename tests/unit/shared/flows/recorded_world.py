"""Recorded samples made by hand: pages of elements, and steps on them as a planner records them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from shared.contracts.actions import (
    AnyAction,
    ByRef,
    Click,
    Download,
    Goto,
    PickOption,
    Press,
    Screenshot,
    SetDate,
    TypeText,
    Wait,
)
from shared.contracts.browser_pool import Element
from shared.contracts.results import (
    ActionResult,
    Captured,
    Change,
    CheckboxSet,
    Effect,
    Locator,
    Navigated,
    PageChanged,
    TargetFound,
    ValueSet,
)
from shared.contracts.steps import FieldValue, ObservationRef, RouteMark, StepTaken, ValueSource
from shared.pages.locate.target_context import context_of
from shared.recordings.recording import RecordedPage, Recording
from shared.task.spec import TaskSpec, check_spec

NOW = datetime(2026, 11, 23, tzinfo=UTC)
INPUTS = ("textbox", "combobox", "checkbox", "radio", "searchbox")


def spec_of(**keys: Any) -> TaskSpec:
    written = {"task_id": "a_task", "goal": "Read it.", "output_schema": {"status": "string"}, **keys}
    spec, problems = check_spec(written)
    assert spec is not None, problems
    return spec


def element(ref: int, role: str, name: str = "", **facts: Any) -> Element:
    return Element(ref=ref, role=role, name=name, **{"place": f"main>{role}", "tag": role, **facts})


class Recorder:
    """Records one sample: `open` and `show` say what page there is, the other methods act on its elements."""

    def __init__(self, sample_id: str, row: dict[str, str]) -> None:
        self.sample_id, self.row = sample_id, row
        self.steps: list[StepTaken] = []
        self.pages: dict[str, RecordedPage] = {}
        self.elements: tuple[Element, ...] = ()
        self.sha256 = ""
        self.values: list[FieldValue] = []

    def show(self, *elements: Element, stored: bool = True) -> None:
        self.elements = elements
        self.sha256 = hashlib.sha256(repr((self.sample_id, elements)).encode()).hexdigest()
        if stored:
            self.pages[self.sha256] = RecordedPage("http://site/", "", elements)

    def open(self, url: str, *elements: Element) -> None:
        self._take(Goto(url=url), Navigated(url=url))
        self.show(*elements)

    def click(self, ref: int, *leads_to: Element, mark: int = 0) -> None:
        one = self._element(ref)
        effect: Effect = Navigated(url="http://site/next") if leads_to else PageChanged()
        if one.role in ("checkbox", "radio"):
            effect = CheckboxSet(checked=True)
        self._take(Click(target=self._target(ref)), effect, one, mark)
        if leads_to:
            self.show(*leads_to)

    def mark_last(self, **facts: Any) -> None:
        """Change facts of the step that was taken last."""
        self.steps[-1] = replace(self.steps[-1], **facts)

    def type(self, ref: int, text: str) -> None:
        self._take(TypeText(target=self._target(ref), text=text), ValueSet(value=text), self._element(ref))

    def press(self, ref: int, keys: str) -> None:
        self._take(Press(keys=keys, target=self._target(ref)), PageChanged(), self._element(ref))

    def check(self, ref: int, *, checked: bool) -> None:
        self._take(Click(target=self._target(ref)), CheckboxSet(checked=checked), self._element(ref))

    def pick(self, ref: int, option: str) -> None:
        self._take(PickOption(target=self._target(ref), option=option), ValueSet(value=option), self._element(ref))

    def set_date(self, ref: int, date: str) -> None:
        self._take(SetDate(target=self._target(ref), date=date), ValueSet(value=date), self._element(ref))

    def download(self, ref: int, label: str) -> None:
        self._take(Download(target=self._target(ref), label=label), Captured(), self._element(ref))

    def await_element(self, ref: int, timeout_s: float) -> None:
        self._take(Wait(target=self._target(ref), timeout_s=timeout_s), PageChanged(), self._element(ref))

    def screenshot(self, label: str) -> None:
        self._take(Screenshot(label=label), Captured())

    def fail(self, ref: int) -> None:
        """Record a click that did not work."""
        self._take(Click(target=self._target(ref)), None, self._element(ref))

    def read(self, field: str, ref: int, shown: str = "", value: Any = None, url: str = "http://site/") -> None:
        one = self._element(ref)
        source = ValueSource(
            snapshot_id=self.sha256[:16], observation_sha256=self.sha256, url=url, ref=ref, role=one.role,
            label=one.header, box=None, frame="main", kept_ref=ref,
        )  # fmt: skip
        text = shown or one.name
        self.values.append(FieldValue(field=field, state="value", value=value or text, shown=text, source=source))

    @property
    def sample(self) -> Recording:
        return Recording("run_1", self.sample_id, self.row, tuple(self.steps), self.pages, tuple(self.values))

    def _element(self, ref: int) -> Element:
        return next(one for one in self.elements if one.ref == ref)

    def _target(self, ref: int) -> ByRef:
        return ByRef(ref=ref, snapshot_id=self.sha256[:16])

    def _take(self, action: AnyAction, effect: Effect | None, one: Element | None = None, mark: int = 0) -> None:
        found = None if one is None else self._found(one)
        result = ActionResult(
            ok=effect is not None, code="ok" if effect is not None else "not_found", message="",
            change=Change(url_before="", url_after=""), effect=effect, target=found,
        )  # fmt: skip
        observed = ObservationRef(
            snapshot_id=self.sha256[:16], sha256=self.sha256, url="http://site/", title="", http_status=200,
            dom_confidence=1.0,
        )  # fmt: skip
        step = StepTaken(
            run_id="run_1", sample_id=self.sample_id, attempt=1, step=len(self.steps) + 1, started_at=NOW, ended_at=NOW,
            observation=observed if self.sha256 else None, decided_by="rules", action=action, result=result,
            route=RouteMark(step=mark) if mark else None,
            target_context=None if one is None else context_of(one, self.elements),
        )  # fmt: skip
        self.steps.append(step)

    def _found(self, one: Element) -> TargetFound:
        locators = [
            Locator(kind="role", value=f"role={one.role}[name={json.dumps(one.name)}]", matches=self._count(one))
        ]
        kind = "label" if one.role in INPUTS else "text"
        locators.append(Locator(kind=kind, value=one.name, matches=self._count(one)))
        locators += one.locators
        return TargetFound(role=one.role, name=one.name, tag=one.tag, fingerprint="", locators=tuple(locators))

    def _count(self, one: Element) -> int:
        return sum((other.role, other.name) == (one.role, one.name) for other in self.elements)


def samples_of(recorders: Sequence[Recorder]) -> list[Recording]:
    return [one.sample for one in recorders]
