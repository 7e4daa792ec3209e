"""What a flow's sample does where something lies over the page, and that each heal is in its step log."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace as replace_part

from shared.contracts.actions import Click, Screenshot
from shared.contracts.browser_pool import Element
from shared.contracts.planner import SampleFinished
from shared.contracts.results import ClosingButton
from shared.contracts.steps import note_text
from shared.contracts.workflows.flows import ClickElement, OpenAddress, ProveRecord, ReadFields, TakeScreenshot
from shared.extraction.field_rules import FieldRules
from shared.extraction.rules import AtPlace, ExtractionRule, UnderHeader, Whole
from shared.flows.files import FieldsFile, FlowFiles, write_files
from tests.handlers.planner.flow_bench import bench
from tests.handlers.planner.planner_bench import Bench, values_of
from tests.step_logs import logged
from tests.unit.planner.planner_pages import URL, el, page, ticket

CLEAR = URL + "/clear"
FILES = write_files(FlowFiles(fields=FieldsFile(constants=("heading main>h1: tickets",))))


def read_ticket(url: str):
    yield OpenAddress(url=url)
    yield ProveRecord(expected={"ticket_number": "TCK-1001"})
    yield TakeScreenshot(label="ticket")
    return {"ticket_number": "TCK-1001"}


def covered(*over: str, flow: Any = read_ticket, extra: tuple[Element, ...] = (), **task: Any) -> Bench:
    """Return a bench whose page shows only a dialog with these buttons, until one is clicked."""
    buttons = [el("button", name, in_dialog=True) for name in over]
    hidden = page(el("heading", "Something new", in_dialog=True), *buttons, *extra)
    one = bench(flow, files=FILES, shown=hidden, **task)
    one.scripted.site[CLEAR] = [page(*ticket())]
    one.scripted.clicks = dict.fromkeys(over, CLEAR)
    return one


def clicked_by_flow(one: Bench) -> int:
    return sum(isinstance(step.action, Click) and step.decided_by == "flow" for step in one.steps)


async def test_what_lies_over_the_page_is_closed_and_recorded():
    one = covered("Take the tour", "Not now")
    await one.run()
    (step,) = [step for step in one.steps if isinstance(step.action, Click)]
    (heal,) = step.heals
    assert (heal.kind, heal.rung, heal.subject, heal.name_now) == ("popup", "popup", "prove_record", "Not now")
    assert heal.line == 2
    assert any("'Not now' was pressed" in note_text(note) for note in step.notes)
    assert step.observation is not None
    assert heal.observation_sha256 == step.observation.sha256
    assert logged(step) == step


@pytest.mark.parametrize("in_dialog", [False, True])
async def test_what_lies_over_a_proven_record_is_closed_before_its_picture_unless_the_record_is_in_it(in_dialog: bool):
    shown = [replace_part(one, in_dialog=in_dialog) for one in ticket()]
    one = bench(read_ticket, files=FILES, shown=page(*shown, el("button", "Close", in_dialog=True)))
    one.scripted.site[CLEAR] = [page(*ticket())]
    one.scripted.clicks = {"Close": CLEAR}
    await one.run()
    told = [type(step.action) for step in one.steps]
    assert (Click in told) != in_dialog
    if not in_dialog:
        assert told.index(Click) < told.index(Screenshot)


@pytest.mark.parametrize("heal", ["recorded", "off"])
async def test_what_the_browser_pool_closed_for_a_call_is_a_heal_of_it(heal: str):
    def press(url: str):
        yield OpenAddress(url=url)
        yield ClickElement(selector='role=button[name="Go"]')
        return {}

    one = bench(press, files=FILES, shown=page(el("button", "Go")), heal=heal)
    one.scripted.clicks = {"Go": CLEAR}
    one.scripted.site[CLEAR] = [page(*ticket())]
    one.scripted.closed_by = (ClosingButton(role="button", name="Reject all"),)
    await one.run()
    found = [(one.kind, one.subject, one.line, one.role, one.name_now) for step in one.steps for one in step.heals]
    assert found == [("popup", 'role=button[name="Go"]', 2, "button", "Reject all")][: heal != "off"]


@pytest.mark.parametrize(
    ("names", "changes"),
    [
        (("Accept all",), {}),
        (("OK",), {}),
        (("Delete", "Cancel"), {}),
        (("Yes, close my account",), {}),
        (("Close",), {"extra": (el("textbox", "Comment", in_dialog=True),)}),
        (("Not now",), {"heal": "off"}),
    ],
)
async def test_nothing_is_agreed_to_given_up_or_left_unfilled(names: tuple[str, ...], changes: Any):
    one = covered(*names, **changes)
    await one.run()
    assert clicked_by_flow(one) == 0


async def test_nothing_is_closed_after_a_press_that_cannot_be_taken_back():
    def press(url: str):
        yield OpenAddress(url=url)
        yield ClickElement(selector='role=button[name="Send"]', irreversible=True)
        yield ReadFields(fields=("assignee",))
        return {}

    one = covered("Close", flow=press, extra=(el("button", "Send"),))
    one.scripted.clicks = {"Send": URL, "Close": CLEAR}
    await one.run()
    assert clicked_by_flow(one) == 1


# --- whose record it is, where another part of the page shows another one under the same labels

LABELS = ("Ticket number", "Assignee", "Due date")
NAMES = ("ticket_number", "assignee", "due_date")


def rules_for(label: str, nth: int) -> FieldRules:
    places = (UnderHeader(header=label, role="definition"), AtPlace(path="aside>dl>dd", nth=nth, of=len(LABELS)))
    rules = tuple(ExtractionRule(where=where, attribute="name", part=Whole()) for where in places)
    return FieldRules(rules=rules, labels=(label.casefold(),), homes=(0, 0))


BY_PLACE = FieldsFile(
    fields={name: rules_for(label, at) for at, (name, label) in enumerate(zip(NAMES, LABELS, strict=True))}
)


def labelled(place: str, *values: str) -> list[Element]:
    return [
        el("definition", value, tag="dd", header=label, place=place)
        for label, value in zip(LABELS, values, strict=True)
    ]


async def ended_beside_twin(*twin: str, prove: bool = True) -> tuple[Bench, SampleFinished]:
    """A flow that reads a page with the asked ticket where it was, and this other one elsewhere."""

    def read_all(url: str):
        yield OpenAddress(url=url)
        if prove:
            yield ProveRecord(expected={"ticket_number": "TCK-1001"})
        yield TakeScreenshot(label="ticket")
        return (yield ReadFields(fields=NAMES))

    own = labelled("aside>dl>dd", "TCK-1001", "Ann Lee", "Mar 3, 2026")
    shown = page(*own, *labelled("aside>div>dl>dd", *twin))
    one = bench(read_all, files=write_files(FlowFiles(fields=BY_PLACE)), shown=shown)
    return one, await one.run()


async def test_rules_of_a_flow_prove_the_record_where_the_page_alone_does_not():
    one, finished = await ended_beside_twin("TCK-1002", "Bo Dahl", "Mar 4, 2026")
    assert (finished.status, finished.reason) == ("done", "")
    assert values_of(finished)["assignee"] == "Ann Lee"
    (picture,) = [step for step in one.steps if isinstance(step.action, Screenshot)]
    assert picture.observation is not None
    assert picture.observation.proof == "proven"
    assert [heal.kind for heal in picture.heals] == ["proof"]


async def test_without_that_proof_the_page_is_nobodys():
    _, finished = await ended_beside_twin("TCK-1002", "Bo Dahl", "Mar 4, 2026", prove=False)
    assert finished.status != "done"
