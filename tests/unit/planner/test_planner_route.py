"""Following a route: what is clicked, no guessing, and progress derived from the history only."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from services.planner.drivers.rules.decide_rules import decide
from services.planner.irreversible import guard_irreversible
from services.planner.state.attempt_state import Act, AttemptState, ObserveAgain
from services.planner.state.transitions import after_look
from shared.contracts.actions import (
    AnswerDialog,
    Click,
    Done,
    Download,
    Fail,
    Goto,
    PickOption,
    Press,
    Screenshot,
    SetDate,
    TypeText,
)
from shared.contracts.results import NotSeen, PageChanged, ValueSet
from shared.contracts.steps import RouteMark
from shared.flows.waiting import PAUSES_S
from shared.task.spec import check_spec
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import (
    acted,
    cell,
    clicked,
    done_result,
    el,
    heading,
    page,
    picture,
    row,
    sample,
    shot,
    spec,
    text,
    ticket,
    view,
)

OPENED = acted(AttemptState(), Goto(url="http://127.0.0.1:8000/"), done_result(), "")
NOT_DONE = {"required_artifacts": [], "required_fields": []}


def routed(*steps, **changes):
    return spec(**{**NOT_DONE, "route": list(steps), **changes})


def form(*steps, **changes):
    columns = {"country": "string", "start": "date", "note": "string | null"}
    return routed(*steps, identity={}, input_schema=columns, **changes)


FORM_ROW = sample(fields={"country": "Peru", "start": "2026-03-04"})


def patient(state):
    for _ in PAUSES_S:
        state = after_look(state, ObserveAgain(0.3, 6000))
    return state


def decided(seen, task, state=OPENED, who=None):
    return decide(view(seen, state, spec=task, **({} if who is None else {"sample": who})))


def take(seen, task, state=OPENED, who=None):
    decision = decided(seen, task, state, who)
    assert isinstance(decision, Act), decision
    return decision


def act(seen, task, state=OPENED, who=None):
    return take(seen, task, state, who).action


def after(state, action, **result):
    return acted(state, action, done_result(**{"effect": PageChanged(), **result}), result.get("message", ""))


def ending(seen, task, state=OPENED, who=None):
    """The Fail that comes when waiting has not helped and the picture is taken."""
    picture = expect(act(seen, task, patient(state), who), Screenshot)
    return expect(act(seen, task, patient(acted(state, picture, shot(picture.label), "")), who), Fail)


def link(name, url, **rest):
    return el("link", name, tag="a", url=url, **rest)


# --- links


def test_the_name_that_is_exactly_so_counts_before_one_that_contains_it():
    seen = page(*ticket(), link("All checks", "/all"), link("Checks", "/checks"))
    assert seen.elements[clicked(act(seen, routed({"follow": "checks"}))) - 1].url == "/checks"


def test_a_link_is_known_by_the_label_it_stands_under():
    seen = page(*ticket(), el("link", "#7", url="/pull/7", header="Pull request"), link("Pull requests", "/pulls"))
    assert seen.elements[clicked(act(seen, routed({"follow": "Pull request"}))) - 1].url == "/pull/7"


def test_two_links_that_are_called_so_are_a_question_for_a_person():
    seen = page(*ticket(), link("Checks", "/one"), link("Checks", "/two"))
    failed = ending(seen, routed({"follow": "Checks"}))
    assert (failed.code, "/one" in failed.note, "/two" in failed.note) == ("ambiguous_target", True, True)


def test_two_links_to_one_address_are_one():
    assert isinstance(
        act(page(*ticket(), link("Checks", "/1"), link("Checks", "/1")), routed({"follow": "Checks"})), Click
    )


def test_in_a_table_of_many_the_link_of_the_own_row_is_followed_though_others_lead_there_too():
    cells = [link("old", "/a", header="Last commit", row=1), cell("Ticket", "TCK-7", 1)]
    own = [link("old", "/a", header="Last commit", row=2), cell("Ticket", "TCK-1001", 2)]
    other = [link("new", "/b", header="Last commit", row=3), cell("Ticket", "TCK-9", 3)]
    seen = page(heading("TCK-1001"), *cells, *own, *other)
    assert clicked(act(seen, routed({"follow": "Last commit"}))) == 4


def test_a_link_that_is_not_there_ends_with_what_was_looked_for_and_what_is_offered():
    failed = ending(page(*ticket(), link("Settings", "/s")), routed({"follow": "Checks"}))
    assert failed.code == "off_route"
    assert all(words in expect(failed, Fail).note for words in ("'Checks'", "'Settings'", "step 1 of the route"))


def test_what_hangs_on_an_optional_link_that_is_not_there_is_not_present():
    steps = (
        {"follow": "Pull request", "optional": True},
        {"read": ["assignee"]},
        {"back": True},
        {"read": ["due_date"]},
    )
    state = after_look(after_look(OPENED, ObserveAgain(0.3, 6000)), ObserveAgain(0.3, 6000))
    done = expect(act(page(heading("TCK-1001"), *row("Due date", "Mar 3, 2026")), routed(*steps), state), Done)
    assert (done.not_present, done.values["due_date"]) == ({"assignee": ""}, "Mar 3, 2026")


def test_the_history_alone_says_that_a_step_is_done_and_a_click_to_no_effect_does_not():
    task = routed({"follow": "Checks"}, {"screenshot": "checks"})
    seen = page(*ticket(), link("Checks", "/checks"))
    click = take(seen, task)
    assert expect(act(seen, task, after(OPENED, click)), Screenshot).label == "checks"
    again = expect(act(seen, task, after(OPENED, click, effect=NotSeen())), Goto)
    assert again.url == "/checks"


# --- values of several pages


def test_a_page_that_says_nothing_of_whose_record_it_is_is_on_its_trail_and_another_records_page_is_not_read():
    task = routed({"follow": "Details"}, {"read": ["assignee"]})
    proven = replace(OPENED, proven=True)
    there = after(proven, take(page(*ticket(), link("Details", "/d")), task, proven))
    there = replace(there, proven=True)
    assert expect(act(page(*row("Assignee", "Bob")), task, patient(there)), Done).values["assignee"] == "Bob"
    failed = ending(page(*ticket("TCK-1002", "Eve")), task, there)
    assert failed.code == "identity_mismatch"
    assert expect(decided(page(*ticket("TCK-1002", "Eve")), task, there), ObserveAgain).seen == ()


def test_a_heading_of_another_records_page_is_not_read_and_the_page_is_called_what_it_is():
    task = routed({"headline": "summary", "level": 1}, output_schema={**spec().output_schema, "summary": "string"})
    failed = ending(page(*ticket("TCK-1002", "Eve")), task)
    assert failed.code == "identity_mismatch"
    nobody = ending(page(heading("A page without a number")), task)
    assert nobody.code == "off_route"


def test_fields_are_read_in_the_part_of_the_page_that_the_step_names():
    parts = (heading("Reporter", 2), *row("Assignee", "Ann"), heading("Technician", 2), *row("Assignee", "Bob"))
    seen = page(heading("TCK-1001"), *parts)
    task = routed({"read": ["assignee"], "under": "Technician"})
    assert expect(act(seen, task, patient(OPENED)), Done).values["assignee"] == "Bob"
    failed = ending(seen, routed({"read": ["assignee"], "under": "Buyer"}))
    assert (failed.code, "'Buyer'" in failed.note) == ("off_route", True)
    unsettled = take(seen, routed({"read": ["assignee"]}), patient(OPENED))
    assert "assignee" not in expect(unsettled.action, Done).values
    assert [one.shown for value in unsettled.seen for one in value.candidates] == ["Ann", "Bob"]


# --- searching

SEARCH = {"search": {"into": "Name", "text": "{ticket_number}", "press": "Go", "pick": {"ticket": "{ticket_number}"}}}


def asked(task, *, turned=()):
    """Typed and sent; pages turned with these marks."""
    form_page = page(el("textbox", "Name", tag="input", value=""), el("button", "Go", tag="button"))
    typed = after(OPENED, take(form_page, task), effect=ValueSet(value="TCK-1001"))
    state = after(typed, take(form_page, task, typed))
    for mark in turned:
        state = after(state, Act(Click(target=expect(act(form_page, task, typed), Click).target), "rules", route=mark))
    return state


def results(*names, more=()):
    rows = [cell for at, name in enumerate(names, 2) for cell in (link(name, f"/t/{at}", header="Ticket", row=at),)]
    return page(el("columnheader", "Ticket", tag="th", row=1), *rows, *more)


def test_it_types_sends_and_opens_the_one_exact_result():
    task = routed(SEARCH)
    form_page = page(el("textbox", "Name", tag="input", value=""), el("button", "Go", tag="button"))
    typed = expect(act(form_page, task), TypeText)
    assert typed.text == "TCK-1001"
    assert clicked(act(results("TCK-10011", "tck-1001"), task, asked(task))) == 3


def test_without_a_button_the_enter_key_sends():
    task = routed({"search": {"into": "Name", "text": "{ticket_number}"}})
    seen = page(el("textbox", "Name", tag="input", value=""))
    sent = expect(act(seen, task, after(OPENED, take(seen, task), effect=ValueSet(value="TCK-1001"))), Press)
    assert sent.keys == "Enter"


def test_a_near_name_is_no_match_and_nobody_is_not_found():
    failed = ending(results("TCK-10011", "TCK-100"), routed(SEARCH), asked(routed(SEARCH)))
    assert failed.code == "not_found"


def test_two_that_match_exactly_are_listed_for_a_person():
    failed = ending(results("TCK-1001", "TCK-1001"), routed(SEARCH), asked(routed(SEARCH)))
    assert (failed.code, "/t/2" in failed.note, "/t/3" in failed.note) == ("ambiguous_record", True, True)


def test_the_one_match_counts_only_when_every_page_of_results_was_read():
    task = routed(SEARCH)
    first = results("TCK-1001", more=(link("Next", "/2"),))
    turn = take(first, task, asked(task))
    assert first.elements[clicked(turn.action) - 1].name == "Next"
    there = after(asked(task), turn)
    again = ending(
        page(el("columnheader", "Ticket", row=1), link("TCK-1001", "/t/9", header="Ticket", row=2)), task, there
    )
    assert again.code == "ambiguous_record"


def test_the_match_of_an_earlier_page_is_opened_by_its_address():
    task = routed(SEARCH)
    state = asked(task, turned=(RouteMark(step=1, part="turn", found=1, at="http://127.0.0.1:8000/t/2"),))
    opened = expect(act(results("TCK-7"), task, patient(state)), Goto)
    assert opened.url == "http://127.0.0.1:8000/t/2"


def test_a_match_without_a_link_that_the_next_page_repeats_is_one_record():
    task, record = routed(SEARCH), (cell("Ticket", "TCK-1001", 2), cell("Owner", "Ann Lee", 2))
    turn = take(page(*record, link("Next", "/2")), task, asked(task))
    there = after(asked(task), turn)
    failed = ending(page(*record, cell("Ticket", "TCK-7", 3)), task, there)
    assert (failed.code, "it cannot be told what opens" in failed.note) == ("off_route", True)
    button = el("button", "Show", tag="button", header="", row=2)
    assert clicked(act(page(*record, button), task, patient(there))) == 3


def test_of_several_links_of_a_result_the_task_says_which_opens_it():
    links = [link(name, f"/t/2/{name.lower()}", row=2) for name in ("View", "Edit")]
    seen = page(el("columnheader", "Ticket", tag="th", row=1), cell("Ticket", "TCK-1001", 2), *links)
    unclear = ending(seen, routed(SEARCH), asked(routed(SEARCH)))
    assert (unclear.code, "say in `link` which of 'View', 'Edit'" in unclear.note) == ("off_route", True)
    for said in ("View", "view", ["Show", "View"]):
        task = routed({"search": {**SEARCH["search"], "link": said}})
        assert clicked(act(seen, task, asked(task))) == 3
    task = routed({"search": {**SEARCH["search"], "link": "Print"}})
    assert ending(seen, task, asked(task)).code == "off_route"


def test_two_records_that_share_the_page_of_a_link_are_two():
    rows = [
        one
        for at in (2, 3)
        for one in (cell("Ticket", "TCK-1001", at), link("Apollo", "/project/1", header="Project", row=at),
                    link("View", f"/u/{at}", row=at))
    ]  # fmt: skip
    seen = page(el("columnheader", "Ticket", tag="th", row=1), *rows)
    task = routed({"search": {**SEARCH["search"], "link": "Project"}})
    assert ending(seen, task, asked(task)).code == "ambiguous_record"
    buttons = [
        one for at in (2, 3) for one in (cell("Ticket", "TCK-1001", at), el("button", "View", tag="button", row=at))
    ]
    task = routed({"search": {**SEARCH["search"], "link": "View"}})
    seen = page(el("columnheader", "Ticket", tag="th", row=1), *buttons)
    assert ending(seen, task, asked(task)).code == "ambiguous_record"


def test_only_results_under_the_heading_count():
    task = routed({"pick": {"name": "{ticket_number}"}, "under": "people found"})
    card = (heading("TCK-1001", 3), link("TCK-1001", "/t/1"))
    other = (heading("TCK-1001", 3), link("TCK-1001", "/t/2"))
    seen = page(heading("1 people found"), *card, heading("Elsewhere", 2), *other)
    assert clicked(act(seen, task)) == 3


def test_a_page_that_answers_with_an_error_is_asked_for_again_and_its_step_is_not_done_by_that():
    task = routed({"follow": "Checks"}, {"screenshot": "checks"})
    state = after(OPENED, take(page(*ticket(), link("Checks", "/checks")), task))
    for _ in range(2):
        again = take(page(http_status=503), task, state)
        assert isinstance(again.action, Goto)
        state = acted(state, again, done_result(), "")
    assert ending(page(http_status=503), task, state).code == "http_error"
    nowhere = after(OPENED, take(page(*ticket(), link("Checks", "/checks")), task), effect=NotSeen())
    reloaded = acted(nowhere, take(page(http_status=503), task, nowhere), done_result(), "")
    assert expect(act(page(*ticket(), link("Checks", "/checks")), task, reloaded), Goto).url == "/checks"


# --- forms

FILL = {"fill": {"Country": "{country}", "Start": "{start}", "Note": "{note}", "Terms": "yes"}}


def fields(country="", start="", **rest):
    return (
        el("combobox", "Country", tag="select", value=country, **rest),
        el("textbox", "Start", tag="input", value=start),
        el("textbox", "Note", tag="input", value=""),
        el("checkbox", "Terms", tag="input", states=("unchecked",)),
    )


def test_each_field_gets_the_action_that_fits_it_and_an_optional_empty_one_none():
    task, state, taken = form(FILL), OPENED, []
    for _ in range(3):
        seen = page(*fields())
        decision = take(seen, task, state, FORM_ROW)
        taken.append(decision.action)
        state = after(state, decision)
    assert [type(one) for one in taken] == [PickOption, SetDate, Click]
    assert (taken[0].option, taken[1].date, taken[2].target.ref) == ("Peru", "2026-03-04", 4)


def test_a_value_that_is_not_offered_is_invalid_input_with_what_is_offered():
    task, state = form(FILL), OPENED
    for _ in range(2):
        pick = take(page(*fields()), task, patient(state), FORM_ROW)
        state = after(state, pick, ok=False, code="no_such_option", effect=None, message="it offers Chile, Cuba")
    failed = ending(page(*fields()), task, state, FORM_ROW)
    assert (failed.code, "Chile, Cuba" in failed.note) == ("invalid_input", True)


def test_a_field_that_another_one_has_reset_is_filled_again():
    task = form({"fill": {"Country": "{country}", "Start": "{start}"}})
    state = after(OPENED, take(page(*fields()), task, OPENED, FORM_ROW), effect=ValueSet(value="Peru"))
    again = expect(act(page(*fields(country="Chile")), task, state, FORM_ROW), PickOption)
    assert again.option == "Peru"


SUBMIT = {"press": "Submit", "irreversible": True}
BUTTON = el("button", "Submit", tag="button")


def test_what_cannot_be_taken_back_is_not_pressed_while_a_field_holds_something_else():
    task = form({"fill": {"Country": "{country}"}}, SUBMIT)
    fill = take(page(*fields(), BUTTON), task, OPENED, FORM_ROW)
    state = after(OPENED, fill, effect=ValueSet(value="Peru"))
    assert isinstance(act(page(*fields("Peru"), BUTTON), task, state, FORM_ROW), Click)
    review = page(*row("Country", "Chile"), BUTTON)
    failed = ending(review, task, state, FORM_ROW)
    assert (failed.code, "'Chile'" in failed.note) == ("invalid_input", True)
    assert isinstance(act(page(*row("Country", "Peru"), BUTTON), task, state, FORM_ROW), Click)


@cases("result", [{"effect": NotSeen()}, {"ok": False, "code": "timeout", "effect": None}])
def test_what_cannot_be_taken_back_is_never_pressed_again_where_its_outcome_is_unknown(result):
    task = form(SUBMIT)
    state = after(OPENED, take(page(BUTTON), task, OPENED, FORM_ROW), **result)
    assert ending(page(BUTTON), task, state, FORM_ROW).code == "unknown_outcome"


def test_a_press_that_was_refused_before_it_was_fired_may_be_tried_again():
    task = form(SUBMIT)
    state = after(OPENED, take(page(BUTTON), task, OPENED, FORM_ROW), ok=False, code="stale_ref", effect=None)
    assert isinstance(act(page(BUTTON), task, state, FORM_ROW), Click)


def test_only_the_question_that_was_foreseen_is_agreed_to():
    task = form({"press": "Submit", "irreversible": True, "confirm": "Send it?"})
    state = after(OPENED, take(page(BUTTON), task, OPENED, FORM_ROW))
    answer = act(page(dialog="Send it?"), task, state, FORM_ROW)
    assert answer == AnswerDialog(answer="accept", reason=answer.reason)
    assert expect(act(page(dialog="Delete everything?"), task, last_picture(state), FORM_ROW), Fail).code == "off_route"


def last_picture(state):
    return acted(state, picture("off_route"), shot("off_route"), "")


class Written:
    """Whose press is whose, kept as evidence keeps it: who is first has it."""

    def __init__(self):
        self.held = {}

    async def claim(self, pressed):
        return self.held.setdefault((pressed.run_id, pressed.sample_id, pressed.step), pressed)

    async def find(self, pressed):
        return self.held.get((pressed.run_id, pressed.sample_id, pressed.step))

    async def give_back(self, held):
        del self.held[held.run_id, held.sample_id, held.step]


async def test_another_attempt_does_not_press_again_and_knows_it_from_the_start():
    task, once = form(SUBMIT), Written()
    first = replace(view(page(BUTTON), OPENED, spec=task, sample=FORM_ROW), run_id="run1", attempt=1)
    pressed = await guard_irreversible(first, decide(first), once)
    assert isinstance(expect(pressed, Act).action, Click)
    assert await guard_irreversible(first, decide(first), once) == pressed
    second = replace(first, attempt=2)
    refused = expect(await guard_irreversible(second, decide(second), once), Act)
    assert expect(refused.action, Fail).code == "unknown_outcome"
    start = replace(second, state=AttemptState(), page=None)
    known = expect(await guard_irreversible(start, decide(start), once), Act)
    assert expect(known.action, Fail).code == "unknown_outcome"
    other = replace(second, sample=msgspec.structs.replace(FORM_ROW, sample_id="other"))
    assert isinstance(expect(await guard_irreversible(other, decide(other), once), Act).action, Click)


# --- files and numbers


def test_every_file_of_the_section_comes_down_once_and_is_counted():
    task = routed(
        {"download_all": "attachments", "count": "attachment_count"},
        output_schema={
            **{name: one.model_dump() for name, one in spec().output_schema.items()},
            "attachment_count": "number",
        },
    )
    files = (link("Download a", "/a"), link("Download b", "/b"))
    seen = page(*ticket(), heading("Attachments", 2), *files, heading("Other", 2), link("Download c", "/c"))
    state = replace(OPENED, proven=True)
    labels = []
    while isinstance(action := (decision := take(seen, task, patient(state))).action, Download):
        labels.append(action.label)
        state = replace(acted(state, decision, shot(action.label), ""), proven=True)
    assert labels == ["attachments_1", "attachments_2"]
    assert isinstance(action, Done)
    assert action.values["attachment_count"] == 2


def test_a_section_without_a_word_on_it_is_not_counted_as_none():
    task = routed({"count": "Attachments", "into": "due_date"})
    seen = page(*ticket(), heading("Attachments", 2), text("Ask HR if you know of no other way."))
    assert ending(seen, task).code == "off_route"


def test_a_section_that_says_that_there_is_none_counts_none():
    task = routed({"count": "Attachments", "into": "due_date"})
    seen = page(*ticket(), heading("Attachments", 2), text("No files have been attached."))
    counts = [value for value in expect(decided(seen, task, patient(OPENED)), Act).seen if value.field == "due_date"]
    assert [(one.value, one.origin) for one in counts if one.origin == "derived"] == [(0, "derived")]


# --- the spec


def test_a_route_names_known_fields_and_known_steps_only():
    written = {"task_id": "a", "goal": "g", "output_schema": {"n": "string"}}
    _, problems = check_spec({**written, "route": [{"read": ["zz"]}]})
    assert [problem.where for problem in problems] == ["spec.route[0]"]
    _, problems = check_spec({**written, "route": [{"jump": "high"}]})
    assert "follow" in problems[0].message
