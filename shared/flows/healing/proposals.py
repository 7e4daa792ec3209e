"""A new version of a flow from what its samples found in another way than it was recorded. Pure.

A way to find something is dropped only where every sample that used the flow has lost it, or was led elsewhere by it.
What is left must still tell the element or the value by itself. Nothing is dropped of what one sample alone has seen.
A new way is added only for an element that a planner has chosen, where it has led every sample to it. A popup that
several samples have met is closed by a line of the source: where there is none, that line does nothing.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from shared.contracts.base import Part
from shared.contracts.workflows.heals import Heal, HealedKind, HealWay
from shared.extraction.certainty import BELONGING
from shared.extraction.field_rules import FieldRules
from shared.extraction.rules import kind_of
from shared.flows.changed.popups import names_acted_on
from shared.flows.changed.records import rule_key
from shared.flows.files import SOURCE_FILE, ElementFacts, FlowFiles, write_files
from shared.flows.healing.closings import MetPopup, popups_met, with_closings
from shared.pages.locate.by_selector import LEAST_AGREEING
from shared.text.normal import fold

LEAST_SAMPLES = 2
"""That have found the same change."""
Heals = Mapping[str, Sequence[Heal]]
"""Those of each sample that used the flow, also of samples without any."""


class HealedSubject(Part, frozen=True, kw_only=True):
    """What a proposal changes of one element or field, and why. ``evidence``: hashes of the observations."""

    kind: HealedKind
    subject: str
    rungs: tuple[str, ...]
    dropped: tuple[str, ...]
    kept: tuple[str, ...]
    samples: tuple[str, ...]
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class HealProposal:
    """``source`` and ``files``: the proposed ones. ``changes``: for each element, field and popup. ``diff``: of the
    texts, unified."""

    source: str
    files: FlowFiles
    changes: tuple[HealedSubject, ...]
    diff: str


def propose_heal(source: str, files: FlowFiles, heals: Heals) -> HealProposal | None:
    """Return the changed source and files; None: nothing that all samples have found calls for a change."""
    changes: list[HealedSubject] = []
    locators = dict(files.locators)
    for key, facts in files.locators.items():
        found = _common("element", key, heals)
        healed = None if found is None else _without_selectors(key, facts, found)
        if found is not None and healed is not None:
            locators[key] = healed
            dropped = [one for one in facts.selectors if one not in healed.selectors]
            changes.append(_change("element", key, found, dropped, [key, *healed.selectors]))
    fields = _with_fewer_rules("field", files.fields.fields, heals, changes)
    proofs = _with_fewer_rules("proof", files.fields.proofs, heals, changes)
    own = names_acted_on(files.locators)
    healed_source, written = with_closings(source, [one for one in popups_met(heals) if fold(one.name) not in own])
    for one in written:
        locators.setdefault(one.selector, ElementFacts(role=one.role, over_page=True))
        changes.append(_change_of_popup(one))
    if not changes:
        return None
    healed_files = replace(files, locators=locators, fields=replace(files.fields, fields=fields, proofs=proofs))
    before = {SOURCE_FILE: source, **write_files(files)}
    diff = diff_of(before, {SOURCE_FILE: healed_source, **write_files(healed_files)})
    return HealProposal(healed_source, healed_files, tuple(changes), diff)


def _change_of_popup(met: MetPopup) -> HealedSubject:
    return HealedSubject(
        kind="popup",
        subject=met.name,
        rungs=("popup",),
        dropped=(),
        kept=(met.selector,),
        samples=met.samples,
        evidence=tuple(dict.fromkeys(one.observation_sha256 for one in met.heals if one.observation_sha256)),
    )


def _with_fewer_rules(
    kind: HealedKind, fields: Mapping[str, FieldRules], heals: Heals, changes: list[HealedSubject]
) -> dict[str, FieldRules]:
    """Return the fields without rules that are gone; ``changes`` has what was changed added."""
    changed = dict(fields)
    for name, rules in fields.items():
        found = _common(kind, name, heals)
        fewer = None if found is None else _without_rules(rules, {way.key for way in found.gone})
        if found is not None and fewer is not None:
            changed[name] = fewer
            kept = {rule_key(rule) for rule in fewer.rules}
            texts = [way.text for way in found.gone]
            changes.append(_change(kind, name, found, texts, [way.text for way in found.matched if way.key in kept]))
    return changed


def diff_of(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Return the unified diff of files, in the order of their names."""
    found: list[str] = []
    for name in sorted({*before, *after}):
        one, other = before.get(name, "").splitlines(), after.get(name, "").splitlines()
        found += difflib.unified_diff(one, other, name, name, lineterm="", n=2)
    return "\n".join(found)


