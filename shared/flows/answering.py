"""What a call of a flow comes to on a page: an action for the browser, or its answer. The one place that decides it.

In what order pages are observed and actions performed until a call is answered is said by :mod:`shared.flows.turns`. Of
a call with several actions the page is observed anew after each (:attr:`Perform.more`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from shared.actions.conversion import to_action
from shared.actions.table import facts_of_call, takes_selector
from shared.contracts.actions import (
    BrowserAction,
    ByCss,
    ByRef,
    Click,
    Download,
    Extract,
    Goto,
    PickOption,
    ScreenshotElement,
    Target,
    TypeText,
    Wait,
)
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import ActionResult
from shared.contracts.workflows.flows import (
    AwaitElement,
    CheckShown,
    ChooseOption,
    ClickElement,
    CountElements,
    DownloadAll,
    EnterSection,
    FlowAnswer,
    FlowCall,
    PressKeys,
    ProveRecord,
    ReadFields,
    ReadList,
    ReadWithModel,
    SetChecked,
    SetOutput,
    TakeScreenshot,
    TypeInto,
)
from shared.contracts.workflows.heals import Heal
from shared.flows.changed.records import heal_of_element, remark_of_element
from shared.flows.files import DropdownMapping, FlowFiles
from shared.flows.filled import (
    FilledField,
    SubmittedForm,
    doubts_of_outcome,
    field_filled_by,
    form_mismatches,
    sent_after,
)
from shared.flows.lacking import lacking_fields
from shared.flows.reading import (
    LocatedReading,
    NotPresent,
    answer_of_list,
    answer_of_proof,
    answer_of_readings,
    flow_error,
    read_fields,
    words_for_nothing,
)
from shared.pages.locate.by_selector import (
    SHOWING_EFFECTS,
    SHOWING_ROLES,
    facts_of_selector,
    find_element,
    key_of_selector,
    matching,
)
from shared.pages.locate.findings import Ambiguous, Found, NotFound, Undecidable
from shared.pages.locate.selectors import parse_selector, write_selector
from shared.text.normal import fold

FOCUSED = ":focus"
READINGS = (ReadFields, ReadList, CountElements, TakeScreenshot)
"""Calls whose answer or file is of the record."""


@dataclass(frozen=True)
class FlowContext:
    """What a call is answered with. ``variables``: identifiers to texts. ``last_clicked``: the selector of the element
    that was clicked last. ``filled``: what was filled in; ``sent``: what was sent by a click that cannot be undone.
    ``done``: how many actions of this call were performed. ``named``: fields that name the record, and their texts."""

    files: FlowFiles
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    not_present: NotPresent = field(default_factory=dict[str, tuple[str, ...]])
    last_clicked: str = ""
    filled: tuple[FilledField, ...] = ()
    sent: SubmittedForm | None = None
    done: int = 0
    named: Mapping[str, str] = field(default_factory=dict[str, str])
    exchanged: bool = False
    """A click has shown in another way what it shows (`is_exchanged`), and no page was proven since."""


@dataclass(frozen=True)
class Perform:
    """Perform ``action``. ``more``: the call has another action after it.

    ``effects``: tags of what it had as effect in the samples; empty: any. ``answers_shown``: the call asks only whether
    there is such an element, so that a missing one is the answer false. ``remark``: what of the element has changed;
    ``heal``: the same, typed. ``checked``: the state that a box must have afterwards. ``exchangeable``: what it shows
    may come in another way than in the samples, see `is_exchanged`.
    """

    action: BrowserAction
    effects: tuple[str, ...] = ()
    more: bool = False
    answers_shown: bool = False
    irreversible: bool = False
    remark: str = ""
    checked: bool | None = None
    exchangeable: bool = False
    heal: Heal | None = None
    value: Any = None
    """The answer to the call once its last action was performed."""


def decide_call(call: FlowCall, page: PageObserved | None, context: FlowContext) -> Perform | FlowAnswer:
    """Return the next action of a call, or its answer. ``page``: as it is now, observed with locators; None before the
    first address was opened."""
    if page is None and facts_of_call(call).needs_page:
        return flow_error("bad_call", "no page is open: begin with open_page(url)")
    try:
        return _decide(call, page, context)
    except ValueError as exc:
        return flow_error("bad_call", str(exc))


def _decide(call: FlowCall, page: PageObserved | None, context: FlowContext) -> Perform | FlowAnswer:
    match call:
        case SetOutput() | EnterSection():
            return FlowAnswer()
        case ReadWithModel():
            return flow_error("needs_model", f"{', '.join(call.fields)}: no rule reads this, and no model is asked")
        case _ if facts_of_call(call).action is not None and not takes_selector(call):
            return Perform(to_action(call))
        case _:
            assert page is not None
            return _decide_on_page(call, page, context)


def _decide_on_page(call: FlowCall, page: PageObserved, context: FlowContext) -> Perform | FlowAnswer:
    if doubts := doubts_of_outcome(context.sent, call, page):
        return flow_error("form_differs", f"{page.url} does not tell of what was sent: {doubts}")
    if context.exchanged and isinstance(call, READINGS):
        proof = _proof_after_exchange(page, context)
        if proof.error is not None:
            return proof
    match call:
        case ProveRecord():
            return answer_of_proof(call.expected, context.files.fields, page, context.variables)
        case ReadFields():
            return _read(call, page, context)
        case ReadList():
            return answer_of_list(call.name, context.files.fields, page, context.not_present)
        case CountElements():
            found = matching(parse_selector(call.selector), page)
            why = f"{call.selector}: CSS is not counted; name the elements by role, label or text"
            return flow_error("bad_call", why) if found is None else FlowAnswer(value=len(found))
        case CheckShown():
            return _is_shown(call, page, context)
        case AwaitElement() if not call.selector:
            return Perform(Wait(timeout_s=call.timeout_s))
        case AwaitElement():
            found = find_element(call.selector, page, context.files.locators, context.variables)
            if isinstance(found, Undecidable):
                return Perform(Wait(target=ByCss(css=found.css), timeout_s=call.timeout_s))
            return _answer_of(found) or FlowAnswer(value=True)
        case DownloadAll():
            return _download_next(call, page, context)
        case TakeScreenshot() if not call.selector:
            return Perform(to_action(call))
        case PressKeys() if not call.selector:
            return Perform(to_action(call))
        case ChooseOption() if call.search and context.done == 1:
            return _click_option(call, page, context)
        case SetChecked():
            return _set_checked(call, page, context)
        case _:
            return _act_on_element(call, page, context)


def _proof_after_exchange(page: PageObserved, context: FlowContext) -> FlowAnswer:
    """Return whether the page to which a click has led in another way than recorded shows the record."""
    if not context.named:
        why = f"a click has led to {page.url} in another way than recorded, and the flow proves the record on no page"
        return flow_error("record_unproven", why)
    return answer_of_proof(context.named, context.files.fields, page, context.variables)


def readings_of(call: ReadFields, page: PageObserved, context: FlowContext) -> tuple[LocatedReading, ...]:
    """Return what the call reads, with the elements that show it."""
    words = {**words_for_nothing(context.files.fields), **context.not_present}
    return read_fields(call.fields, context.files.fields, page, words, context.variables, named=context.named)


def _read(call: ReadFields, page: PageObserved, context: FlowContext) -> FlowAnswer:
    """Return the values; None of what the page does not show, where that stops nothing."""
    file, readings = context.files.fields, readings_of(call, page, context)
    lacking = lacking_fields(readings, file, page)
    told = answer_of_readings([one for one in readings if one.field not in lacking], page, file.types)
    return told if told.error is not None else FlowAnswer(value={**dict.fromkeys(lacking), **told.value})


def proofs_of(call: ProveRecord, page: PageObserved, context: FlowContext) -> tuple[LocatedReading, ...]:
    """Return the fields that prove the record, as the page shows them."""
    expected = call.expected
    return read_fields(tuple(expected), context.files.fields, page, {}, context.variables, proof=True, wanted=expected)


def _is_shown(call: CheckShown, page: PageObserved, context: FlowContext) -> Perform | FlowAnswer:
    found = find_element(call.selector, page, context.files.locators, context.variables)
    if isinstance(found, Undecidable):
        return Perform(Extract(target=ByCss(css=found.css)), answers_shown=True)
    return FlowAnswer(value=isinstance(found, Found))


def _answer_of(found: Found | NotFound | Ambiguous) -> FlowAnswer | None:
    if isinstance(found, NotFound):
        return flow_error("element_missing", found.message)
    return flow_error("element_ambiguous", found.message) if isinstance(found, Ambiguous) else None


def _act_on_element(call: FlowCall, page: PageObserved, context: FlowContext) -> Perform | FlowAnswer:
    """Return the action on the element that the call names; without a selector, on the one that was clicked last, or
    for a text on the one that has the focus where nothing was clicked."""
    selector = getattr(call, "selector", "") or context.last_clicked or (FOCUSED if isinstance(call, TypeInto) else "")
    if not selector:
        return flow_error("bad_call", "nothing was clicked before: say with selector= what is meant")
    found = find_element(selector, page, context.files.locators, context.variables)
    quiet = isinstance(call, ClickElement) and call.if_shown
    if isinstance(found, NotFound) and quiet:
        return FlowAnswer(value=False)
    if isinstance(found, NotFound | Ambiguous):
        return _answer_of(found) or FlowAnswer()
    if isinstance(call, ClickElement) and call.irreversible and (doubts := form_mismatches(context.filled, page)):
        return flow_error("form_differs", f"{selector} is not clicked: {doubts}")
    target = (
        ByCss(css=found.css)
        if isinstance(found, Undecidable)
        else ByRef(ref=found.element.ref, snapshot_id=page.snapshot_id)
    )
    action, more = _action(call, target, context)
    facts = facts_of_selector(selector, context.files.locators, context.variables)
    irreversible = isinstance(call, ClickElement) and call.irreversible
    if irreversible and isinstance(found, Found) and (found.healed or found.moved):
        why = f"{remark_of_element(selector, found)}; what is pressed once must be found as it was recorded"
        return flow_error("element_ambiguous", why)
    return Perform(
        action,
        effects=() if facts is None or more else facts.effects,
        more=more,
        answers_shown=quiet,
        irreversible=irreversible,
        exchangeable=_only_shows(call, found, context),
        remark=remark_of_element(selector, found) if isinstance(found, Found) else "",
        heal=_heal(selector, found, context, page) if isinstance(found, Found) else None,
    )


def _only_shows(call: FlowCall, found: Found | Undecidable, context: FlowContext) -> bool:
    """Return whether a click does nothing but show: on a link or a tab, while nothing is filled in that it may send."""
    click = isinstance(call, ClickElement) and not call.irreversible and not context.filled
    return click and isinstance(found, Found) and found.element.role in SHOWING_ROLES


def perform_on(call: FlowCall, element: Element, page: PageObserved, context: FlowContext) -> Perform | FlowAnswer:
    """Return the action of a call on this element, which its selector does not find."""
    target = ByRef(ref=element.ref, snapshot_id=page.snapshot_id)
    if isinstance(call, SetChecked):
        # What is mixed is neither.
        done = "mixed" not in element.states and ("checked" in element.states) == call.checked
        return FlowAnswer() if done else Perform(Click(target=target), checked=call.checked)
    action, more = _action(call, target, context)
    return Perform(action, more=more)


def _set_checked(call: SetChecked, page: PageObserved, context: FlowContext) -> Perform | FlowAnswer:
    found = find_element(call.selector, page, context.files.locators, context.variables)
    if isinstance(found, Undecidable):
        return flow_error("bad_call", f"{call.selector}: CSS does not tell its state; name it by role or label")
    if not isinstance(found, Found):
        return _answer_of(found) or FlowAnswer()
    performed = perform_on(call, found.element, page, context)
    if isinstance(performed, FlowAnswer):
        return performed
    return replace(performed, remark=remark_of_element(call.selector, found))


def _action(call: FlowCall, target: Target, context: FlowContext) -> tuple[BrowserAction, bool]:
    """Return the action on the element, and whether another one follows."""
    match call:
        case ChooseOption() if call.search:
            return TypeText(target=target, text=call.search), True
        case ChooseOption():
            return PickOption(target=target, option=_exact_option(call, context)), False
        case TakeScreenshot():
            return ScreenshotElement(target=target, label=call.label), False
        case _:
            return to_action(call, target), False


def _exact_option(call: ChooseOption, context: FlowContext) -> str:
    """Return the option as the site writes it, if a mapping of this control has it."""
    mapping = next(iter(_mappings_of(call, context)), None)
    return call.option if mapping is None else mapping.options.get(fold(call.option), call.option)


def _mappings_of(call: ChooseOption, context: FlowContext) -> list[DropdownMapping]:
    return [one for one in context.files.mappings.values() if one.container == call.selector]


def _click_option(call: ChooseOption, page: PageObserved, context: FlowContext) -> Perform | FlowAnswer:
    """Return the click on the option that the search has brought."""
    kind = next((one.option_selector for one in _mappings_of(call, context) if one.option_selector), "role=option")
    option = write_selector(replace(parse_selector(kind), name=_exact_option(call, context)))
    found = find_element(option, page, {}, {})
    if not isinstance(found, Found):
        return flow_error("element_missing", getattr(found, "message", f"{option} is not there"))
    facts = facts_of_selector(call.selector, context.files.locators, context.variables)
    target = ByRef(ref=found.element.ref, snapshot_id=page.snapshot_id)
    return Perform(Click(target=target), effects=() if facts is None else facts.effects)


def _download_next(call: DownloadAll, page: PageObserved, context: FlowContext) -> Perform | FlowAnswer:
    """Return the download of the next file, or their number once there is none left."""
    found = matching(parse_selector(call.selector), page)
    if found is None:
        return flow_error("bad_call", f"{call.selector}: CSS is not counted; name the files by role, label or text")
    if context.done >= len(found):
        return FlowAnswer(value=context.done)
    label = call.label if len(found) == 1 else f"{call.label}_{context.done + 1}"
    target = ByRef(ref=found[context.done].ref, snapshot_id=page.snapshot_id)
    more = context.done + 1 < len(found)
    return Perform(Download(target=target, label=label), more=more, value=None if more else len(found))


def _heal(selector: str, found: Found, context: FlowContext, page: PageObserved) -> Heal | None:
    locators = context.files.locators
    key = key_of_selector(selector, locators, context.variables)
    return heal_of_element(selector, key, found, locators.get(key), page)


# --- what an action has led to


def check_effect(perform: Perform, result: ActionResult) -> FlowAnswer:
    """Return the answer to a call whose action was performed."""
    if not result.ok:
        if perform.answers_shown and result.code in ("not_found", "ambiguous"):
            quiet = result.code == "not_found" or isinstance(perform.action, Extract)
            return FlowAnswer(value=False) if quiet else flow_error("element_ambiguous", result.message)
        codes = {"not_found": "element_missing", "ambiguous": "element_ambiguous"}
        found_nothing = isinstance(getattr(perform.action, "target", None), ByCss) and result.code in codes
        code: Any = codes[result.code] if found_nothing else "action_failed"
        return flow_error(code, result.message)
    if isinstance(perform.action, Download | Goto) and result.has_invalid_file:
        return flow_error("invalid_file", result.message)
    tag = effect_tag(result)
    if perform.effects and tag not in perform.effects and not is_exchanged(perform, result):
        expected = " or ".join(perform.effects)
        return flow_error("effect_missing", f"{result.message}; its effect was {tag or 'none'} instead of {expected}")
    if perform.checked is not None and getattr(result.effect, "checked", None) is not perform.checked:
        return flow_error("effect_missing", f"{result.message}; it is not {'' if perform.checked else 'un'}checked")
    return FlowAnswer(value=True if perform.answers_shown else perform.value)


def is_exchanged(perform: Perform, result: ActionResult) -> bool:
    """Return whether a click has shown on the page what it showed as a page of its own in the samples, or the other way
    round, as where a tab has become a page. That it was meant is proven by the record and by what is read then."""
    showed, shows = SHOWING_EFFECTS & set(perform.effects), effect_tag(result)
    return perform.exchangeable and result.ok and bool(showed) and shows in SHOWING_EFFECTS - showed


def effect_tag(result: ActionResult) -> str:
    """Return the tag of the effect, such as ``navigated``; empty: none is known."""
    return "" if result.effect is None else str(result.effect.__struct_config__.tag)


def after_call(context: FlowContext, call: FlowCall, *, performed: bool, exchanged: bool = False) -> FlowContext:
    """Return the context of the next call. ``exchanged``: see `is_exchanged`."""
    clicked = call.selector if isinstance(call, ClickElement) and performed else context.last_clicked
    field = None
    if performed or isinstance(call, SetChecked):
        field = field_filled_by(call, getattr(call, "selector", "") or context.last_clicked)
    filled = context.filled if field is None else (*context.filled, field)
    sent = sent_after(context.sent, call, filled, field) if performed else context.sent
    named = {**context.named, **call.expected} if isinstance(call, ProveRecord) else context.named
    exchanged = (exchanged or context.exchanged) and not isinstance(call, ProveRecord)
    return replace(
        context, done=0, last_clicked=clicked, filled=filled, sent=sent, named=named, exchanged=exchanged
    )  # fmt: skip
