"""Whether a page after a press that cannot be undone repeats what was sent, whoever has filled it in. Pure.

What was filled in is what the fields were read back to hold, by the step log. The page says something else where a text
that was not there before the press stands under the same label and is none of it. What no page repeats is no doubt.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress

from services.planner.judge.press_outcome import last_press
from services.planner.state.attempt_state import Entry, SampleProblem, SampleView
from shared.contracts.actions import (
    AnyAction,
    Back,
    Click,
    Goto,
    PickOption,
    SelectOption,
    SetDate,
    SwitchTab,
    TypeText,
)
from shared.contracts.browser_pool import PageObserved
from shared.contracts.results import Navigated, TabShown, ValueSet
from shared.contracts.steps import Note
from shared.flows.filled import FilledField, says_filled
from shared.pages.elements import is_input
from shared.pages.read.fields import labelled_candidates
from shared.text.date_numbers import NotADate
from shared.text.normal import fold, label_form, quoted
from shared.text.written_dates import Dated, read_date

FILLS = (TypeText, SelectOption, PickOption, SetDate)
MAX_CHARS = 100
"""A longer text is repeated in part, if at all."""
MOST_TOLD = 3
LEAST_REPEATED = 2
"""Fields that a later page must repeat, to be taken for one about what was sent."""
_IN_PART = re.compile(r"[*•●…]|\.\.\.|x{3,}", re.I)
"""Marks of a text that shows its value in part only, such as the number of a card."""


def texts_under_filled(view: SampleView) -> dict[str, tuple[str, ...]]:
    """Return what the page shows under the labels of what was filled in so far, outside of fields."""
    shown = {label: _texts(view.page, label) for label in _filled(view.state.history)}
    return {label: texts for label, texts in shown.items() if texts}


def differs_from_sent(view: SampleView) -> str:
    """Return what the page shows otherwise than it was sent; empty: nothing, or the page does not tell of it.

    The page that the press has led to counts; a later one where it repeats what was sent: under the labels of half of
    the fields, and of two at least."""
    press = last_press(view)
    if press is None or view.page is None:
        return ""
    at = view.state.history.index(press)
    filled = _filled(view.state.history[:at])
    shown = {label: texts for label in filled if (texts := _texts(view.page, label))}
    later = any(map(_leaves, view.state.history[at + 1 :]))
    if later and len(shown) < max(LEAST_REPEATED, len(filled) / 2):
        return ""
    anew = later or _leaves(press)
    told = [
        f"{quoted(other)} for {quoted(filled[label].label)}, where {quoted(filled[label].wanted)} was filled in"
        for label, texts in shown.items()
        if (other := _other_text(filled[label], texts, press.stood_under.get(label, ()), anew=anew))
    ]
    return f"the page shows {'; '.join(told[:MOST_TOLD])}" if told else ""


def sent_problems(view: SampleView) -> list[SampleProblem]:
    """Return what speaks against an end as done: this page, or one that was left, tells of something else."""
    left = [one.text for one in view.state.notes if one.kind == "not_as_sent"]
    now = differs_from_sent(view)
    told = dict.fromkeys([now, *left] if now else left)
    return [SampleProblem("unknown_outcome", f"this is not what was sent: {one}") for one in told]


def notes_of_left_page(view: SampleView, action: AnyAction) -> tuple[Note, ...]:
    """Return a note where the page tells of something else than was sent and the action may leave it."""
    doubt = differs_from_sent(view) if isinstance(action, Goto | Click | Back | SwitchTab) else ""
    return (Note(kind="not_as_sent", text=doubt),) if doubt else ()


def _filled(history: Sequence[Entry]) -> Mapping[str, FilledField]:
    """Return what each label was filled with last, by its form. Of what was typed to find an option, it is that."""
    found: dict[str, FilledField] = {}
    for entry in history:
        action = entry.action
        target = entry.result.target if entry.result is not None else None
        effect = entry.result.effect if entry.result is not None else None
        if entry.ok and isinstance(action, Click) and target is not None and target.role == "option" and found:
            label, searched = found.popitem()
            found[label] = FilledField(searched.label, target.name)
        if not isinstance(action, FILLS) or target is None or not isinstance(effect, ValueSet) or not entry.ok:
            continue
        wanted = _wanted(action, effect.value)
        label = label_form(target.name)
        found.pop(label, None)
        if label and wanted.strip() and len(wanted) <= MAX_CHARS:
            found[label] = FilledField(target.name, wanted, is_date=isinstance(action, SetDate) or _is_date(wanted))
    return found


def _wanted(action: TypeText | SelectOption | PickOption | SetDate, held: str) -> str:
    """Return what the field was to say: of a choice its words, of a date the day itself."""
    match action:
        case SelectOption() | PickOption():
            return action.option
        case SetDate():
            return action.date
        case TypeText():
            return held


def _is_date(text: str) -> bool:
    with suppress(NotADate):
        return isinstance(read_date(text), Dated)
    return False


def _texts(page: PageObserved | None, label: str) -> tuple[str, ...]:
    found = () if page is None else labelled_candidates(page.elements, frozenset({label}))
    return tuple(one.shown for one in found if one.shown and not is_input(one.element))


def _leaves(entry: Entry) -> bool:
    return entry.result is not None and isinstance(entry.result.effect, Navigated | TabShown)


def _other_text(one: FilledField, texts: Sequence[str], stood: Sequence[str], *, anew: bool) -> str:
    """Return a text that is new under the label and is not what was sent; empty: there is none, or what was sent has
    come as well. ``anew``: the page itself is new, so that all of its texts are."""
    before = Counter(map(fold, stood))
    now = Counter(map(fold, texts))
    others = [text for text in texts if fold(text) not in before and _tells_other(text, one)]
    repeated = [text for text in texts if says_filled(text, one)]
    if not others or (repeated and (anew or any(now[fold(text)] > before[fold(text)] for text in repeated))):
        return ""
    return others[0]


def _tells_other(text: str, one: FilledField) -> bool:
    return _IN_PART.search(text) is None and not says_filled(text, one)
