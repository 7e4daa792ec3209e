"""Why a text in the place of a field's value is not taken as the value: the first row of `DOUBTS` that applies. Pure.

The reader of labels leaves such a text out, lets it speak against others only, or asks a person. The words of each row
are those of its code (:data:`shared.contracts.explained.NEAR_WORDS`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shared.contracts.explained import NearCode
from shared.field_types import base_type
from shared.pages.elements import is_input
from shared.pages.read.candidates import Candidate, CandidateDoubt
from shared.pages.read.changes import is_change
from shared.task.output_field import OutputField
from shared.task.typed_values import is_not_present, typed_value
from shared.text.normal import Normal
from shared.text.patterns import fits_pattern
from shared.text.record_words import is_pending
from shared.text.written_dates import DateHints


@dataclass(frozen=True)
class TextInPlace:
    """A text in the place of a field's value, with what the page shows around it.

    ``part``: refs of the part in which the field is read; None: the whole page. ``past``, ``others``, ``site``: refs of
    what tells of the past, belongs to other records, and to no record. ``order``: how the page writes its dates."""

    candidate: Candidate
    field: OutputField
    part: frozenset[int] | None
    past: frozenset[int]
    others: frozenset[int]
    site: frozenset[int]
    order: DateHints | None


@dataclass(frozen=True)
class LabelDoubt:
    """A reason for which a text under a label of a field is not its value."""

    code: NearCode
    applies: Callable[[TextInPlace], bool]


def why_no_value(text: TextInPlace) -> NearCode:
    """Return the code of the first row that applies. A text that could be the value is a rival of the others."""
    found = next((row for row in DOUBTS if row.applies(text)), None)
    return "rival" if found is None else found.code


# --- what a row of the table looks at


def is_to_come(candidate: Candidate) -> bool:
    """Return whether a text stands in for a value that is to come, by itself or by the part of the page it is in."""
    return is_pending(candidate.shown) or "busy" in candidate.element.states


def is_past(candidate: Candidate, field: OutputField, past: frozenset[int]) -> bool:
    """Return whether the text is a change, or in a list of changes. A pattern may ask for what looks like one."""
    if candidate.element.ref in past:
        return True
    wanted = bool(field.pattern) and fits_pattern(field.pattern, candidate.shown)
    return not wanted and not is_input(candidate.element) and is_change(candidate.shown)


def _is_elsewhere(text: TextInPlace) -> bool:
    return text.part is not None and text.candidate.element.ref not in text.part


def _is_not_of_pattern(text: TextInPlace) -> bool:
    field, shown = text.field, text.candidate.shown
    says_none = is_not_present(shown, field)
    return not says_none and not fits_pattern(field.value_pattern, shown) and base_type(field.type) != "array"


def _is_not_of_type(text: TextInPlace) -> bool:
    field, one = text.field, text.candidate
    if is_not_present(one.shown, field):
        return False
    return not isinstance(typed_value(field, one.shown, title=one.title, order=text.order), Normal)


def _stands_so(doubt: CandidateDoubt) -> LabelDoubt:
    """Return the row of a doubt about the place of a text, which the reader has with the text."""
    return LabelDoubt(doubt, lambda text: text.candidate.doubt == doubt)


DOUBTS: tuple[LabelDoubt, ...] = (
    LabelDoubt("elsewhere", _is_elsewhere),
    LabelDoubt("other_record", lambda text: text.candidate.element.ref in text.others),
    LabelDoubt("of_the_site", lambda text: text.candidate.element.ref in text.site and text.part is None),
    LabelDoubt("to_come", lambda text: is_to_come(text.candidate)),
    LabelDoubt("past", lambda text: is_past(text.candidate, text.field, text.past)),
    _stands_so("second_label"),
    _stands_so("under_heading"),
    _stands_so("next_item"),
    _stands_so("like_label"),
    _stands_so("next_box"),
    _stands_so("shared_label"),
    _stands_so("more_hidden"),
    _stands_so("inside_word"),
    LabelDoubt("not_of_pattern", _is_not_of_pattern),
    LabelDoubt("not_of_type", _is_not_of_type),
)
"""In this order. Those of `CandidateDoubt` say more than the type and the pattern do."""
