"""Reads fields and lists of a page by the rules of a flow, and proves whose record it shows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.workflows.flows import FlowAnswer, FlowError, FlowErrorCode
from shared.contracts.workflows.heals import Witness
from shared.extraction.agreement import read_field, texts_of
from shared.extraction.certainty import (
    BELONGING,
    TELLING,
    FieldReading,
    is_marked_alone,
    is_told_by_label,
    is_unproven,
    words_of_doubt,
)
from shared.extraction.field_rules import FieldRules
from shared.extraction.labels.moved import contradicted_rules, displaced_rules, element_beside_label
from shared.extraction.lists import read_list
from shared.extraction.pages import NO_TASK_VALUES, ObservedPage, TaskValue, is_drawn, only
from shared.extraction.part_of_record import is_beside_another_id, may_be_of_another, part_of_record
from shared.extraction.rules import AtSelector, ByTask, ExtractionRule, PageItself, kind_of
from shared.extraction.task_values import is_proven, read_flow_task
from shared.extraction.values import FieldType, is_absent, is_value
from shared.flows.files import FieldsFile
from shared.pages.elements import may_show_no_choice, text_of
from shared.pages.identity.echoes import is_searched, repeats_search
from shared.pages.locate.target_context import row_of
from shared.task.typed_values import Context, normalise
from shared.text.normal import Invalid, Normal, fold, plain_form, quoted, tidy
from shared.text.record_words import find_mention, is_equal_text, is_pending, is_same_id

NotPresent = Mapping[str, Collection[str]]
"""For each field the words by which a page says that there is nothing."""
MOST_CANDIDATES = 5


@dataclass(frozen=True)
class LocatedReading:
    """A field on one page. ``state``: ``value``, ``empty`` (the page says that there is nothing), ``uncertain`` (what
    was found differs, or too little speaks for it) or ``missing``. ``left_out``: the page has nothing of the field, not
    even its label, as it was learned; that may be since it is not there yet.

    ``text``: as shown, of a value or of the words. ``element``: what shows it. ``healed``: some rules find nothing now.
    ``lost``: these; ``moved``: those of them that lead to values of other labels; ``matched``: the rules that found it.
    ``why``: for people, why it is uncertain. ``witnesses``: what speaks for a healed one.
    """

    field: str
    state: Literal["value", "empty", "uncertain", "missing"]
    text: str = ""
    element: Element | None = None
    candidates: tuple[str, ...] = ()
    healed: bool = False
    left_out: bool = False
    lost: tuple[ExtractionRule, ...] = ()
    moved: tuple[ExtractionRule, ...] = ()
    matched: tuple[ExtractionRule, ...] = ()
    why: str = ""
    witnesses: tuple[Witness, ...] = ()


def words_for_nothing(file: FieldsFile) -> dict[str, tuple[str, ...]]:
    """Return for each field the words by which its page says that there is none."""
    return {name: kind.not_present for name, kind in file.types.items()}


NO_VARIABLES: Mapping[str, str] = {}
NO_TYPES: Mapping[str, FieldType] = {}


def rules_of(name: str, file: FieldsFile, *, proof: bool = False) -> FieldRules | None:
    """Return the rules of a field.

    ``proof``: those by which it proves the record; they are its own where it has no others."""
    return (file.proofs.get(name) if proof else None) or file.fields.get(name)


def locate_field(
    name: str, rules: FieldRules, page: ObservedPage, constants: Collection[str], words: Collection[str] = ()
) -> LocatedReading:
    """Return the field's reading with the element that shows it. ``constants``: texts that no field has as value."""
    said = _said_empty(name, rules, page, constants, {plain_form(word) for word in words})
    if said is not None:
        return said
    reading = read_field(rules, page, constants)
    if reading.absent:
        # What reads by the task finds values alone: where the others find a blank, it has lost nothing.
        lost = tuple(rule for rule in reading.lost if not isinstance(rule.where, ByTask))
        healed = bool(lost) and not reading.left_out
        blank = _blank_of(reading, rules, page)
        return LocatedReading(
            name,
            "empty",
            element=blank,
            healed=healed,
            left_out=reading.left_out,
            lost=lost,
            matched=reading.empty,
        )
    candidates = tuple(one.value for one in reading.candidates)
    pending = next((text for text in candidates if is_pending(text)), None)
    if not candidates or pending is not None:
        return LocatedReading(name, "missing", candidates=candidates)
    if reading.value is None:
        return LocatedReading(name, "uncertain", candidates=candidates, why=words_of_doubt(reading.doubt))
    element = _element_of(reading, rules, page)
    if element is not None and "busy" in element.states:  # what stands there is to be replaced
        return LocatedReading(name, "missing", candidates=candidates)
    if element is not None and may_show_no_choice(element):
        return LocatedReading(name, "uncertain", candidates=candidates, why=words_of_doubt("asks_to_choose"))
    return LocatedReading(
        name,
        "value",
        reading.value,
        element,
        candidates,
        healed=reading.certainty == "healed",
        lost=reading.lost,
        moved=reading.moved,
        matched=reading.candidates[0].rules,
    )


