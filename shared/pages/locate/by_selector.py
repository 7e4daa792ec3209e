"""Finds the one element of an observed page that a selector names.

The selector itself and all other selectors that a flow knows for this element must agree. Where it has changed, the
others find it only together: an id alone may have moved to another element.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from msgspec.structs import replace as replace_part

from shared.contracts.browser_pool import Element, PageObserved
from shared.pages.elements import MOST_NAMED, description_of, is_input, names_with_role
from shared.pages.locate.element_facts import ElementFacts
from shared.pages.locate.findings import Ambiguous, Found, Located, NotFound, Undecidable
from shared.pages.locate.selectors import (
    Selector,
    fill_selector,
    parse_selector,
    selector_in_words,
    write_selector,
)
from shared.pages.locate.target_context import is_one_link, row_of
from shared.text.normal import fold, quoted, tidy

AFTER_STEPS = 3
"""How many elements behind a text ``after=`` reaches."""
LEAST_AGREEING = 2
"""Ways that must lead to one element where the selector itself does not."""
_LAST_TAG = re.compile(r"(?:^|[\s>+~])([a-z][a-z0-9]*)[^\s>+~]*$")
_ID = re.compile(r"#[^\s>+~:.\[]+|\[data-test(?:-?id)?=[^\]]*\]")
LEADING_ROLES = frozenset({"link", "button", "tab", "menuitem"})
"""Of elements that may show something when they are clicked."""
SHOWING_ROLES = frozenset({"link", "tab"})
"""Of those that do nothing else."""
SHOWING_EFFECTS = frozenset({"navigated", "page_changed"})
"""Tags of what such a click has as effect: it shows a page of its own, or something on the page."""
CSS_KINDS = ("id", "testid", "css")


Finding = Located | Undecidable


def facts_of_selector(
    text: str, locators: Mapping[str, ElementFacts], variables: Mapping[str, str]
) -> ElementFacts | None:
    """Return what a flow knows of the element, by the entry whose key is this selector once variables are filled in."""
    return locators.get(key_of_selector(text, locators, variables))


def key_of_selector(text: str, locators: Mapping[str, ElementFacts], variables: Mapping[str, str]) -> str:
    """Return the key of the element's entry; the selector itself, where there is none."""
    if text in locators:
        return text
    wanted = parse_selector(text)
    keys = (key for key in locators if fill_selector(parse_selector(key), variables) == wanted)
    return next(keys, text)


def find_element(
    text: str, page: PageObserved, locators: Mapping[str, ElementFacts], variables: Mapping[str, str]
) -> Finding:
    """Return the element, or why there is none. Raises ValueError for a text that is no selector."""
    selector = parse_selector(text)
    facts = facts_of_selector(text, locators, variables)
    only_over = facts is not None and facts.over_page
    if only_over:
        page = replace_part(page, elements=tuple(one for one in page.elements if one.in_dialog))
    own = matching(selector, page)
    others = () if facts is None else facts.selectors
    filled = [(one, matching(fill_selector(parse_selector(one), variables), page)) for one in others]
    led = {one: found[0] for one, found in filled if found is not None and len(found) == 1}
    if own is not None and len(own) == 1:
        return _checked(text, own[0], facts, led, filled, page)
    if (link := _of_one_link(facts, own or ())) is not None:
        lost = tuple(one for one, found in filled if found is not None and one not in led)
        return Found(link, (text,), lost=lost)
    healed = (
        _healed(facts, led, own or (), page)
        or _narrowed(selector, facts, led, own or ())
        or _in_other_role(selector, facts, led, own or (), page)
    )
    if healed is not None:
        lost = (text, *(one for one, _ in filled if one not in led))
        return Found(healed, tuple(led), lost=lost, healed=True, others=max(len(own or ()) - 1, 0))
    if own is None and not led and not only_over:
        return Undecidable(write_selector(selector))
    refs, wanted = {one.ref for one in led.values()}, selector_in_words(text)
    if len(refs) > 1:
        there = ", ".join(dict.fromkeys(description_of(one) for one in led.values()))
        return Ambiguous(f"{wanted} was looked for, and what else is known of it leads to {there}")
    if own is not None and len(own) > 1:
        return Ambiguous(f"{wanted} was looked for, and {len(own)} elements are like it")
    return NotFound(_missing_message(selector, wanted, page))


