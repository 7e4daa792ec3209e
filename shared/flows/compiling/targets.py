"""Selectors for an element that several samples acted on, best first, and its facts.

They come from the locators that were recorded at the moment of the action, ordered as Playwright's generator orders
them, and from what stood around the element. A selector counts if it was unique on every sample. What differs between
the samples must be a variable, or it is no selector; a value that is read is none either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from shared.contracts.results import TargetFound
from shared.contracts.steps import TargetContext
from shared.flows.compiling.recorded_calls import RecordedCall
from shared.flows.compiling.templates import common_name
from shared.flows.files import ElementFacts
from shared.pages.locate.selectors import Selector, parse_selector, placeholders_of, write_selector
from shared.text.normal import fold, tidy

MAX_SELECTORS = 8
MIN_VALUE_CHARS = 3
_NUMBERED = re.compile(r"^\d+[.:)]?\s+")
_GENERATED = re.compile(r"\d{3,}|[0-9a-f]{8,}|:r\w*:|ember|uid|-\d+$")
"""Ids that look as if they were different on the next page."""
_RECORD_ID = re.compile(r"\b[A-Za-z]+-\d+\b|#\d+|\d{4,}|\b(?=\w*\d)[0-9a-f]{7,}\b")
"""Ids of records: of a ticket, a pull request, a commit, or a long number."""
_DIGIT = re.compile(r"\d")
FIELDS = frozenset(
    {"textbox", "searchbox", "combobox", "spinbutton", "checkbox", "radio", "switch", "slider", "listbox"}
)
Rows = Sequence[Mapping[str, str]]
Outputs = Sequence[frozenset[str]]
"""Values that are read of each sample, folded."""


def selectors_of(calls: Sequence[RecordedCall], rows: Rows, outputs: Outputs) -> tuple[str, ...]:
    """Return the selectors that hold for all of these calls; empty: nothing does.

    ``rows`` and ``outputs``: of each sample, by its number.
    """
    found: dict[str, None] = {}
    mine = [rows[one.sample] for one in calls]
    cells = _row_cells(calls, mine)
    for selector in _candidates(calls, mine, cells):
        if not _tells_value(selector, calls, outputs) and not (len(calls) == 1 and _holds_id(selector)):
            found.setdefault(write_selector(selector))
    listed = list(found)
    if len(calls) == 1 and listed and placeholders_of(listed[0]):
        # What leads to the element of this row without its values leads there on every row.
        listed = [one for one in listed if placeholders_of(one)]
    narrowed = _narrowed(parse_selector(listed[0]), calls, cells) if listed and placeholders_of(listed[0]) else None
    if narrowed is not None:
        listed = list(dict.fromkeys((write_selector(narrowed), *listed)))
    return tuple(listed[:MAX_SELECTORS])


def _narrowed(selector: Selector, calls: Sequence[RecordedCall], cells: tuple[str, ...]) -> Selector | None:
    """Return the selector of a record that is chosen by its values, within the row or the part of the page that lists
    the records: the same words elsewhere, such as among those that were seen last, are another one."""
    if cells and not selector.row:
        return _with_row(selector, cells)
    contexts = [one.context for one in calls if one.context is not None]
    if selector.row or selector.region or selector.kind != "role" or len(contexts) < len(calls):
        return None
    first = contexts[0]
    sizes = {name: size for name, size in zip(first.regions, first.region_matches, strict=False)
             if all(name in one.regions for one in contexts)}  # fmt: skip
    return replace(selector, region=min(sizes, key=lambda name: sizes[name])) if sizes else None


def facts_of(calls: Sequence[RecordedCall], selectors: Sequence[str]) -> ElementFacts:
    """Return the facts of an element; its first selector is the key of its entry."""
    targets = [one.target for one in calls if one.target is not None]
    return ElementFacts(
        role=targets[0].role if targets else "",
        selectors=tuple(selectors[1:]),
        effects=tuple(sorted({one.effect for one in calls if one.effect})),
        fingerprints=tuple(sorted({one.fingerprint for one in targets if one.fingerprint})),
    )


def _candidates(calls: Sequence[RecordedCall], rows: Rows, cells: tuple[str, ...]) -> Iterator[Selector]:
    targets = [one.target for one in calls if one.target is not None]
    contexts = [one.context for one in calls if one.context is not None]
    if len(targets) != len(calls):
        return
    role = targets[0].role
    same_role = all(one.role == role for one in targets)
    yield from _constant(targets, "testid")
    name = _common([one.name for one in targets], rows)
    placed = [*_placed(role, contexts, rows, cells, name)] if same_role and len(contexts) == len(calls) else []
    if len(calls) == 1:
        # One sample does not tell whether the element's own name is another one elsewhere; its label does.
        yield from (one for one in placed if one.header or one.row)
    if same_role:
        yield from _named(targets, rows)
    if all(one.role in FIELDS for one in targets):
        yield from _labelled(targets, rows)
    else:
        yield from _worded(targets, rows)
    yield from _constant(targets, "id")
    yield from placed
    yield from _constant(targets, "css")


def _constant(targets: Sequence[TargetFound], kind: str) -> Iterator[Selector]:
    """Yield the CSS that is the same on all samples, and was unique on each."""
    values = [{by.value for by in one.locators if by.kind == kind and by.matches == 1} for one in targets]
    for value in sorted(set[str].intersection(*values)):
        if kind != "id" or _GENERATED.search(value) is None:
            yield Selector("css", value)


def _named(targets: Sequence[TargetFound], rows: Rows) -> Iterator[Selector]:
    names: list[str] = []
    for one in targets:
        found = [by for by in one.locators if by.kind == "role" and by.matches == 1]
        if not found:
            return
        try:
            name = parse_selector(found[0].value).name
        except ValueError:
            return
        if not name:
            return
        names.append(name)
    template = common_name(names, rows)
    if template is not None:
        yield Selector("role", targets[0].role, template)


def _labelled(targets: Sequence[TargetFound], rows: Rows) -> Iterator[Selector]:
    labels = [next((by.value for by in one.locators if by.kind == "label" and by.matches == 1), "") for one in targets]
    template = common_name(labels, rows) if all(labels) else None
    if template is not None:
        yield Selector("label", tidy(template))


def _worded(targets: Sequence[TargetFound], rows: Rows) -> Iterator[Selector]:
    texts = [next((by.value for by in one.locators if by.kind == "text" and by.matches == 1), "") for one in targets]
    template = common_name(texts, rows) if all(texts) else None
    if template is not None:
        yield Selector("text", tidy(template))


def _placed(
    role: str, contexts: Sequence[TargetContext], rows: Rows, cells: tuple[str, ...], name: str
) -> Iterator[Selector]:
    header = _common([one.header for one in contexts], rows)
    if header and all(one.header_matches == 1 for one in contexts):
        yield Selector("role", role, header=header)
    if cells:
        # Where several elements of the role stand in the row of a record, its name tells it.
        told = Selector("role", role, name) if name and not header and any(one.row_alike for one in contexts) else None
        in_row = None if told is None else _with_row(told, cells)
        yield in_row if in_row is not None and in_row.row else Selector("role", role, row=cells, header=header)
    after = _common([one.before[0] if one.before else "" for one in contexts], rows)
    if after:
        yield Selector("role", role, after=after)
    for at, region in enumerate(contexts[0].regions):
        alone = all(region in one.regions and one.region_matches[one.regions.index(region)] == 1 for one in contexts)
        if alone and contexts[0].region_matches[at] == 1:
            yield Selector("role", role, region=region)


def _common(texts: Sequence[str], rows: Rows) -> str:
    return (common_name(texts, rows) or "") if all(texts) else ""


def _row_cells(calls: Sequence[RecordedCall], rows: Rows) -> tuple[str, ...]:
    """Return the variables whose values stand, each as a whole, in the row of the element on every sample."""
    contexts = [one.context for one in calls]
    found: list[str] = []
    for name in rows[0]:
        values = [row.get(name, "") for row in rows]
        if all(
            len(value) >= MIN_VALUE_CHARS and context is not None and _has_cell(context.row, value)
            for value, context in zip(values, contexts, strict=True)
        ):
            found.append(f"{{{name}}}")
    return tuple(found)


def _has_cell(cells: Sequence[str], value: str) -> bool:
    return any(fold(value) in (fold(cell), fold(_NUMBERED.sub("", cell))) for cell in cells)


def _with_row(selector: Selector, cells: tuple[str, ...]) -> Selector:
    """Return the selector with these cells of its row, but for those that are its own name."""
    others = tuple(cell for cell in cells if cell not in (selector.name, selector.value))
    return Selector(selector.kind, selector.value, selector.name, row=others, header=selector.header)


def _tells_value(selector: Selector, calls: Sequence[RecordedCall], outputs: Outputs) -> bool:
    """Return whether the selector's own words hold a value that is read, which another sample does not have."""
    words = (selector.value if selector.kind != "role" else "", selector.name or "", selector.header, selector.after)
    texts = [fold(re.sub(r"\{\w+\}", " ", text)) for text in words if text]
    values = frozenset[str]().union(*(outputs[one.sample] for one in calls))
    return any(len(value) >= MIN_VALUE_CHARS and _holds(text, value) for value in values for text in texts)


def _holds_id(selector: Selector) -> bool:
    """Return whether the element's own words look like the id of one record. One sample does not tell."""
    own = (selector.name or "") if selector.kind == "role" else selector.value if selector.kind != "css" else ""
    return _RECORD_ID.search(re.sub(r"\{\w+\}", " ", own)) is not None


def _holds(text: str, value: str) -> bool:
    """Return whether a text is a value, or the part of it that has digits, or has one in it that no label would have:
    it is no plain word."""
    if text.strip() == value or (_DIGIT.search(text) and _has_word(value, text.strip())):
        return True
    special = not value.isalpha()
    return special and _has_word(text, value)


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None