def _element_of(reading: FieldReading, field: FieldRules, page: ObservedPage) -> Element | None:
    """Return what shows the value: of the places that the rules found, the first whose text is drawn."""
    rules = reading.candidates[0].rules
    places = [
        (rule, one)
        for rule in rules
        if (
            one := element_beside_label(rule, field.rules, field.homes, page, field.address)
            if rule in field.rules
            else page.find(rule.where)
        )
        is not None
        and one is not page.itself
    ]
    drawn = (one for rule, one in places if is_drawn(one, rule.attribute))
    return next(drawn, places[0][1] if places else None)


def _blank_of(reading: FieldReading, field: FieldRules, page: ObservedPage) -> Element | None:
    """Return the element that shows nothing where the value would be; None where the page has a blank without one."""
    found = (page.find(rule.where) for rule in reading.empty)
    return next((one for one in found if one is not None and not one.url and is_absent(field.form, text_of(one))), None)


def _said_empty(
    name: str, rules: FieldRules, page: ObservedPage, constants: Collection[str], words: set[str]
) -> LocatedReading | None:
    """Return that the page says there is nothing: rules that tell what they find agree on words for it."""
    contradicted = contradicted_rules(rules.rules, rules.homes, rules.labels, rules.beside, page)
    shown = texts_of(rules.rules, rules, page, contradicted)
    empty = [rule for rule, text in shown.items() if text is not None and plain_form(text) in words]
    if not empty:
        return None
    rest = [
        text
        for rule, text in shown.items()
        if text is not None and rule not in empty and not page.is_constant(rule, text, constants)
    ]
    others = {text for text in rest if is_value(text)}
    texts = tuple(dict.fromkeys(tidy(shown[rule] or "") for rule in empty))
    if others:
        why = words_of_doubt("value_and_none")
        return LocatedReading(name, "uncertain", candidates=(*texts, *sorted(others)), why=why)
    lost = len(empty) < len(shown)
    displaced = displaced_rules(rules.rules, rules.homes, rules.labels, page)
    kinds = {kind_of(rule, rules.labels) for rule in empty if rule not in displaced}
    gone = [rule for rule, text in shown.items() if text is None]
    if not kinds & (BELONGING if lost else TELLING) and not is_told_by_label(rules, empty, gone, page):
        why = words_of_doubt("untold")
        return LocatedReading(name, "uncertain", candidates=texts, why=why)
    untold = "marked_alone" if is_marked_alone(empty, gone, rules, page) else ""
    untold = untold or ("unproven" if is_unproven(empty, page) else "")
    if untold:
        return LocatedReading(name, "uncertain", candidates=texts, why=words_of_doubt(untold))
    element = page.find(empty[0].where) or element_beside_label(empty[0], rules.rules, rules.homes, page, rules.address)
    moved = tuple(rule for rule in rules.rules if rule in contradicted)
    return LocatedReading(
        name, "empty", texts[0], element, texts, healed=lost, lost=tuple(gone), moved=moved, matched=tuple(empty)
    )