def _checked(
    text: str,
    element: Element,
    facts: ElementFacts | None,
    led: Mapping[str, Element],
    filled: Sequence[tuple[str, tuple[Element, ...] | None]],
    page: PageObserved,
) -> Finding:
    """Return the element that the selector finds, unless what else is known of it leads elsewhere."""
    elsewhere = {one: other for one, other in led.items() if other.ref != element.ref}
    contradicted = bool(elsewhere) and facts is not None and _is_moved(text, element, facts, led, elsewhere, page)
    if elsewhere and not contradicted:
        there = ", ".join(f"{selector_in_words(one)} is {description_of(other)}" for one, other in elsewhere.items())
        return Ambiguous(f"{selector_in_words(text)} is there, but what else is known of it is another one: {there}")
    other_role = facts is not None and bool(facts.role) and facts.role != element.role
    if other_role and not _may_lead_as(element.role, facts):
        return NotFound(
            f"{selector_in_words(text)} was a {facts.role if facts else ''}, and is now {description_of(element)}"
        )
    lost = tuple(one for one, found in filled if found is not None and one not in led)
    agreed = (text, *(one for one in led if one not in elsewhere))
    return Found(element, agreed, lost=lost, moved=tuple(elsewhere), healed=other_role)


def _is_moved(
    text: str,
    element: Element,
    facts: ElementFacts,
    led: Mapping[str, Element],
    elsewhere: Mapping[str, Element],
    page: PageObserved,
) -> bool:
    """Return whether the element has its name and its recorded fingerprint or id still, and what leads elsewhere goes
    by order alone and leads to elements with names of their own. On a page whose markup has changed too, so that
    nothing has a recorded fingerprint, the list in which they stand must tell that it is in another order.

    Two elements that have only exchanged their places cannot be told from two that have exchanged their names."""
    selector = parse_selector(text)
    by_name = selector.kind in ("role", "label", "text") and bool(selector.name or selector.kind != "role")
    alike = [one for one in page.elements if one.fingerprint == element.fingerprint]
    known = element.fingerprint in facts.fingerprints and len(alike) == 1
    others = {one.ref: one for one in elsewhere.values()}
    named_else = all(one.name and fold(one.name) != fold(element.name) for one in others.values())
    recorded = any(one.fingerprint in facts.fingerprints for one in others.values())
    layered = not any(one.fingerprint in facts.fingerprints for one in page.elements)
    by_id = any(one.ref == element.ref and _is_by_id(selector) for selector, one in led.items())
    known = known or by_id or (layered and _is_in_reordered_list(element, elsewhere, page))
    return by_name and known and named_else and not recorded and all(map(_is_by_order, elsewhere))


def _is_in_reordered_list(element: Element, elsewhere: Mapping[str, Element], page: PageObserved) -> bool:
    """Return whether all that leads elsewhere goes by what follows another entry of one list, and that entry, what
    follows it now and the element itself stand in this list: side by side, in one tag path."""
    at = {one.ref: number for number, one in enumerate(page.elements)}
    for text, other in elsewhere.items():
        selector = parse_selector(text)
        before = _with_text(page.elements, selector.after, lambda one: (one.name,)) if selector.after else []
        if selector.kind != "role" or selector.name is not None or len(before) != 1:
            return False
        numbers = sorted(at[one.ref] for one in (before[0], element, other))
        run = page.elements[numbers[0] : numbers[-1] + 1]
        alike = {(one.role, one.place, one.frame) for one in run}
        if not element.place or alike != {(element.role, element.place, element.frame)}:
            return False
    return True


def _is_by_id(text: str) -> bool:
    """Return whether a selector is an id or a test id, and nothing else."""
    selector = parse_selector(text)
    bare = selector.kind == "css" and selector.name is None and not (selector.row or selector.header or selector.region)
    return bare and _ID.fullmatch(selector.value) is not None


def _is_by_order(text: str) -> bool:
    """Return whether a selector only counts: a path of tags, or what follows a text."""
    selector = parse_selector(text)
    path = selector.kind == "css" and selector.name is None and (" > " in selector.value or ":nth-" in selector.value)
    nameless = selector.kind == "role" and selector.name is None
    scoped = bool(selector.row or selector.header or selector.region)
    return not scoped and (path or (nameless and bool(selector.after)))


