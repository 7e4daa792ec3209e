"""Answers the calls of a flow from a recorded sample, and tells whether the flow did and found the same. Pure.

What acts must be the step that the sample took next: the same call with the same texts, on the same element. The
elements of one form may be filled in another order. Then it is performed by the machine of :mod:`shared.flows.turns`
on the stored page, with the result of that step. What reads is answered from the page that was stored at this point.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, cast

from msgspec.structs import replace as replace_part

from shared.contracts.actions import AnyAction
from shared.contracts.browser_pool import PageObserved
from shared.contracts.error_codes import may_have_fired
from shared.contracts.results import ActionResult
from shared.contracts.steps import RowValue, StepTaken
from shared.contracts.workflows.flows import (
    CheckShown,
    ClickElement,
    CountElements,
    DownloadAll,
    DownloadFile,
    EnterSection,
    FlowAnswer,
    FlowCall,
    ProveRecord,
    ReadFields,
    ReadList,
    ReadWithModel,
    SetChecked,
    SetOutput,
)
from shared.flows.answering import FlowContext
from shared.flows.asked import asked_in, is_press_in_place, named_so_far, with_searched
from shared.flows.compiling.recorded_calls import FREE_FIELDS, RecordedCall, calls_of
from shared.flows.files import FlowFiles
from shared.flows.reading import NotPresent, flow_error
from shared.flows.turns import Answered, Observe, PerformAction, TurnStep, begin_call, next_step
from shared.pages.locate.by_selector import find_element
from shared.pages.locate.findings import Ambiguous, Found, NotFound
from shared.pages.locate.selectors import Selector, fill_selector, is_listed_css, parse_selector
from shared.recordings.recording import RecordedPage, Recording, row_texts, rows_by_page
from shared.recordings.stored_pages import as_observed
from shared.text.normal import fold, plain_form, quoted, tidy

READS = (ProveRecord, ReadFields, ReadList, CheckShown, CountElements)
MOST_ROWS = 3
"""Rows that are told of a field that differs."""


@dataclass(frozen=True)
class SampleCheck:
    """What a flow did on one recorded sample. ``lacking``: the problem of each field that the sample has and the flow
    has not. ``differs``: all other problems."""

    sample_id: str
    differs: tuple[str, ...]
    values: Mapping[str, Any]
    model_calls: int = 0
    lacking: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def problems(self) -> tuple[str, ...]:
        """How it differs; empty: it is the same."""
        return (*self.differs, *self.lacking.values())


@dataclass(frozen=True)
class _StepMade:
    """A recorded step, as `asked_in` reads one."""

    step: StepTaken

    @property
    def action(self) -> AnyAction | None:
        return self.step.action

    @property
    def result(self) -> ActionResult | None:
        return self.step.result

    @property
    def may_have_fired(self) -> bool:
        result = self.step.result
        return not self.step.refused and (result is None or result.ok or may_have_fired(result.code))


class RecordedAnswers:
    """Answers the calls of one run of a flow, in order."""

    def __init__(
        self, sample: Recording, files: FlowFiles, variables: Mapping[str, str], not_present: NotPresent
    ) -> None:
        self._sample = sample
        self._calls, _ = calls_of(sample, 0)
        self._at = 0
        self._context = FlowContext(files=files, variables=variables, not_present=not_present)
        self._files, self._variables = files, variables
        self._row = tuple(dict.fromkeys(text for text in variables.values() if text.strip()))
        self.asked_model = 0

    def answer(self, call: FlowCall) -> FlowAnswer:
        """Return the answer to the next call."""
        if isinstance(call, EnterSection | SetOutput):
            return FlowAnswer()
        if isinstance(call, ReadWithModel):
            self.asked_model += 1
            return FlowAnswer(value={})
        if isinstance(call, ReadList) and (rows := self._rows_of(call.name)) is not None:
            return rows
        if isinstance(call, READS):
            return self._read(call)
        if isinstance(call, DownloadAll):
            return self._download_all(call)
        return self._act(call)

    def left(self) -> str:
        """Return the step that the flow has not taken; empty: it has taken all."""
        rest = [one for one in self._calls[self._at :] if not _is_optional(one)]
        return f"step {rest[0].step} ({rest[0].call.__struct_config__.tag}) was not taken" if rest else ""

    # --- reading

    def _read(self, call: FlowCall) -> FlowAnswer:
        page = self._page(call)
        if page is None:
            return flow_error("value_missing", "the page that the sample showed here was not stored")
        step = self._step_on(call, page)
        if isinstance(step, PerformAction):
            if isinstance(call, CheckShown) and self._would_be_listed(call.selector, page):
                return FlowAnswer(value=False)
            return flow_error("value_missing", f"a stored page does not tell what CSS finds: {_selector_of(call)}")
        self._context = step.context
        return step.answer

    def _would_be_listed(self, selector: str, page: PageObserved) -> bool:
        """Return whether the stored page has the element of this id, if it is shown: what is acted on is observed."""
        acted_on = selector in self._files.locators and is_listed_css(selector)
        return acted_on and any(one.locators for one in page.elements)

    def _step_on(self, call: FlowCall, page: PageObserved) -> PerformAction | Answered:
        """Return what a call comes to on a stored page, which shows the same however often it is looked at."""
        step: TurnStep = begin_call(call, self._context)
        while isinstance(step, Observe):
            step = next_step(step.turn, page)
        return step

    def _rows_of(self, name: str) -> FlowAnswer | None:
        """Return the rows that the pages of the sample show by the rules, each once, in the order of its result; None
        where it had none. A page may show rows again that an earlier one has shown, and no others."""
        value = next((one for one in self._sample.values if one.field == name and one.rows), None)
        if value is None:
            return None
        known = [row_texts(row) for row in value.rows]
        found: list[dict[str, Any]] = []
        for shown in rows_by_page(value):
            sha256 = self._sample.stored_page(shown.source)
            if not sha256:
                return flow_error("value_missing", f"a page that showed rows of {name} was not stored")
            page = page_of(self._sample.pages[sha256], sha256)
            step = self._step_on(ReadList(name=name), page)
            if isinstance(step, PerformAction) or step.answer.error is not None:
                return None if isinstance(step, PerformAction) else step.answer
            self._context = step.context
            read = [next((one for one in known if same_row(row, one)), row) for row in step.answer.value]
            if missing := [row for row in map(row_texts, shown.rows) if row not in read]:
                return flow_error("value_missing", f"{page.url} does not show the row {quoted(str(missing[0]))}")
            found += read
        unknown = [row for row in found if row not in known]
        return FlowAnswer(value=[row for row in known if row in found] + unknown)

    def _page(self, call: FlowCall) -> PageObserved | None:
        """Return the stored page at this point, with what was searched for where it is the answer to that."""
        sha256 = self._page_here()
        if not sha256:
            return None
        ids = named_so_far(call, self._context.named)
        return with_searched(
            page_of(self._sample.pages[sha256], sha256), asked_in(self._row, ids, self._before(sha256))
        )

    def _before(self, sha256: str) -> list[_StepMade]:
        """Return the steps up to this point that were taken before the page was seen."""
        steps = self._sample.steps
        here = self._calls[self._at].step if self._at < len(self._calls) else len(steps) + 1
        seen = [
            one.step for one in steps
            if one.step <= here and one.observation is not None and one.observation.sha256 == sha256
        ]  # fmt: skip
        before = max(seen, default=here)
        return [_StepMade(one) for one in steps if one.step < before and not is_press_in_place(one)]

    def _page_here(self) -> str:
        """Return the key of the stored page at this point: of the next step, else the last one stored since it was
        opened; empty: there is none."""
        if self._at < len(self._calls):
            hashes = [self._calls[self._at].page]
        else:
            last_seen = [step.observation.sha256 for step in self._sample.steps[-1:] if step.observation is not None]
            hashes = [*self._read_after_last_step(), *last_seen]
        first = 0 if self._at == 0 else self._calls[self._at - 1].step
        last = self._calls[self._at].step if self._at < len(self._calls) else len(self._sample.steps)
        between = [
            step.observation.sha256
            for step in self._sample.steps
            if step.observation is not None and first < step.step <= last
        ]
        for sha256 in (*hashes, *reversed(between), *self._same_visit()):
            if sha256 in self._sample.pages:
                return sha256
        return ""

    def _read_after_last_step(self) -> list[str]:
        """Return the pages that values were read on after the last step, the latest first: where that step is an act of
        the flow, no step was decided on the page that it led to."""
        if not self._calls or self._calls[-1].step != self._sample.steps[-1].step:
            return []
        decided_on = {step.observation.sha256 for step in self._sample.steps if step.observation is not None}
        read_on = {self._sample.stored_page(one.source) for one in self._sample.values if one.source is not None}
        return [sha256 for sha256 in reversed(list(self._sample.pages)) if sha256 in read_on - decided_on]

    def _same_visit(self) -> list[str]:
        """Return the pages of the steps since the address was opened, the latest first."""
        found: list[str] = []
        for one in reversed(self._calls[: self._at]):
            if one.leaves:
                break
            found.append(one.page)
        return found

    # --- acting

    def _act(self, call: FlowCall) -> FlowAnswer:
        quiet = isinstance(call, ClickElement) and call.if_shown
        if (filled := self._filled_as_recorded(call)) is not None:
            return self._performed(call, filled) or FlowAnswer(value=True if quiet else None)
        while self._at < len(self._calls):
            recorded = self._calls[self._at]
            problem = self._difference(call, recorded)
            if problem and isinstance(call, SetChecked) and self._is_set(call):
                return FlowAnswer()
            if not problem:
                self._at += 1
                return self._performed(call, recorded) or FlowAnswer(value=True if quiet else None)
            if quiet:
                return FlowAnswer(value=False)
            if not _is_optional(recorded):
                return flow_error("action_failed", f"step {recorded.step} of the sample: {problem}")
            self._at += 1
        if isinstance(call, SetChecked) and self._is_set(call):
            return FlowAnswer()
        tag = call.__struct_config__.tag
        return (
            FlowAnswer(value=False) if quiet else flow_error("action_failed", f"the sample took no further step: {tag}")
        )

    def _performed(self, call: FlowCall, recorded: RecordedCall) -> FlowAnswer | None:
        """Return what a call comes to whose action had the result of the recorded step; None where the page was not
        stored on which that was decided, or where one recorded call stands for several steps."""
        stored = self._sample.pages.get(recorded.page)
        result = next((one.result for one in self._sample.steps if one.step == recorded.step), None)
        if stored is None or result is None or recorded.by_pool:
            return None
        step = self._step_on(call, page_of(stored, recorded.page))
        if isinstance(step, Answered):
            return None if step.answer.error is None else step.answer
        if step.perform.more:
            return None
        step = next_step(step.turn, result)
        if isinstance(step, Observe):
            step = next_step(step.turn, self._page(call))
        if not isinstance(step, Answered):
            return None
        self._context = step.context
        return step.answer

    def _filled_as_recorded(self, call: FlowCall) -> RecordedCall | None:
        """Take the step that filled the same element of the form that is being filled in, if there is one."""
        form = takewhile(lambda at: self._calls[at].fills, range(self._at, len(self._calls)))
        taken = next((at for at in form if not self._difference(call, self._calls[at])), None)
        if taken is None:
            return None
        found = self._calls.pop(taken)
        self._calls.insert(self._at, found)
        self._at += 1
        return found

    def _is_set(self, call: SetChecked) -> bool:
        """Return whether the stored page shows the box as the flow wants it."""
        page = self._page(call)
        step = None if page is None else self._step_on(call, page)
        return isinstance(step, Answered) and step.answer == FlowAnswer()

    def _difference(self, call: FlowCall, recorded: RecordedCall) -> str:
        then = recorded.call
        if type(call) is not type(then):
            return f"it did {then.__struct_config__.tag!r}, the flow does {call.__struct_config__.tag!r}"
        for name in call.__struct_fields__:
            if name not in FREE_FIELDS and getattr(call, name) != getattr(then, name):
                return f"{name}: then {quoted(str(getattr(then, name)))}, now {quoted(str(getattr(call, name)))}"
        selector = getattr(call, "selector", "")
        if not selector or recorded.target is None:
            return ""
        return "" if self._finds(selector, recorded) else f"{selector} does not find {quoted(recorded.target.name)}"

    def _finds(self, selector: str, recorded: RecordedCall) -> bool:
        """Return whether the selector finds the element: on the stored page, else by what was recorded of it."""
        stored = self._sample.pages.get(recorded.page)
        target = recorded.target
        assert target is not None
        if stored is not None:
            page = page_of(stored, recorded.page)
            found = find_element(selector, page, self._files.locators, self._variables)
            if isinstance(found, Found):
                return (found.element.role, found.element.name) == (target.role, target.name)
            if isinstance(found, NotFound | Ambiguous):
                return False
        return is_recorded(fill_selector(parse_selector(selector), self._variables), recorded)

    def _download_all(self, call: DownloadAll) -> FlowAnswer:
        count = 0
        while self._at < len(self._calls):
            then = self._calls[self._at].call
            base = then.label.rpartition("_")[0] or then.label if isinstance(then, DownloadFile) else ""
            if not isinstance(then, DownloadFile) or call.label not in (base, then.label):
                break
            self._at += 1
            count += 1
        return FlowAnswer(value=count)


def _is_optional(one: RecordedCall) -> bool:
    """Return whether a step was taken only because something lay over the page."""
    in_dialog = one.context is not None and one.context.in_dialog
    return isinstance(one.call, ClickElement) and in_dialog and not one.pressed_once


def is_recorded(selector: Selector, recorded: RecordedCall) -> bool:
    """Return whether the recorded facts of an element say that this selector found it, and only it."""
    target, context = recorded.target, recorded.context
    if target is None:
        return False
    if selector.row or selector.header or selector.region or selector.after:
        if context is None or (selector.kind == "role" and selector.value != target.role):
            return False
        texts = [fold(text) for text in context.row]
        numbered = [text.split(" ", 1)[-1] for text in texts]
        return (
            all(fold(cell) in (*texts, *numbered) for cell in selector.row)
            and fold(selector.header) in ("", fold(context.header))
            and (not selector.region or selector.region in context.regions)
            and (not selector.after or any(fold(selector.after) == fold(text) for text in context.before))
            and selector.name in (None, target.name)
        )
    for one in target.locators:
        if one.matches != 1:
            continue
        if selector.kind == "css" and one.kind in ("id", "testid", "css") and one.value == selector.value:
            return True
        if selector.kind == one.kind == "role" and parse_selector(one.value) == selector:
            return True
        if selector.kind == one.kind and selector.kind in ("label", "text") and fold(one.value) == fold(selector.value):
            return True
    return False


def _selector_of(call: FlowCall) -> str:
    return getattr(call, "selector", "") or str(call.__struct_config__.tag)


def page_of(stored: RecordedPage, sha256: str) -> PageObserved:
    """Return a stored page as if it had just been observed."""
    observed = as_observed(
        stored.elements, sha256, url=stored.url, title=stored.title, snapshot_id=sha256[:16], http_status=200
    )
    return replace_part(observed, idle=True)


# --- what came of it


def check_values(
    sample: Recording, answers: RecordedAnswers, returned: object, error: str, not_present: NotPresent
) -> SampleCheck:
    """Return whether the flow did and found what the sample's result says. ``error``: why it stopped; empty: it
    returned."""
    values = values_of(returned)
    problems = [error] if error else [answers.left()] if answers.left() else []
    told = () if error else tuple(_differing(sample, values, not_present, first_page=False))
    lacking = {one: text for one, text in told if values[one] is None}
    differs = (*problems, *(text for one, text in told if one not in lacking))
    return SampleCheck(sample.sample_id, differs, values, answers.asked_model, lacking)


def values_of(returned: object) -> dict[str, Any]:
    """Return the fields that a flow has returned; empty for anything but a dict."""
    return dict(returned) if isinstance(returned, dict) else {}  # pyright: ignore[reportUnknownArgumentType]


def differences(
    sample: Recording, values: Mapping[str, Any], not_present: NotPresent, *, first_page: bool = False
) -> list[str]:
    """Return how the values differ from those of the sample's result, for people. Fields without one are not told.

    ``first_page``: of rows, those that the sample read on the first page of them are compared."""
    return [text for _, text in _differing(sample, values, not_present, first_page=first_page)]


def _differing(
    sample: Recording, values: Mapping[str, Any], not_present: NotPresent, *, first_page: bool
) -> Iterator[tuple[str, str]]:
    """Yield the fields that differ, each with how. A text without a character is none."""
    for value in sample.values:
        name = value.field
        if value.state == "not_found" or name not in values:
            continue
        if value.rows:
            rows = rows_by_page(value)[:1] if first_page else ()
            of_rows = _differences_of_rows(name, rows[0].rows if rows else value.rows, values[name])
            yield from ((name, text) for text in of_rows)
            continue
        expected = None if value.state == "not_present" or not tidy(value.shown or "") else value.shown
        is_same = expected is not None and values[name] == value.value
        if not is_same and not _is_same(values[name], expected, not_present.get(name, ())):
            yield name, f"{name}: then {_told(expected)}, now {_told(values[name])}"


def _told(value: object) -> str:
    return "that there is none" if value is None else quoted(str(value))


def _differences_of_rows(field: str, recorded: Sequence[RowValue], now: Any) -> list[str]:
    """Return which rows the result has and the flow has not, or the other way round."""
    then = [row_texts(row) for row in recorded]
    rows = cast("list[object]", now) if isinstance(now, list) else []
    lost = [row for row in then if not any(same_row(one, row) for one in rows)]
    more = [row for row in rows if not any(same_row(row, one) for one in then)]
    told = [f"{field}: {len(rows)} rows now, {len(then)} then"] if lost or more else []
    told += [f"{field}: the row {quoted(str(row))} is not there now" for row in lost[:MOST_ROWS]]
    return told + [f"{field}: the row {quoted(str(row))} was not there then" for row in more[:MOST_ROWS]]


def same_row(now: Any, then: Mapping[str, str | None]) -> bool:
    """Return whether a row that a flow has read has the texts of one of a result."""
    if not isinstance(now, Mapping):
        return False
    cells = cast("Mapping[str, object]", now)
    return cells.keys() == then.keys() and all(_is_same(cells[name], text or None, ()) for name, text in then.items())


def _is_same(now: object, then: str | None, words: Sequence[str] | Any) -> bool:
    if now is None or then is None:
        return now is None and (then is None or plain_form(then) in {plain_form(word) for word in words})
    return plain_form(str(now)) == plain_form(then)
