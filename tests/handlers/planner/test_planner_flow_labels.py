"""A flow is never worse than the rules: they read what it leaves open, field by field, and go on where it stops."""

from __future__ import annotations

from typing import Any

import pytest

from shared.contracts.actions import Click, Done
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import FieldValue
from shared.contracts.workflows.flows import ClickElement, OpenAddress, ReadFields
from shared.extraction.field_rules import FieldRules
from shared.extraction.rules import AtHeading, ExtractionRule, Whole
from shared.flows.files import FieldsFile, FlowFiles, write_files
from tests.handlers.planner.flow_bench import bench, flows_of, under
from tests.handlers.planner.planner_bench import Bench, values_of
from tests.handlers.planner.scripted_driver import told
from tests.unit.planner.planner_pages import URL, el, heading, page, row, ticket

OPTIONAL = {"required_fields": ["ticket_number", "assignee"]}
DUE = "2026-03-03"


def learned(due: FieldRules, assignee: FieldRules | None = None, optional: tuple[str, ...] = ()) -> Any:
    fields = {"assignee": assignee or under("Assignee"), "due_date": due}
    return write_files(FlowFiles(fields=FieldsFile(fields=fields, optional=optional)))


def either(*headers: str) -> FieldRules:
    """Rules that find what stands under each of these labels."""
    return FieldRules(rules=tuple(rule for header in headers for rule in under(header).rules))


def value(finished: SampleFinished, name: str = "due_date") -> FieldValue:
    return next(one for one in finished.values if one.field == name)


def notes(finished: SampleFinished, name: str = "due_date") -> str:
    return "; ".join(one.text for one in finished.notes if one.field == name)


def asked_model(one: Bench) -> bool:
    return any(step.decided_by == "told" for step in one.steps)


# --- field by field


@pytest.mark.parametrize("mode", ["auto", "flow"])
@pytest.mark.parametrize("required", [{}, OPTIONAL], ids=["required", "optional"])
async def test_what_the_flow_does_not_find_its_label_tells(mode: Any, required: Any):
    one = bench(files=learned(under("Deadline")), **required)
    one.mode, one.driver = mode, told(Done(values={}))
    finished = await one.run()
    assert (finished.status, finished.drivers) == ("done", ("flow",))
    assert values_of(finished)["due_date"] == DUE
    assert {name: value(finished, name).read_by for name in ("assignee", "due_date")} == {
        "assignee": "flow",
        "due_date": "rules",
    }
    assert "it was read by its label" in notes(finished)
    assert value(finished).source is not None


async def test_a_field_that_the_flow_says_is_empty_without_a_word_for_it_is_read_by_its_label():
    def returns_none(url: str):
        yield OpenAddress(url=url)
        return {"ticket_number": "TCK-1001", "assignee": "Ann Lee", "due_date": None}

    finished = await bench(returns_none, **{**OPTIONAL, "required_artifacts": []}).run()
    assert (finished.status, values_of(finished)["due_date"]) == ("done", DUE)


@pytest.mark.parametrize("has_label", [True, False])
async def test_a_field_that_was_given_up_is_read_by_its_label_or_is_said_not_to_be_brought(has_label: bool):
    def reads_one(url: str):
        yield OpenAddress(url=url)
        found = yield ReadFields(fields=("assignee",))
        return {"ticket_number": "TCK-1001", **found}

    fields = FieldsFile(fields={"assignee": under("Assignee")}, given_up=("due_date",))
    shown = {} if has_label else {"shown": page(*ticket()[:3])}
    one = bench(reads_one, files=write_files(FlowFiles(fields=fields)), **shown, **OPTIONAL)
    finished = await one.run()
    assert (finished.status, finished.drivers) == ("done", ("flow",))
    assert value(finished).state == ("value" if has_label else "not_found")
    assert ("was published without it" in notes(finished)) == (not has_label)


async def test_a_field_that_nothing_tells_and_that_need_not_be_there_stops_no_flow():
    one = bench(files=learned(under("Deadline")), shown=page(*ticket()[:3]), **OPTIONAL)
    finished = await one.run()
    assert (finished.status, finished.drivers) == ("done", ("flow",))
    assert (value(finished).state, values_of(finished)["assignee"]) == ("not_found", "Ann Lee")
    assert "no label of the page does" in notes(finished)


