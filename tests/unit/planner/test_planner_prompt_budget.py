"""The length of a prompt: estimated from the request, and never over the budget."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.planner.prompt.assembly import NoRoom, PromptRoom, assemble_prompt, room_for, tools_json, user_message
from services.planner.prompt.system_blocks import run_block, sample_block
from services.planner.prompt.tokens import (
    ENVELOPE_TOKENS,
    MAX_TOKENS,
    MOST_SCALE,
    PLANNED_TOKENS,
    Ruler,
    calibrated_ruler,
    weight,
)
from services.planner.prompt.tools import tools_for
from services.planner.state.attempt_state import AttemptState
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import page, sample, spec, text, ticket, view
from tests.unit.planner.prompt_states import big_page, prompt, steps

COUNTED = json.loads((Path(__file__).parent / "token_counts.json").read_text(encoding="utf-8"))["texts"]


@cases("kind", COUNTED)
def test_a_first_reckoning_is_never_too_low_and_at_most_twice_too_high(kind):
    """A quarter of the characters is a fifth of the truth for some of these."""
    reckoned = Ruler().tokens(COUNTED[kind]["text"]) / COUNTED[kind]["tokens"]
    assert 1.0 <= reckoned <= 2.2


@cases("kind", COUNTED)
def test_once_a_prompt_of_its_kind_was_counted_the_reckoning_is_near(kind):
    body, tokens = COUNTED[kind]["text"], COUNTED[kind]["tokens"]
    known = calibrated_ruler(tokens / weight(body)).tokens(body) / tokens
    assert 0.99 <= known <= 1.65


def test_a_count_of_another_script_is_not_believed_too_far():
    chinese, links = COUNTED["chinese"], COUNTED["links"]
    of_chinese = chinese["tokens"] / weight(chinese["text"])
    assert of_chinese < 0.6
    assert calibrated_ruler(of_chinese).tokens(links["text"]) >= 0.8 * links["tokens"]
    assert calibrated_ruler(9.0).scale == MOST_SCALE


@given(st.text(max_size=200), st.text(max_size=200))
def test_two_texts_are_as_long_as_both_together(one, other):
    assert weight(one) + weight(other) == pytest.approx(weight(one + other))


@given(st.text(max_size=400), st.floats(0, 200))
def test_what_is_cut_fits_and_is_a_beginning(content, tokens):
    cut = Ruler().cut(content, tokens)
    assert content.startswith(cut)
    assert cut == "" or Ruler().tokens(cut) <= tokens or cut == content


@given(
    count=st.integers(0, 70),
    elements=st.sampled_from([0, 3, 400, 3000]),
    said=st.sampled_from(["", "short", "审计证据" * 200, "x" * 4000]),
    scale=st.sampled_from([0.0, 0.3, 0.95, 1.3, 4.2]),
    share=st.sampled_from([1.0, 0.25]),
    failures=st.sampled_from([0, 3]),
)
def test_what_is_reckoned_is_what_is_sent_and_never_too_long(count, elements, said, scale, share, failures):
    state = replace(steps(count, said), token_scale=scale, failures=failures)
    shown = view(big_page(elements) if elements else None, state)
    made = prompt(shown, share=share)
    before = (tools_json(tools_for(shown.spec)), run_block(shown.spec), sample_block(shown))
    fit = expect(room_for(shown, before, share), PromptRoom)
    assert made.user == user_message(shown, fit)
    assert made.tokens == pytest.approx(ENVELOPE_TOKENS + fit.ruler.tokens(*before, made.user))
    assert made.tokens <= PLANNED_TOKENS
    assert made.chars == sum(map(len, (*before, made.user)))


def test_a_page_of_20000_elements_at_step_30_is_cut_at_its_end():
    made = prompt(view(big_page(20_000), steps(30)))
    assert made.tokens <= PLANNED_TOKENS < MAX_TOKENS
    assert made.tokens > 0.9 * PLANNED_TOKENS
    shown = made.user.split("ACTIONS SO FAR")[0]
    last = shown.strip().splitlines()[-2]
    kept = shown.count("\n[")
    assert last == f"... {20_000 - kept} more below: scroll, or extract"
    assert kept > 100
    for part in ("GOAL\nRead the ticket.", '"due_date": {"type": "date | null"', "Take the single best next action."):
        assert part in made.user


def test_what_the_pool_left_out_counts_as_more():
    told = prompt(view(page(*(text("word " * 40) for _ in range(2000)), left_out=500))).user
    kept = told.count("\n[")
    assert f"... {2000 - kept + 500} more below" in told


def test_a_page_that_fits_is_shown_whole():
    seen = page(*ticket())
    assert seen.text in prompt(view(seen, steps(40))).user


def test_a_huge_row_and_many_hints_are_cut_to_a_fixed_length():
    row = sample(fields={"ticket_number": "TCK-1001", "note": "審" * 100_000})
    shown = replace(view(page(*ticket()), sample=row), hints=tuple(f"Hint {n} {'x' * 1000}" for n in range(500)))
    made = prompt(shown)
    assert made.tokens <= PLANNED_TOKENS
    assert Ruler().tokens(made.sample_block) < 3200
    assert "Hint 0" in made.sample_block
    later = prompt(replace(shown, state=replace(steps(30), token_scale=1.7)))
    assert later.sample_block == made.sample_block


def test_a_task_of_200_fields_is_shown_whole_and_one_that_leaves_no_room_is_told_so():
    fields = {f"field_{n}": {"type": "string | null", "description": "What it is in words."} for n in range(200)}
    task = spec(output_schema=fields, required_fields=[], identity={})
    made = prompt(view(big_page(3000), steps(30), spec=task))
    assert made.tokens <= PLANNED_TOKENS
    assert all(f'"field_{n}":' in made.user for n in range(200))
    refused = expect(assemble_prompt(view(page(), spec=spec(goal="Read on. " * 20_000))), NoRoom)
    assert "the task leaves no room for a page" in refused.message


def test_what_is_cached_does_not_change_with_the_step():
    early, late = view(page(*ticket())), view(big_page(3000), replace(steps(40), token_scale=1.5, failures=3))
    one, other = prompt(early), prompt(late)
    assert one.parts[:3] == other.parts[:3]
    taught = prompt(replace(early, hints=("The due date stands below the fold.",)))
    assert taught.parts[:2] == one.parts[:2]
    assert taught.sample_block != one.sample_block
    assert prompt(replace(late, hints=taught_hints())).sample_block == taught.sample_block


def taught_hints():
    return ("The due date stands below the fold.",)


def test_what_may_be_cut_can_be_cut_harder():
    shown = view(big_page(3000), steps(30))
    whole, harder = prompt(shown), prompt(shown, share=0.25)
    least = prompt(view(page())).tokens
    assert harder.tokens - least < 0.35 * (whole.tokens - least)
    assert "GOAL" in harder.user


def test_the_last_step_changes_no_tool():
    task = spec(max_steps=1)
    assert prompt(view(page(), spec=task)).tools == prompt(view(page(), AttemptState(), spec=spec(max_steps=9))).tools
