"""Where each field is read in a flow, and by which rules: learned from the stored pages that showed its value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from msgspec.structs import replace

from shared.contracts.browser_pool import Element
from shared.contracts.results import ValueSource
from shared.contracts.steps import FieldValue
from shared.contracts.workflows.flows import DownloadAll, DownloadFile, TakeScreenshot
from shared.extraction.addresses import AddressPart, learn_address_part
from shared.extraction.field_rules import FieldRules
from shared.extraction.lists import ListColumn, ListRules, WrittenList, learn_list
from shared.extraction.pages import ObservedPage, TaskValue
from shared.extraction.places import row_places
from shared.extraction.rules import ByTask, ExtractionRule, InLabelledRow, UnderHeader, Where, Whole
from shared.extraction.synthesis import MIN_EXAMPLES, Example, common_texts, learn_field
from shared.extraction.task_values import read_task_values
from shared.extraction.values import form_of, is_absent
from shared.field_types import is_rows
from shared.flows.compiling.alignment import Column
from shared.flows.reading import row_page
from shared.pages.identity.identity import IdentityKey
from shared.recordings.recording import Recording, row_texts, rows_by_page
from shared.recordings.stored_pages import RecordedPage, as_observed
from shared.task.output_field import OutputField
from shared.task.route import Address, Count, words
from shared.task.spec import TaskSpec
from shared.text.normal import fold, label_form, tidy

Rows = Sequence[Mapping[str, str]]
PAGES_TOLD = 16
"""Pages of which it is kept what they tell: those that one flow is compiled from."""
CAPTURES = (TakeScreenshot, DownloadFile, DownloadAll)


@dataclass(frozen=True)
class Shown:
    """A field of one sample, as a page showed it."""

    value: FieldValue
    source: ValueSource
    elements: tuple[Element, ...]
    page: RecordedPage

    @property
    def over_page(self) -> bool:
        """Whether it stood in a dialog."""
        return any(one.in_dialog for one in self.elements if self.source.kept_ref and one.ref == self.source.kept_ref)


@dataclass(frozen=True)
class PlacedField:
    """A field with its rules. ``at``: index of the column that it is read before. ``row_of``: identifier of the
    variable in whose row it stands; empty: on the whole page. ``constants``: texts of all these pages, folded."""

    name: str
    at: int
    rules: FieldRules
    row_of: str = ""
    constants: frozenset[str] = frozenset()


def place_field(
    name: str,
    spec: TaskSpec,
    samples: Sequence[Recording],
    columns: Sequence[Column],
    rows: Rows,
    *,
    first: bool = False,
    draft: bool = False,
) -> PlacedField | str:
    """Return the field with the rules that give the right value on every sample that shows it, or why there are none.

    ``first``: as it was first read, instead of as it stands in the result. ``draft``: one sample will do; its label
    tells the field, and without one there are no rules yet.
    """
    shown = {number: one for number, sample in enumerate(samples) if (one := _shown(name, sample, first=first))}
    if draft and len(shown) == 1 and len(samples) == 1:
        at = _position(_sources(shown), columns, samples, arriving=first)
        return PlacedField(name, at, _rules_of_one(name, shown[0], spec, samples[0]))
    labels = labels_of(name, spec)
    if len(shown) == 1 and (alone := _placed_by_one(name, shown, samples, columns, spec, first=first)) is not None:
        return alone
    if len(shown) < MIN_EXAMPLES:
        return f"{len(shown)} of {len(samples)} samples show it on a stored page; {MIN_EXAMPLES} or more are needed"
    over = all(one.over_page for one in shown.values())
    examples = [
        Example(_page(one, spec, samples[number], over=over), tidy(one.value.shown or ""), one.source.kept_ref)
        for number, one in shown.items()
    ]
    at = _position(_sources(shown), columns, samples, arriving=first)
    examples += [Example(page, None) for page in _pages_without(name, spec, samples, columns, at, over=over)]
    form = form_of(spec.output_schema[name])
    others = {fold(text) for sample in samples for one in sample.values if one.field != name and (text := one.shown)}
    rules = learn_field(examples, labels, form, others=others, task_field=name)
    if rules.rules:
        return PlacedField(name, at, replace(rules, address=_address(shown, samples)), constants=_constants(examples))
    for variable in rows[0]:
        scoped = _in_rows(shown, variable, rows)
        if scoped is not None and (rules := learn_field(scoped, labels, form, others=others)).rules:
            return PlacedField(name, at, rules, variable, _constants(scoped))
    return "no rule gives its value on every sample: its places have nothing in common"


def _placed_by_one(
    name: str,
    shown: Mapping[int, Shown],
    samples: Sequence[Recording],
    columns: Sequence[Column],
    spec: TaskSpec,
    *,
    first: bool,
) -> PlacedField | None:
    """Return the field that one sample alone shows, read beside its own label; None where another text stands there,
    or where a sample that has none of it shows something there: then one sample does not tell where it is."""
    (one,) = shown.values()
    labels = labels_of(name, spec)
    rules = replace(_rules_by_label(one, labels), form=form_of(spec.output_schema[name]), homes=(0,))
    if not all(_is_called(rule.where, labels) for rule in rules.rules):
        return None
    at = _position(_sources(shown), columns, samples, arriving=first)
    others = list(_pages_without(name, spec, samples, columns, at, over=rules.over_page))
    says = [text for page in others for rule in rules.rules if (text := page.extract(rule)) is not None]
    if not rules.rules or any(not is_absent(rules.form, text) for text in says):
        return None
    return PlacedField(name, at, rules)


@dataclass(frozen=True)
class PlacedList:
    """A field of rows with its rules. ``at``: as in :class:`PlacedField`."""

    name: str
    at: int
    rules: ListRules


def place_lists(
    spec: TaskSpec, samples: Sequence[Recording], columns: Sequence[Column]
) -> tuple[list[PlacedList], dict[str, str]]:
    """Return the fields of rows with rules that give exactly the rows of every sample, on the first page that showed
    them; and the others, with the reason."""
    names = [name for name, field in spec.output_schema.items() if is_rows(field.type)]
    found = {name: _place_list(name, spec, samples, columns) for name in names}
    placed = [one for one in found.values() if isinstance(one, PlacedList)]
    return placed, {name: why for name, why in found.items() if isinstance(why, str)}


def _place_list(name: str, spec: TaskSpec, samples: Sequence[Recording], columns: Sequence[Column]) -> PlacedList | str:
    field = spec.output_schema[name]
    examples: list[WrittenList] = []
    sources: dict[int, ValueSource] = {}
    for number, sample in enumerate(samples):
        value = next((one for one in sample.values if one.field == name and one.state == "value"), None)
        first = next(iter(rows_by_page(value)), None) if value is not None else None
        page = sample.pages.get(sample.stored_page(first.source)) if first is not None else None
        if first is not None and page is not None:
            sources[number] = first.source
            examples.append(WrittenList(ObservedPage(page.elements), [row_texts(row) for row in first.rows]))
    if not sources:
        return "no sample has rows of it on a stored page"
    try:
        rules = learn_list(examples, list_columns(field), whole=True)
    except ValueError as exc:
        return f"its rows teach nothing: {exc}"
    if not rules.ways:
        return "no way to separate the rows of a page gives those of every sample"
    return PlacedList(name, _position(sources, columns, samples, arriving=False), rules)


def list_columns(field: OutputField) -> dict[str, ListColumn]:
    """Return what the columns of a field of rows are called, and their types."""
    return {
        name: ListColumn(tuple(column.labels) or (name.replace("_", " "),), form_of(column))
        for name, column in field.columns.items()
    }


def _address(shown: Mapping[int, Shown], samples: Sequence[Recording]) -> AddressPart | None:
    """Return the part of the address that names the value, unless the row says it: an address that was opened because
    of the row tells nothing of what the page shows."""
    told = {number: tidy(one.value.shown or "") for number, one in shown.items()}
    if any(fold(text) in fold(cell) for number, text in told.items() for cell in samples[number].row.values()):
        return None
    return learn_address_part([(one.source.url, told[number]) for number, one in shown.items()])


def _page(shown: Shown, spec: TaskSpec, sample: Recording, *, over: bool) -> ObservedPage:
    told = _task_values(spec, sample, shown.page)
    return ObservedPage(shown.elements, task_values=told, address=shown.page.url, over=over)


def _task_values(spec: TaskSpec, sample: Recording, page: RecordedPage) -> dict[str, TaskValue]:
    return _task_values_once(IdentityKey(spec), IdentityKey(sample), IdentityKey(page))


@lru_cache(maxsize=PAGES_TOLD)
def _task_values_once(
    spec: IdentityKey[TaskSpec], sample: IdentityKey[Recording], page: IdentityKey[RecordedPage]
) -> dict[str, TaskValue]:
    """Return what a page tells of all fields: each of them is placed by it."""
    one = page.value
    observed = as_observed(one.elements, "", url=one.url, title=one.title, snapshot_id="s1", http_status=None)
    return read_task_values(spec.value, sample.value.row, observed)


def _pages_without(
    name: str, spec: TaskSpec, samples: Sequence[Recording], columns: Sequence[Column], at: int, *, over: bool
) -> Iterator[ObservedPage]:
    """Yield the stored pages of samples that were done without such a value, at the point where others read it."""
    for number, sample in enumerate(samples):
        said = next((value for value in sample.values if value.field == name), None)
        if said is None or said.state == "value" or said.candidates:
            continue
        own = [(index, column.calls[number]) for index, column in enumerate(columns) if number in column.calls]
        hashes = [call.page for index, call in own if index < at and not call.leaves]
        page = next((sample.pages[sha256] for sha256 in reversed(hashes) if sha256 in sample.pages), None)
        if page is not None and at - 1 in {index for index, _ in own}:
            yield ObservedPage(page.elements, task_values=_task_values(spec, sample, page), over=over)


def _constants(examples: Sequence[Example]) -> frozenset[str]:
    return common_texts([one.page for one in examples], {fold(one.value or "") for one in examples})


def _rules_of_one(name: str, one: Shown, spec: TaskSpec, sample: Recording) -> FieldRules:
    """Return the rules that one row alone teaches: what the labels of the task tell, where it is this very element, and
    the label beside it; none, where no label tells it."""
    by_label = _rules_by_label(one, labels_of(name, spec))
    told = _task_values(spec, sample, one.page).get(name)
    if told is None or told.ref != one.source.kept_ref or fold(told.text) != fold(one.value.shown or ""):
        return by_label
    rule = ExtractionRule(where=ByTask(field=name), attribute="name", part=Whole())
    form = form_of(spec.output_schema[name])
    rules = (rule, *by_label.rules)
    return replace(by_label, rules=rules, form=form, homes=(0,) * len(rules))


def _rules_by_label(one: Shown, labels: Iterable[str]) -> FieldRules:
    """Return the rule of the label beside the value; none, where no label tells it alone."""
    page, value = ObservedPage(one.elements, over=one.over_page), tidy(one.value.shown or "")
    called = tuple(dict.fromkeys(map(fold, labels)))
    for element in one.elements:
        if one.source.kept_ref != element.ref:
            continue
        header = [UnderHeader(header=tidy(element.header), role=element.role)] if element.header else []
        in_row = [where for where in row_places(element, page) if _is_called(where, labels)]
        for where in (*header, *in_row):
            rule = ExtractionRule(where=where, attribute="name", part=Whole())
            if page.extract(rule) == value:
                return FieldRules(rules=(rule,), labels=called, over_page=one.over_page)
    return FieldRules(rules=(), labels=called, over_page=one.over_page)


def _is_called(where: Where, labels: Iterable[str]) -> bool:
    """Return whether a place is told by one of the field's labels."""
    match where:
        case UnderHeader(header=label) | InLabelledRow(label=label):
            return label_form(label) in {label_form(one) for one in labels}
        case _:
            return False