def read_fields(
    names: Sequence[str],
    file: FieldsFile,
    page: PageObserved,
    not_present: NotPresent,
    variables: Mapping[str, str] = NO_VARIABLES,
    *,
    proof: bool = False,
    named: Mapping[str, str] = NO_VARIABLES,
    wanted: Mapping[str, str] = NO_VARIABLES,
) -> tuple[LocatedReading, ...]:
    """Return a reading of each field; one without rules, or whose row is not there once, is missing.

    ``named``: fields that name the record, with the text by which the row names it. ``wanted``: those that are to be
    proven."""
    constants = frozenset(file.constants)
    task_values, is_shown = NO_TASK_VALUES, False
    if file.task is not None:
        proofs = {name: rules_of(name, file, proof=True) for name in file.task.identity}
        is_shown = not proof and proves_by_place(proofs, named, page, constants)
        task_values = read_flow_task(file.task, page, {**named, **wanted}, variables, is_shown=is_shown)
    layers = _Layers(page, task_values)
    shows_record = _Proven(file, page, {**named, **wanted}, variables, is_shown=is_shown)
    found: list[LocatedReading] = []
    for name in names:
        rules = rules_of(name, file, proof=proof)
        over = rules is not None and rules.over_page
        part = row_page(page.elements, variables.get(file.rows[name], "")) if name in file.rows else layers(over=over)
        words = not_present.get(name, ())
        if rules is None or part is None:
            found.append(LocatedReading(name, "missing"))
        else:
            reading = locate_field(name, rules, part, constants, words)
            if not proof:
                reading = _read_in_own_part(reading, rules, file, part, words, named)
            reading = _named_by_row(reading, rules, named.get(name, ""), part)
            text = named.get(name) or wanted.get(name, "")
            heading = _own_heading(reading, rules, text, page, part)
            if heading is not None and shows_record():
                shown = tidy(heading.name)
                reading = LocatedReading(name, "value", shown, heading, (shown,), healed=True, lost=rules.rules)
            found.append(_with_witnesses(reading, rules, shows_record) if reading.healed else reading)
    return tuple(found)


class _Layers:
    """The page, and what lies over it, each indexed once, and only where it is asked for."""

    def __init__(self, page: PageObserved, task_values: Mapping[str, TaskValue] = NO_TASK_VALUES) -> None:
        self._page, self._task_values = page, task_values
        self._indexed: dict[bool, ObservedPage] = {}

    def __call__(self, *, over: bool) -> ObservedPage:
        if over not in self._indexed:
            self._indexed[over] = ObservedPage.of(self._page, self._task_values, over=over)
        return self._indexed[over]


class _Proven:
    """Whether the page proves the record, by its places (``is_shown``) or by the task of the flow; asked of a page at
    most once."""

    def __init__(
        self,
        file: FieldsFile,
        page: PageObserved,
        named: Mapping[str, str],
        variables: Mapping[str, str],
        *,
        is_shown: bool,
    ) -> None:
        self._asked = file, page, named, variables
        self._answer: bool | None = True if is_shown else None

    def __call__(self) -> bool:
        file, page, named, variables = self._asked
        if self._answer is None:
            self._answer = file.task is not None and bool(named) and is_proven(file.task, page, named, variables)
        return self._answer


def _with_witnesses(reading: LocatedReading, rules: FieldRules, is_shown: Callable[[], bool]) -> LocatedReading:
    """Return a healed reading with what speaks for it."""
    found: list[Witness] = [_witness_of_rule(rule, rules.labels) for rule in reading.matched]
    if not found:
        found.append("heading")
    if rules.shape and reading.state == "value":
        found.append("shape")
    if is_shown():
        found.append("record")
    return replace(reading, witnesses=tuple(dict.fromkeys(found)))


def _witness_of_rule(rule: ExtractionRule, labels: Collection[str]) -> Witness:
    if isinstance(rule.where, AtSelector):
        return "id"
    if isinstance(rule.where, PageItself):
        return "title"
    return "label" if kind_of(rule, labels) in ("labelled", "near") else "place"


def proves_by_place(
    proofs: Mapping[str, FieldRules | None],
    named: Mapping[str, str],
    page: PageObserved,
    constants: Collection[str],
) -> bool:
    """Return whether the places that the examples taught, and all of them, show each text by which the row names the
    record."""
    layers = _Layers(page)
    for name, rules in proofs.items():
        if rules is None or not named.get(name):
            return False
        found = locate_field(name, rules, layers(over=rules.over_page), constants)
        if found.state != "value" or found.healed or not is_same_id(found.text, named[name]):
            return False
    return bool(proofs)


