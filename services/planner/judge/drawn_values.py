"""Whether the pictures of values show what was read: no text without ink, and no ink without a text.

Where the browser had no font for characters, the page says a text that its picture does not show. That says nothing
against the text, and is told in a note.
"""

from __future__ import annotations

from dataclasses import replace

from services.planner.state.attempt_state import Ending, ending_of
from shared.contracts.steps import FieldValue, Note, plain_note
from shared.evidence_format.cells import with_cells
from shared.text.normal import quoted

_SAYS = {
    "absent": "the picture does not show all of it",
    "unexplained": "something is drawn beside it that the page does not say",
    "outside": "it lies in no part of the page that can be seen",
}


def judge_drawn(ending: Ending) -> Ending:
    """Return the ending, with a note for each value that is drawn with boxes; a sample that is done goes to a person
    where a value is not drawn as it was read."""
    boxes = (note for value in ending.values for one in with_cells(value) if (note := _note_of_boxes(one)))
    ending = replace(ending, notes=(*ending.notes, *boxes))
    values = (one for value in ending.values for one in with_cells(value)) if ending.status == "done" else ()
    doubts = [doubt for value in values if (doubt := _doubt(value))]
    if not doubts:
        return ending
    review = ending_of("not_as_drawn", "; ".join(doubts))
    return replace(review, values=ending.values, flagged=True, notes=ending.notes, judgment=ending.judgment)


def _doubt(value: FieldValue) -> str:
    ink = value.source.ink if value.source is not None and value.origin == "page" else None
    if (
        ink is None
        or ink.said in ("seen", "glyphless")
        or (value.state == "not_present" and ink.state != "unexplained")
    ):
        return ""
    return f"{value.field}: {quoted(value.shown or '')} was read, and {_SAYS[ink.state]}"


def _note_of_boxes(value: FieldValue) -> Note | None:
    ink = value.source.ink if value.source is not None and value.origin == "page" else None
    if ink is None or not ink.glyphless:
        return None
    many = "1 character" if ink.glyphless == 1 else f"{ink.glyphless} characters"
    text = f"{quoted(value.shown or '')} is what the page says; the picture shows boxes in place of {many}"
    return plain_note(f"{text}, for which the browser has no font", value.field)
