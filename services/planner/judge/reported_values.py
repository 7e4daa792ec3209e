"""Whether the page confirms what a model reports: at the element that it names, and under the field's own label.

A model may have read the wrong line or made the value up, so its report is never taken unchecked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any, cast

from services.planner.state.attempt_state import SampleProblem, SampleView
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import TextRead
from shared.contracts.steps import FieldValue, Note, plain_note
from shared.field_types import base_type
from shared.pages.elements import cut_chars_in, is_input, text_of, without_cut_marker, words_of_name
from shared.pages.identity.identity import read_page
from shared.pages.identity.related_parts import related_refs
from shared.pages.identity.site_parts import site_refs
from shared.pages.read.candidates import continues_text
from shared.pages.read.changes import past_refs, tells_change_of
from shared.pages.read.dates import date_hints
from shared.pages.read.fields import FieldAmbiguous, FieldFound, Reading, field_value, labels_of, told_open
from shared.pages.read.label_places import NO_REFS
from shared.task.output_field import OutputField
from shared.task.route import headline_fields
from shared.task.row_values import expected_identity
from shared.task.typed_values import as_shown, typed_value
from shared.text.normal import Normal, fold, quoted
from shared.text.written_dates import DateHints, Order

MAX_RUN_ELEMENTS = 60
BLOCKS = frozenset({"p", "li", "pre", "blockquote"})
"""Elements that follow each other in one long text."""
CONJUNCTIONS = frozenset({"and", "und", "et", "y"})
"""Words between the items of a list that are not items."""
_NUMBERS = (re.compile(r"[+-]?\d[\d.,]*"), re.compile(r"[+-]?\d[\d.,' \u00a0\u202f’]*"))
_ENDS = ".,' \u00a0\u202f’"


def value_problems(value: FieldValue, field: OutputField, view: SampleView, ref: int | None) -> list[SampleProblem]:
    """Return what contradicts a value that was just reported. `ref`: the element that it is reported from."""
    doubts = unconfirmed_problems(value, field, view, ref)
    against = label_problems(value, field, view, ref)
    return [*(doubt for doubt in doubts if not against or doubt.reason == "unconfirmed_values"), *against]


def unconfirmed_problems(
    value: FieldValue, field: OutputField, view: SampleView, ref: int | None
) -> list[SampleProblem]:
    """Return a problem unless the named element shows the value, or any element if none is named."""
    page, raw = view.page, reported_value(value)
    if page is None or not as_shown(raw).strip():
        return []
    element = element_of(page, ref)
    if isinstance(raw, list) and len(raw) > 1 and _each_is_shown(raw, value.field, field, view):  # pyright: ignore[reportUnknownArgumentType]
        return []
    if element is not None and not _is_shown_at_element(element, raw, field, page, _reading(value.field, view)):
        message = f"{_quoted_claim(value)} is not shown by element {ref}, which shows {quoted(text_of(element))}"
        return [SampleProblem("contradicted_values", message, value.field)]
    if not is_shown_here(raw, value.field, field, view):
        return [SampleProblem("unconfirmed_values", f"{_quoted_claim(value)} is not shown by the page", value.field)]
    return _place_problems(value, field, view, element)


def _place_problems(
    value: FieldValue, field: OutputField, view: SampleView, element: Element | None
) -> list[SampleProblem]:
    """Return a problem if the value stands only where the field's label tells a change, or where another record is."""
    page, spec = view.page, view.spec
    if page is None or value.field in spec.identity or field.under is not None:
        return []
    raw = reported_value(value)
    shows = (
        [one for one in page.elements if is_shown_in(raw, field, text_of(one), title=one.title)]
        if element is None
        else [element]
    )
    if not shows:
        return []
    shows = shows[:MAX_RUN_ELEMENTS]
    past, labels = past_refs(page.elements), labels_of(value.field, field)
    identity = expected_identity(spec, view.sample)
    names = frozenset(map(fold, identity.values()))
    if all(tells_change_of(one, page.elements, labels, past, names) for one in shows):
        where = f"[{shows[0].ref}] tells a change of it, which is not what it is now"
        return [SampleProblem("contradicted_values", f"{_quoted_claim(value)}: {where}", value.field)]
    # Where the task says itself that a field stands in the title or in a heading, that may be one of the site's header.
    is_placed = field.shown_in is not None or value.field in headline_fields(spec.route)
    for refs, whose in (
        (related_refs(spec, identity, page), "belongs to another record"),
        (NO_REFS if is_placed else site_refs(page, identity), "belongs to the site, and to no record"),
    ):
        if all(one.ref in refs for one in shows):
            where = f"[{shows[0].ref}] {whose}"
            return [SampleProblem("contradicted_values", f"{_quoted_claim(value)}: {where}", value.field)]
    return []


