"""MCP servers as tools: one of the `mcp` package, and one by hand that dies, hangs, floods and tells secrets."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psutil
import pytest
import uvicorn

from services.workflows.ports import HostCallError
from services.workflows.tools.toolbox import Toolbox
from tests.handlers.workflows import mcp_server
from tests.handlers.workflows.tool_bench import PYTHON, ToolBench, call, refusal
from tests.loop_clock import LoopClock
from tests.ports import free_port
from tests.processes import command
from tests.waiting import until

PACKAGED = Path(mcp_server.__file__)
RAW = PACKAGED.with_name("raw_mcp_server.py")
SECRET = "tr4cker-t0ken&x"
runs_a_server = pytest.mark.system


def declare(bench: ToolBench, more: str = "", argument: str = "", server: Path = RAW) -> None:
    command = [PYTHON, str(server), *([argument] if argument else [])]
    bench.write("desk.yaml", f"kind: mcp\ndescription: Tickets.\ncommand: {command}\n{more}")


@pytest.fixture
async def opened(bench: ToolBench) -> AsyncIterator[list[Toolbox]]:
    """Toolboxes that are closed at the end."""
    boxes: list[Toolbox] = []
    yield boxes
    for box in boxes:
        await box.close()


@pytest.fixture
def desk(bench: ToolBench, opened: list[Toolbox]) -> Toolbox:
    declare(bench)
    opened.append(bench.open())
    return opened[0]


def children() -> list[int]:
    servers = (str(RAW), str(PACKAGED))
    return [one.pid for one in psutil.Process().children() if any(path in command(one) for path in servers)]


@runs_a_server
async def test_the_tools_of_a_server_are_recipes_with_their_schemas(bench, opened):
    declare(bench, server=PACKAGED)
    desk = bench.open()
    opened.append(desk)
    assert children() == []
    assert desk.list()[0].recipes == {}
    (listed,) = await call(desk, "list")  # starts the server, to know its recipes
    assert listed["recipes"] == {"add": "Adds two numbers.", "find_ticket": "Finds a ticket."}
    assert await asyncio.gather(*(call(desk, "desk.add", a=number) for number in range(9))) == list(range(2, 11))
    assert await call(desk, "desk.add", a=1, b=5) == 6
    assert await call(desk, "desk.find_ticket", number="7") == {"number": "7", "title": "Broken lamp"}
    (facts,) = desk.list()
    assert facts.schemas["add"]["properties"]["b"]["default"] == 2
    assert len(children()) == 1
    await desk.close()
    assert children() == []
    assert (await refusal(desk, "desk.add", a=1)).startswith("ConnectionError: desk: the tools are closed")


@runs_a_server
async def test_arguments_are_checked_before_the_server_is_asked(desk):
    assert await refusal(desk, "desk.add", a="1") == "TypeError: desk.add() argument 'a' must be int, not str"
    assert (await refusal(desk, "desk.ad", a=1)).startswith("AttributeError: the tool 'desk' has no recipe 'ad'")
    assert (await refusal(desk, "desk")).startswith("TypeError: desk() cannot be called; its recipes are add, babble")


@runs_a_server
async def test_an_error_of_the_server_is_an_error_without_its_secret(bench, opened):
    bench.secrets["tracker_token"] = SECRET
    declare(bench, "secrets: {TOKEN: tracker_token}")
    opened.append(bench.open())
    told = await refusal(opened[0], "desk.find_ticket", number="0")
    assert told == "RuntimeError: desk.find_ticket(): there is no ticket 0, says (hidden)"
    assert (await call(opened[0], "desk.environment")).endswith(" (hidden)")


@runs_a_server
async def test_a_server_has_a_folder_and_an_environment_of_its_own(bench, opened, monkeypatch):
    monkeypatch.setenv("EXHIBIT_SECRET_OTHER", "hush")
    declare(bench, "env: {LANG: C.UTF-8}")
    opened.append(bench.open())
    told = await call(opened[0], "desk.environment")
    assert told.startswith("['HOME', 'LANG', 'PATH'] ")
    folder = Path(told.split()[3])
    assert folder.is_dir()
    await opened[0].close()
    assert not folder.exists()


@runs_a_server
async def test_a_server_that_dies_is_told_and_started_again(desk):
    await call(desk, "desk.add", a=1)
    first = children()
    told = await refusal(desk, "desk.die")
    assert told.startswith("ConnectionError: desk.die(): the server is lost: it has ended")
    assert await call(desk, "desk.add", a=1) == "3"
    assert children() != first


@runs_a_server
async def test_a_server_that_was_killed_between_two_calls_is_started_again(desk):
    await call(desk, "desk.add", a=1)
    (pid,) = children()
    psutil.Process(pid).kill()
    await asyncio.to_thread(until, lambda: pid not in children(), "the server ends")
    answers = [await _outcome(desk) for _ in range(2)]
    assert answers[-1] == "3"


async def _outcome(desk: Toolbox) -> object:
    """The first call may still meet the connection of the dead server."""
    try:
        return await call(desk, "desk.add", a=1)
    except HostCallError as exc:
        return exc


@runs_a_server
@pytest.mark.parametrize(
    ("argument", "limit_s", "reason"),
    [("broken", 60, "the configuration is wrong: (hidden)"), ("silent", 0.3, "within 0.3 s")],
)
async def test_a_server_that_does_not_start_is_told(bench, opened, argument, limit_s, reason):
    bench.secrets["tracker_token"] = SECRET
    declare(bench, f"secrets: {{TOKEN: tracker_token}}\nstart_timeout_s: {limit_s}", argument)
    opened.append(bench.open())
    told = await refusal(opened[0], "desk.add", a=1)
    assert told.startswith("ConnectionError: desk(): the server does not start: ")
    assert reason in told
    assert children() == []
    (listed,) = await call(opened[0], "list")
    assert listed["recipes"] == {}


@runs_a_server
async def test_a_program_that_is_not_there_is_told(bench, opened):
    bench.write("desk.yaml", "kind: mcp\ndescription: d\ncommand: [no-such-program]")
    opened.append(bench.open())
    assert "No such file" in await refusal(opened[0], "desk.add", a=1)


@runs_a_server
async def test_a_call_that_takes_too_long_is_given_up_and_the_next_is_answered(bench, opened):
    declare(bench, "limits: {timeout_s: 60}")
    opened.append(bench.open())
    assert await call(opened[0], "desk.add", a=1) == "3"
    told = await LoopClock().run_out(refusal(opened[0], "desk.hang"))
    assert told == "TimeoutError: desk.hang(): took longer than 60 s"
    assert await call(opened[0], "desk.add", a=1) == "3"
    assert len(children()) == 1


@runs_a_server
async def test_an_answer_that_is_too_large_ends_the_connection(bench, opened):
    declare(bench, "limits: {output_bytes: 10000}")
    opened.append(bench.open())
    assert await call(opened[0], "desk.huge", size=5000) == "x" * 5000
    told = await refusal(opened[0], "desk.huge", size=1_000_000)
    assert told.startswith("ConnectionError: desk.huge(): the server is lost: it sent a message of more than 20000 byt")
    assert await call(opened[0], "desk.add", a=1) == "3"


@runs_a_server
async def test_a_server_that_floods_is_ended_and_lines_that_are_no_messages_are_passed_over(bench, opened):
    declare(bench, "limits: {output_bytes: 10000}")
    opened.append(bench.open())
    told = await refusal(opened[0], "desk.flood")
    assert told.startswith("ConnectionError: desk.flood(): the server is lost: it sent far more than it was asked for")
    assert await call(opened[0], "desk.babble") == "done"


@runs_a_server
async def test_only_the_tools_that_are_named_can_be_used(bench, opened):
    declare(bench, "tools: [add, find-ticket]")
    opened.append(bench.open())
    (listed,) = await call(opened[0], "list")
    assert sorted(listed["recipes"]) == ["add", "find_ticket"]
    assert (await refusal(opened[0], "desk.die")).startswith("AttributeError: ")


# --- servers with an address


@pytest.fixture
def address() -> Iterator[str]:
    port = free_port()
    app = mcp_server.server.streamable_http_app()
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error", lifespan="on"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started, "the server starts")
    yield f"http://127.0.0.1:{port}/mcp"
    server.should_exit = True
    thread.join(60)


async def test_a_server_with_an_address_is_a_tool_too(bench, opened, address):
    bench.secrets["key"] = SECRET
    bench.write(
        "desk.yaml", f'kind: mcp\ndescription: d\nurl: {address}\nheaders: {{Authorization: "Bearer {{secret:key}}"}}'
    )
    opened.append(bench.open())
    assert await call(opened[0], "desk.add", a=1) == 3
    assert await call(opened[0], "desk.find_ticket", number="7") == {"number": "7", "title": "Broken lamp"}
    assert (await refusal(opened[0], "desk.find_ticket", number="0")).startswith("RuntimeError: ")


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        ("hosts: [good.example]", "is none of the hosts"),
        ("hosts: ['*.example']", "is none of the hosts"),
        ("hosts: ['*']", "private address"),
        ("start_timeout_s: 60", "ConnectionError: desk(): the server does not start: "),  # nobody listens there
    ],
)
async def test_a_server_that_may_not_or_cannot_be_reached_is_told(bench, opened, declared, told):
    bench.write("desk.yaml", f"kind: mcp\ndescription: d\nurl: http://127.0.0.1:9/mcp\n{declared}")
    opened.append(bench.open())
    assert told in await refusal(opened[0], "desk.add", a=1)
