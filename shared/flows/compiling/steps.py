"""Aligned steps as planned calls: templates for literals, selectors for elements, conditions where samples differ."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from shared.contracts.workflows.flows import (
    AwaitElement,
    ChooseDate,
    ChooseOption,
    ClickElement,
    DownloadAll,
    DownloadFile,
    FlowCall,
    HoverOver,
    OpenAddress,
    PressKeys,
    SetChecked,
    TakeScreenshot,
    TypeInto,
    TypeSecretInto,
    UploadFile,
)
from shared.flows.compiling.alignment import Column
from shared.flows.compiling.plan import Condition, PlannedCall
from shared.flows.compiling.recorded_calls import RecordedCall
from shared.flows.compiling.targets import Outputs, facts_of, selectors_of
from shared.flows.compiling.templates import common_template, words_of
from shared.flows.files import DropdownMapping, ElementFacts
from shared.flows.selectors import Selector, parse_selector, placeholders_of, write_selector
from shared.flows.variables import truth_of
from shared.task.route import FetchAll, PressButton, RouteStep
from shared.text.normal import fold

Rows = Sequence[Mapping[str, str]]
WITH_ELEMENT = (
    ClickElement, SetChecked, TypeInto, TypeSecretInto, ChooseOption, ChooseDate, PressKeys, HoverOver, UploadFile,
    AwaitElement, TakeScreenshot, DownloadFile,
)  # fmt: skip
OPTION_SELECTOR = write_selector(Selector("role", "option"))
"""Of what a field offers as one types. Which of them is meant, its exact name tells."""


@dataclass
class PlannedSteps:
    """The planned call of each column (None: it is part of another one), and what was found out on the way."""

    calls: list[PlannedCall | None] = field(default_factory=list["PlannedCall | None"])
    locators: dict[str, ElementFacts] = field(default_factory=dict[str, ElementFacts])
    mappings: dict[str, DropdownMapping] = field(default_factory=dict[str, DropdownMapping])
    booleans: set[str] = field(default_factory=set[str])
    """Variables that say yes or no."""
    problems: list[str] = field(default_factory=list[str])


class StepPlanner:
    """Plans the calls of aligned columns. ``rows``: the variables of each sample, by identifier."""

    def __init__(self, columns: Sequence[Column], rows: Rows, outputs: Outputs, route: Sequence[RouteStep]) -> None:
        self._columns, self._rows, self._outputs, self._route = columns, rows, outputs, route
        self._whole = frozenset(range(len(rows)))
        self.found = PlannedSteps()

    def plan(self) -> PlannedSteps:
        at = 0
        while at < len(self._columns):
            end = self._end_of_downloads(at)
            if end > at:
                self.found.calls += [self._download_all(at, end), *[None] * (end - at - 1)]
                at = end
            else:
                self.found.calls.append(self._plan_column(self._columns[at]))
                at += 1
        return self.found

    def _plan_column(self, column: Column) -> PlannedCall | None:
        calls = list(column.calls.values())
        templated = self._templated(calls)
        if templated is None:
            return None
        call, mapping = templated, ""
        if isinstance(call, WITH_ELEMENT) and calls[0].target is not None:
            selector = self._selector(calls)
            if not selector:
                return None
            call = replace(call, selector=selector)
        if isinstance(call, ChooseOption):
            mapping = self._mapping(call, calls)
        condition = None
        if isinstance(call, ClickElement):
            call = self._click(call, calls)
        if isinstance(call, SetChecked):
            condition = self._asked_by_variable(call, column)
        if condition is None and frozenset(column.calls) != self._whole and not _is_quiet(call):
            condition = Condition("samples", ",".join(map(str, sorted(column.calls))))
        return PlannedCall(call, condition, mapping, column.any.step)

    # --- literals

    def _templated(self, calls: Sequence[RecordedCall]) -> FlowCall | None:
        """Return the call with templates for its texts; None where samples differ in what is no variable."""
        call = calls[0].call
        for name in ("url", "text", "option", "search", "date", "label", "file"):
            if not hasattr(call, name):
                continue
            template = self._template([getattr(one.call, name) for one in calls], calls, in_address=name == "url")
            if template is None and name == "search" and isinstance(call, ChooseOption):
                template = ""
            if template is None:
                shown = ", ".join(repr(getattr(one.call, name)) for one in calls)
                self._problem(calls[0], f"its {name} differs between the samples, and is no variable: {shown}")
                return None
            call = replace(call, **{name: template})
        return call

    def _template(self, texts: Sequence[str], calls: Sequence[RecordedCall], *, in_address: bool) -> str | None:
        return common_template(texts, [self._rows[one.sample] for one in calls], in_address=in_address)

    def _problem(self, one: RecordedCall, text: str) -> None:
        name = f" {one.target.name!r}" if one.target is not None else ""
        self.found.problems.append(f"step {one.step} ({one.call.__struct_config__.tag}{name}): {text}")

    # --- elements

    def _selector(self, calls: Sequence[RecordedCall]) -> str:
        selectors = selectors_of(calls, self._rows, self._outputs)
        if not selectors:
            self._problem(calls[0], "nothing tells its element on all samples but its own text, which differs")
            return ""
        facts = facts_of(calls, selectors)
        known = self.found.locators.get(selectors[0])
        if known is not None:
            facts = replace(facts, effects=tuple(sorted({*known.effects, *facts.effects})))
        self.found.locators[selectors[0]] = facts
        return selectors[0]

    def _mapping(self, call: ChooseOption, calls: Sequence[RecordedCall]) -> str:
        """Return the key of the mapping of a dropdown whose options were the same on every sample, or are searched for.

        Options that depend on what was chosen before differ, and are chosen by their exact label.
        """
        listed = {one.context.options if one.context is not None else () for one in calls}
        options = listed.pop()
        name = next((one.target.name for one in calls if one.target is not None), "")
        key = "_".join(re.findall(r"\w+", fold(name)))[:60] or "options"
        if call.search and placeholders_of(call.option):
            searched = DropdownMapping(type="custom", container=call.selector, option_selector=OPTION_SELECTOR)
            self.found.mappings[key] = searched
            return key
        if listed or not options or not placeholders_of(call.option):
            return ""
        forms = {fold(option).lower(): option for option in options if option}
        native = any(one.target is not None and one.target.tag == "select" for one in calls)
        self.found.mappings[key] = DropdownMapping(
            type="native_select" if native else "custom", container=call.selector, options=forms
        )
        return key

    # --- clicks

    def _click(self, call: ClickElement, calls: Sequence[RecordedCall]) -> ClickElement:
        if any(one.context is not None and one.context.in_dialog for one in calls):
            return replace(call, if_shown=True)
        return replace(call, irreversible=any(self._is_irreversible(one) for one in calls))

    def _asked_by_variable(self, call: SetChecked, column: Column) -> Condition | None:
        target = column.any.target
        name = self._boolean_for("" if target is None else target.name, call.checked, column)
        if not name:
            return None
        self.found.booleans.add(name)
        return Condition("variable", name)

    def _boolean_for(self, label: str, checked: bool, column: Column) -> str:
        """Return the variable that says whether this is to be ticked: its words stand in the label, its values are yes
        where it was ticked and no where it was not."""
        for name in self._rows[0]:
            truths = {number: truth_of(row.get(name, "")) for number, row in enumerate(self._rows)}
            fits = all(truth is ((number in column.calls) is checked) for number, truth in truths.items())
            if fits and words_of(name) <= words_of(label):
                return name
        return ""

    def _is_irreversible(self, one: RecordedCall) -> bool:
        step = self._route[one.route.step - 1] if one.route is not None and one.route.step <= len(self._route) else None
        return isinstance(step, PressButton) and step.irreversible

    # --- several files

    def _end_of_downloads(self, at: int) -> int:
        """Return where a run of downloads of one list ends; ``at`` if there is none."""
        base = self._list_label(self._columns[at])
        end = at
        while base and end < len(self._columns) and self._list_label(self._columns[end]) == base:
            end += 1
        return end

    def _list_label(self, column: Column) -> str:
        """Return the label of the list that a download belongs to; empty: it is one file."""
        one = column.any
        if not isinstance(one.call, DownloadFile) or one.context is None or not one.context.regions:
            return ""
        base, _, number = one.call.label.rpartition("_")
        if base and number.isdigit():
            return base
        step = self._route[one.route.step - 1] if one.route is not None and one.route.step <= len(self._route) else None
        return one.call.label if isinstance(step, FetchAll) else ""

    def _download_all(self, at: int, end: int) -> PlannedCall:
        calls = [one for column in self._columns[at:end] for one in column.calls.values()]
        contexts = [one.context for one in calls if one.context is not None]
        regions = [name for name in contexts[0].regions if all(name in one.regions for one in contexts)]
        role = calls[0].target.role if calls[0].target is not None else "link"
        selector = write_selector(Selector("role", role, region=regions[0] if regions else ""))
        self.found.locators[selector] = ElementFacts(role=role, effects=("captured",))
        call = DownloadAll(selector=selector, label=self._list_label(self._columns[at]))
        return PlannedCall(call, step=self._columns[at].any.step)


def _is_quiet(call: FlowCall) -> bool:
    return isinstance(call, ClickElement) and call.if_shown


def identifiers_in(call: FlowCall) -> frozenset[str]:
    """Return the variables in the texts of a call."""
    texts = (getattr(call, name, "") for name in ("url", "text", "option", "search", "date", "label", "file"))
    selector = getattr(call, "selector", "")
    found = frozenset[str]().union(*(placeholders_of(text) for text in texts if text))
    return found | placeholders_of(selector) if selector else found


def is_in_address(call: FlowCall) -> bool:
    return isinstance(call, OpenAddress)


def name_of_target(call: FlowCall) -> str:
    """Return what people call the element of a call; empty: it has none, or only a variable tells it."""
    selector = getattr(call, "selector", "")
    if not selector:
        return ""
    parsed = parse_selector(selector)
    name = parsed.name or (parsed.value if parsed.kind in ("label", "text") else "") or parsed.header or parsed.after
    return "" if placeholders_of(name) else name
