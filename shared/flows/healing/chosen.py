"""The element that a planner has chosen for a step of a flow: how it is found again, and what the step must lead to.

A chosen element is used by all samples of the version. Each of them checks the postcondition for itself. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from shared.actions.table import facts_of_call
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.workflows.flows import ClickElement, FlowCall
from shared.contracts.workflows.heals import ChosenElement, Heal, HealWay, Postcondition
from shared.extraction.rules import ExtractionRule, InLabelledRow, UnderHeader
from shared.flows.compiling.templates import common_name
from shared.flows.files import ElementFacts, FlowFiles
from shared.pages.locate.by_selector import matching
from shared.pages.locate.selectors import Selector, fill_selector, fill_template, parse_selector, write_selector
from shared.text.normal import fold, tidy

PRESSED_ROLES = frozenset({"link", "button", "tab", "menuitem"})
"""A link that has become a button leads to the same, if its effect is the recorded one."""
MAX_SELECTORS = 6
MAX_TEXTS = 40
MIN_SHOWN_CHARS, MAX_SHOWN_CHARS = 3, 200
_GENERATED = re.compile(r"\d{3,}|[0-9a-f]{8,}|:r\w*:|ember|uid|-\d+$")
Variables = Mapping[str, str]


def may_be_chosen(call: FlowCall) -> bool:
    """Return whether a planner may say which element the call means: nothing that is pressed once, or only tried."""
    quiet = isinstance(call, ClickElement) and (call.irreversible or call.if_shown)
    return facts_of_call(call).element_choice != "never" and bool(getattr(call, "selector", "")) and not quiet


def must_show_text(call: FlowCall) -> bool:
    """Return whether the call is done only where the page shows something new afterwards."""
    return facts_of_call(call).element_choice == "by_text"


def role_problem(call: FlowCall, facts: ElementFacts | None, role: str) -> str:
    """Return why an element of this role cannot be the one that was recorded; empty: it can."""
    recorded = "" if facts is None else facts.role
    alike = not recorded or role == recorded
    pressed = isinstance(call, ClickElement) and {role, recorded} <= PRESSED_ROLES and bool(facts and facts.effects)
    return "" if alike or pressed else f"it is a {role}, and a {recorded} was recorded"


def selectors_now(element: Element, page: PageObserved, variables: Variables) -> tuple[str, ...]:
    """Return the selectors that lead to this element alone on its page, best first, with variables for their values."""
    found: dict[str, None] = {}
    for selector in _candidates(element, variables):
        there = matching(fill_selector(selector, variables), page)
        if there is not None and [one.ref for one in there] == [element.ref]:
            found.setdefault(write_selector(selector))
    return tuple(found)[:MAX_SELECTORS]


def _candidates(element: Element, variables: Variables) -> Iterator[Selector]:
    by_kind = {one.kind: one.value for one in element.locators if one.matches == 1}
    if "testid" in by_kind:
        yield Selector("css", by_kind["testid"])
    name = _template(element.name, variables)
    if name:
        yield Selector("role", element.role, name)
    if "label" in by_kind:
        yield Selector("label", _template(tidy(by_kind["label"]), variables))
    elif name and element.role in PRESSED_ROLES:
        yield Selector("text", name)
    if element.header:
        yield Selector("role", element.role, header=_template(element.header, variables))
    if "id" in by_kind and _GENERATED.search(by_kind["id"]) is None:
        yield Selector("css", by_kind["id"])
    for region in element.regions[:1]:
        yield Selector("role", element.role, region=_template(region, variables))
    if "css" in by_kind:
        yield Selector("css", by_kind["css"])


def _template(text: str, variables: Variables) -> str:
    return (common_name([text], [variables]) or text) if text else ""


def find_chosen(
    chosen: ChosenElement, page: PageObserved, variables: Variables
) -> tuple[Element, tuple[str, ...]] | None:
    """Return the element that all of its selectors lead to that find something, and these; None: there is none.

    One by its name, its label or a test id is among them: by its place alone another one could be meant."""
    led = [(one, matching(fill_selector(parse_selector(one), variables), page)) for one in chosen.selectors]
    found = [(one, there) for one, there in led if there]
    refs = {element.ref for _, there in found for element in there}
    named = any(_is_named(one) for one, _ in found)
    if len(refs) != 1 or not named:
        return None
    element = found[0][1][0]
    return (element, tuple(one for one, _ in found)) if element.role == chosen.role else None


def _is_named(text: str) -> bool:
    selector = parse_selector(text)
    return selector.kind in ("label", "text") or selector.name is not None or "testid" in selector.value


def shown_template(text: str, variables: Variables) -> str:
    """Return the text that must be shown afterwards, with variables for the values of this sample."""
    return _template(tidy(text), variables)


def unmet_postcondition(expects: Postcondition, page: PageObserved | None, variables: Variables) -> str:
    """Return what the page lacks of what had to hold after the step, for people; empty: nothing.

    The effect is checked with the result of the action."""
    wanted = fill_template(expects.shows, variables)
    if not wanted or (page is not None and shows_text(page, wanted)):
        return ""
    return f"the page does not show {wanted!r}, which had to be there after the step"


def shows_text(page: PageObserved, text: str) -> bool:
    """Return whether an element of the page has this text as its name or its label, upper or lower case: as a whole, or
    several words of it within a longer one. A word alone would stand anywhere."""
    wanted = fold(text)
    phrase = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)") if " " in wanted else None
    texts = (fold(one) for element in page.elements for one in (element.name, element.header or ""))
    return any(text == wanted or (phrase is not None and phrase.search(text)) for text in texts)


def texts_looked_for(files: FlowFiles) -> tuple[str, ...]:
    """Return the labels that the flow reads values by, and the names of what it acts on: on some page of it they stand,
    whatever record it is about."""
    rules = [rule for one in (*files.fields.fields.values(), *files.fields.proofs.values()) for rule in one.rules]
    names = [parse_selector(key) for key in files.locators]
    texts = [label for rule in rules if (label := _label_of(rule))]
    texts += [one.name or (one.value if one.kind in ("label", "text") else "") for one in names]
    return tuple(dict.fromkeys(one for text in texts if (one := tidy(text)) and "{" not in one))[:MAX_TEXTS]


def _label_of(rule: ExtractionRule) -> str:
    match rule.where:
        case UnderHeader():
            return rule.where.header
        case InLabelledRow():
            return rule.where.label
        case _:
            return ""


def heal_of_chosen(
    key: str,
    element: Element,
    chosen: ChosenElement,
    led: tuple[str, ...],
    facts: ElementFacts | None,
    page: PageObserved,
) -> Heal:
    """Return that a planner's choice was used. ``led``: its selectors that lead to the element."""
    recorded = () if facts is None else facts.fingerprints
    lost = (key, *(() if facts is None else facts.selectors))
    return Heal(
        kind="element",
        subject=key,
        rung="planner",
        lost=tuple(HealWay(key=one, text=one) for one in lost),
        role=element.role,
        name_now=element.name,
        fingerprint=next(iter(recorded), ""),
        fingerprint_now=element.fingerprint,
        url=page.url,
        observation_sha256=page.sha256,
        found=tuple(HealWay(key=one, text=one) for one in led),
        expects=chosen.expects,
        witnesses=("model", "effect"),
    )