def _narrowed(
    selector: Selector, facts: ElementFacts | None, led: Mapping[str, Element], own: Sequence[Element]
) -> Element | None:
    """Return the one of several elements with the right name that is alone in its row, part or labelled place."""
    named = (selector.kind == "role" and bool(selector.name)) or selector.kind in ("label", "text")
    if facts is None or not named or len(own) <= 1 or len({one.ref for one in led.values()}) != 1:
        return None
    scopes = map(parse_selector, led)
    scoped = any(one.row or one.header or one.region for one in scopes)
    element = next(iter(led.values()))
    among = any(one.ref == element.ref for one in own) and (not facts.role or facts.role == element.role)
    return element if scoped and among else None


def _healed(
    facts: ElementFacts | None, led: Mapping[str, Element], own: Sequence[Element], page: PageObserved
) -> Element | None:
    """Return the element that the other selectors find together. Of several that the selector finds, it must be one."""
    if facts is None or len({one.ref for one in led.values()}) != 1:
        return None
    element = next(iter(led.values()))
    same = [one for one in page.elements if one.fingerprint and one.fingerprint == element.fingerprint]
    by_fingerprint = element.fingerprint in facts.fingerprints and len(same) == 1
    if len(led) + by_fingerprint < LEAST_AGREEING or (facts.role and facts.role != element.role):
        return None
    return element if not own or any(one.ref == element.ref for one in own) else None


def _of_one_link(facts: ElementFacts | None, own: Sequence[Element]) -> Element | None:
    """Return the recorded one of several links that are one, see `is_one_link`, else the first of them. None where
    acting on it was seen to do more than to show something."""
    if len(own) <= 1 or not is_one_link(own):
        return None
    if facts is not None and (facts.role != "link" or not _only_shows(facts)):
        return None
    recorded = [one for one in own if facts is not None and one.fingerprint in facts.fingerprints]
    return (recorded or own)[0]


def _only_shows(facts: ElementFacts) -> bool:
    """Return whether all that acting on the element did on the samples was to show something."""
    return bool(facts.effects) and set(facts.effects) <= SHOWING_EFFECTS


def _may_lead_as(role: str, facts: ElementFacts | None) -> bool:
    """Return whether an element of this role may be the recorded one, which showed something when it was clicked: a
    link or a tab does nothing but show. What it shows is checked by its effect, and by what is read then."""
    if facts is None or role not in SHOWING_ROLES or facts.role not in LEADING_ROLES:
        return False
    return _only_shows(facts)


def _in_other_role(
    selector: Selector,
    facts: ElementFacts | None,
    led: Mapping[str, Element],
    own: Sequence[Element],
    page: PageObserved,
) -> Element | None:
    """Return the only link or tab with the name of what was a button, a link or a tab, where nothing else that can be
    clicked has this name, and all that is known of the element besides leads to it or nowhere."""
    if own or facts is None or selector.kind != "role" or not selector.name or selector.value != facts.role:
        return None
    roles = sorted(LEADING_ROLES)
    named = [one for role in roles for one in matching(replace(selector, value=role), page) or ()]
    if len(named) != 1 or not _may_lead_as(named[0].role, facts) or named[0].in_dialog:
        return None
    return named[0] if all(one.ref == named[0].ref for one in led.values()) else None


# --- what one selector finds


def matching(selector: Selector, page: PageObserved) -> tuple[Element, ...] | None:
    """Return the elements that a selector finds; None where the observation does not tell.

    Texts are compared whole, white space collapsed; case counts unless nothing has the same.
    """
    found = _base_matches(selector, page.elements)
    if found is None:
        return None
    if selector.header:
        found = [one for one in found if fold(one.header or "") == fold(selector.header)]
    if selector.region:
        found = [one for one in found if fold(selector.region) in map(fold, one.regions)]
    if selector.after:
        found = _after(selector.after, found, page.elements)
    if selector.row:
        found = _in_row(selector.row, found, page.elements)
    return tuple(found)