@pytest.mark.parametrize("optional", [(), ("due_date",)], ids=["every recorded page showed it", "some did not"])
async def test_a_field_that_is_gone_from_a_page_that_has_changed_is_for_a_person(optional: tuple[str, ...]):
    """One of the rules of another field finds nothing any more."""
    changed = learned(under("Deadline"), either("Assignee", "Owner"), optional)
    finished = await bench(files=changed, shown=page(*ticket()[:3]), **OPTIONAL).run()
    assert values_of(finished)["assignee"] == "Ann Lee"
    assert value(finished).state == "not_found"
    if optional:
        assert finished.status == "done"
        return
    assert (finished.status, finished.reason) == ("needs_review", "missing_fields")
    assert "every recorded page showed it" in finished.message
    assert "learn the flow again with a record that has none" in finished.message
    assert "has changed" not in finished.message, "that its record has none looks the same"
    assert value(finished).lacking in finished.message


async def test_what_is_said_of_several_fields_is_said_once():
    gone = learned(under("Deadline"), under("Owner"))
    shown = page(*ticket()[:1])
    finished = await bench(files=gone, shown=shown, required_fields=["ticket_number"]).run()
    assert (finished.status, finished.reason) == ("needs_review", "missing_fields")
    assert finished.message.count("every recorded page showed it") == 1
    assert finished.message.startswith("assignee, due_date: ")


async def test_an_unsure_field_is_for_a_person_and_the_others_are_kept():
    shown = page(*ticket()[:3], *row("Deadline", "Mar 3, 2026"), *row("Term", "Mar 4, 2026"))
    one = bench(files=learned(either("Deadline", "Term")), shown=shown, **OPTIONAL)
    one.driver = told(Done(values={}))
    finished = await one.run()
    assert (finished.status, finished.reason, finished.drivers) == ("needs_review", "ambiguous_value", ("flow",))
    assert [one.shown for one in value(finished).candidates] == ["Mar 3, 2026", "Mar 4, 2026"]
    assert "due_date: more than one value on the page: 'Mar 3, 2026', 'Mar 4, 2026'" in finished.message
    assert values_of(finished)["assignee"] == "Ann Lee"
    assert [answer.error for answer in flows_of(one).answers if answer.error is not None] == []
    assert not asked_model(one)


async def test_one_text_that_may_be_the_value_is_not_told_as_several():
    """Only its order on the page tells it."""
    rules = FieldRules(rules=(ExtractionRule(where=AtHeading(level=2), attribute="name", part=Whole()),))
    shown = page(*ticket()[:3], heading("Mar 3, 2026", 2))
    finished = await bench(files=learned(rules), shown=shown, **OPTIONAL).run()
    assert (finished.status, finished.reason) == ("needs_review", "ambiguous_value")
    assert "due_date: not certain to be the value: 'Mar 3, 2026'" in finished.message


async def test_an_unsure_field_that_must_be_there_stops_the_flow_and_the_others_are_kept():
    shown = page(*ticket()[:3], *row("Deadline", "Mar 3, 2026"), *row("Term", "Mar 4, 2026"))
    finished = await bench(files=learned(either("Deadline", "Term")), shown=shown).run()
    assert (finished.status, finished.reason) == ("needs_review", "ambiguous_value")
    assert (value(finished).state, values_of(finished)["assignee"]) == ("not_found", "Ann Lee")


@pytest.mark.parametrize("required", [{}, OPTIONAL], ids=["required", "optional"])
@pytest.mark.parametrize("mode", ["auto", "flow"])
@pytest.mark.parametrize("rules", [under("Opened"), either("Opened", "Due date")], ids=["certain", "unsure"])
async def test_where_the_flow_and_the_label_differ_a_person_decides(required: Any, mode: Any, rules: FieldRules):
    one = bench(files=learned(rules), shown=page(*ticket(), *row("Opened", "Mar 1, 2026")), **required)
    one.mode, one.driver = mode, told(Done(values={}))
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", "ambiguous_value")
    assert {one.shown for one in value(finished).candidates} == {"Mar 1, 2026", "Mar 3, 2026"}
    assert (value(finished).value, values_of(finished)["assignee"]) == (None, "Ann Lee")
    assert not asked_model(one)


async def test_a_value_that_its_label_tells_too_counts_in_the_row_of_its_changes():
    cells = {"Ticket number": "TCK-1001", "Assignee": "Ann Lee", "Due date": "Mar 3, 2026", "Changes": "Bo → Ann Lee"}
    shown = page(
        heading("TCK-1001: Printer on fire"),
        *(el("columnheader", name, row=0, column=at) for at, name in enumerate(cells)),
        *(el("cell", text, row=1, column=at, header=name) for at, (name, text) in enumerate(cells.items())),
    )
    finished = await bench(files=learned(under("Due date", "cell"), under("Assignee", "cell")), shown=shown).run()
    assert (finished.status, values_of(finished)["assignee"]) == ("done", "Ann Lee")


