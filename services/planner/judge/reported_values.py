"""Pure: whether what a model reports stands on the page, at the element it names, and under the field's own label.

Nothing it says is believed for its own sake: it may have read the wrong line, or made the value up.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, cast

from services.planner.page.dates import date_hints
from services.planner.page.fields import FieldFound, Reading, field_value, read_fields
from services.planner.page.identity import expected_identity, read_page
from services.planner.page.text import humanised, is_input, text_of, truncation_of
from services.planner.state.attempt_state import SampleProblem, SampleView
from services.planner.values.typed_values import as_shown, typed_value
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import TextRead
from shared.contracts.steps import FieldValue
from shared.field_types import base_type
from shared.task.spec import OutputField
from shared.text.normal import Normal, fold, quoted
from shared.text.written_dates import DateHints

MAX_RUN_ELEMENTS = 60
CONJUNCTIONS = frozenset({"and", "und", "et", "y"})
"""Words between the items of a list that are none of its items."""
_NUMBERS = (re.compile(r"[+-]?\d[\d.,]*"), re.compile(r"[+-]?\d[\d.,' \u00a0\u202f’]*"))
_ENDS = ".,' \u00a0\u202f’"


def value_problems(value: FieldValue, field: OutputField, view: SampleView, ref: int | None) -> list[SampleProblem]:
    """What speaks against a value that was just reported; ``ref`` is the element it is said to stand in."""
    doubts = unconfirmed_problems(value, field, view, ref)
    against = label_problems(value, field, view, ref)
    return [*(doubt for doubt in doubts if not against or doubt.reason == "unconfirmed_values"), *against]


def unconfirmed_problems(
    value: FieldValue, field: OutputField, view: SampleView, ref: int | None
) -> list[SampleProblem]:
    """It must stand in the element it is said to stand in, or, where none is named, anywhere on the page."""
    page, raw = view.page, claimed(value)
    if page is None or not as_shown(raw).strip():
        return []
    element = element_of(page, ref)
    if isinstance(raw, list) and len(raw) > 1 and _each_is_shown(raw, value.field, field, view):  # pyright: ignore[reportUnknownArgumentType]
        return []
    if element is not None and not _is_shown_at(element, raw, value.field, field, view):
        told = f"{_quoted_claim(value)} is not shown by element {ref}, which shows {quoted(text_of(element))}"
        return [SampleProblem("contradicted_values", told, value.field)]
    if not _is_shown_anywhere(raw, value.field, field, view):
        return [SampleProblem("unconfirmed_values", f"{_quoted_claim(value)} is not shown by the page", value.field)]
    return []


def label_problems(
    value: FieldValue, field: OutputField, view: SampleView, ref: int | None, *, proven_only: bool = False
) -> list[SampleProblem]:
    """The one value that stands under the field's own label must agree. Another record's page says nothing here."""
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
    told = (
        f"you reported {_quoted_claim(value)}{where}, but [{element.ref}] "
        f"{_label(value.field, element)} shows {quoted(reading.candidate.shown)}"
    )
    return [SampleProblem("contradicted_values", told, value.field)]


def claimed(value: FieldValue) -> Any:
    """What was said: the value, or the words that there is none."""
    return value.value if value.state == "value" else value.shown


def element_of(page: PageObserved | None, ref: int | None) -> Element | None:
    if page is None or ref is None:
        return None
    return next((element for element in page.elements if element.ref == ref), None)


def is_same_value(
    raw: object, field: OutputField, text: str, *, title: str | None = None, order: DateHints | None = None
) -> bool:
    """Whether ``text``, of an element with this title, is another form of the same value."""
    meant, there = typed_value(field, raw, order=order), typed_value(field, text, title=title, order=order)
    if not isinstance(meant, Normal) or not isinstance(there, Normal):
        return False
    if base_type(field.type) == "decimal":
        return Decimal(meant.value) == Decimal(there.value)
    return meant == there


def is_shown_in(
    raw: Any, field: OutputField, text: str, *, title: str | None = None, order: DateHints | None = None
) -> bool:
    """Word for word, or ``text`` means the same value of the type. ``7`` does not stand in ``17``."""
    if fold(as_shown(raw)) == fold(text) or is_same_value(raw, field, text, title=title, order=order):
        return True
    if base_type(field.type) == "enum":  # "passed" does not stand in "have not passed yet"
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
    """``Ann`` does not stand in ``Annual``; scripts that write no spaces are taken as they come."""
    before = r"(?<![a-z0-9])" if words[:1].isascii() and words[:1].isalnum() else ""
    after = r"(?![a-z0-9])" if words[-1:].isascii() and words[-1:].isalnum() else ""
    return re.search(f"{before}{re.escape(words)}{after}", text) is not None


def _is_shown_at(element: Element, raw: Any, name: str, field: OutputField, view: SampleView) -> bool:
    text = text_of(element)
    reading = _reading(name, view)
    labelled = isinstance(reading, FieldFound) and reading.candidate.element is element
    shown = [text, element.url or "", reading.candidate.shown if isinstance(reading, FieldFound) and labelled else ""]
    order = _order(field, view.page)
    if any(is_shown_in(raw, field, one, title=element.title, order=order) for one in shown if one):
        return True
    return _continues_from(element, as_shown(raw), view.page) or _has_cut_beginning(as_shown(raw), text)


def _is_shown_anywhere(raw: Any, name: str, field: OutputField, view: SampleView) -> bool:
    page = view.page
    if page is None:
        return False
    texts = [page.title, *(e.url or "" for e in page.elements), *_extracted(view)]
    reading = _reading(name, view)
    if isinstance(reading, FieldFound):
        texts.append(reading.candidate.shown)
    titled = [*((text_of(e), e.title) for e in page.elements), *((text, None) for text in texts)]
    order = _order(field, page)
    if any(is_shown_in(raw, field, one, title=title, order=order) for one, title in titled if one):
        return True
    return _contains_words(raw, " ".join(text_of(e) for e in page.elements), digits=False)


def _order(field: OutputField, page: PageObserved | None) -> DateHints | None:
    """What the page settles of its dates, where that can matter."""
    dated = base_type(field.type) in ("date", "date-time")
    return date_hints(page) if dated and page is not None else None


def _each_is_shown(raw: list[object], name: str, field: OutputField, view: SampleView) -> bool:
    """The items of a list may stand each in an element of its own."""
    return all(_is_shown_anywhere(one, name, field, view) for one in raw)


def _extracted(view: SampleView) -> list[str]:
    """What was read of single elements in this sample, at full length, and of no other record."""
    own = (entry for entry in view.state.history if not entry.on_other_record)
    effects = (entry.result.effect for entry in own if entry.result is not None)
    return [effect.text for effect in effects if isinstance(effect, TextRead)]


def _continues_from(element: Element, said: str, page: PageObserved | None) -> bool:
    """One value may lie in several elements that follow one another, the first of which was named."""
    if page is None or not text_of(element):
        return False
    at = next(n for n, other in enumerate(page.elements) if other is element)
    run = fold(" ".join(text_of(e) for e in page.elements[at : at + MAX_RUN_ELEMENTS] if e.frame == element.frame))
    return _contains_whole(fold(said), run) and run.startswith(fold(said))


def _has_cut_beginning(said: str, text: str) -> bool:
    """An observation shows only the beginning of a long text."""
    truncation = truncation_of(text)
    return truncation is not None and fold(said).startswith(fold(truncation.beginning))


# --- what the label says


def _reading(name: str, view: SampleView) -> Reading | None:
    if view.page is None:
        return None
    row_key = next(iter(expected_identity(view.spec, view.sample).values()), None)
    return read_fields(view.spec, view.page, row_key)[name]


def _agrees(value: FieldValue, field: OutputField, reading: FieldFound, page: PageObserved) -> bool:
    read = field_value(value.field, field, reading, page)
    if value.state == read.state == "not_present":
        return True
    if "not_present" in (value.state, read.state) and value.state != read.state and read.state == "not_present":
        return False
    raw, shown, title = claimed(value), reading.candidate.shown, reading.candidate.title
    if not as_shown(raw).strip():
        return False
    if isinstance(raw, list):
        return _covers(cast("list[object]", raw), shown)
    if is_shown_in(raw, field, shown, title=title, order=_order(field, page)) or _has_cut_beginning(
        as_shown(raw), shown
    ):
        return True
    return _continues_from(reading.candidate.element, as_shown(raw), page)


def _covers(items: list[object], shown: str) -> bool:
    """Every item stands in the text, each in a place of its own, and nothing else does: no name is left out, and none
    is there twice."""
    rest = fold(shown)
    for words in sorted((fold(as_shown(item)) for item in items), key=len, reverse=True):
        if not words or not _contains_whole(words, rest):
            return False
        rest = rest.replace(words, "\x00", 1)
    return all(word in CONJUNCTIONS for word in re.findall(r"\w+", rest))


def _label(name: str, element: Element) -> str:
    """As the page writes it, where the element says so itself."""
    written = element.header or (element.name if is_input(element) else "")
    return quoted(written)[1:-1] if written else humanised(name).capitalize()


def _quoted_claim(value: FieldValue) -> str:
    return quoted(as_shown(claimed(value)))