def label_problems(
    value: FieldValue, field: OutputField, view: SampleView, ref: int | None, *, proven_only: bool = False
) -> list[SampleProblem]:
    """Return a problem if the one value under the field's own label differs. Pages of another record are not asked."""
    page, spec = view.page, view.spec
    if page is None or value.state == "not_found" or value.field in spec.identity:
        return []
    proof = read_page(spec, view.sample, page).proof.state
    reading = _reading(value.field, view)
    if not isinstance(reading, FieldFound) or not reading.candidate.shown:
        return []
    if proof == "mismatch" or (proven_only and proof != "proven") or _agrees(value, field, reading, page):
        return []
    element = reading.candidate.element
    where = f" (from [{ref}])" if ref is not None else ""
    message = (
        f"you reported {_quoted_claim(value)}{where}, but [{element.ref}] "
        f"{_label(value.field, element)} shows {quoted(reading.candidate.shown)}"
    )
    return [SampleProblem("contradicted_values", message, value.field)]


def rival_notes(value: FieldValue, field: OutputField, view: SampleView) -> list[Note]:
    """Return a note if the page shows other values beside the field's label, so that a choice was made."""
    if value.state != "value" or value.origin != "page" or value.field in view.spec.identity:
        return []
    reading = _reading(value.field, view)
    if not isinstance(reading, FieldAmbiguous) or not reading.apart:
        return []
    said = reported_value(value)
    others = [text for text in reading.texts if text.strip() and not is_shown_in(said, field, text)]
    if not others:
        return []
    return [plain_note(f"the page shows other values beside the label too: {told_open(others)}", value.field)]


def reported_value(value: FieldValue) -> Any:
    """Return what was reported: the value, or the words that there is none."""
    return value.value if value.state == "value" else value.shown


def element_of(page: PageObserved | None, ref: int | None) -> Element | None:
    """Return the element with this ref, or None."""
    if page is None or ref is None:
        return None
    return next((element for element in page.elements if element.ref == ref), None)


def is_same_value(raw: object, field: OutputField, text: str, *, title: str | None = None, order: Order = None) -> bool:
    """Return whether the text of an element with this title is another form of the same value."""
    meant, there = typed_value(field, raw, order=order), typed_value(field, text, title=title, order=order)
    if not isinstance(meant, Normal) or not isinstance(there, Normal):
        return False
    if base_type(field.type) == "decimal":
        return Decimal(meant.value) == Decimal(there.value)
    return meant == there


def shown_text(raw: Any, field: OutputField, element: Element | None) -> str:
    """Return the text on the page: the element's own if the value is another form of it, in whatever order of its
    date."""
    text = as_shown(raw)
    if element is None or fold(text) in fold(text_of(element)):
        return text
    said = field.model_copy(update={"date_order": None}) if field.date_order is not None else field
    forms = (field, said)
    same = any(is_same_value(raw, form, text_of(element), title=element.title) for form in forms)
    return text_of(element) if same else text


def is_shown_in(
    raw: Any, field: OutputField, text: str, *, title: str | None = None, order: DateHints | None = None
) -> bool:
    """Return whether the text holds the value word for word or means the same. `17` does not show `7`."""
    if fold(as_shown(raw)) == fold(text) or is_same_value(raw, field, text, title=title, order=order):
        return True
    if base_type(field.type) == "enum":  # "have not passed yet" does not show "passed"
        return False
    if base_type(field.type) in ("number", "decimal"):
        found = [match.rstrip(_ENDS) for pattern in _NUMBERS for match in pattern.findall(text)]
        return any(is_same_value(raw, field, one) for one in found) or _contains_words(raw, text, digits=False)
    return _contains_words(raw, text)


# --- where it stands


def _contains_words(raw: Any, text: str, *, digits: bool = True) -> bool:
    pieces = cast("list[object]", raw) if isinstance(raw, list) else [cast("object", raw)]
    words = [fold(as_shown(piece)) for piece in pieces]
    if not digits and any(word.replace(".", "").isdigit() for word in words):
        return False
    return all(_contains_whole(word, fold(text)) for word in words)


def _contains_whole(words: str, text: str) -> bool:
    """Return whether the text holds the words on their own: `Annual` does not hold `Ann`. Scripts without spaces are
    exempt."""
    before = r"(?<![a-z0-9])" if words[:1].isascii() and words[:1].isalnum() else ""
    after = r"(?![a-z0-9])" if words[-1:].isascii() and words[-1:].isalnum() else ""
    return re.search(f"{before}{re.escape(words)}{after}", text) is not None


def is_shown_at(
    element: Element, raw: Any, field: OutputField, page: PageObserved | None, reading: Reading | None
) -> bool:
    """Return whether the element shows the value. `reading`: what the page shows under the field's own label."""
    text = text_of(element)
    labelled = isinstance(reading, FieldFound) and reading.candidate.element is element
    shown = [text, element.url or "", reading.candidate.shown if isinstance(reading, FieldFound) and labelled else ""]
    order = _order(field, page)
    if any(is_shown_in(raw, field, one, title=element.title, order=order) for one in shown if one):
        return True
    return _continues_from(element, as_shown(raw), page) or _has_cut_beginning(
        as_shown(raw), text, cut_chars_in(text, [element])
    )


