"""A task drafted from a sentence, through the real SDK: corrected until it validates, and never run."""

from __future__ import annotations

import pytest

from services.planner.drivers.model.model_tasks import AnthropicDrafter
from services.planner.drivers.registry import DriverRegistry
from services.planner.handlers import check_planner, decide_build, draft_task
from services.planner.model_tasks.drafting import MAX_TRIES
from shared.contracts.building import DecideBuild
from shared.contracts.planner import CheckPlanner, DraftRefused, DraftTask, TaskDrafted
from shared.errors import PermanentError
from shared.testing.settings import isolated_settings
from tests.handlers.planner.messages_server import Reply, endpoint, error, message, tool_call
from tests.handlers.planner.planner_bench import Bench
from tests.handlers.planner.scripted_pool import ScriptedPool

REQUEST = "Go to https://host.example/orgs/acme/people and get all user names"
SPEC = {
    "task_id": "acme_members",
    "phase": "discovery",
    "goal": "List all members.",
    "start_url": "https://host.example/orgs/acme/people",
    "output_schema": {"username": "string"},
    "pagination": True,
}
SAMPLE_SPEC = {
    "task_id": "one",
    "goal": "Read it.",
    "start_url": "https://host.example/{number}",
    "input_schema": {"number": "string"},
    "output_schema": {"status": "string"},
}
GOOD = tool_call("task", {"spec": SPEC, "explanation": "Lists the members of acme."})
BAD = tool_call("task", {"spec": {**SPEC, "max_steps": 0, "colour": "red"}, "explanation": "x"})
NO_CALL = message([{"type": "text", "text": "Sure!"}], "end_turn")


async def draft(*replies: Reply, request: str = REQUEST):
    async with endpoint(*replies) as at:
        deps = Bench(ScriptedPool({})).deps
        drafter = AnthropicDrafter(
            isolated_settings(ANTHROPIC_API_KEY="key", ANTHROPIC_BASE_URL=at.url, model="claude-sonnet-5-5")
        )
        deps.drafter = drafter
        try:
            return await draft_task(DraftTask(request=request), deps), at
        finally:
            await drafter.aclose()


async def test_a_sentence_becomes_a_task():
    reply, at = await draft(GOOD)
    assert isinstance(reply, TaskDrafted)
    assert (reply.spec["task_id"], reply.drafted_by, reply.usage.llm_calls) == ("acme_members", "claude-sonnet-5-5", 1)
    assert REQUEST in at.requests[0]["messages"][0]["content"]
    assert at.requests[0]["tools"][0]["name"] == "task"


@pytest.mark.parametrize("first", [BAD, NO_CALL, tool_call("task", "nonsense")])
async def test_a_draft_that_does_not_validate_is_sent_back_with_all_that_is_wrong(first):
    reply, at = await draft(first, GOOD)
    assert isinstance(reply, TaskDrafted)
    assert reply.usage.llm_calls == len(at.requests) == 2
    if first is BAD:
        again = at.requests[1]["messages"][0]["content"]
        assert "spec.max_steps" in again
        assert "spec.colour: unknown key" in again


async def test_a_model_that_cannot_is_given_up_with_the_problems():
    reply, at = await draft(BAD)
    assert isinstance(reply, DraftRefused)
    assert {problem.where for problem in reply.problems} == {"spec.max_steps", "spec.colour"}
    assert len(at.requests) == MAX_TRIES


async def test_nothing_is_asked_about_a_request_that_says_nothing():
    reply, at = await draft(GOOD, request="tickets")
    assert isinstance(reply, DraftRefused)
    assert at.requests == []


async def test_without_a_key_it_is_said_what_to_do():
    with pytest.raises(PermanentError, match="set ANTHROPIC_API_KEY") as caught:
        await draft_task(DraftTask(request=REQUEST), Bench(ScriptedPool({})).deps)
    assert caught.value.code == "model_key_missing"


async def test_without_a_key_no_move_of_a_build_session_is_decided():
    asked = DecideBuild(spec=SAMPLE_SPEC, row={"number": "1"}, todos=(), current=0, history=())
    with pytest.raises(PermanentError, match="set ANTHROPIC_API_KEY") as caught:
        await decide_build(asked, Bench(ScriptedPool({})).deps)
    assert caught.value.code == "model_key_missing"


async def test_a_refused_key_is_said_so():
    with pytest.raises(PermanentError) as caught:
        await draft(error(401, "bad key"))
    assert caught.value.code == "model_key_refused"


async def test_a_planner_says_beforehand_that_it_lacks_its_key():
    deps = Bench(ScriptedPool({})).deps
    deps.driver = DriverRegistry(isolated_settings(ANTHROPIC_API_KEY=None), deps.asks)
    assert "set ANTHROPIC_API_KEY" in (await check_planner(CheckPlanner(planner="anthropic"), deps)).problem
    assert "there is no planner 'oracle'" in (await check_planner(CheckPlanner(planner="oracle"), deps)).problem
    assert (await check_planner(CheckPlanner(), deps)).problem == ""