def _own_heading(
    reading: LocatedReading, rules: FieldRules, wanted: str, page: PageObserved, part: ObservedPage
) -> Element | None:
    """Return the heading that is the text by which the row names the record, where the page's title has it too, and
    only the order of the page had led to another text: the place of the name has come to another heading."""
    if not wanted or reading.state != "uncertain" or find_mention(page.title, wanted) is None:
        return None
    others = [rule for rule in rules.rules if (text := part.extract(rule)) and not is_equal_text(text, wanted)]
    if any(kind_of(rule, rules.labels) != "structural" for rule in others):
        return None
    return only(one for one in part.elements if one.role == "heading" and is_equal_text(one.name, wanted))


def _read_in_own_part(
    reading: LocatedReading,
    rules: FieldRules,
    file: FieldsFile,
    page: ObservedPage,
    words: Collection[str],
    named: Mapping[str, str],
) -> LocatedReading:
    """Return the reading, where other parts show other records under like labels that of the record's own part: what
    was found in another way than recorded, or not, may be of any of them."""
    known = {name: found for name in named if (found := rules_of(name, file, proof=True)) is not None}
    if reading.state in ("uncertain", "missing"):
        part = part_of_record(named, known, rules.beside, page)
        inside = None if part is None else locate_field(reading.field, rules, part, frozenset(file.constants), words)
        if inside is not None and inside.state in ("value", "empty") and inside.element is not None:
            return replace(inside, healed=True)
        return reading
    element = reading.element if reading.field not in named else None
    if element is not None and (
        is_beside_another_id(element, named, known, page)
        or (reading.healed and may_be_of_another(element, named, known, rules.beside, page))
    ):
        why = words_of_doubt("of_other_record")
        return LocatedReading(reading.field, "uncertain", candidates=(reading.text,), why=why)
    return reading


def _named_by_row(reading: LocatedReading, rules: FieldRules, wanted: str, page: ObservedPage) -> LocatedReading:
    """Return the reading of a field whose text the row gives: no other witness is needed for what the rules found, if
    it is that text; and where they find nothing, a heading that is that text shows it."""
    if not wanted or reading.state not in ("uncertain", "missing"):
        return reading
    if any(not is_equal_text(one, wanted) for one in reading.candidates):
        return reading
    shown = {rule: page.extract(rule) for rule in rules.rules}
    matched = tuple(rule for rule, text in shown.items() if text is not None and is_equal_text(text, wanted))
    elements = [one for rule in matched if (one := page.find(rule.where)) is not None and one is not page.itself]
    elements += [one for one in page.elements if one.role == "heading" and is_equal_text(one.name, wanted)]
    if not elements:
        return reading
    lost = tuple(rule for rule in rules.rules if rule not in matched)
    text = tidy(next((shown[rule] or "" for rule in matched), elements[0].name))
    return LocatedReading(
        reading.field, "value", text, elements[0], (text,), healed=bool(lost), lost=lost, matched=matched
    )


def row_page(elements: Sequence[Element], value: str) -> ObservedPage | None:
    """Return the table row that has a cell with this text, as a page of its own; None unless there is exactly one."""
    cells = [one for one in elements if one.row is not None and value and fold(one.name) == fold(value)]
    if len({one.row for one in cells}) != 1:
        return None
    refs = {one.ref for one in row_of(cells[0], elements)} | {cells[0].ref}
    return ObservedPage([one for one in elements if one.ref in refs])


def answer_of_readings(
    readings: Sequence[LocatedReading], page: PageObserved, types: Mapping[str, FieldType] = NO_TYPES
) -> FlowAnswer:
    """Return the values by field, None where the page says that there is nothing; or what is not certain.

    A text that is no value of its field's type is not certain."""
    unsure = [one for one in readings if one.state == "uncertain"]
    missing = [one.field for one in readings if one.state == "missing" or (one.left_out and not page.idle)]
    if unsure:
        message = "; ".join(f"{one.field}: {candidates_text(one)}" for one in unsure)
        return flow_error("value_uncertain", f"{page.url} does not say for certain {message}")
    if missing:
        return flow_error("value_missing", f"{page.url} does not show {', '.join(missing)} where the examples did")
    values: dict[str, Any] = {}
    for one in readings:
        found = Normal(one.text) if one.field not in types else to_value(types[one.field], one)
        if one.state == "value" and isinstance(found, Invalid):
            why = f"{page.url} shows {quoted(one.text)} as {one.field}: {found.message}"
            return flow_error("value_uncertain", why)
        values[one.field] = found.value if one.state == "value" and isinstance(found, Normal) else None
    return FlowAnswer(value=values)


