"""What a flow has filled in, and whether pages say the same: the form and its review before a click that cannot be
undone, and the pages that tell what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shared.actions.table import facts_of_call
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.workflows.flows import ChooseDate, ChooseOption, ClickElement, FlowCall, SetChecked, TypeInto
from shared.pages.locate.selectors import parse_selector
from shared.text.dates import same_date
from shared.text.normal import fold, letters_and_digits, quoted
from shared.text.numbers import same_number
from shared.text.record_words import find_mention

TOGGLES = frozenset({"checkbox", "switch", "radio"})
CONTROLS = TOGGLES | {"textbox", "searchbox", "combobox", "spinbutton", "listbox", "slider"}
MAX_DOUBTS = 5


@dataclass(frozen=True)
class FilledField:
    """``label``: what the control is called. ``wanted``: what was typed or chosen; of a box ``checked`` says it."""

    label: str
    wanted: str = ""
    checked: bool | None = None
    is_date: bool = False


@dataclass(frozen=True)
class SubmittedForm:
    """What was sent by a click that cannot be undone. ``first``: the page is the one that this click has led to."""

    fields: tuple[FilledField, ...]
    first: bool = True


def field_filled_by(call: FlowCall, selector: str) -> FilledField | None:
    """Return what a call has filled in. None: nothing, or its control has no name that another page could show."""
    if not selector:
        return None
    parsed = parse_selector(selector)
    label = parsed.name or (parsed.value if parsed.kind == "label" else "") or parsed.header
    if not label:
        return None
    match call:
        case TypeInto():
            return FilledField(label, call.text)
        case ChooseOption():
            return FilledField(label, call.option)
        case ChooseDate():
            return FilledField(label, call.date, is_date=True)
        case SetChecked():
            return FilledField(label, checked=call.checked)
        case ClickElement() if parsed.kind == "role" and parsed.value == "radio":
            return FilledField(label, checked=True)
        case _:
            return None


def form_mismatches(filled: Iterable[FilledField], page: PageObserved) -> str:
    """Return which fields the page shows with another value than was filled in; empty: none.

    A form shows it in its controls, a review page beside the same label. What the page does not show is no doubt."""
    last = {fold(one.label): one for one in filled}
    elements = [one for one in page.elements if not one.in_dialog]
    return _told([doubt for one in last.values() if (doubt := _doubt(one, elements))])


def sent_after(
    sent: SubmittedForm | None, call: FlowCall, filled: tuple[FilledField, ...], now: FilledField | None
) -> SubmittedForm | None:
    """Return what is sent once a call was performed. ``now``: what it has filled in, for something else then."""
    if isinstance(call, ClickElement) and call.irreversible:
        return SubmittedForm(filled)
    if sent is None:
        return None
    kept = tuple(one for one in sent.fields if now is None or fold(one.label) != fold(now.label))
    return SubmittedForm(kept, sent.first and not facts_of_call(call).may_leave_page)


def doubts_of_outcome(sent: SubmittedForm | None, call: FlowCall, page: PageObserved) -> str:
    """Return which values a page after the click shows differently than they were sent; empty: none.

    The page that the click has led to counts. A later one where it is read and repeats what was sent: under the labels
    of half of the fields, and of two at least. Controls do not count: they may be those of another, empty form."""
    asked = facts_of_call(call).outcome_checked
    if sent is None or asked == "never" or (asked == "first_page" and not sent.first):
        return ""
    last = [one for one in {fold(one.label): one for one in sent.fields}.values() if one.wanted]
    elements = [one for one in page.elements if not one.in_dialog and one.role not in CONTROLS]
    shown = [one for one in last if _texts_under(one, elements)]
    if not sent.first and len(shown) < max(2, len(last) / 2):
        return ""
    return _told([doubt for one in shown if (doubt := _doubt_of_text(one, elements))])


def _told(doubts: Sequence[str]) -> str:
    more = f"; and {len(doubts) - MAX_DOUBTS} more" if len(doubts) > MAX_DOUBTS else ""
    return "; ".join(doubts[:MAX_DOUBTS]) + more


def _texts_under(one: FilledField, elements: Sequence[Element]) -> list[str]:
    label = _label_words(one.label)
    return [e.name for e in elements if e.header is not None and _label_words(e.header) == label and e.name]


def _doubt_of_text(one: FilledField, elements: Sequence[Element]) -> str:
    shown = _texts_under(one, elements)
    if not shown or any(says_filled(text, one) for text in shown):
        return ""
    return f"the page shows {quoted(shown[0])} for {quoted(one.label)}, where {quoted(one.wanted)} was filled in"


def _doubt(one: FilledField, elements: Sequence[Element]) -> str:
    label = _label_words(one.label)
    controls = [e for e in elements if e.role in CONTROLS and _label_words(e.name) == label]
    if len(controls) == 1:
        return _doubt_of_control(one, controls[0])
    if controls or one.checked is not None or not one.wanted:
        return ""
    return _doubt_of_text(one, elements)


def _doubt_of_control(one: FilledField, control: Element) -> str:
    if "invalid" in control.states:
        return f"the page calls {quoted(one.label)} invalid"
    if one.checked is not None:
        is_checked = "checked" in control.states
        told = "" if is_checked else "not "
        return (
            "" if control.role not in TOGGLES or is_checked == one.checked else f"{quoted(one.label)} is {told}checked"
        )
    if not one.wanted or control.value is None or says_filled(control.value, one):
        return ""
    return f"{quoted(one.label)} holds {quoted(control.value)}, where {quoted(one.wanted)} was filled in"


def says_filled(text: str, one: FilledField) -> bool:
    """Return whether a text is what was filled in, in the words or the notation of the page."""
    if one.is_date:
        return same_date(text, one.wanted)
    same = same_number(text, one.wanted)
    if same is not None:  # 12.50 has the digits of 1250
        return same
    if letters_and_digits(text) == letters_and_digits(one.wanted):  # masks add spaces and signs to what is typed
        return True
    return find_mention(text, one.wanted) is not None or find_mention(one.wanted, text) is not None


def _label_words(label: str) -> str:
    return fold(label).rstrip(": *")
