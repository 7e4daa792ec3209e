"""A sample on a task that has a flow: a ticket, a scripted library with the flow's files, and the flow as a script."""

from __future__ import annotations

from typing import Any

from shared.contracts.workflows.flows import EnterSection, OpenAddress, ProveRecord, ReadFields, TakeScreenshot
from shared.extraction.field_rules import FieldRules
from shared.extraction.rules import ExtractionRule, UnderHeader, Whole
from shared.flows.files import FieldsFile, FlowFiles, write_files
from tests.handlers.planner.planner_bench import Bench, bench_of
from tests.handlers.planner.scripted_flows import ScriptedFlows, flows
from tests.handlers.planner.scripted_library import TICKET_URL, ScriptedLibrary, library, version
from tests.unit.planner.planner_pages import page, ticket

READ = ("assignee", "due_date")


def under(header: str, role: str = "definition") -> FieldRules:
    where = UnderHeader(header=header, role=role)
    return FieldRules(rules=(ExtractionRule(where=where, attribute="name", part=Whole()),))


FIELDS = FieldsFile(fields={"assignee": under("Assignee"), "due_date": under("Due date")})
FILES = write_files(FlowFiles(fields=FIELDS))


def read_ticket(url: str):
    yield EnterSection(name="open")
    yield OpenAddress(url=url)
    yield ProveRecord(expected={"ticket_number": "TCK-1001"})
    yield TakeScreenshot(label="ticket")
    found = yield ReadFields(fields=READ)
    return {"ticket_number": "TCK-1001", **found}


def bench(flow: Any = read_ticket, *, files: Any = FILES, shown: Any = None, **task: Any) -> Bench:
    one = bench_of(page(*ticket()) if shown is None else shown, **task)
    one.library = ScriptedLibrary({"tickets": version("tickets", TICKET_URL)}, files=files)  # type: ignore[attr-defined]
    one.flows = ScriptedFlows(flow)  # type: ignore[attr-defined]
    one.bus.host(library, one.library)  # type: ignore[attr-defined]
    one.bus.host(flows, one.flows)  # type: ignore[attr-defined]
    return one


def tags(one: Bench) -> list[tuple[str, str]]:
    return [(type(step.action).__name__, step.decided_by) for step in one.steps]


def flows_of(one: Bench) -> ScriptedFlows:
    return one.flows  # type: ignore[attr-defined]
