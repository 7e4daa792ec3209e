"""`exhibit build --agent`: a model does in a live browser what a person says, and its flow is published."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from practice.tickets.data import ground_truth
from shared.contracts.workflows.build_events import ActionRecorded, FlowPublished, ModelDecided
from shared.flows.building.folder import read_events
from shared.flows.building.state import replayed
from shared.flows.workspace import read_samples
from tests.end_to_end.conftest import Cli
from tests.end_to_end.typed_builds import SPEC, rows, typed
from tests.handlers.planner.messages_server import Reply, endpoint, tool_call

SAID = "Open the ticket, refuse the cookies, and read its number, who has it and when it is due"
OPEN, READ = "Open the ticket", "Read its properties"
PLAN = {
    "todos": [
        {"title": OPEN},
        {"title": READ, "fields": ["ticket_number", "assignee", "due_date"]},
        {"title": "Take the picture"},
    ]
}


def shown_in(request: dict[str, Any]) -> str:
    return "\n".join(part["text"] for part in request["messages"][0]["content"])


def ref_of(line: str) -> Callable[[dict[str, Any]], int]:
    """Return what finds the number of an element in a request: that of the first line that has this behind it."""

    def found(request: dict[str, Any]) -> int:
        text = shown_in(request)
        match = re.search(rf"^\[(\d+)\] {re.escape(line)}", text, re.MULTILINE)
        assert match is not None, f"{line} is not shown in:\n{text}"
        return int(match[1])

    return found


def press(line: str, reason: str) -> Callable[[dict[str, Any]], Reply]:
    return lambda request: tool_call("click", {"target": str(ref_of(line)(request)), "reason": reason})


def read(field: str, line: str) -> Callable[[dict[str, Any]], Reply]:
    return lambda request: tool_call("read", {"field": field, "ref": ref_of(line)(request)})


async def test_what_a_model_has_done_on_one_row_is_a_flow_for_the_others(cli: Cli, tickets_url: str):
    tickets = [one for one in ground_truth() if one.assignee and one.due_date][:3]
    given = rows(cli.folder, tickets_url, [one.number for one in tickets])
    workspace = cli.folder / "built"
    decided = [
        tool_call("plan", PLAN),
        tool_call("open_start", {}),
        press('[button] "Reject all"', "The dialog covers the page."),
        tool_call("finish_todo", {}),
        read("ticket_number", "[definition] Ticket number:"),
        read("assignee", "[definition] Assignee:"),
        read("due_date", "[definition] Due date:"),
        tool_call("finish_todo", {}),
        tool_call("screenshot", {"label": "ticket", "reason": "The page is loaded."}),
        tool_call("finish_todo", {}),
        tool_call("hand_over", {"text": "The three properties of the ticket are read."}),
    ]
    async with endpoint(*decided) as model:
        cli.env |= {"ANTHROPIC_API_KEY": "key", "ANTHROPIC_BASE_URL": model.url}
        ended = await cli.run_async(
            "build", str(SPEC), "--input", given, "--out", str(workspace), "--agent",
            stdin=typed(f"say {SAID}", "next", "answer 1", "publish", "answer 1", "close"),
        )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "agent: The three properties of the ticket are read." in ended.stdout
    assert len(model.requests) == len(decided), "on the second and third row nobody decides"
    assert SAID in shown_in(model.requests[0])
    starts = [(one["system"], one["tools"]) for one in model.requests]
    assert all(one == starts[0] for one in starts), "what is cached of a request is the start of the next"

    events = read_events(workspace)
    assert [one.move for one in events if isinstance(one, ModelDecided)] == [
        "plan", "open_start", "act", "finish_todo", "read", "read", "read", "finish_todo", "act", "finish_todo",
        "hand_over",
    ]  # fmt: skip
    acts = [one for one in events if isinstance(one, ActionRecorded) and one.by == "agent"]
    assert [one.action for one in acts] == ["goto", "click", "screenshot"]
    assert [one.title for one in replayed(events).todos] == [one["title"] for one in PLAN["todos"]]
    [published] = [one for one in events if isinstance(one, FlowPublished)]
    assert (published.row, published.held_back) == (tickets[2].number, False)
    third = next(one for one in read_samples(workspace) if one.sample_id == tickets[2].number)
    assert {one.field: one.shown for one in third.values}["assignee"] == tickets[2].assignee