@dataclass(frozen=True)
class _Common:
    """What every sample has found of a subject. ``gone``: lost by all, matched by none. ``matched``: by all."""

    heals: Mapping[str, tuple[Heal, ...]]
    gone: tuple[HealWay, ...]
    matched: tuple[HealWay, ...]
    new: tuple[HealWay, ...] = ()
    """Found by a planner's choice, by all."""


def _common(kind: HealedKind, subject: str, heals: Heals) -> _Common | None:
    own = {
        sample: tuple(h for h in all_ if (h.kind, h.subject) == (kind, subject) and h.rung != "effect")
        for sample, all_ in heals.items()
    }
    if len(own) < LEAST_SAMPLES or not all(own.values()):
        return None
    each = [heal for found in own.values() for heal in found]
    matched = [set(heal.matched) for heal in each]
    ever = {way.key for found in matched for way in found}
    lost = [{way.key: way for way in (*heal.lost, *heal.moved)} for heal in each]
    gone = [way for key, way in lost[0].items() if all(key in one for one in lost) and key not in ever]
    new = {way.key for way in each[0].found}.intersection(*({w.key for w in heal.found} for heal in each))
    always = {way.key for way in each[0].matched}.intersection(*({w.key for w in found} for found in matched))
    common = tuple(way for way in each[0].matched if way.key in always)
    return _Common(own, tuple(gone), common, tuple(way for way in each[0].found if way.key in new)) if gone else None


def _without_selectors(key: str, facts: ElementFacts, found: _Common) -> ElementFacts | None:
    """Return the facts without selectors that are gone, those that found it on every page first; None: no change, or
    too few would be left to find it together."""
    gone, first = {way.key for way in found.gone}, {way.key for way in found.matched}
    left = [*(way.key for way in found.new), *(one for one in facts.selectors if one not in gone)]
    left = list(dict.fromkeys(left))
    ordered = tuple(sorted(left, key=lambda one: one not in first))
    prints = {heal.fingerprint_now for one in found.heals.values() for heal in one if heal.fingerprint_now}
    known = tuple(dict.fromkeys((*facts.fingerprints, *sorted(prints))))
    alone = key in gone and len(ordered) + 1 < LEAST_AGREEING + (not prints)
    changed = ordered != facts.selectors
    return replace(facts, selectors=ordered, fingerprints=known) if changed and not alone else None


def _without_rules(rules: FieldRules, gone: Iterable[str]) -> FieldRules | None:
    """Return the rules without those that are gone; None: no change, or none is left whose label or name tells the
    value. Where values have moved, the order of labels that was learned says nothing any more."""
    dropped = set(gone)
    kept = [at for at, rule in enumerate(rules.rules) if rule_key(rule) not in dropped]
    left = tuple(rules.rules[at] for at in kept)
    if len(left) == len(rules.rules) or not any(kind_of(rule, rules.labels) in BELONGING for rule in left):
        return None
    homes = tuple(rules.homes[at] for at in kept) if len(rules.homes) == len(rules.rules) else ()
    return replace(rules, rules=left, homes=homes, beside=())


def _change(
    kind: HealedKind, subject: str, found: _Common, dropped: Iterable[str], kept: Iterable[str]
) -> HealedSubject:
    each = [heal for heals in found.heals.values() for heal in heals]
    return HealedSubject(
        kind=kind,
        subject=subject,
        rungs=tuple(sorted({str(heal.rung) for heal in each})),
        dropped=tuple(dropped),
        kept=tuple(kept),
        samples=tuple(found.heals),
        evidence=tuple(dict.fromkeys(heal.observation_sha256 for heal in each)),
    )
