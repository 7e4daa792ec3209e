"""A press that cannot be undone and that was certainly not made: it may be tried again, and is never made twice."""

from __future__ import annotations

import pytest

from services.planner.execute import ActionOutcome
from services.planner.irreversible import give_back_unmade
from services.planner.state.attempt_state import Act
from shared.contracts.actions import ByRef, ByText, Click, Fail
from shared.contracts.results import ActionResult, Change
from shared.contracts.steps import PressClaim
from tests.handlers.planner.planner_bench import Bench, bench_of
from tests.handlers.planner.scripted_driver import told
from tests.unit.planner.planner_pages import el, heading, page, view

SENDS = {"route": [{"press": "Send request", "irreversible": True}], "identity": {}, "required_artifacts": []}
SHOWN = page(heading("Review"), el("button", "Send request", tag="button"))
PRESS = Click(target=ByRef(ref=2, snapshot_id="s1"))
ENDS = Fail(code="other", note="x")
NOT_MADE = pytest.mark.parametrize("code", ["form_invalid", "fields_changed", "stale_ref"])


def refusing(code: str, *answers: object) -> Bench:
    """Return a bench on which the first press is answered so."""
    one = bench_of(SHOWN, driver=told(*answers), **SENDS)
    one.scripted.refuses = {2: code}
    return one


def presses(one: Bench) -> int:
    return sum(isinstance(action, Click) for action in one.scripted.actions)


@NOT_MADE
async def test_the_same_attempt_presses_again(code: str):
    one = refusing(code, PRESS, PRESS, PRESS, ENDS)
    await one.run()
    assert [step.refused for step in one.steps if isinstance(step.action, Click)] == [False, False, True]
    assert presses(one) == 2
    one.driver = told(PRESS, ENDS)
    assert (await one.run(attempt=2)).reason == "unknown_outcome"
    assert presses(one) == 2


@NOT_MADE
async def test_a_later_attempt_may_press_and_then_nobody(code: str):
    one = refusing(code, PRESS, ENDS)
    await one.run()
    one.driver = told(PRESS, ENDS)
    second = await one.run(attempt=2)
    assert presses(one) == 2
    assert second.message.startswith("the button was pressed, and nothing tells what came of it; x")
    one.driver = told(PRESS, ENDS)
    assert (await one.run(attempt=3)).reason == "unknown_outcome"
    assert presses(one) == 2


@pytest.mark.parametrize("code", ["effect_not_seen", "timeout", "failed", "a_code_of_a_later_version"])
async def test_what_may_have_reached_the_page_is_never_pressed_again(code: str):
    one = refusing(code, PRESS, PRESS, ENDS)
    await one.run()
    one.driver = told(PRESS, ENDS)
    assert (await one.run(attempt=2)).reason == "unknown_outcome"
    assert presses(one) == 1


async def test_a_call_after_the_press_gives_back_no_claim():
    given = list[PressClaim]()
    other = Click(target=ByText(text="Home"))
    decision = Act(PRESS, "told", then=(other,), claimed=1)

    class Claims:
        async def find(self, pressed: PressClaim) -> PressClaim:
            return pressed

        async def claim(self, pressed: PressClaim) -> PressClaim:
            return pressed

        async def give_back(self, held: PressClaim) -> None:
            given.append(held)

    refused = ActionResult(ok=False, code="not_found", message="", change=Change(url_before="", url_after=""))
    for action, count in ((other, 0), (PRESS, 1)):
        await give_back_unmade(view(SHOWN), decision, ActionOutcome(action, "", result=refused), Claims())
        assert len(given) == count
