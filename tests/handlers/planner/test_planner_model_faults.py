"""Faults of a model and its API, through the real SDK against a server on loopback."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from services.planner.model_tasks.summaries import MECHANICAL
from services.planner.state.attempt_state import Act, AttemptState, UnusableAnswer
from services.planner.state.transitions import after_step
from shared.contracts.actions import AskPicture, Click
from shared.contracts.base import Usage, add_usage
from shared.contracts.steps import Summary, plain_note
from shared.contracts.vision import VisionAnswered
from shared.errors import PermanentError, RateLimited, Unavailable
from shared.models.prices import Price
from tests.handlers.planner.anthropic_bench import CLICK, MODEL, calls, opened, served
from tests.handlers.planner.messages_server import Reply, cut_off, error, message, tool_call
from tests.handlers.planner.planner_bench import bench_of
from tests.unit.planner.planner_pages import done_result, page, sample, spec, step, ticket, view
from tests.unit.planner.prompt_states import big_page, steps

FAST, OTHER = "claude-haiku-5-5", "claude-haiku-4-5"
HURRY = {"retry-after-ms": "1"}
GOOD = tool_call("click", CLICK)
CONDENSED = {"found": "Ann is the assignee", "gaps": "the due date", "next": "scroll"}


async def decide(*replies, shown=None, **changes):
    async with served(*replies, **changes) as (at, driver):
        return await driver.decide(shown or opened()), at


# --- what may pass, and what will not


MAY_PASS = {str(status): error(status, **HURRY) for status in (408, 409, 429, 500, 529)} | {"cut": cut_off()}


@pytest.mark.parametrize("fault", MAY_PASS.values(), ids=MAY_PASS)
async def test_what_may_pass_is_tried_again_at_once(fault):
    decision, at = await decide(fault, GOOD, max_retries=1)
    assert isinstance(decision, Act)
    assert len(at.requests) == 2


@pytest.mark.parametrize("status", [401, 404])
async def test_what_will_not_pass_is_asked_once(status):
    async with served(error(status), GOOD, max_retries=3) as (at, driver):
        with pytest.raises(PermanentError):
            await driver.decide(opened())
    assert len(at.requests) == 1


async def test_a_connection_that_keeps_breaking_is_tried_again_later():
    with pytest.raises(Unavailable) as caught:
        await decide(cut_off())
    assert caught.value.code == "model_unreachable"


# --- another model where the first is overloaded


async def test_after_three_overloads_the_other_model_decides_and_is_named():
    overloaded = {MODEL: [error(529, **HURRY)]}
    decision, at = await decide(GOOD, by_model=overloaded, fallback_model=OTHER, max_retries=3)
    assert isinstance(decision, Act)
    assert [request["model"] for request in at.requests] == [MODEL, MODEL, MODEL, OTHER]
    assert decision.decided_by == OTHER
    assert decision.notes == (plain_note(f"{OTHER} decided where {MODEL} was overloaded"),)
    # $1 in, $5 out, each a million tokens
    assert decision.usage.cost_usd == pytest.approx((100 * 1 + 20 * 5) / 1e6)


async def test_two_overloads_leave_the_model_as_it_is():
    busy = {MODEL: [error(529, **HURRY), error(529, **HURRY), GOOD]}
    decision, at = await decide(GOOD, by_model=busy, fallback_model=OTHER, max_retries=3)
    assert isinstance(decision, Act)
    assert decision.decided_by == MODEL
    assert len(at.requests) == 3


@pytest.mark.parametrize(("status", "kind"), [(401, PermanentError), (429, RateLimited), (500, Unavailable)])
async def test_another_fault_is_no_reason_for_another_model(status, kind):
    with pytest.raises(kind):
        await decide(GOOD, by_model={MODEL: [error(status)]}, fallback_model=OTHER)


async def test_both_overloaded_is_tried_again_later():
    with pytest.raises(Unavailable) as caught:
        await decide(error(529), fallback_model=OTHER)
    assert caught.value.code == "model_overloaded"


# --- a prompt that is too long after all

TOO_LONG = error(400, "prompt is too long: 215000 tokens > 200000 maximum")


async def test_a_prompt_that_is_too_long_is_cut_harder_and_sent_once_more():
    shown = replace(opened(), page=big_page(3000))
    decision, at = await decide(TOO_LONG, GOOD, shown=shown)
    assert isinstance(decision, Act)
    first, second = (request["messages"][0]["content"] for request in at.requests)
    assert len(second) < 0.5 * len(first)
    assert "GOAL\nRead the ticket." in second
    assert at.requests[0]["system"] == at.requests[1]["system"]
    assert decision.prompt_chars < len(json.dumps(at.requests[1]))


@pytest.mark.parametrize("fault", [TOO_LONG, error(413, "request_too_large")])
async def test_what_is_too_long_twice_is_an_error_in_words(fault):
    async with served(fault, max_retries=3) as (at, driver):
        with pytest.raises(PermanentError) as caught:
            await driver.decide(opened())
    assert (caught.value.code, len(at.requests)) == ("prompt_too_long", 2)
    assert "too long" in str(caught.value)


async def test_a_task_that_fills_the_prompt_is_told_before_anything_is_asked():
    async with served(GOOD) as (at, driver):
        with pytest.raises(PermanentError) as caught:
            await driver.decide(opened(spec=spec(goal="Read on. " * 20_000)))
    assert (caught.value.code, at.requests) == ("task_too_long", [])


# --- answers that are no answers


async def test_a_call_that_was_cut_off_is_not_carried_out():
    cut = message([*calls(("click", CLICK), ("screenshot", {"reason": "r"})).body["content"]], "max_tokens")
    decision, _ = await decide(cut)
    assert isinstance(decision, Act)
    assert (type(decision.action), decision.then) == (Click, ())
    assert "cut off at its greatest length" in decision.remark
    alone, _ = await decide(message(tool_call("done", {"reason": "r", "values": {}}).body["content"], "max_tokens"))
    assert isinstance(alone, UnusableAnswer)
    assert "cut off before its first call was complete" in alone.message


# --- what a prompt says of its own length


async def test_the_length_that_is_told_is_the_length_that_was_sent():
    decision, at = await decide(GOOD)
    sent = at.requests[0]
    system = "".join(block["text"] for block in sent["system"])
    assert isinstance(decision, Act)
    assert decision.prompt_chars == len(json.dumps(sent["tools"], ensure_ascii=False)) + len(system) + len(
        sent["messages"][0]["content"]
    )


# --- summaries


def long_sample():
    return view(page(*ticket()), steps(12))


async def test_the_fast_model_condenses_and_the_next_prompt_shows_it_as_data():
    by_model = {FAST: [tool_call("condensed", CONDENSED)]}
    decision, at = await decide(GOOD, shown=long_sample(), by_model=by_model, fast_model=FAST)
    assert isinstance(decision, Act)
    assert decision.summary == Summary(
        steps=7, text="FOUND: Ann is the assignee\nGAPS: the due date\nNEXT: scroll", by=FAST
    )
    assert [request["model"] for request in at.requests] == [FAST, MODEL]
    told = at.requests[1]["messages"][0]["content"]
    assert "Earlier steps (condensed)\n<untrusted_data>\nSteps to 7: FOUND: Ann is the assignee" in told
    assert (decision.usage.llm_calls, decision.usage.input_tokens) == (2, 200)
    # $0.10 and $0.50 for the one, $2 and $10 for the other, each a million tokens
    assert decision.usage.cost_usd == pytest.approx((10 + 10 + 200 + 200) / 1e6)


@pytest.mark.parametrize(
    "reply",
    [error(500), error(401), message([], "refusal"), tool_call("condensed", {"found": 3}), Reply("junk"), cut_off()],
    ids=["500", "401", "refusal", "of no use", "junk", "cut"],
)
async def test_where_no_summary_comes_one_is_made_by_rule(reply):
    hurried = Reply(reply.body, reply.status, reply.cut, {**reply.headers, **HURRY})
    decision, _ = await decide(GOOD, shown=long_sample(), by_model={FAST: [hurried]}, fast_model=FAST)
    assert isinstance(decision, Act)
    assert isinstance(decision.summary, Summary)
    assert decision.summary.by == MECHANICAL
    assert "fields missing: " in decision.summary.text


async def test_without_a_fast_model_no_call_is_made_for_it():
    decision, at = await decide(GOOD, shown=long_sample())
    assert isinstance(decision, Act)
    assert isinstance(decision.summary, Summary)
    assert (decision.summary.by, len(at.requests), decision.usage.llm_calls) == (MECHANICAL, 1, 1)


async def test_own_prices_count_for_every_call():
    own = json.dumps({MODEL: vars(Price(10, 10, 10, 10)), FAST: vars(Price(20, 20, 20, 20))})
    by_model = {FAST: [tool_call("condensed", CONDENSED)]}
    decision, _ = await decide(GOOD, shown=long_sample(), by_model=by_model, fast_model=FAST, prices=own)
    assert isinstance(decision, Act)
    assert decision.usage.cost_usd == pytest.approx((120 * 10 + 120 * 20) / 1e6)


# --- what no JSON of ours could hold


UNSENDABLE = {
    "half a pair": '{"reason": "\\ud800", "code": "other", "note": "\\udc00"}',
    "no number": '{"reason": "r", "code": "other", "note": NaN}',
    "no end": f'{{"reason": "r", "code": "other", "note": {"[" * 500}{"]" * 500}}}',
    "too long": json.dumps({"reason": "r", "code": "other", "note": "x" * 300_000}),
    "a ref of thousands of digits": json.dumps({"reason": "r", "target": "9" * 10_000}),
}


@pytest.mark.parametrize("arguments", UNSENDABLE.values(), ids=UNSENDABLE)
@pytest.mark.parametrize("tool", ["fail", "save_progress"])
async def test_no_argument_of_a_call_keeps_a_sample_from_its_end(tool, arguments):
    call = f'{{"type": "tool_use", "id": "1", "name": "{tool}", "input": {arguments}}}'
    usage = '{"input_tokens": 1, "output_tokens": 1}'
    body = f'{{"type": "message", "content": [{call}], "stop_reason": "tool_use", "usage": {usage}}}'
    async with served(Reply(body)) as (_, driver):
        finished = await bench_of(page(*ticket()), driver=driver).run()
    assert finished.status == "failed"
    assert finished.steps > 1


async def test_a_count_of_tokens_beyond_reason_counts_nothing():
    decision, _ = await decide(tool_call("click", CLICK, input_tokens=10**400))
    assert isinstance(decision, Act)
    assert decision.usage.input_tokens == 0


# --- what is cached


async def test_the_first_block_and_the_tools_are_the_same_for_all_samples_and_the_second_for_all_steps():
    other = sample(key="other", fields={"ticket_number": "TCK-2"})
    shown = [
        replace(opened(sample=one), hints=("Scroll first.",), state=state)
        for one in (sample(), other)
        for state in (steps(1), replace(steps(9), token_scale=1.2, failures=3))
    ]
    async with served(GOOD) as (at, driver):
        for one in shown:
            assert isinstance(await driver.decide(one), Act)
    first, second, third, fourth = at.requests
    assert (first["tool_choice"], first["model"]) == ({"type": "any"}, MODEL)
    assert all("key-1" in key for key in at.keys)
    assert first["system"] == second["system"]
    assert third["system"] == fourth["system"]
    assert len({json.dumps([request["tools"], request["system"][0]]) for request in at.requests}) == 1
    assert first["system"][1] != third["system"][1]
    assert all(
        block["cache_control"] == {"type": "ephemeral"} for request in at.requests for block in request["system"]
    )


def test_a_picture_that_was_asked_about_does_not_spoil_the_count():
    own, of_picture = Usage(llm_calls=1, input_tokens=1000), Usage(llm_calls=1, input_tokens=9000)
    said = VisionAnswered(answer="x", confidence=1.0, reasoning="r", answered_by="m", usage=of_picture)
    asked = AskPicture(question="Which?", reason="r")
    taken = step(AttemptState(), asked, done_result(), vision=said, usage=add_usage(own, of_picture), prompt_weight=800)
    assert after_step(AttemptState(), taken).token_scale == 1.25
