"""The forms of a live view as commands."""

from __future__ import annotations

import pytest

from services.console.web.live.live_acts import HoldKeys, UnreadableActError, parse_steer
from shared.contracts.actions import ByRef, Click, Press, Scroll, TypeSecret, TypeText
from shared.contracts.sessions.taking_over import ActOn, AnySteer, HandBack, KeepHold, PressAt, TakeOver

ON = {"ref": "7", "snapshot_id": "s1"}
TARGET = ByRef(ref=7, snapshot_id="s1")
WHY = "A person did it by hand."
FORMS: list[tuple[dict[str, str], AnySteer]] = [
    ({"steer": "take"}, TakeOver()),
    ({"steer": "keep"}, KeepHold()),
    ({"steer": "back", "note": "done"}, HandBack(note="done")),
    ({"steer": "press_at", "x": "3.5", "y": "4"}, PressAt(x=3.5, y=4)),
    ({"steer": "act", "action": "click", **ON}, ActOn(action=Click(target=TARGET, reason=WHY))),
    ({"steer": "act", "action": "type", "text": "", **ON}, ActOn(action=TypeText(target=TARGET, text="", reason=WHY))),
    (
        {"steer": "act", "action": "type_secret", "secret": "portal", **ON},
        ActOn(action=TypeSecret(target=TARGET, secret="portal", reason=WHY)),
    ),
    ({"steer": "act", "action": "press", "keys": "Enter"}, ActOn(action=Press(keys="Enter", reason=WHY))),
    (
        {"steer": "act", "action": "scroll", "direction": "up", "amount_px": "40"},
        ActOn(action=Scroll(direction="up", amount_px=40, reason=WHY)),
    ),
]


@pytest.mark.parametrize(("form", "command"), FORMS)
def test_a_form_is_one_command(form: dict[str, str], command: AnySteer):
    assert parse_steer(form) == command


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"steer": "run"},
        {"steer": "press_at", "x": "3"},
        {"steer": "press_at", "x": "a", "y": "4"},
        {"steer": "press_at", "x": "nan", "y": "inf"},
        {"steer": "act", "action": "upload", "file": "/etc/passwd", **ON},
        {"steer": "act", "action": "done"},
        {"steer": "act", "action": "click"},
        {"steer": "act", "action": "click", "ref": "7"},
        {"steer": "act", "action": "dialog", "answer": "perhaps"},
    ],
)
def test_what_is_no_act_is_refused(form: dict[str, str]):
    with pytest.raises(UnreadableActError):
        parse_steer(form)


def test_each_session_of_each_server_has_a_key_of_its_own():
    one, other = HoldKeys(), HoldKeys()
    assert len({one.of(1), one.of(2), other.of(1)}) == 3
    assert one.of(1) == one.of(1)
    assert one.of(1) not in repr(one)
