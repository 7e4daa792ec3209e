"""The drift of a run's pages, counted per element and field."""

from __future__ import annotations

from msgspec.structs import replace

from shared.contracts.workflows.heals import Heal, HealWay
from shared.flows.healing.drift import drift_of

LABEL = HealWay(key="1", text='the definition beside "Owner"')
PLACE = HealWay(key="2", text="number 2 of 3 at dl>dd")
GROUP = HealWay(key="3", text='definition number 2 in "Properties"')


def owner(*lost: HealWay, moved: tuple[HealWay, ...] = ()) -> Heal:
    return Heal(kind="field", subject="owner", rung="agreeing", lost=lost, moved=moved, matched=(LABEL,))


def test_ways_are_counted_once_for_a_sample_and_most_drift_stands_first():
    click = Heal(kind="element", subject="text=Save", rung="narrowed", lost=(GROUP,), matched=(LABEL,))
    heals = {"a": [owner(PLACE), owner(PLACE, GROUP)], "b": [owner(moved=(PLACE,)), click], "c": []}
    field, element = drift_of(heals)
    assert (field.kind, field.subject, field.samples, field.of) == ("field", "owner", 2, 3)
    assert field.lost == ((PLACE.text, 2), (GROUP.text, 1))
    assert field.matched == ((LABEL.text, 2),)
    assert (element.kind, element.subject, element.samples, element.rungs) == ("element", "text=Save", 1, ("narrowed",))


def test_what_spoke_for_a_heal_is_counted_together():
    told, other = replace(owner(PLACE), witnesses=("label", "record")), replace(owner(PLACE), witnesses=("id", "place"))
    (field,) = drift_of({"a": [told, told], "b": [told], "c": [other], "d": [owner(PLACE)]})
    assert field.witnesses == (("label, record", 2), ("id, place", 1))


def test_a_run_without_heals_has_no_drift():
    assert drift_of({"a": [], "b": []}) == ()
