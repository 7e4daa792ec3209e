"""From a call of a flow to its answer: what is looked at, performed and waited for, and when that ends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat

from msgspec.structs import replace as replace_part

from shared.contracts.actions import Click, Download, Goto, TypeText
from shared.contracts.browser_pool import PageObserved
from shared.contracts.results import ActionResult, Navigated, PageChanged
from shared.contracts.workflows.flows import (
    AwaitElement,
    CheckShown,
    ChooseOption,
    ClickElement,
    CountElements,
    DownloadAll,
    FlowCall,
    OpenAddress,
    ProveRecord,
    ReadFields,
    ReadList,
    SetChecked,
)
from shared.flows.answering import FlowContext
from shared.flows.files import ElementFacts, FlowFiles
from shared.flows.turns import MAX_TRIES, Answered, Observe, PerformAction, TurnStep, begin_call, next_step
from shared.flows.waiting import ALL_LOOKS, IDLE_LOOKS, OWN_LOOKS, PAUSES_S
from tests.cases import cases
from tests.unit.planner.planner_pages import URL, done_result, el, page

EMPTY = FlowContext(FlowFiles())
SAVE = ClickElement(selector='role=button[name="Save"]')
SEARCH = ChooseOption(selector="label=Who", option="Ann Lee", search="Ann")
FILES = DownloadAll(selector="role=link", label="file")
SHOWN = page(el("button", "Save"))
BLANK = page(el("heading", "Tickets"))
BUSY = replace_part(BLANK, idle=False)
FORM = page(el("combobox", "Who", tag="input"))
OFFERED = page(el("combobox", "Who", tag="input"), el("option", "Ann Lee"))
TWO_FILES = page(el("link", "one.pdf"), el("link", "two.pdf"))
DONE = done_result()
STALE = done_result(ok=False, code="stale_ref", message="it was rendered anew")
COVERED = done_result(ok=False, code="blocked", message="a dialog is over it")
LED_AWAY = FlowContext(FlowFiles(locators={SAVE.selector: ElementFacts(role="button", effects=("navigated",))}))
STILL = done_result(effect=PageChanged())

Seen = PageObserved | ActionResult | None


def told(step: TurnStep) -> object:
    """Return a step in short: the pause before a look, the type of an action, the code or value of an answer."""
    match step:
        case Observe():
            return step.after_s
        case PerformAction():
            return type(step.perform.action)
        case Answered():
            return step.answer.value if step.answer.error is None else step.answer.error.code


def steps_of(call: FlowCall, context: FlowContext, seen: Iterator[Seen]) -> list[TurnStep]:
    step: TurnStep = begin_call(call, context)
    steps: list[TurnStep] = [step]
    while not isinstance(step, Answered):
        step = next_step(step.turn, next(seen))
        steps.append(step)
    return steps


def course(call: FlowCall, *seen: Seen, context: FlowContext = EMPTY) -> list[object]:
    """Return the steps of a call that sees these one after the other, all of them."""
    left = iter(seen)
    steps = steps_of(call, context, left)
    assert list(left) == [], "the call was answered before all was seen"
    return [told(step) for step in steps]


@cases(
    "call, seen, expected",
    [
        (OpenAddress(url=URL), (None, DONE), [0.0, Goto, None]),
        (SAVE, (None,), [0.0, "bad_call"]),
        (SAVE, (SHOWN, DONE), [0.0, Click, None]),
        (SAVE, (SHOWN, done_result(ok=False, code="timeout")), [0.0, Click, "action_failed"]),
        (CheckShown(selector=SAVE.selector), (SHOWN,), [0.0, True]),
        (FILES, (TWO_FILES, DONE, TWO_FILES, DONE), [0.0, Download, 0.0, Download, 2]),
        (SEARCH, (FORM, DONE, OFFERED, DONE), [0.0, TypeText, 0.0, Click, None]),
    ],
)
def test_each_action_is_decided_on_a_look_and_the_last_one_answers(call, seen, expected):
    assert course(call, *seen) == expected


@cases("lacking, looks", [(BLANK, IDLE_LOOKS), (BUSY, ALL_LOOKS)])
def test_what_is_lacking_is_looked_for_as_long_as_it_may_come(lacking, looks):
    assert course(SAVE, *[lacking] * (looks + 1)) == [0.0, *PAUSES_S[:looks], "element_missing"]
    assert course(SAVE, lacking, SHOWN, DONE) == [0.0, PAUSES_S[0], Click, None]


def test_what_is_counted_while_the_page_has_no_answer_of_its_own_request_is_not_certain():
    awaiting = replace_part(TWO_FILES, idle=False, awaited=("/api/files",))
    links = CountElements(selector="role=link")
    assert course(links, *[awaiting] * (OWN_LOOKS + 1)) == [0.0, *PAUSES_S, "value_uncertain"]
    assert course(links, awaiting, TWO_FILES) == [0.0, PAUSES_S[0], 2]


def test_an_action_that_was_not_made_is_decided_on_anew_a_few_times():
    tries = [step for pause in PAUSES_S[1:MAX_TRIES] for step in (Click, pause)]
    assert course(SAVE, *[SHOWN, STALE] * MAX_TRIES) == [0.0, *tries, Click, "action_failed"]
    assert course(SAVE, SHOWN, COVERED, SHOWN, DONE) == [0.0, Click, PAUSES_S[1], Click, None]


def test_what_is_pressed_once_is_not_pressed_again_though_it_was_covered():
    once = ClickElement(selector=SAVE.selector, irreversible=True)
    assert course(once, SHOWN, COVERED) == [0.0, Click, "action_failed"]


def test_looks_count_from_the_last_action():
    lacks = [BUSY] * ALL_LOOKS
    looks = PAUSES_S[:ALL_LOOKS]
    seen = (*lacks, SHOWN, STALE, *lacks, BUSY)
    assert course(SAVE, *seen) == [0.0, *looks, Click, PAUSES_S[1], *looks, "element_missing"]


def test_each_file_of_several_has_its_own_tries():
    most = [TWO_FILES, STALE] * (MAX_TRIES - 1)
    assert course(FILES, *most, TWO_FILES, DONE, *most, TWO_FILES, DONE)[-1] == 2


def test_a_list_that_is_shut_before_each_choice_is_searched_a_few_times_only():
    searched = [FORM, DONE, OFFERED, STALE]
    steps = course(SEARCH, *searched * MAX_TRIES)
    assert steps.count(TypeText) == steps.count(Click) == MAX_TRIES
    assert steps[-1] == "action_failed"


# --- the page that an action leads to


def test_a_page_that_comes_after_the_click_is_waited_for_and_the_click_is_not_made_again():
    there = page(url=URL + "/saved")
    before = replace_part(SHOWN, idle=False)
    assert course(SAVE, before, STILL, there, context=LED_AWAY) == [0.0, Click, 0.0, None]
    late = course(SAVE, before, STILL, before, before, there, context=LED_AWAY)
    assert late == [0.0, Click, 0.0, *PAUSES_S[:2], None]
    never = course(SAVE, before, STILL, *[before] * (ALL_LOOKS + 1), context=LED_AWAY)
    assert never == [0.0, Click, 0.0, *PAUSES_S[:ALL_LOOKS], "effect_missing"]


def test_a_page_that_has_come_with_the_click_is_not_waited_for():
    assert course(SAVE, SHOWN, done_result(effect=Navigated(url=URL + "/saved")), context=LED_AWAY) == [
        0.0,
        Click,
        None,
    ]


# --- the context of the next call


def ended(call: FlowCall, *seen: Seen, context: FlowContext = EMPTY) -> Answered:
    last = steps_of(call, context, iter(seen))[-1]
    assert isinstance(last, Answered)
    return last


def test_only_a_click_that_was_made_is_the_one_that_was_clicked_last():
    assert ended(SAVE, SHOWN, DONE).context.last_clicked == SAVE.selector
    assert ended(SAVE, *[SHOWN, STALE] * MAX_TRIES).context == EMPTY


def test_the_actions_of_a_call_are_counted_for_that_call_alone():
    assert ended(FILES, TWO_FILES, DONE, TWO_FILES, DONE).context == EMPTY


def test_a_tab_that_has_become_a_page_is_told_to_the_next_call():
    tab = ClickElement(selector="text=History")
    facts = FlowContext(FlowFiles(locators={"text=History": ElementFacts(role="tab", effects=("page_changed",))}))
    shown = page(el("tab", "History"))
    moved = ended(tab, shown, done_result(effect=Navigated(url=URL + "/history")), context=facts)
    assert (moved.exchanged, moved.context.exchanged) == ("navigated", True)
    same = ended(tab, shown, STILL, context=facts)
    assert (same.exchanged, same.context.exchanged) == ("", False)


# --- the end


@cases(
    "call",
    [
        SAVE, SEARCH, FILES, CheckShown(selector=SAVE.selector), CountElements(selector="role=row"),
        AwaitElement(selector=SAVE.selector, timeout_s=5.0), AwaitElement(selector="div.x", timeout_s=5.0),
        ReadFields(fields=("total",)), ReadList(name="items"), ProveRecord(expected={"number": "T-1"}),
        SetChecked(selector="label=Paid", checked=True),
    ],
)  # fmt: skip
def test_every_call_ends_on_a_page_that_never_rests_and_takes_no_action(call):
    restless = (
        replace_part(shown, idle=False, awaits_data=True, awaited=("/api",))
        for shown in (BLANK, SHOWN, FORM, OFFERED, TWO_FILES, page(el("checkbox", "Paid")))
    )
    for shown in restless:
        step: TurnStep = begin_call(call, LED_AWAY)
        actions = chain([DONE, STALE], repeat(STALE))
        looks = 0
        while not isinstance(step, Answered) and looks < 100:
            looks += 1
            step = next_step(step.turn, shown if isinstance(step, Observe) else next(actions))
        assert isinstance(step, Answered), f"{call} on {shown.elements}"
