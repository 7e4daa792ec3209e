"""``tools.fetch`` and ``tools.curl`` that no file declares, on a real server; and the search for tools."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from services.workflows.search.embedders import HASHED_WORDS
from services.workflows.search.index import open_index
from tests.handlers.workflows.http_world import HttpWorld, http_world
from tests.handlers.workflows.tool_bench import ToolBench, call, refusal


@pytest.fixture
def world() -> Iterator[HttpWorld]:
    with http_world() as served:
        yield served


@pytest.fixture
def bench(tmp_path) -> ToolBench:
    return ToolBench(tmp_path)


async def test_they_read_what_a_setting_allows(bench: ToolBench, world: HttpWorld):
    world.answers["/page"] = (200, {"Content-Type": "text/plain"}, b"hello")
    tools = bench.open(hosts=[f"127.0.0.1:{world.port}"])
    assert await call(tools, "fetch", url=f"{world.base}/page") == "hello"
    assert await call(tools, "curl.get", url=f"{world.base}/page") == "hello"
    assert await call(tools, "curl.json", url=f"{world.base}/page") == "hello"
    assert [one.headers.get("Accept") for one in world.asked] == ["*/*", "*/*", "application/json"]
    assert {one.method for one in world.asked} == {"GET"}


async def test_no_other_host_is_asked_not_even_after_a_redirect(bench: ToolBench, world: HttpWorld):
    with http_world() as other:
        world.answers["/away"] = (302, {"Location": f"{other.base}/secret"}, b"")
        tools = bench.open(hosts=[f"127.0.0.1:{world.port}"])
        for url in (f"{other.base}/", f"{world.base}/away", "file:///etc/passwd", "http://169.254.169.254/"):
            assert (await refusal(tools, "fetch", url=url)).startswith(("PermissionError: ", "ValueError: "))
        assert other.asked == []


async def test_all_public_hosts_are_not_the_private_ones(bench: ToolBench, world: HttpWorld):
    refused = await refusal(bench.open(hosts=["*"]), "fetch", url=f"{world.base}/page")
    assert refused.startswith("PermissionError: fetch(): 127.0.0.1:")
    assert world.asked == []


async def test_without_hosts_they_say_who_may_name_them(bench: ToolBench):
    refused = await refusal(bench.open(hosts=[]), "curl.get", url="https://wiki.example/")
    assert refused.startswith("PermissionError: curl() may reach no host yet: ")
    assert "EXHIBIT_TOOL_HOSTS" in refused
    assert "curl.yaml" in refused


async def test_a_tool_that_is_declared_is_the_one_that_there_is(bench: ToolBench):
    bench.write("fetch.yaml", "{kind: cli, description: Says it., command: [echo, own]}")
    tools = bench.open(hosts=["*"])
    assert [(one.name, one.kind) for one in tools.list()] == [("curl", "http"), ("fetch", "cli")]


async def test_tools_are_found_by_what_they_and_their_recipes_do(bench: ToolBench):
    bench.write(
        "desk.yaml",
        "{kind: cli, description: The desk., command: [desk], recipes: {open: {description: Opens a ticket.}}}",
    )
    bench.write("mail.yaml", "{kind: cli, description: Sends a mail., command: [mail]}")
    tools = bench.open(index=lambda: open_index(HASHED_WORDS, None))
    found = await call(tools, "search", query="open a ticket")
    assert [(one["name"], one["recipes"]) for one in found] == [("desk", {"open": "Opens a ticket."})]
    assert await call(tools, "search", query="volcano") == []
    assert await call(tools, "search", query="a ticket by mail", limit=0) == []
    assert (await refusal(tools, "search")).startswith("TypeError: tools.search() missing 1 required")
    assert [one["name"] for one in await call(tools, "desk.list")] == ["open"]
    await tools.close()