def to_value(kind: FieldType, reading: LocatedReading) -> Normal | Invalid:
    """Return the text of a reading as a value of its type."""
    title = None if reading.element is None else reading.element.title
    return normalise(kind.type, reading.text, Context(kind.values, kind.date_order, title))


def candidates_text(reading: LocatedReading) -> str:
    """Return what was found, and why it is uncertain, for people."""
    found = " or ".join(map(quoted, reading.candidates[:MOST_CANDIDATES]))
    return f"{found} ({reading.why})" if reading.why else found


def flow_error(code: FlowErrorCode, message: str) -> FlowAnswer:
    return FlowAnswer(error=FlowError(code=code, message=message))


# --- lists


def answer_of_list(name: str, file: FieldsFile, page: PageObserved, not_present: NotPresent) -> FlowAnswer:
    """Return the rows of a list, each a dict of its columns. One cell that is not certain makes the whole uncertain."""
    rules = file.lists.get(name)
    if rules is None:
        return flow_error("bad_call", f"there are no rules for a list {name!r}; there are {', '.join(file.lists)}")
    reading = read_list(rules, ObservedPage.of(page))
    if not reading.agree:
        return flow_error("value_uncertain", f"the rows of {name} on {page.url} differ between the ways to read them")
    rows: list[dict[str, str | None]] = []
    for at, row in enumerate(reading.rows, 1):
        values: dict[str, str | None] = {}
        for column, cell in row.items():
            empty = cell.absent or _is_empty_cell(cell, not_present.get(column, ()))
            if cell.value is None and not empty:
                shown = " or ".join(quoted(one.value) for one in cell.candidates[:MOST_CANDIDATES]) or "nothing"
                return flow_error("value_uncertain", f"{column} in row {at} of {name} on {page.url}: {shown}")
            values[column] = None if empty else cell.value
        rows.append(values)
    return FlowAnswer(value=rows)


def _is_empty_cell(cell: FieldReading, words: Collection[str]) -> bool:
    found = {plain_form(one.value) for one in cell.candidates}
    return bool(found) and found <= {plain_form(word) for word in words}


# --- whose record it is


def answer_of_proof(
    expected: Mapping[str, str], file: FieldsFile, page: PageObserved, variables: Mapping[str, str] = NO_VARIABLES
) -> FlowAnswer:
    """Return true where each field shows the expected value. A field without rules must stand in a heading, in the
    title, or as a text of its own."""
    readings = read_fields(tuple(expected), file, page, {}, variables, proof=True, wanted=expected)
    for one in readings:
        wanted = expected[one.field]
        if one.state == "value" and not is_same_id(one.text, wanted):
            return flow_error("wrong_record", f"{page.url} shows {one.field} {quoted(one.text)}, not {quoted(wanted)}")
        if one.state == "uncertain" and any(not is_same_id(found, wanted) for found in one.candidates):
            message = f"{page.url} shows {candidates_text(one)} as {one.field}, where {quoted(wanted)} is expected"
            return flow_error("record_unproven", message)
        title = one.element is not None and one.element.role == "title" and is_searched(page, wanted)
        repeats = title or (one.element is not None and repeats_search(page, one.element, (one.field,)))
        told_by_rules = (one.state == "value" and not repeats) or _is_in_heads(one.field, wanted, page)
        has_rules = one.field in file.fields or one.field in file.proofs
        if not told_by_rules and (has_rules or not _is_lone_text(one.field, wanted, page)):
            return flow_error("record_unproven", f"{page.url} does not show {one.field} {quoted(wanted)}")
    return FlowAnswer(value=True)


def _is_in_heads(field: str, wanted: str, page: PageObserved) -> bool:
    heads = [one for one in page.elements if one.role == "heading" and not repeats_search(page, one, (field,))]
    texts = [*(one.name for one in heads), *([] if is_searched(page, wanted) else [page.title])]
    return any(find_mention(text, wanted) is not None for text in texts)


def _is_lone_text(field: str, wanted: str, page: PageObserved) -> bool:
    """Return whether a text is exactly this one. Under a label, such as "Duplicate of", it may be another record's."""
    lone = [one for one in page.elements if one.row is None and one.header is None and not one.in_dialog]
    lone = [one for one in lone if not repeats_search(page, one, (field,))]
    return any(one.role not in ("link", "button", "option") and is_same_id(text_of(one), wanted) for one in lone)
