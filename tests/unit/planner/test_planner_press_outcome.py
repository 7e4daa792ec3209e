"""What tells of a press that cannot be undone: what is new on the page, and never that it was not sent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from msgspec import structs

from services.planner.drivers.rules.decide_rules import decide
from services.planner.judge.gates import judge_done
from services.planner.judge.own_saves import unsaved_problems
from services.planner.judge.press_outcome import is_older, not_sent, texts_shown, untold
from services.planner.state.attempt_state import Act, AttemptState, Ending, ObserveAgain, SampleView, ending_of
from services.planner.state.transitions import after_look, after_step, with_readings
from shared.contracts.actions import ByRef, Click, Done, Fail, Goto, Press, TypeText
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.planner import BY_RULE
from shared.contracts.results import ActionResult, Change, Navigated, TargetFound, ValueSet
from shared.contracts.steps import FieldValue, RouteMark, ValueCandidate, ValueSource
from shared.pages.sending import is_refusal
from shared.task.spec import TaskSpec
from shared.text.numbers import same_number
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import (
    URL,
    acted,
    done_result,
    el,
    heading,
    page,
    row,
    sample,
    spec,
    step,
    text,
    view,
)

HERE = ByRef(ref=1, snapshot_id="s1")
AMOUNT = el("textbox", "Amount", tag="input", value="1250.00")
SUBMIT = el("button", "Submit", tag="button")
OLD = row("Request number", "Q-11")


def task(**changes: Any) -> TaskSpec:
    return spec(**{
        "input_schema": {"ticket_number": "string", "amount": "string", "url": "string"},
        "output_schema": {"request_number": {"type": "string", "labels": ["Request number"]}},
        "identity": {}, "required_fields": ["request_number"], "required_artifacts": [],
        "route": [{"fill": {"Amount": "{amount}"}}, {"press": "Submit", "irreversible": True}],
        **changes,
    })  # fmt: skip


ROW = sample(fields={"ticket_number": "TCK-1001", "amount": "1250.00", "url": URL})


def pressed(before: PageObserved, *appeared: str, one: TaskSpec | None = None) -> AttemptState:
    """The state after the form of ``before`` was filled in and sent."""
    typed = done_result(
        effect=ValueSet(value="1250.00"),
        target=TargetFound(role="textbox", name="Amount", tag="input", fingerprint="f"),
    )
    mark = RouteMark(step=1, part="1")
    state = after_step(AttemptState(), step(AttemptState(), TypeText(target=HERE, text="1250.00"), typed, route=mark))
    change = Change(url_before=URL, url_after=f"{URL}/sent", http_status=200, appeared=appeared)
    came = done_result(effect=Navigated(url=f"{URL}/sent", http_status=200), change=change)
    stood = texts_shown(view(before, state, spec=one or task(), sample=ROW))
    press = step(state, Click(target=HERE), came, route=RouteMark(step=2), decided_by=BY_RULE, claimed=2, stood=stood)
    return after_step(state, press)


def seen(shown: PageObserved, state: AttemptState, one: TaskSpec | None = None) -> SampleView:
    return view(shown, state, spec=one or task(), sample=ROW)


def number(shown: str) -> FieldValue:
    return FieldValue(field="request_number", state="value", value=shown, shown=shown)


def ended(shown: PageObserved, state: AttemptState) -> Fail | Done | None:
    """What the rules end with on a page that stays as it is; their picture of it is taken."""
    for _ in range(8):
        decision = decide(seen(shown, state))
        if not isinstance(decision, Act):
            state = after_look(state, expect(decision, ObserveAgain))
            continue
        if isinstance(decision.action, Fail | Done):
            return decision.action
        state = acted(state, decision, done_result(), "")
    return None


def test_a_number_that_stood_there_before_the_press_is_not_its_confirmation():
    state = pressed(page(AMOUNT, SUBMIT, *OLD))
    after = page(heading("Your requests"), *OLD)
    assert is_older(seen(after, state), number("Q-11"))
    assert not is_older(seen(after, state), number("Q-77"))
    ruling, _ = judge_done(seen(after, state), Done(values={"request_number": "Q-11"}), by_model=False)
    assert "'Q-11' stood there before the press" in ruling.message


def test_what_a_record_has_is_its_own_before_a_press_and_after_it():
    one = task(
        identity={"ticket_number": "{ticket_number}"},
        output_schema={"ticket_number": "string", "owner": "string"},
        required_fields=["owner"],
    )
    record = page(heading("TCK-1001"), *row("Ticket number", "TCK-1001"), *row("Owner", "Ann Lee"), SUBMIT)
    state = pressed(record, one=one)
    owner = FieldValue(field="owner", state="value", value="Ann Lee", shown="Ann Lee")
    assert is_older(seen(record, state, one), owner)
    assert not is_older(seen(record, replace(state, proven_at=frozenset({URL})), one), owner)


SENT = f"{URL}/sent"


def read_at(url: str, name: str, shown: str) -> FieldValue:
    place: dict[str, Any] = {"ref": 1, "role": "text", "label": None, "box": None, "frame": "main"}
    source = ValueSource(snapshot_id="s1", observation_sha256="", url=url, **place)
    return FieldValue(field=name, state="value", value=shown, shown=shown, source=source)


def either(url: str, *texts: str) -> FieldValue:
    places = [read_at(url, "request_number", shown).source for shown in texts]
    found = tuple(ValueCandidate(shown=shown, source=place) for shown, place in zip(texts, places, strict=True))
    return FieldValue(field="request_number", state="not_found", candidates=found)


@cases(
    ("reason", "read", "expected"),
    [
        ("missing_fields", (), "unknown_outcome"),
        ("still_loading", (), "unknown_outcome"),
        ("login_required", (), "unknown_outcome"),
        ("time_exceeded", (), "unknown_outcome"),
        # What was read of a page before the press, or stood there before it, tells nothing of it.
        ("missing_fields", (read_at(URL, "owner", "Ann"),), "unknown_outcome"),
        ("missing_fields", (read_at(SENT, "ticket_number", "TCK-1001"),), "unknown_outcome"),
        ("missing_fields", (read_at(SENT, "request_number", "Q-77"),), "missing_fields"),
        ("ambiguous_value", (either(SENT, "Q-11", "Q-77"),), "ambiguous_value"),
        ("ambiguous_value", (either(URL, "Q-11", "Q-11"),), "unknown_outcome"),
        ("not_sent", (), "not_sent"),
        ("interrupted", (), "interrupted"),
        ("", (), ""),
    ],
)
def test_nothing_that_goes_wrong_after_a_press_hides_that_it_may_have_been_sent(
    reason: Any, read: tuple[FieldValue, ...], expected: str
):
    fields = {"ticket_number": "string", "request_number": "string", "owner": "string"}
    one = task(identity={"ticket_number": "{ticket_number}"}, output_schema=fields)
    state = with_readings(pressed(page(AMOUNT, SUBMIT, *OLD), one=one), read)
    ending = ending_of(reason, "this went wrong") if reason else Ending("done", "", "", "")
    told = untold(seen(page(heading("Sent"), url=SENT), state, one), ending)
    assert told.reason == expected
    assert ("this went wrong" in told.message) == bool(reason)
    before = untold(seen(page(heading("Sent"), url=SENT), AttemptState(), one), ending)
    assert before is ending


@cases(
    ("elements", "appeared"),
    [
        ((el("alert", "Amount is higher than your limit. Your request was not sent."), AMOUNT, SUBMIT), ()),
        ((text("Something went wrong."), *OLD), ()),
        ((*OLD,), ("Nothing was saved.",)),
        # In a language whose words are not known: the form is there again, and an alert beside it.
        ((el("alert", "A kérelem túl nagy"), AMOUNT, SUBMIT), ()),
        ((el("textbox", "Amount", tag="input", value="1250.00", states=("invalid",)), SUBMIT), ()),
    ],
)
def test_a_page_that_says_that_nothing_was_sent_ends_the_sample(
    elements: tuple[Element, ...], appeared: tuple[str, ...]
):
    state = pressed(page(AMOUNT, SUBMIT), *appeared)
    failed = expect(ended(page(*elements), state), Fail)
    assert failed.code == "not_sent"
    ruling, _ = judge_done(seen(page(*elements), state), Done(values={"request_number": "Q-77"}), by_model=True)
    assert ruling.message.startswith("after the press the page")


@cases(
    ("came", "told"),
    [
        ({"url_after": "chrome-error://chromewebdata/"}, "did not come"),
        ({"not_taken": ("POST https://example.com/send",)}, "'POST https://example.com/send'"),
    ],
)
def test_a_press_that_the_site_did_not_take_is_not_done_whatever_the_page_says(came: dict[str, Any], told: str):
    """No value is read after it, and the page says nothing, or in words that are not known."""
    one = task(output_schema={"owner": "string"}, required_fields=[], background_requests=["/beat"])
    state, after = pressed(page(AMOUNT, SUBMIT), one=one), page(heading("Requests"))
    assert judge_done(seen(after, state, one), Done(values={"owner": "Ann"}), by_model=False)[0].message == ""
    (*before, last) = state.history
    result = expect(last.result, ActionResult)
    failed = replace(last, result=structs.replace(result, change=structs.replace(result.change, **came)))
    ruling, _ = judge_done(seen(after, replace(state, history=(*before, failed)), one), Done(values={}), by_model=True)
    assert told in ruling.message


def test_an_alert_beside_an_empty_form_or_of_good_news_is_no_refusal():
    state = pressed(page(AMOUNT, SUBMIT))
    empty = el("textbox", "Amount", tag="input", value="")
    assert not_sent(seen(page(el("alert", "Request Q-77 was sent."), empty, SUBMIT), state)) == ""
    assert not_sent(seen(page(AMOUNT, el("status", "Request number Q-77")), state)) == ""


def test_a_confirmation_of_another_amount_goes_to_a_person():
    state = pressed(page(AMOUNT, SUBMIT))
    other = page(heading("Received"), *row("Request number", "Q-77"), *row("Amount", "125.00"))
    failed = expect(ended(other, state), Fail)
    assert (failed.code, "'125.00'" in failed.note) == ("unknown_outcome", True)
    same = page(heading("Received"), *row("Request number", "Q-77"), *row("Amount", "1,250.00 USD"))
    assert expect(ended(same, state), Done).values == {"request_number": "Q-77"}


@cases(
    "words",
    [
        "Your request was not sent.", "The form could not be saved", "We were unable to process your order.",
        "An error occurred", "Ihre Anfrage wurde nicht gesendet.", "Das Speichern ist fehlgeschlagen",
        "Votre demande n'a pas été envoyée", "No se pudo guardar", "O pedido não foi enviado", "De aanvraag is mislukt",
        "La richiesta non è stata inviata",
    ],
)  # fmt: skip
def test_words_that_it_was_not_sent(words: str):
    assert is_refusal(words)


@cases(
    "words",
    [
        "Your request was sent.", "If your request was not sent, call us.", "Error handling", "No changes",
        "Ihre Anfrage wurde gesendet.", "Not all fields are required", "Request received",
    ],
)  # fmt: skip
def test_words_that_say_nothing_of_it(words: str):
    assert not is_refusal(words)


@cases(
    ("one", "other", "same"),
    [
        ("1250.00", "1,250.00", True), ("1250", "1,250.00 USD", True), ("12.50", "1250", False),
        ("125.00", "1250.00", False), ("0042", "42", None), ("Ann", "1", None),
    ],
)  # fmt: skip
def test_two_notations_of_a_number(one: str, other: str, same: bool | None):
    assert same_number(one, other) is same


SEARCH = el("button", "Submit", tag="button", area="search")
IN_MAIN = el("button", "Submit", tag="button", area="main")


@cases(
    ("elements", "pressed_ref"),
    [
        ((AMOUNT, IN_MAIN, SEARCH), 2),
        ((SEARCH, AMOUNT, IN_MAIN), 3),
        ((structs.replace(AMOUNT, area="search"), SEARCH, IN_MAIN), 2),
        ((AMOUNT, IN_MAIN, IN_MAIN), None),
        ((AMOUNT, SEARCH, SEARCH), None),
    ],
)
def test_of_several_buttons_of_one_name_the_one_beside_the_fields_that_were_filled_is_pressed(
    elements: tuple[Element, ...], pressed_ref: int | None
):
    ref = next(number for number, one in enumerate(elements, 1) if one.role == "textbox")
    typed = done_result(
        effect=ValueSet(value="1250.00"),
        target=TargetFound(role="textbox", name="Amount", tag="input", fingerprint="f"),
    )
    action = TypeText(target=ByRef(ref=ref, snapshot_id="s1"), text="1250.00")
    state = acted(AttemptState(), Goto(url=URL), done_result(), "")
    state = after_step(state, step(state, action, typed, route=RouteMark(step=1, part="1")))
    decision = decide(seen(page(*elements), replace(state, looks=8)))
    act = expect(decision, Act).action
    assert (act.target if isinstance(act, Click) else None) == (
        ByRef(ref=pressed_ref, snapshot_id="s1") if pressed_ref else None
    )


PRESS = Click(target=HERE)
SAVE, CHECK = "POST https://example.com/save", "POST https://example.com/check"


def filled(state: AttemptState, name: str, role: str = "textbox", **came: Any) -> AttemptState:
    """The state after a field was filled in, and its page sent that to the site."""
    target = TargetFound(role=role, name=name, tag="input", fingerprint="f")
    change = Change(url_before=URL, url_after=URL, http_status=200, **came)
    typed = done_result(effect=ValueSet(value="1"), target=target, change=change)
    return after_step(state, step(state, TypeText(target=HERE, text="1"), typed))


def clicked(state: AttemptState, action: Any = PRESS, **came: Any) -> AttemptState:
    change = Change(url_before=URL, url_after=URL, http_status=200, **came)
    return after_step(state, step(state, action, done_result(change=change)))


def test_a_field_that_saves_by_itself_and_is_refused_is_not_done():
    one = task(output_schema={"owner": "string"}, required_fields=[], background_requests=["/check"])

    def problems(state: AttemptState) -> list[str]:
        return [told.message for told in unsaved_problems(seen(page(AMOUNT), state, one))]

    refused = filled(AttemptState(), "Amount", not_taken=(SAVE,))
    [told] = problems(refused)
    assert ("'Amount'" in told, SAVE in told) == (True, True)
    ruling, _ = judge_done(seen(page(AMOUNT), refused, one), Done(values={}), by_model=True)
    assert told in ruling.message
    assert problems(filled(refused, "Amount:", taken=(SAVE,))) == []  # filled in once more, and taken
    assert problems(clicked(refused, taken=(SAVE,))) == []  # a button has sent the form, and the site took it
    assert len(problems(clicked(refused))) == 1
    assert len(problems(clicked(refused, Press(keys="Tab")))) == 1  # nothing was sent
    assert len(problems(filled(refused, "Amount"))) == 1
    assert len(problems(clicked(refused, taken=("POST https://example.com/tabs",)))) == 1  # something else was sent
    left = filled(AttemptState(), "Amount")  # saved once the focus leaves it
    assert "'Amount'" in problems(clicked(left, Press(keys="Tab"), not_taken=(SAVE,)))[0]
    assert problems(clicked(left, Press(keys="Tab"), taken=(SAVE,))) == []
    assert len(problems(filled(refused, "Remark", taken=(SAVE,)))) == 1  # of another field
    for fine in (
        filled(AttemptState(), "Amount", taken=(SAVE,)),
        filled(AttemptState(), "Amount", not_taken=(CHECK,)),
        filled(AttemptState(), "Find", "searchbox", not_taken=(SAVE,)),
    ):
        assert problems(fine) == []
