"""The steps in a prompt, and their form."""

from __future__ import annotations

from dataclasses import replace

from services.planner.prompt.history import FULL_ENTRIES, MOST_ENTRIES, importance, shown_lines
from services.planner.prompt.tokens import Ruler
from services.planner.state.attempt_state import AttemptState
from services.planner.state.transitions import after_step, with_readings
from shared.contracts.actions import AskPicture, ByRef, Click, Done, Extract, Goto, SaveProgress, Scroll, Wait
from shared.contracts.results import Change, TextRead
from shared.contracts.steps import FieldValue, Summary
from shared.contracts.vision import VisionAnswered
from tests.unit.planner.planner_pages import (
    URL,
    acted,
    bounced,
    done_result,
    el,
    misunderstood,
    page,
    shot,
    spec,
    step,
    ticket,
    view,
)
from tests.unit.planner.prompt_states import BUTTON, on_pages, prompt, steps

AMPLE = 10_000.0


def told(state, **changes):
    return prompt(view(page(*ticket()), state, **changes)).user


def numbers(state, tokens=AMPLE):
    return [line.number for line in shown_lines(state, Ruler(), tokens)]


def test_older_steps_are_stubs_and_the_last_five_are_whole():
    lines = {line.number: line.text for line in shown_lines(steps(11), Ruler(), AMPLE)}
    assert lines[1] == f"1. goto {URL}?0 -> ok"
    assert lines[2] == '2. click "Show details" -> ok'
    assert lines[3] == "3. scroll down 600 -> ok"
    assert lines[4] == "4. extract ref 3 of the page at that time -> [1432 chars saved]"
    assert lines[5] == "5. screenshot -> [01_view_4.png]"
    assert lines[6] == "6. save_progress -> [saved: assignee]"
    assert lines[7].startswith('7. goto {"url": ')
    assert lines[11] == '11. screenshot {"label": "view 10", "full_page": true}: ok -> 02_view_10.png - taken'


def test_what_a_picture_said_and_what_failed_stay_known():
    asked = AskPicture(question="Which icon?", field="assignee", reason="r")
    answer = VisionAnswered(answer="Passed", confidence=0.9, reasoning="a tick", answered_by="local")
    state = after_step(AttemptState(), step(AttemptState(), asked, shot("vision_1"), vision=answer))
    gone = done_result(ok=False, code="not_found")
    state = acted(state, Click(target=ByRef(ref=1, snapshot_id="s"), reason="r"), gone, "nothing there")
    for _ in range(FULL_ENTRIES):
        state = acted(state, Wait(reason="r"), done_result(), "")
    lines = [line.text for line in shown_lines(state, Ruler(), AMPLE)]
    assert lines[0] == '1. ask_picture -> [01_vision_1.png] "Passed"'
    assert lines[1].endswith("-> FAILED (not_found)")


def test_what_the_last_steps_read_is_shown_with_why_it_was_read():
    action = Extract(target=ByRef(ref=3, snapshot_id="s"), reason="The text is cut off.")
    state = acted(AttemptState(), action, done_result(effect=TextRead(text='all of "it"'), target=BUTTON), "read")
    assert 'read: "all of \\"it\\"" (why: The text is cut off.)' in told(state)


def test_at_most_25_steps_are_shown_and_what_matters_goes_first():
    state = steps(60)
    shown = numbers(state)
    assert len(shown) == MOST_ENTRIES == 25
    assert shown == sorted(shown)
    assert shown[-FULL_ENTRIES:] == [56, 57, 58, 59, 60]
    older = [importance(state.history[number - 1]) for number in shown[:-FULL_ENTRIES]]
    assert 0 not in older
    assert {12, 18, 24, 30, 36, 42, 48, 54} <= set(shown), "what was saved"
    assert older.count(1) < older.count(2) < len(older)
    assert "(35 earlier actions are not shown)" in told(state)


def test_the_last_five_stand_whatever_the_budget():
    assert numbers(steps(30), tokens=0.0) == [26, 27, 28, 29, 30]


def test_a_budget_is_kept_and_more_of_it_shows_more():
    state = steps(60)
    ruler = Ruler()
    last = sum(ruler.tokens(line.text, "\n") for line in shown_lines(state, ruler, 0.0))
    some = shown_lines(state, ruler, last + 120)
    assert FULL_ENTRIES < len(some) < MOST_ENTRIES
    assert sum(ruler.tokens(line.text, "\n") for line in some) <= last + 120


def test_a_stub_that_costs_much_gives_way_to_several_that_cost_little():
    long = "x" * 90
    state = acted(AttemptState(), Goto(url=f"http://{long}.example/{long}", reason="r"), done_result(), "")
    state = acted(state, Goto(url="http://a/", reason="r"), done_result(), "")
    for _ in range(FULL_ENTRIES):
        state = acted(state, Wait(reason="r"), done_result(), "")
    last = sum(Ruler().tokens(line.text, "\n") for line in shown_lines(state, Ruler(), 0.0))
    assert numbers(state, last + 30)[0] == 2


def test_what_was_only_said_takes_no_place_of_what_was_done():
    done = steps(26)
    chatter = done
    for _ in range(30):
        chatter = misunderstood(chatter, "There was no tool call.")
    chatter = replace(chatter, history=(*chatter.history[26:51], *done.history))
    shown = shown_lines(chatter, Ruler(), AMPLE)
    assert len(shown) == MOST_ENTRIES
    assert all(line.number > 25 for line in shown)