def labels_of(name: str, spec: TaskSpec) -> list[str]:
    """Return what a page may call the field: its labels, else its own name; and the words of the route for it."""
    told = list(spec.output_schema[name].labels) or [name.replace("_", " ")]
    for step in spec.route:
        if isinstance(step, Address) and step.into == name:
            told += words(step.address)
        elif isinstance(step, Count) and step.into == name:
            told += words(step.count)
    return told


def _shown(name: str, sample: Recording, *, first: bool) -> Shown | None:
    values = (value for step in sample.steps for value in step.seen) if first else iter(())
    for value in (*values, *sample.values):
        if value.field != name or value.source is None or not value.shown or value.state == "not_found":
            continue
        page = sample.pages.get(value.source.observation_sha256)
        if page is None:
            page = sample.pages.get(value.source.observation_file_sha256)
        if page is not None:
            return Shown(value, value.source, _with_locators(page.elements, value.source), page)
    return None


def _with_locators(elements: Sequence[Element], source: ValueSource) -> tuple[Element, ...]:
    """Return the elements; that of the value has the locators that were recorded with it."""
    return tuple(
        replace(one, locators=source.locators)
        if source.kept_ref and one.ref == source.kept_ref and source.locators
        else one
        for one in elements
    )


def _in_rows(shown: Mapping[int, Shown], variable: str, rows: Rows) -> list[Example] | None:
    """Return the examples with only the row that has the variable's value; None unless every sample has one."""
    found: list[Example] = []
    for number, one in shown.items():
        page = row_page(one.elements, rows[number].get(variable, ""))
        if page is None:
            return None
        found.append(Example(page, tidy(one.value.shown or "")))
    return found


def _sources(shown: Mapping[int, Shown]) -> dict[int, ValueSource]:
    return {number: one.source for number, one in shown.items()}


def _position(
    shown: Mapping[int, ValueSource], columns: Sequence[Column], samples: Sequence[Recording], *, arriving: bool
) -> int:
    found = Counter(_position_in(number, one, columns, samples[number], arriving) for number, one in shown.items())
    most = max(found.values())
    return max(at for at, count in found.items() if count == most)


def _position_in(number: int, one: ValueSource, columns: Sequence[Column], sample: Recording, arriving: bool) -> int:
    """Return the index of the column before which the page showed the value: after its captures, or on arriving."""
    own = [(at, column.calls[number]) for at, column in enumerate(columns) if number in column.calls]
    seen = sample.observations_of(one)
    if not own:
        return 0
    here = [n for n, (_, call) in enumerate(own) if call.page in seen]
    if not here:
        return own[-1][0] + 1
    if arriving:
        return own[here[0]][0]
    for at, call in own[here[0] :]:
        if not isinstance(call.call, CAPTURES):
            return at
    return own[-1][0] + 1
