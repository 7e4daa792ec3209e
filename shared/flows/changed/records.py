"""Typed records of what a flow found in another way than it was recorded. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable

import msgspec

from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import Change
from shared.contracts.workflows.heals import Heal, HealedKind, HealRung, HealWay, Witness
from shared.extraction.rules import ByTask, ExtractionRule, UnderHeader, describe_rule
from shared.flows.files import ElementFacts
from shared.flows.reading import LocatedReading
from shared.pages.locate.findings import Found
from shared.pages.locate.selectors import Selector, parse_selector
from shared.text.normal import fold

KEY_DIGITS = 16


def rule_key(rule: ExtractionRule) -> str:
    """Return the hash of a rule: 16 hex digits."""
    return hashlib.sha256(msgspec.json.encode(rule, order="deterministic")).hexdigest()[:KEY_DIGITS]


def heal_of_element(
    selector: str, key: str, found: Found, facts: ElementFacts | None, page: PageObserved
) -> Heal | None:
    """Return what has changed of an element that a selector of a flow names; None: nothing. ``key``: of its entry."""
    if not (found.healed or found.moved or found.lost):
        return None
    rung: HealRung = "moved" if found.moved else "narrowed" if found.others else "agreeing"
    recorded = () if facts is None else facts.fingerprints
    element = found.element
    return Heal(
        kind="element",
        subject=key,
        rung=rung,
        lost=_selectors(found.lost, selector, key),
        moved=_selectors(found.moved, selector, key),
        matched=_selectors(found.found_by, selector, key),
        others=found.others,
        role=element.role,
        name_now=element.name,
        fingerprint=element.fingerprint if element.fingerprint in recorded else next(iter(recorded), ""),
        fingerprint_now=element.fingerprint,
        url=page.url,
        observation_sha256=page.sha256,
        witnesses=_witnesses_of_element(selector, found, recorded),
    )


def _witnesses_of_element(selector: str, found: Found, recorded: Collection[str]) -> tuple[Witness, ...]:
    """Return what leads to the element: its name, where the selector has one that it still has; selectors; and its
    fingerprint."""
    own = parse_selector(selector)
    is_named = bool(own.name) and fold(own.name or "") == fold(found.element.name)
    witnesses: list[Witness] = []
    if is_named:
        witnesses.append("name")
    witnesses.extend(_witness_of_selector(parse_selector(one)) for one in found.found_by)
    if found.others:
        witnesses.append("place")
    if found.element.fingerprint in recorded:
        witnesses.append("fingerprint")
    return tuple(dict.fromkeys(witnesses))


def _witness_of_selector(selector: Selector) -> Witness:
    if selector.kind == "css":
        return "id" if "#" in selector.value or "data-test" in selector.value else "place"
    if selector.kind == "label" or (selector.header and not selector.name):
        return "label"
    return "name" if selector.name or selector.kind == "text" else "place"


def remark_of_element(selector: str, found: Found) -> str:
    """Return what has changed of an element, for people; empty: nothing."""
    if found.others:
        return f"{found.others + 1} elements are like {selector}, and what else is known of it leads to one of them"
    if found.healed:
        return f"{selector} is not there any more, and what else is known of the element leads to one: it was used"
    if found.moved:
        return f"{selector} has changed its place: {', '.join(found.moved)} leads to what has another name"
    return f"of what is known of {selector}, {', '.join(found.lost)} finds nothing now" if found.lost else ""


def heal_of_reading(reading: LocatedReading, page: PageObserved, kind: HealedKind = "field") -> Heal | None:
    """Return what has changed of a field that was read; None: nothing, or it was not read for certain."""
    if not reading.healed or reading.state not in ("value", "empty") or not (reading.matched or reading.element):
        return None
    by_label = any(isinstance(rule.where, UnderHeader) for rule in reading.matched)
    told = any(isinstance(rule.where, UnderHeader) for rule in reading.lost)
    rung: HealRung = "moved" if reading.moved else "narrowed" if told and not by_label else "agreeing"
    if reading.matched and all(isinstance(rule.where, ByTask) for rule in reading.matched):
        rung = "task"
    element = reading.element
    return Heal(
        kind=kind,
        subject=reading.field,
        rung=rung,
        lost=_rules(rule for rule in reading.lost if rule not in reading.moved),
        moved=_rules(reading.moved),
        matched=_rules(reading.matched),
        role="" if element is None else element.role,
        name_now="" if element is None else element.name,
        fingerprint_now="" if element is None else element.fingerprint,
        url=page.url,
        observation_sha256=page.sha256,
        witnesses=reading.witnesses,
    )


def heal_of_popup(subject: str, button: Element, page: PageObserved, line: int) -> Heal:
    """Return that a dialog or a banner over the page was dismissed. ``subject``: what the flow looked for; ``line``: of
    its source."""
    return Heal(
        kind="popup",
        subject=subject,
        rung="popup",
        role=button.role,
        name_now=button.name,
        fingerprint_now=button.fingerprint,
        url=page.url,
        observation_sha256=page.sha256,
        line=line,
    )


def heal_of_effect(subject: str, recorded: Iterable[str], shown: str, page: PageObserved) -> Heal:
    """Return that a click has shown as a page of its own what it showed on the page in the samples, or the other way
    round. ``recorded``: tags of its effects in the samples; ``shown``: the tag of its effect now."""
    return Heal(
        kind="element",
        subject=subject,
        rung="effect",
        lost=tuple(HealWay(key=one, text=one) for one in recorded),
        matched=(HealWay(key=shown, text=shown),),
        url=page.url,
        observation_sha256=page.sha256,
        witnesses=("name", "effect"),
    )


def heals_of_closings(subject: str, change: Change, line: int) -> tuple[Heal, ...]:
    """Return what the browser pool has closed by itself to reach what a call of a flow acts on."""
    return tuple(
        Heal(
            kind="popup",
            subject=subject,
            rung="popup",
            role=one.role,
            name_now=one.name,
            url=change.url_before,
            line=line,
        )
        for one in change.closed_by
    )


def needs_healing(heal: Heal) -> bool:
    """Return whether something was found only since heals are allowed. An element that its own selector finds, while
    others of its selectors find nothing, was not healed: the record says that it has begun to change."""
    own = {way.key for way in heal.matched}
    return heal.kind != "element" or bool(heal.moved) or heal.subject not in own


def _selectors(found: Iterable[str], selector: str, key: str) -> tuple[HealWay, ...]:
    return tuple(HealWay(key=key if one == selector else one, text=one) for one in found)


def _rules(found: Iterable[ExtractionRule]) -> tuple[HealWay, ...]:
    return tuple(HealWay(key=rule_key(one), text=describe_rule(one)) for one in found)