def _base_matches(selector: Selector, elements: Sequence[Element]) -> list[Element] | None:
    match selector.kind:
        case "role":
            of_role = [one for one in elements if one.role == selector.value]
            return of_role if selector.name is None else _with_text(of_role, selector.name, lambda one: (one.name,))
        case "label":
            fields = [one for one in elements if is_input(one) or one.role in ("searchbox", "radio")]
            return _with_text(fields, selector.value, _labels_of)
        case "text":
            found = _with_text(elements, selector.value, lambda one: (one.name,))
            return [one for one in found if not one.unwritten and not is_input(one)] or found
        case "css":
            found = _with_css(selector.value, elements)
            if selector.name is None:
                return found
            found = _with_last_tag(selector.value, elements) if found is None else found
            return _with_text(found, selector.name, lambda one: (one.name,))


def _labels_of(element: Element) -> tuple[str, ...]:
    return (element.name, *(one.value for one in element.locators if one.kind == "label"))


def _with_text(elements: Iterable[Element], wanted: str, texts: Callable[[Element], tuple[str, ...]]) -> list[Element]:
    listed = list(elements)
    exact = [one for one in listed if tidy(wanted) in map(tidy, texts(one))]
    return exact or [one for one in listed if fold(wanted) in map(fold, texts(one))]


def _with_css(css: str, elements: Sequence[Element]) -> list[Element] | None:
    """Return the elements that have this CSS as a locator; None: an observation does not tell of other CSS, since it
    has not every element of a tag or a class."""
    found = [one for one in elements if any(at.kind in CSS_KINDS and at.value == css for at in one.locators)]
    return found or None


def _with_last_tag(css: str, elements: Sequence[Element]) -> list[Element]:
    """Return the elements with the tag that other CSS ends with; all, where it ends with none."""
    found = _LAST_TAG.search(css)
    return [one for one in elements if found is None or one.tag == found[1]]


def _after(text: str, found: Sequence[Element], elements: Sequence[Element]) -> list[Element]:
    """Return the first of these elements that stands shortly behind the only element with this text. What lies over the
    page stands behind nothing of it, and the other way round."""
    labels = _with_text(elements, text, lambda one: (one.name,))
    if len(labels) != 1:
        return []
    layer = [one for one in elements if one.in_dialog == labels[0].in_dialog]
    at = next(at for at, one in enumerate(layer) if one is labels[0])
    refs = {one.ref for one in found}
    return [one for one in layer[at + 1 : at + 1 + AFTER_STEPS] if one.ref in refs][:1]


def _in_row(cells: Sequence[str], found: Sequence[Element], elements: Sequence[Element]) -> list[Element]:
    texts = {one.ref: _texts_of_row(one, elements) for one in found}
    exact = [one for one in found if all(tidy(cell) in texts[one.ref] for cell in cells)]
    folded = {ref: set(map(fold, row)) for ref, row in texts.items()}
    return exact or [one for one in found if all(fold(cell) in folded[one.ref] for cell in cells)]


def _texts_of_row(element: Element, elements: Sequence[Element]) -> set[str]:
    """Return the texts of its row; of a line that begins with its number, the text behind the number too."""
    row = [tidy(one.name) for one in (element, *row_of(element, elements)) if one.frame == element.frame]
    numbered = [rest for text in row for number, _, rest in (text.partition(" "),) if number.isdecimal() and rest]
    return {*row, *numbered}


# --- for people


def _missing_message(selector: Selector, wanted: str, page: PageObserved) -> str:
    if page.dialog is not None:
        return f"{wanted} was looked for, and the page waits for an answer to {quoted(page.dialog)}"
    looked_for = f"{wanted} was looked for on {page.url}"
    if selector.row or selector.header or selector.region or selector.after:
        alone = replace(selector, row=(), header="", region="", after="")
        others = len(matching(alone, page) or ())
        elsewhere = f"; elsewhere on the page there are {others} of {selector_in_words(write_selector(alone))}"
        return f"{looked_for}, and is not there{elsewhere if others else ''}"
    if selector.kind == "role":
        return f"{looked_for}; of its role there {names_with_role(selector.value, page.elements)}"
    if selector.kind == "label":
        named = list(dict.fromkeys(quoted(one.name, 40) for one in page.elements if is_input(one) and one.name))
        return f"{looked_for}; the fields there are {', '.join(named[:MOST_NAMED]) or 'none'}"
    return f"{looked_for}, and is not there"