def _is_shown_at_element(
    element: Element, raw: Any, field: OutputField, page: PageObserved, reading: Reading | None
) -> bool:
    """Return whether the element shows the value, or begins it. Texts of other cells and boxes are no part of it."""
    if not is_shown_at(element, raw, field, page, reading):
        return False
    said = as_shown(raw)
    return not _continues_from(element, said, page) or _continues_from(element, said, page, flowing=True)


def is_shown_here(raw: Any, name: str, field: OutputField, view: SampleView) -> bool:
    """Return whether the present page shows the value anywhere."""
    page = view.page
    return page is not None and is_shown_on(page, raw, field, _reading(name, view), _extracted(view))


def is_shown_on(
    page: PageObserved, raw: Any, field: OutputField, reading: Reading | None, extracted: Sequence[str] = ()
) -> bool:
    """Return whether any element of the page shows the value, or a text that was extracted from it."""
    texts = [page.title, *(e.url or "" for e in page.elements), *extracted]
    if isinstance(reading, FieldFound):
        texts.append(reading.candidate.shown)
    titled = [*((text_of(e), e.title) for e in page.elements), *((text, None) for text in texts)]
    order = _order(field, page)
    if any(is_shown_in(raw, field, one, title=title, order=order) for one, title in titled if one):
        return True
    return _contains_words(raw, " ".join(text_of(e) for e in page.elements), digits=False)


def _order(field: OutputField, page: PageObserved | None) -> DateHints | None:
    """Return what the page settles about its dates, for fields that are dates."""
    dated = base_type(field.type) in ("date", "date-time")
    return date_hints(page) if dated and page is not None else None


def _each_is_shown(raw: list[object], name: str, field: OutputField, view: SampleView) -> bool:
    """Return whether each item of a list is shown by some element."""
    return all(is_shown_here(one, name, field, view) for one in raw)


def _extracted(view: SampleView) -> list[str]:
    """Return the full texts that were extracted from pages of this record."""
    own = (entry for entry in view.state.history if not entry.on_other_record)
    effects = (entry.result.effect for entry in own if entry.result is not None)
    return [effect.text for effect in effects if isinstance(effect, TextRead)]


def _continues_from(element: Element, said: str, page: PageObserved | None, *, flowing: bool = False) -> bool:
    """Return whether the value extends over several adjacent elements, of which the first was named.

    `flowing`: they are one text, of one cell, line by line and paragraph by paragraph.
    """
    if page is None or not text_of(element):
        return False
    at = next(n for n, other in enumerate(page.elements) if other is element)
    following = [e for e in page.elements[at : at + MAX_RUN_ELEMENTS] if e.frame == element.frame]
    if flowing:
        following = following[: _flow_length(following)]
    run = fold(" ".join(map(text_of, following)))
    return _contains_whole(fold(said), run) and run.startswith(fold(said))


def _flow_length(elements: Sequence[Element]) -> int:
    """Return how many elements from the first on are one text."""
    for at, (before, after) in enumerate(pairwise(elements), 1):
        same_cell = (before.row, before.column, before.header) == (after.row, after.column, after.header)
        if not same_cell or not (continues_text(before, after) or {before.tag, after.tag} <= BLOCKS):
            return at
    return len(elements)


def _has_cut_beginning(said: str, text: str, cut_chars: int) -> bool:
    """Return whether the text is the beginning of the value and was cut in the observation."""
    return cut_chars > 0 and fold(said).startswith(without_cut_marker(text, cut_chars))


# --- what the label says


def _reading(name: str, view: SampleView) -> Reading | None:
    return None if view.page is None else read_page(view.spec, view.sample, view.page).by_label[name]


def _agrees(value: FieldValue, field: OutputField, reading: FieldFound, page: PageObserved) -> bool:
    read = field_value(value.field, field, reading, page)
    if value.state == read.state == "not_present":
        return True
    if "not_present" in (value.state, read.state) and value.state != read.state and read.state == "not_present":
        return False
    raw, shown, title = reported_value(value), reading.candidate.shown, reading.candidate.title
    if not as_shown(raw).strip():
        return False
    if isinstance(raw, list):
        return _covers(cast("list[object]", raw), shown)
    if is_shown_in(raw, field, shown, title=title, order=_order(field, page)) or _has_cut_beginning(
        as_shown(raw), shown, reading.candidate.cut_chars
    ):
        return True
    if reading.candidate.part is not None:  # a badge or button beside the value is no part of it
        return False
    return _continues_from(reading.candidate.element, as_shown(raw), page, flowing=True)


def _covers(items: list[object], shown: str) -> bool:
    """Return whether the text is exactly these items: none is missing, and none is there twice."""
    rest = fold(shown)
    for words in sorted((fold(as_shown(item)) for item in items), key=len, reverse=True):
        if not words or not _contains_whole(words, rest):
            return False
        rest = rest.replace(words, "\x00", 1)
    return all(word in CONJUNCTIONS for word in re.findall(r"\w+", rest))


def _label(name: str, element: Element) -> str:
    """Return the label as the page writes it, if the element has one."""
    written = element.header or (element.name if is_input(element) else "")
    return quoted(written)[1:-1] if written else words_of_name(name).capitalize()


def _quoted_claim(value: FieldValue) -> str:
    return quoted(as_shown(reported_value(value)))
