"""A sample that is done by a flow: its calls are the steps, what it reads is checked, and it ends in every way out."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from shared.contracts.actions import Done
from shared.contracts.steps import FlowPlace
from shared.contracts.workflows.flows import (
    ClickElement,
    OpenAddress,
    ProveRecord,
    ReadFields,
    SetOutput,
    TakeScreenshot,
)
from shared.errors import PermanentError, TransientError
from shared.evidence_format.log_codec import encode_entry, entry_of
from shared.extraction.field_rules import FieldRules
from shared.flows.files import FieldsFile, FlowFiles, write_files
from shared.flows.waiting import AWAITED_LOOKS, CHANGING_LOOKS, PAUSES_S
from tests.handlers.planner.flow_bench import FILES, READ, bench, flows_of, read_ticket, tags, under
from tests.handlers.planner.planner_bench import recovers, values_of, work
from tests.handlers.planner.scripted_driver import told
from tests.handlers.planner.scripted_flows import ScriptStopped
from tests.handlers.planner.scripted_library import HASH
from tests.step_logs import logged
from tests.unit.planner.planner_pages import URL, el, heading, page, row, ticket

DEEP = URL + "/deep"


@pytest.mark.parametrize("mode", ["auto", "flow"])
async def test_each_call_is_a_step_and_what_it_returns_is_the_result(mode: Any):
    one = bench()
    one.mode = mode
    one.driver = told(Done(values={}))
    finished = await one.run()
    assert (finished.status, finished.flagged, finished.usage.llm_calls) == ("done", False, 0)
    assert (finished.drivers, finished.decided_by) == (("flow",), "flow")
    assert values_of(finished) == {"ticket_number": "TCK-1001", "assignee": "Ann Lee", "due_date": "2026-03-03"}
    assert tags(one) == [("Goto", "flow"), ("Screenshot", "flow"), ("Done", "flow")]
    assert flows_of(one).begun[0].variables == {"url": URL}
    assert (flows_of(one).begun[0].hash, flows_of(one).begun[0].sample_id) == (HASH, "TCK-1001")
    assert flows_of(one).ended == []
    sources = {value.field: value.source for value in finished.values}
    assert all(source is not None and source.url == URL for source in sources.values())
    assert {value.read_by for value in finished.values if value.field in READ} == {"flow"}


async def test_a_step_says_which_line_of_which_version_asked_for_it():
    one = bench()
    await one.run()
    assert one.steps[0].flow == FlowPlace(name="tickets", hash=HASH, number=2, line=2, section="work")
    assert logged(one.steps[0]) == one.steps[0]
    assert b'"flow":' not in encode_entry(entry_of(msgspec.structs.replace(one.steps[0], flow=None)))


async def test_what_was_read_on_a_page_before_counts_with_that_page():
    def far(url: str):
        yield OpenAddress(url=url)
        yield ProveRecord(expected={"ticket_number": "TCK-1001"})
        found = yield ReadFields(fields=READ)
        yield ClickElement(selector='role=link[name="Next"]')
        yield TakeScreenshot(label="ticket")
        return {"ticket_number": "TCK-1001", **found}

    one = bench(far, shown=page(*ticket(), el("link", "Next")))
    one.scripted.site[DEEP] = [page(heading("All of it"))]
    one.scripted.clicks = {"Next": DEEP}
    finished = await one.run()
    assert finished.status == "done"
    by_name = {value.field: value for value in finished.values}
    source = by_name["assignee"].source
    assert source is not None
    assert (source.url, bool(source.observation_file_sha256)) == (URL, True)
    assert values_of(finished)["due_date"] == "2026-03-03"


async def test_outputs_that_it_sets_are_reported():
    def sets(url: str):
        yield OpenAddress(url=url)
        for name, value in (("ticket_number", "TCK-1001"), ("assignee", "Ann Lee"), ("due_date", "Mar 3, 2026")):
            yield SetOutput(key=name, value=value)

    finished = await bench(sets).run()
    assert finished.status == "done"
    assert values_of(finished)["due_date"] == "2026-03-03"


async def test_words_for_nothing_are_not_present():
    finished = await bench(shown=page(*ticket(assignee="Unassigned"))).run()
    assert finished.status == "done"
    by_name = {value.field: value for value in finished.values}
    assert (by_name["assignee"].state, by_name["assignee"].shown) == ("not_present", "Unassigned")


@pytest.mark.parametrize(
    "wrong",
    [{"assignee": "Somebody Else"}, {"due_date": "2026-04-04"}, {"ticket_number": "TCK-1002"}, {"assignee": None}],
)
async def test_a_lying_flow_makes_nothing_wrong_done(wrong):
    def lies(url: str):
        found = yield from read_ticket(url)
        return {**found, **wrong}

    finished = await bench(lies).run()
    name = next(iter(wrong))
    assert finished.status != "done" or values_of(finished)[name] not in wrong.values()


async def test_rules_that_lead_to_another_label_are_contradicted():
    swapped = FieldsFile(fields={"assignee": under("Reporter"), "due_date": under("Due date")})
    shown = page(*ticket(), *row("Reporter", "Bob Ray"))
    one = bench(files=write_files(FlowFiles(fields=swapped)), shown=shown)
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", "ambiguous_value")
    assert "Bob Ray" in finished.message
    assert "line 5 (work)" in finished.message


async def test_candidates_go_to_a_person():
    both = FieldsFile(
        fields={
            "assignee": FieldRules(rules=(*under("Assignee").rules, *under("Owner").rules)),
            "due_date": under("Due date"),
        }
    )
    shown = page(*ticket(), *row("Owner", "Bob Ray"))
    one = bench(files=write_files(FlowFiles(fields=both)), shown=shown)
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", "ambiguous_value")
    assert "'Ann Lee' or 'Bob Ray'" in finished.message


async def test_where_it_stops_the_planner_of_the_run_works_on():
    def stops(url: str):
        yield OpenAddress(url=url)
        yield ClickElement(selector='role=button[name="Open"]')

    one = bench(stops)
    finished = await one.run()
    assert (finished.status, values_of(finished)["assignee"]) == ("done", "Ann Lee")
    assert tags(one) == [("Goto", "flow"), ("Screenshot", "rules"), ("Done", "rules")]
    assert (finished.drivers, finished.decided_by) == (("flow", "rules"), "rules")
    for said in (finished.no_flow, finished.notes[0].text):
        assert "the flow tickets stopped in line 2 (work)" in said
    assert flows_of(one).answers[-1].error.code == "element_missing"  # type: ignore[union-attr]


async def test_a_flow_may_go_on_after_an_error():
    codes: list[str] = []

    def tries(url: str):
        yield OpenAddress(url=url)
        try:
            yield ClickElement(selector='role=button[name="Open"]')
        except ScriptStopped as stopped:
            codes.append(stopped.code)
        return (yield from read_ticket(url))

    one = bench(tries)
    finished = await one.run()
    assert (finished.status, one.steps[-1].decided_by) == ("done", "flow")
    assert codes == ["element_missing"]


async def test_code_that_raises_leaves_the_work_to_the_planner():
    def raises(url: str):
        yield OpenAddress(url=url)
        raise RuntimeError("no such thing")

    one = bench(raises)
    finished = await one.run()
    assert (finished.status, one.steps[-1].decided_by) == ("done", "rules")
    assert "RuntimeError: no such thing" in finished.notes[0].text


async def test_a_server_error_is_tried_once_more_for_the_flow():
    one = bench()
    one.scripted.site[URL] = [page(heading("Oops"), http_status=503)]
    recovers(one, page(*ticket()))
    finished = await one.run()
    assert (finished.status, finished.decided_by) == ("done", "flow")
    assert flows_of(one).waiting == {}


async def test_a_value_that_comes_late_is_waited_for():
    one = bench()
    late = page(heading("TCK-1001: Printer"), *row("Assignee", "Loading…"), *row("Due date", "Mar 3, 2026"), idle=False)
    one.scripted.site[URL] = [late, late, page(*ticket())]
    finished = await one.run()
    assert (finished.status, values_of(finished)["assignee"]) == ("done", "Ann Lee")
    assert one.steps[-1].decided_by == "flow"


@pytest.mark.parametrize(
    ("awaits_data", "pauses"),
    [(False, PAUSES_S[:CHANGING_LOOKS]), (True, PAUSES_S[:AWAITED_LOOKS])],
    ids=["a second", "longer"],
)
async def test_a_page_that_is_never_idle_is_read_after_a_while(awaits_data, pauses):
    one = bench(shown=page(*ticket(), idle=False, awaits_data=awaits_data))
    assert (await one.run()).status == "done"
    assert one.pauses == list(pauses)


@pytest.mark.parametrize(("looks", "awaits_data"), [(1, False), (CHANGING_LOOKS + 1, True)])
async def test_values_that_a_page_or_a_slow_answer_replaces_are_read_again(looks, awaits_data):
    one = bench()
    early = page(*ticket(assignee="Bob Ray"), idle=False, awaits_data=awaits_data)
    one.scripted.site[URL] = [*[early] * looks, page(*ticket())]
    finished = await one.run()
    assert (finished.status, values_of(finished)["assignee"]) == ("done", "Ann Lee")


# --- ways out


async def test_it_is_ended_when_the_sample_is_given_back():
    one = bench()
    one.scripted.breaks = {1: TransientError("the browser is gone", code="session_lost")}
    with pytest.raises(TransientError):
        await one.run()
    assert flows_of(one).ended == ["flow1"]


async def test_without_anybody_who_runs_flows_the_planner_does_the_work():
    one = bench()
    one.bus.closed_asks.add("exhibit.v1.ask.workflows.flow.begin")
    finished = await one.run()
    assert (finished.status, one.steps[-1].decided_by) == ("done", "rules")
    assert "could not be begun" in finished.notes[0].text


async def test_a_row_without_a_column_ends_before_the_flow_begins():
    one = bench()
    sample = work().sample
    bare = msgspec.structs.replace(sample, fields={"url": URL})
    finished = await one.run(sample=bare)
    assert finished.reason == "missing_column"
    assert flows_of(one).begun == []


async def test_files_that_cannot_be_read_are_told_before_the_start():
    files = {**FILES, "workspace/fields.json": "{"}
    one = bench(files=files, workflow={"name": "tickets", "arguments": {"url": "{url}"}})
    with pytest.raises(PermanentError, match=r"fields\.json"):
        await one.run()
