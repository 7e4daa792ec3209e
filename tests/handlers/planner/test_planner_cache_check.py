"""`exhibit doctor --ask-model`: the second of two requests must have read from the model's cache."""

from __future__ import annotations

from typing import Any

from services.planner.drivers.model.cache_check import check_cache_reads
from shared.setup.check import SetupFinding
from tests.handlers.planner.anthropic_bench import MODEL, settings_at
from tests.handlers.planner.messages_server import Endpoint, Reply, endpoint, tool_call

FAIL = {"reason": "There is no page.", "code": "other", "note": "none"}


def told(**usage: int) -> Reply:
    return tool_call("fail", FAIL, **usage)


async def checked(*replies: Reply, **changes: Any) -> tuple[SetupFinding, Endpoint]:
    async with endpoint(*replies) as served:
        return await check_cache_reads(settings_at(served.url, **{"ask_model": True, **changes})), served


async def test_a_cache_that_is_read_is_fine_and_both_requests_begin_alike():
    found, served = await checked(told(cache_creation_input_tokens=6000), told(cache_read_input_tokens=6000))
    assert found.state == "ok"
    assert f"6000 tokens of the second of two requests came from the cache of {MODEL}" in found.found
    first, second = served.requests
    assert (first["system"], first["tools"]) == (second["system"], second["tools"])
    assert first["messages"] != second["messages"]
    assert all(block["cache_control"] == {"type": "ephemeral"} for block in first["system"])


async def test_a_cache_that_is_not_read_is_a_problem():
    found, _ = await checked(told(cache_creation_input_tokens=6000), told(cache_creation_input_tokens=6000))
    assert found.state == "problem"
    assert "0 tokens of the second" in found.found
    assert "6100 tokens were sent" in found.found


async def test_nothing_is_asked_unless_it_is_wanted_and_there_is_a_key():
    for changes, why in (({"ask_model": False}, "--ask-model"), ({"ANTHROPIC_API_KEY": None}, "no key")):
        found, served = await checked(told(), **changes)
        assert (found.state, served.requests) == ("ok", [])
        assert "was not checked" in found.found
        assert why in found.found
