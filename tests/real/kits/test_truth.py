"""Each kind of untrue result is found, and no true one is taken for untrue."""

from __future__ import annotations

import pytest

from shared.contracts.actions import BrowserAction, ByText, Click, PickOption, SetDate, TypeText
from shared.contracts.results import (
    ActionResult,
    Change,
    CheckboxSet,
    Effect,
    NotSeen,
    PageChanged,
    TargetFound,
    ValueSet,
)
from tests.real.kits.checked import Held, Told
from tests.real.kits.truth import untrue

LABELS = {"no": "Norway", "de": "Germany"}
AT = ByText(text="it")


def held(value: object, *, other: object = 0, text: str = "") -> Held:
    said = [LABELS.get(str(value), "" if value is None else str(value))]
    return Held({"it": value, "other": other}, {"it": said, "other": [str(other)]}, text)


def told(
    action: BrowserAction, effect: Effect | None, was: Held, now: Held, later: Held | None = None, *, ok: bool = True
) -> Told:
    result = ActionResult(
        ok=ok,
        code="ok" if ok else "effect_not_seen",
        message="",
        effect=effect,
        change=Change(url_before="", url_after=""),
        target=TargetFound(role="radio", name="Norway", tag="input", fingerprint=""),
    )
    return Told(action, result, was, now, later or now, 1.0)


PICK, CLICK = PickOption(target=AT, option="norway"), Click(target=AT)
TYPE, DATE = TypeText(target=AT, text="12"), SetDate(target=AT, date="2027-02-28")
NONE, NORWAY, GERMANY = held(None), held("no"), held("de")


@pytest.mark.parametrize(
    "one",
    [
        told(PICK, ValueSet(value="Norway"), NONE, NORWAY),
        told(PICK, None, NONE, NONE, ok=False),
        told(PICK, ValueSet(value="Germany"), NONE, GERMANY, ok=False),
        told(DATE, ValueSet(value="2027-02-28"), NONE, held("2027-02-28")),
        told(CLICK, CheckboxSet(checked=True), held(False), held(True)),
        told(CLICK, CheckboxSet(checked=None), held(False), held("mixed")),
        told(CLICK, CheckboxSet(checked=True), GERMANY, NORWAY),
        told(CLICK, NotSeen(), NONE, NONE),
        told(CLICK, PageChanged(), NONE, held(None, text="A menu")),
    ],
)
def test_a_true_result_has_no_fault(one: Told):
    assert untrue(one, "it") == []


@pytest.mark.parametrize(
    ("one", "fault"),
    [
        (told(PICK, ValueSet(value="Norway"), NONE, NONE), "at once holds None"),
        (told(PICK, ValueSet(value="Norway"), NONE, NORWAY, NONE), "at rest holds None"),
        (told(PICK, ValueSet(value="Germany"), NONE, GERMANY), "ok, and the widget holds 'de'"),
        (told(PICK, None, NONE, GERMANY, ok=False), "without a word of it"),
        (told(PICK, None, NONE, NORWAY, ok=False), "it was done"),
        (told(TYPE, ValueSet(value="12"), NONE, held(1)), "holds 1"),
        (told(CLICK, CheckboxSet(checked=True), held(False), held(False)), "at rest it is False"),
        (told(CLICK, CheckboxSet(checked=False), held(False), held("mixed")), "it is None"),
        (told(CLICK, NotSeen(), NONE, NORWAY), "not_seen, and ['it'] have changed"),
        (told(CLICK, PageChanged(), NONE, NONE), "nothing that is shown has changed"),
        (told(CLICK, NotSeen(), NONE, held(None, other=1)), "other has changed too"),
    ],
)
def test_an_untrue_result_is_found(one: Told, fault: str):
    assert any(fault in found for found in untrue(one, "it"))


def test_widgets_that_may_change_too_are_no_fault():
    one = told(CLICK, PageChanged(), NONE, held(None, other=1))
    assert [untrue(one, "it", also) for also in ((), ("other",))] == [["other has changed too: 0, then 1"], []]