def test_words_of_the_last_three_stand_where_they_were_said_and_older_ones_are_gone():
    state = acted(AttemptState(), Goto(url=URL, reason="r"), done_result(), "", "old remark")
    state = misunderstood(state, "fly: there is no such tool.")
    state = acted(state, Scroll(reason="r"), done_result(), "down", "calls left out")
    state = acted(state, Wait(reason="r"), done_result(), "quiet")
    shown = told(state)
    places = [
        shown.index(words)
        for words in ("2. (no valid call)", "2. Refused: fly", "3. scroll", "3. calls left", "4. wait")
    ]
    assert places == sorted(places)
    assert "old remark" not in shown
    later = told(acted(state, Wait(reason="r"), done_result(), "quiet"))
    assert "Refused: fly" not in later
    assert "3. calls left" in later


def test_notices_stand_at_the_end_before_the_closing_line():
    state = replace(steps(3), notices=("The last 3 steps brought nothing new.",))
    end = told(state).split("NOTICES\n")[1]
    assert end.startswith("The last 3 steps brought nothing new.\n\nTake the single best next action.")


def test_an_ending_that_was_sent_back_is_told_until_the_next():
    state = bounced(steps(2), Done(values={}, reason="r"), "You called done but these required fields are missing: x")
    assert "put right what is said here:\n3. Refused: You called done but" in told(state)
    for _ in range(6):
        state = acted(state, Wait(reason="r"), done_result(), "quiet")
    assert "Your call 3 to end the work was sent back, and the next is final. Refused: You called done" in told(state)


def test_after_three_failures_all_that_can_be_acted_on_is_listed_in_short():
    seen = page(
        el("button", "Save", states=("disabled",)),
        el("text", "no control"),
        el("link", "Far below", in_viewport=False),
        *(el("link", f"Row {number}") for number in range(100)),
    )
    assert "WHAT CAN BE ACTED ON" not in prompt(view(seen, steps(3))).user
    listed = prompt(view(seen, replace(steps(3), failures=3))).user.split("WHAT CAN BE ACTED ON\n")[1]
    assert '[1] [button] "Save" (disabled)\n[4] [link] "Row 0"' in listed
    assert "... 21 more" in listed
    assert "no control" not in listed
    assert "Far below" not in listed


# --- what is known so far


def test_lists_show_their_last_ten_and_how_many_there_are():
    shown = told(on_pages(14))
    visited = shown.split("PAGES VISITED (14, the last 10)\n")[1].split("</untrusted_data>")[0]
    assert visited.count("http://") == 10
    assert f"{URL}/13" in visited
    assert f"{URL}/3\n" not in visited
    files = told(steps(80)).split("FILES (13, the last 10)\n")[1].split("</untrusted_data>")[0]
    assert files.count(".png (screenshot)") == 10


def test_addresses_that_failed_are_listed_once():
    state = AttemptState()
    for _ in range(2):
        gone = Change(url_before=URL, url_after=f"{URL}/gone", http_status=404)
        state = acted(state, Click(target=ByRef(ref=1, snapshot_id="s"), reason="r"), done_result(change=gone), "")
    lost = done_result(ok=False, code="unreachable", change=Change(url_before=URL, url_after=URL))
    state = acted(state, Goto(url="http://down.example/", reason="r"), lost, "refused")
    assert (
        f"ADDRESSES THAT FAILED (2)\n<untrusted_data>\n{URL}/gone (HTTP 404)\nhttp://down.example/ (unreachable)"
        in told(state)
    )


def test_what_is_kept_is_shown_to_2000_characters():
    state = with_readings(AttemptState(), (FieldValue(field="assignee", state="value", value="A" * 5000, shown="A"),))
    kept = told(state).split("KEPT SO FAR\n")[1].split("</untrusted_data>")[0]
    assert '{"assignee": "AAA' in kept
    assert 1900 < kept.count("A") <= 2000
    assert "KEPT SO FAR" not in told(AttemptState())


def test_kept_values_that_no_page_showed_are_named():
    action = SaveProgress(values={"assignee": "Ann"}, refs={}, reason="r")
    value = FieldValue(field="assignee", state="value", value="Ann", shown="Ann")
    state = after_step(AttemptState(), step(AttemptState(), action, values=(value,), unconfirmed=("assignee",)))
    assert "No page was seen to show what is kept of: assignee" in told(state)


def test_in_a_task_that_finds_samples_the_count_is_told():
    task = spec(phase="discovery", identity={}, required_fields=[], expected_items=40)
    state = replace(AttemptState(), listed=frozenset({"a", "b"}), listed_pages=1)
    assert "ITEMS REPORTED: 2 of 40 expected, from 1 pages" in told(state, spec=task)


def test_condensed_steps_stand_first_and_their_lesser_steps_are_left_out():
    state = replace(steps(26), summaries=(Summary(steps=20, text="FOUND: all\nGAPS: none\nNEXT: done", by="m"),))
    shown = told(state)
    assert "Earlier steps (condensed)\n<untrusted_data>\nSteps to 20: FOUND: all GAPS: none NEXT: done" in shown
    assert shown.index("Earlier steps (condensed)") < shown.index("ACTIONS SO FAR")
    kept = [state.history[number - 1] for number in numbers(state) if number <= 20]
    assert kept
    assert all(importance(entry) >= 2 for entry in kept)