async def test_nothing_is_read_by_label_on_a_page_that_is_not_proven_to_be_the_record():
    def reads(url: str):
        yield OpenAddress(url=url)
        return (yield ReadFields(fields=("assignee", "due_date")))

    shown = page(heading("Printer on fire"), *ticket()[1:])
    one = bench(reads, files=learned(under("Deadline")), shown=shown)
    finished = await one.run()
    assert finished.status != "done"
    assert flows_of(one).answers[-1].error.code == "value_missing"  # type: ignore[union-attr]


async def test_words_for_none_beside_the_label_count_too():
    finished = await bench(files=learned(under("Deadline")), shown=page(*ticket(due="No due date")), **OPTIONAL).run()
    assert (finished.status, finished.drivers) == ("done", ("flow",))
    assert (value(finished).state, value(finished).shown) == ("not_present", "No due date")


# --- where the flow stops


def stops(url: str):
    yield OpenAddress(url=url)
    yield ClickElement(selector='role=button[name="Open"]')


FOUND = learned(under("Due date"))


@pytest.mark.parametrize("mode", ["auto", "flow"])
async def test_the_rules_finish_what_they_are_certain_of_and_no_model_is_asked(mode: Any):
    one = bench(stops, files=FOUND)
    one.mode, one.driver = mode, told(Done(values={}))
    finished = await one.run()
    assert (finished.status, finished.drivers, finished.decided_by) == ("done", ("flow", "rules"), "rules")
    assert values_of(finished)["due_date"] == DUE
    assert "stopped in line 2 (work)" in finished.no_flow
    assert not asked_model(one)


async def test_what_the_rules_are_not_certain_of_is_for_a_person_and_the_rest_is_kept():
    shown = page(*ticket(), *row("Due", "Mar 9, 2026"))
    one = bench(stops, files=FOUND, shown=shown)
    one.mode = "flow"
    finished = await one.run()
    assert (finished.status, finished.reason, finished.decided_by) == ("needs_review", "flow_stopped", "rules")
    for why in ("stopped in line 2 (work)", "the rules do not finish it"):
        assert why in finished.message
    assert {one.shown for one in value(finished).candidates} == {"Mar 3, 2026", "Mar 9, 2026"}
    assert values_of(finished)["assignee"] == "Ann Lee"


async def test_a_model_finds_what_the_rules_do_not():
    one = bench(stops, files=FOUND, shown=page(*ticket()[:3], el("text", "to be done by Mar 3, 2026")))
    one.driver = told(Done(values={"due_date": "Mar 3, 2026"}))
    finished = await one.run()
    assert finished.drivers == ("flow", "rules", "model")
    assert asked_model(one)
    assert values_of(finished)["assignee"] == "Ann Lee"


async def test_where_what_was_learned_says_otherwise_the_rules_finish_nothing():
    one = bench(stops, files=learned(under("Opened")), shown=page(*ticket(), *row("Opened", "Mar 1, 2026")))
    one.driver = told(Done(values={}))
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", "ambiguous_value")
    assert "'Mar 1, 2026'" in finished.message
    assert {one.shown for one in value(finished).candidates} == {"Mar 1, 2026", "Mar 3, 2026"}
    assert values_of(finished)["assignee"] == "Ann Lee"
    assert not asked_model(one)


async def test_what_was_learned_otherwise_is_no_value_for_a_model_either():
    shown = page(*ticket()[:1], *ticket()[3:], *row("Opened", "Mar 1, 2026"))
    one = bench(stops, files=learned(under("Opened")), shown=shown, required_artifacts=[])
    one.driver = told(Done(values={}))
    finished = await one.run()
    assert asked_model(one)
    assert (finished.status, value(finished).value) == ("needs_review", None)


@pytest.mark.parametrize("mode", ["auto", "flow"])
async def test_a_task_with_a_step_that_cannot_be_undone_is_not_continued_by_rules(mode: Any):
    route = [{"press": "Approve", "irreversible": True}, {"read": ["assignee", "due_date"]}]
    one = bench(stops, files=FOUND, shown=page(*ticket(), el("button", "Approve")), route=route)
    one.mode, one.driver = mode, told(Done(values={}))
    finished = await one.run()
    assert "rules" not in finished.drivers
    assert [type(action).__name__ for action in one.scripted.actions if isinstance(action, Click)] == []


async def test_the_rules_press_nothing_that_may_change_the_site():
    route = [{"press": "Save"}, {"read": ["assignee", "due_date"]}]
    one = bench(stops, files=FOUND, shown=page(*ticket(), el("button", "Save")), route=route)
    one.mode = "flow"
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", "flow_stopped")
    assert "a press that may change the site" in finished.message
    assert not any(isinstance(action, Click) for action in one.scripted.actions)
    assert URL in str(one.scripted.actions[0])
