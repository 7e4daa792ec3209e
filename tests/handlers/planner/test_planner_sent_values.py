"""A model's run on a form that is sent once: the confirmation is compared with what the model has filled in."""

from __future__ import annotations

import pytest

from shared.contracts.actions import ByRef, Click, Done, Goto, TypeText
from shared.contracts.steps import StepTaken
from tests.handlers.planner.planner_bench import Bench, bench_of
from tests.handlers.planner.scripted_driver import told
from tests.step_logs import logged
from tests.unit.planner.planner_pages import URL, el, heading, page, row

SENT, LIST = f"{URL}/sent", f"{URL}/list"
TASK = {
    "output_schema": {"request_number": {"type": "string", "labels": ["Request number"]}},
    "identity": {}, "required_fields": ["request_number"], "required_artifacts": [],
    "route": [{"press": "Send request", "irreversible": True}],
}  # fmt: skip
FORM = page(
    heading("New request"),
    el("textbox", "Amount", tag="input", value="1250.00"),
    el("button", "Send request", tag="button"),
    *row("Amount", "99.00"),
)
REPORT = Done(values={"request_number": "Q-77"})


def on(ref: int) -> ByRef:
    return ByRef(ref=ref, snapshot_id="s1")


def sending(shown: str, *afterwards: object) -> Bench:
    """Return a bench whose confirmation shows this amount."""
    calls = (TypeText(target=on(2), text="1250.00"), Click(target=on(3)), *afterwards)
    one = bench_of(FORM, driver=told(*calls), **TASK)
    number = row("Request number", "Q-77")
    one.scripted.clicks = {"Send request": SENT}
    one.scripted.site[SENT] = [page(heading("Received"), *number, *row("Amount", shown), *row("Amount", "99.00"))]
    one.scripted.site[LIST] = [page(heading("Requests"), *number)]
    return one


def pressed(one: Bench) -> StepTaken:
    (step,) = [step for step in one.steps if step.claimed]
    return step


async def test_a_confirmation_with_what_was_sent_is_done():
    one = sending("1,250.00", REPORT)
    finished = await one.run()
    assert (finished.status, finished.reason) == ("done", "")
    step = pressed(one)
    assert step.stood_under == {"amount": ("99.00",)}
    assert logged(step) == step


@pytest.mark.parametrize("leaves", [False, True])
async def test_a_confirmation_with_another_amount_goes_to_a_person(leaves: bool):
    one = sending("125.00", *((Goto(url=LIST),) if leaves else ()), REPORT, REPORT)
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", "unknown_outcome")
    assert "'125.00' for 'Amount', where '1250.00' was filled in" in finished.message
