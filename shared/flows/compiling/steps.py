"""Aligned steps as planned calls: templates for literals, selectors for elements, conditions where samples differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from shared.actions.table import takes_selector
from shared.contracts.workflows.flows import (
    AwaitElement,
    ChooseOption,
    ClickElement,
    DownloadAll,
    DownloadFile,
    FlowCall,
    OpenAddress,
    SetChecked,
)
from shared.flows.code.calls import MAX_WAIT_S
from shared.flows.compiling.alignment import Column
from shared.flows.compiling.plan import Condition, PlannedCall
from shared.flows.compiling.recorded_calls import FREE_FIELDS, RecordedCall
from shared.flows.compiling.targets import Outputs, facts_of, selectors_of
from shared.flows.compiling.templates import common_template, words_of
from shared.flows.files import DropdownMapping, ElementFacts
from shared.flows.variables import truth_of
from shared.pages.locate.selectors import Selector, parse_selector, placeholders_of, write_selector
from shared.task.presses import RoutePresses
from shared.task.route import FetchAll, RouteStep
from shared.text.normal import fold

Rows = Sequence[Mapping[str, str]]
TEMPLATED = ("url", "text", "option", "search", "date", "label", "file")
"""Fields of calls in which the values of variables may stand."""
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
    """Plans the calls of aligned columns. ``rows``: the variables of each sample, by identifier; ``presses``: what the
    route presses for each sample."""

    def __init__(
        self,
        columns: Sequence[Column],
        rows: Rows,
        outputs: Outputs,
        route: Sequence[RouteStep],
        presses: Sequence[RoutePresses],
    ) -> None:
        self._columns, self._rows, self._outputs, self._route = columns, rows, outputs, route
        self._presses = presses
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
        self._part_closings()
        return self.found

    def _part_closings(self) -> None:
        """Have what closes a popup looked for over the page only, unless the flow acts on what is called so too."""
        planned_calls = [one.call for one in self.found.calls if one is not None]
        acted_on = {getattr(call, "selector", "") for call in planned_calls if not _is_quiet(call)}
        for at, (column, planned) in enumerate(zip(self._columns, self.found.calls, strict=True)):
            if planned is None or not isinstance(planned.call, ClickElement) or not planned.call.if_shown:
                continue
            calls, selector = list(column.calls.values()), planned.call.selector
            if selector not in acted_on and all(map(_is_over_page, calls)):
                self.found.locators[selector] = replace(self.found.locators[selector], over_page=True)
            elif selector in acted_on and all(one.by_pool for one in calls):
                self.found.calls[at] = None

    def _plan_column(self, column: Column) -> PlannedCall | None:
        calls = list(column.calls.values())
        templated = self._templated(calls)
        if templated is None:
            return None
        call, mapping = templated, ""
        if takes_selector(call) and calls[0].target is not None:
            selector = self._selector(calls)
            if not selector:
                return None
            call = replace(call, **{"selector": selector})
        if isinstance(call, AwaitElement):
            call = replace(call, timeout_s=_longest_wait_s(calls))
        if isinstance(call, ChooseOption):
            mapping = self._mapping(call, calls)
        condition = None
        if isinstance(call, ClickElement):
            call = self._click(call, calls)
        if isinstance(call, SetChecked):
            condition = self._asked_by_variable(call, column)
            if condition is None and self._differs(calls, "checked"):
                return None
        if condition is None and frozenset(column.calls) != self._whole and not _is_quiet(call):
            condition = _of_samples(frozenset(column.calls))
        return PlannedCall(call, condition, mapping, column.any.step, column.first)

    # --- literals

    def _templated(self, calls: Sequence[RecordedCall]) -> FlowCall | None:
        """Return the call with templates for its texts; None where samples differ in what is no variable."""
        call = calls[0].call
        for name in call.__struct_fields__:
            # Whether a box is ticked, a variable may say.
            if name not in (*TEMPLATED, *FREE_FIELDS, "checked") and self._differs(calls, name):
                return None
        for name in TEMPLATED:
            if not hasattr(call, name):
                continue
            template = self._template([getattr(one.call, name) for one in calls], calls, in_address=name == "url")
            if template is None and name == "search" and isinstance(call, ChooseOption):
                template = ""
            if template is None:
                self._tell_difference(calls, name)
                return None
            call = replace(call, **{name: template})
        return call

    def _differs(self, calls: Sequence[RecordedCall], name: str) -> bool:
        """Return whether samples differ in a field, and tell it."""
        if all(getattr(one.call, name) == getattr(calls[0].call, name) for one in calls):
            return False
        self._tell_difference(calls, name)
        return True

    def _tell_difference(self, calls: Sequence[RecordedCall], name: str) -> None:
        shown = ", ".join(repr(getattr(one.call, name)) for one in calls)
        self._problem(calls[0], f"its {name} differs between the samples, and is no variable: {shown}")

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
        if known is not None and all(one.by_pool for one in calls):
            return selectors[0]
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
        if any(self._is_irreversible(one) for one in calls):
            return replace(call, irreversible=True)
        return replace(call, if_shown=any(map(_is_over_page, calls)))

    def _asked_by_variable(self, call: SetChecked, column: Column) -> Condition | None:
        target = column.any.target
        ticked = {number: getattr(one.call, "checked", None) for number, one in column.calls.items()}
        untouched = dict.fromkeys(range(len(self._rows)), not call.checked)
        name = self._boolean_for("" if target is None else target.name, {**untouched, **ticked})
        if not name:
            return None
        self.found.booleans.add(name)
        return Condition("variable", name)

    def _boolean_for(self, label: str, ticked: Mapping[int, bool | None]) -> str:
        """Return the variable that says whether this is to be ticked: its words stand in the label, its values are yes
        for the samples where it was ticked and no for the others."""
        for name in self._rows[0]:
            truths = {number: truth_of(row.get(name, "")) for number, row in enumerate(self._rows)}
            fits = truths == ticked
            if fits and words_of(name) <= words_of(label):
                return name
        return ""

    def _is_irreversible(self, one: RecordedCall) -> bool:
        """Return whether the click cannot be taken back: its log says so, else the step of the route that it was marked
        with, else the name of what it pressed. A model marks nothing."""
        if one.pressed_once:
            return True
        if one.route is not None:
            return one.route.step - 1 in self._presses[one.sample].once
        target = one.target
        return target is not None and self._presses[one.sample].pressed_once(target.role, target.name) is not None

    # --- several files

    def _end_of_downloads(self, at: int) -> int:
        """Return where a run of downloads of one list ends; ``at`` if there is none."""
        base = _list_label(self._columns[at])
        end = at
        while base and end < len(self._columns) and _list_label(self._columns[end]) == base:
            end += 1
        run = self._columns[at:end]
        return end if self._is_named_as_list(base, run) and _listing_region(run) else at

    def _is_named_as_list(self, base: str, run: Sequence[Column]) -> bool:
        """Return whether labels say that these files are a list: they are numbered, one sample has several of the same
        label, or the route fetches all under this label."""
        calls = [one.call for column in run for one in column.calls.values()]
        counts = Counter(number for column in run for number in column.calls)
        fetched = any(isinstance(step, FetchAll) and step.download_all == base for step in self._route)
        numbered = any(isinstance(one, DownloadFile) and one.label != base for one in calls)
        return fetched or numbered or any(count > 1 for count in counts.values())

    def _download_all(self, at: int, end: int) -> PlannedCall:
        run = self._columns[at:end]
        calls = [one for column in run for one in column.calls.values()]
        role = calls[0].target.role if calls[0].target is not None else "link"
        selector = write_selector(Selector("role", role, region=_listing_region(run)))
        self.found.locators[selector] = ElementFacts(role=role, effects=("captured",))
        call = DownloadAll(selector=selector, label=_list_label(run[0]))
        return PlannedCall(call, self._of_branch(at, run), step=run[0].any.step, sample=run[0].first)

    def _of_branch(self, at: int, run: Sequence[Column]) -> Condition | None:
        """Return the condition of the step before, if only some samples took it and these files belong to them. Where
        all samples came by, no condition is needed: a list may be empty."""
        came = frozenset(self._columns[at - 1].calls) if at else self._whole
        belongs = frozenset(number for column in run for number in column.calls) <= came
        return _of_samples(came) if belongs and came != self._whole else None


def _list_label(column: Column) -> str:
    """Return the label of the list that a download may belong to, without its number; empty: it is none."""
    call = column.any.call
    if not isinstance(call, DownloadFile):
        return ""
    base, _, number = call.label.rpartition("_")
    return base if base and number.isdigit() else call.label


def _listing_region(run: Sequence[Column]) -> str:
    """Return the smallest part of the page in which every link was fetched, on each sample; empty: there is none."""
    calls = [one for column in run for one in column.calls.values()]
    fetched = Counter(one.sample for one in calls)
    sizes = [
        {} if one.context is None else dict(zip(one.context.regions, one.context.region_matches, strict=False))
        for one in calls
    ]
    whole = [
        name
        for name in (sizes[0] if sizes else {})
        if all(found.get(name) == fetched[one.sample] for one, found in zip(calls, sizes, strict=True))
    ]
    return whole[0] if whole else ""


def _of_samples(numbers: frozenset[int]) -> Condition:
    return Condition("samples", ",".join(map(str, sorted(numbers))))


def _is_over_page(one: RecordedCall) -> bool:
    return one.context is not None and one.context.in_dialog


def _longest_wait_s(calls: Sequence[RecordedCall]) -> float:
    """Return how long any of the samples would have waited, within what a flow may."""
    longest = max(one.call.timeout_s for one in calls if isinstance(one.call, AwaitElement))
    return min(longest, MAX_WAIT_S) if longest > 0 else AwaitElement().timeout_s


def _is_quiet(call: FlowCall) -> bool:
    return isinstance(call, ClickElement) and call.if_shown


def identifiers_in(call: FlowCall) -> frozenset[str]:
    """Return the variables in the texts of a call."""
    texts = (getattr(call, name, "") for name in TEMPLATED)
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
