"""The Anthropic driver, against an endpoint with scripted answers."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from services.planner.drivers.registry import DriverRegistry
from services.planner.state.attempt_state import Act, AttemptState, UnusableAnswer
from shared.contracts.actions import Click, Extract, Goto, Screenshot
from shared.contracts.steps import plain_note
from shared.errors import PermanentError, RateLimited, Unavailable, Unsupported
from shared.evidence_format.files.prompt import parse_prompt_file
from shared.models.messages import retry_after_s
from shared.streams import ARTIFACTS
from shared.testing.bus import MemoryBus
from shared.testing.settings import isolated_settings
from tests.handlers.planner.anthropic_bench import CLICK, MODEL, calls, opened, served
from tests.handlers.planner.messages_server import Reply, error, message, tool_call
from tests.handlers.planner.planner_bench import bench_of
from tests.typed import expect, there
from tests.unit.planner.planner_pages import URL, acted, done_result, page, ticket, view


async def decide(*replies):
    async with served(*replies) as (_, driver):
        return await driver.decide(opened())


async def test_a_tool_call_becomes_an_action_with_its_usage_and_price():
    reply = tool_call("click", CLICK, cache_read_input_tokens=1000, cache_creation_input_tokens=2000)
    decision = await decide(reply)
    assert isinstance(decision, Act)
    assert isinstance(decision.action, Click)
    assert (decision.decided_by, decision.action.reason) == (MODEL, "It opens.")
    usage = decision.usage
    assert (usage.llm_calls, usage.input_tokens, usage.output_tokens) == (1, 100, 20)
    assert (usage.cache_read_tokens, usage.cache_write_tokens) == (1000, 2000)
    # $2 in, $10 out, $0.10 cache read, $2.50 cache write, each a million tokens
    assert usage.cost_usd == pytest.approx((200 + 200 + 100 + 5000) / 1e6)


async def test_the_start_page_is_opened_without_a_model():
    async with served(tool_call("click", CLICK)) as (endpoint_, driver):
        begun = expect(await driver.decide(view(None)), Act)
        state = acted(AttemptState(), Goto(url=URL), done_result(), "")
        gone = expect(await driver.decide(view(page(http_status=404), state)), Act)
    assert isinstance(begun.action, Goto)
    assert isinstance(gone.action, Screenshot)
    assert (gone.action.label, gone.decided_by) == ("not_found", "rules")
    assert endpoint_.requests == []


async def test_a_model_that_cannot_be_forced_is_asked_without_and_remembered():
    refusal = error(400, "tool_choice forces tool use is not compatible with this model.")
    async with served(refusal, tool_call("click", CLICK)) as (endpoint_, driver):
        assert isinstance(await driver.decide(opened()), Act)
        assert isinstance(await driver.decide(opened()), Act)
    assert [request["tool_choice"]["type"] for request in endpoint_.requests] == ["any", "auto", "auto"]


@pytest.mark.parametrize(
    "reply",
    [
        message([{"type": "text", "text": "I would click."}], "end_turn"),
        message([], "max_tokens"),
        message([], "refusal"),
        tool_call("launch_missiles", {"reason": "r"}),
        tool_call("click", {"target": "3"}),
        tool_call("click", {"reason": "r", "target": ["3"]}),
        *(tool_call("click", arguments) for arguments in ("{junk", '{"reason": "r"', ["click"], 7, None)),
        message([{"type": "tool_use"}, {"type": "hologram"}, {}], "tool_use"),
        tool_call("goto", {"reason": "r", "url": "http://evil.example/"}),
    ],
)
async def test_answers_that_make_no_sense_are_counted_not_crashed_on(reply):
    decision = await decide(reply)
    assert isinstance(decision, UnusableAnswer)
    assert decision.message
    assert ("refused to answer" in decision.message) is (reply.body["stop_reason"] == "refusal")
    assert decision.usage.llm_calls == 1


SHOT = {"reason": "r", "label": "ticket"}
EXTRACT = {"reason": "r", "target": "3"}


async def test_the_calls_of_one_answer_are_carried_out_in_their_order():
    both = calls(("screenshot", SHOT), ("extract", {"reason": "r", "target": "3"}))
    decision = await decide(both)
    assert [type(action) for action in (expect(decision, Act).action, *expect(decision, Act).then)] == [
        Screenshot,
        Extract,
    ]
    async with served(both, tool_call("fail", {"reason": "r", "code": "other"})) as (at, driver):
        one = bench_of(page(*ticket()), driver=driver)
        await one.run()
    assert [(type(step.action).__name__, step.call) for step in one.steps] == [
        ("Goto", 1),
        ("Screenshot", 1),
        ("Extract", 2),
        ("Fail", 1),
    ]
    assert len(at.requests) == 2
    assert [step.usage.llm_calls for step in one.steps] == [0, 1, 0, 1]


async def test_where_one_call_is_allowed_only_one_is_asked_for_and_taken():
    both = calls(("click", CLICK), ("screenshot", SHOT))
    async with served(both, tool_call("fail", {"reason": "r", "code": "other"})) as (at, driver):
        one = bench_of(page(*ticket()), driver=driver, max_actions_per_turn=1)
        await one.run()
    remark = "Only the first of the 2 calls of this answer was taken."
    assert at.requests[0]["tool_choice"] == {"type": "any", "disable_parallel_tool_use": True}
    assert f"2. {remark}" in at.requests[1]["messages"][0]["content"].rsplit("</untrusted_data>", 1)[1]
    assert one.steps[1].remark == remark


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (400, PermanentError, "model_rejected"),
        (401, PermanentError, "model_key_refused"),
        (403, PermanentError, "model_forbidden"),
        (404, PermanentError, "model_unknown"),
        (422, PermanentError, "model_rejected"),
        (429, RateLimited, "model_rate_limited"),
        (500, Unavailable, "model_unavailable"),
        (503, Unavailable, "model_overloaded"),
        (529, Unavailable, "model_overloaded"),
        (409, Unavailable, "model_unavailable"),
        (413, PermanentError, "prompt_too_long"),
    ],
)
async def test_each_error_is_one_of_ours_and_never_tells_the_key(status, kind, code):
    with pytest.raises(kind) as caught:
        await decide(error(status, "as told"))
    assert caught.value.code == code
    assert "as told" in str(caught.value)
    assert "key-1" not in str(caught.value)


async def test_slow_down_says_for_how_long():
    with pytest.raises(RateLimited) as caught:
        await decide(error(429, **{"retry-after": "7"}))
    assert caught.value.retry_after_s == 7.0
    assert retry_after_s({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}) is None
    assert retry_after_s({}) is None


@pytest.mark.parametrize(
    "body",
    [
        *("", "<html>bad gateway</html>", '{"content": [{"type"', {}, {"content": None, "usage": None}, [1]),
        {"type": "message", "content": "x", "usage": {}},
        '{"usage": ' + "9" * 5000 + "}",
        "[" * 100_000,
    ],
)
async def test_an_answer_that_is_no_message_is_an_error_of_ours(body):
    with pytest.raises(Unavailable) as caught:
        await decide(Reply(body))
    assert caught.value.code == "model_unreadable"


# --- the choice of driver


async def test_a_missing_key_is_said_before_any_browser_is_leased():
    drivers = DriverRegistry(isolated_settings(ANTHROPIC_API_KEY=None), MemoryBus())
    one = bench_of(page(*ticket()))
    one.planner = "anthropic"
    one.deps.driver = drivers
    with pytest.raises(PermanentError) as caught:
        await one.run()
    assert caught.value.code == "model_key_missing"
    assert "ANTHROPIC_API_KEY" in str(caught.value)
    assert one.scripted.asked == []
    await drivers.aclose()


async def test_drivers_are_made_once_and_known_by_name():
    drivers = DriverRegistry(isolated_settings(ANTHROPIC_API_KEY="k", EXHIBIT_MODEL="m"), MemoryBus())
    assert drivers("rules") is drivers("rules")
    assert drivers("rules").name == "rules"
    assert drivers("anthropic").name
    with pytest.raises(Unsupported):
        drivers("oracle")
    await drivers.aclose()


async def test_a_model_without_a_known_price_is_noted():
    async with served(tool_call("click", CLICK), model="local-model") as (_, driver):
        decision = await driver.decide(opened())
    assert isinstance(decision, Act)
    assert decision.usage.cost_usd == 0.0
    assert decision.notes == (plain_note("no price is known for the model local-model"),)


async def test_what_a_model_was_asked_and_has_answered_is_filed_with_its_step_where_the_task_says_so():
    asked = calls(("screenshot", SHOT), ("extract", EXTRACT)), tool_call("fail", {"reason": "r", "code": "other"})
    async with served(*asked) as (at, driver):
        one = bench_of(page(*ticket()), driver=driver, keep_prompts=True)
        one.deps = replace(one.deps, blobs=one.bus)
        await one.run()
    filed = [[file for file in step.artifacts if file.artifact.kind == "prompt"] for step in one.steps]
    assert [[file.filename for file in files] for files in filed] == [
        [], ["prompt_002.json.zst"], [], ["prompt_004.json.zst"],
    ]  # fmt: skip
    for [file], request in zip((filed[1], filed[3]), at.requests, strict=True):
        data = await one.bus.get(ARTIFACTS, file.artifact.blob)
        assert hashlib.sha256(data).hexdigest() == file.artifact.sha256
        prompt = there(parse_prompt_file(data))
        assert [prompt.instructions, prompt.task] == [block["text"] for block in request["system"]]
        assert prompt.page == request["messages"][0]["content"]
        assert list(prompt.tools) == [tool["name"] for tool in request["tools"]]
    first = there(parse_prompt_file(await one.bus.get(ARTIFACTS, filed[1][0].artifact.blob)))
    assert [(call.name, call.arguments) for call in first.calls] == [("screenshot", SHOT), ("extract", EXTRACT)]
    assert (first.model, first.usage, first.stop_reason) == (MODEL, one.steps[1].usage, "tool_use")


async def test_a_prompt_is_kept_only_where_the_task_asks_for_it():
    async with served(tool_call("fail", {"reason": "r", "code": "other"})) as (_, driver):
        one = bench_of(page(*ticket()), driver=driver)
        await one.run()
    assert [file.artifact.kind for step in one.steps for file in step.artifacts if file.artifact.kind == "prompt"] == []
