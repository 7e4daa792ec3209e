"""What a call of a flow comes to: an action for the browser, its answer, or why there is none."""

from __future__ import annotations

from dataclasses import replace

from shared.contracts.actions import ByCss, ByRef, Click, Extract, Goto, PickOption, TypeText
from shared.contracts.results import CheckboxSet, Navigated, PageChanged
from shared.contracts.workflows.flows import (
    CheckShown,
    ChooseDate,
    ChooseOption,
    ClickElement,
    CountElements,
    DownloadAll,
    FlowAnswer,
    FlowCall,
    OpenAddress,
    ProveRecord,
    ReadFields,
    ReadWithModel,
    SetChecked,
    TakeScreenshot,
    TypeInto,
    TypeSecretInto,
)
from shared.extraction.field_rules import FieldRules
from shared.extraction.pages import constant_at
from shared.extraction.rules import AfterText, AtHeading, AtPlace, ExtractionRule, UnderHeader, Where, Whole
from shared.extraction.values import FieldType
from shared.flows.answering import (
    FlowContext,
    Perform,
    after_call,
    check_effect,
    decide_call,
    is_exchanged,
    readings_of,
)
from shared.flows.files import DropdownMapping, ElementFacts, FieldsFile, FlowFiles
from shared.flows.filled import FilledField
from shared.flows.waiting import is_tried_again, reset_call
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import done_result, el, heading, page, row, text, ticket

EMPTY = FlowContext(FlowFiles())


def rule(where: Where) -> ExtractionRule:
    return ExtractionRule(where=where, attribute="name", part=Whole())


def under(header: str) -> ExtractionRule:
    return rule(UnderHeader(header=header, role="definition"))


def fields(*, constants: tuple[str, ...] = (), **rules: tuple[ExtractionRule, ...]) -> FlowContext:
    file = FieldsFile(fields={name: FieldRules(rules=each) for name, each in rules.items()}, constants=constants)
    return FlowContext(FlowFiles(fields=file), not_present={"assignee": ("Unassigned",), "due": ("-",)})


def code(answer: Perform | FlowAnswer) -> str:
    assert isinstance(answer, FlowAnswer)
    return "" if answer.error is None else answer.error.code


SHOWN = page(*ticket(), el("button", "Save"))


def test_an_address_is_opened_without_a_page_and_nothing_else_is_done_without_one():
    opened = expect(decide_call(OpenAddress(url="http://x/"), None, EMPTY), Perform)
    assert opened.action == Goto(url="http://x/")
    assert code(decide_call(ClickElement(selector="role=button"), None, EMPTY)) == "bad_call"


def test_an_element_of_the_observation_is_acted_on_by_its_ref():
    click = expect(decide_call(ClickElement(selector='role=button[name="Save"]'), SHOWN, EMPTY), Perform)
    assert click.action == Click(target=ByRef(ref=6, snapshot_id="s1"))
    css = expect(decide_call(ClickElement(selector="div.x"), SHOWN, EMPTY), Perform)
    assert css.action == Click(target=ByCss(css="div.x"))


def test_only_a_missing_element_is_quiet():
    shown = page(el("button", "Save"), el("button", "Save"))
    assert decide_call(ClickElement(selector="text=Close", if_shown=True), shown, EMPTY) == FlowAnswer(value=False)
    assert code(decide_call(ClickElement(selector="text=Save", if_shown=True), shown, EMPTY)) == "element_ambiguous"
    clicked = expect(decide_call(ClickElement(selector="text=Save", if_shown=True), SHOWN, EMPTY), Perform)
    assert check_effect(clicked, done_result()) == FlowAnswer(value=True)


def test_a_text_goes_into_the_element_that_was_clicked_last_or_has_the_focus():
    shown = page(el("textbox", "City", tag="input"))
    focused = expect(decide_call(TypeInto(text="Rome"), shown, EMPTY), Perform)
    assert focused.action == TypeText(target=ByCss(css=":focus"), text="Rome")
    assert code(decide_call(TypeSecretInto(secret="portal"), shown, EMPTY)) == "bad_call"
    after = after_call(EMPTY, ClickElement(selector="label=City"), performed=True)
    typed = expect(decide_call(TypeInto(text="Rome"), shown, after), Perform)
    assert typed.action == TypeText(target=ByRef(ref=1, snapshot_id="s1"), text="Rome")


def test_an_option_is_chosen_by_the_mapping_else_as_it_is_written():
    mapping = DropdownMapping(type="native_select", container="label=Country", options={"italy": "Italy (IT)"})
    context = FlowContext(FlowFiles(mappings={"country": mapping}))
    shown = page(el("combobox", "Country", tag="select"))
    for wanted, expected in (("Italy", "Italy (IT)"), ("Spain", "Spain")):
        chosen = expect(decide_call(ChooseOption(selector="label=Country", option=wanted), shown, context), Perform)
        assert isinstance(chosen.action, PickOption)
        assert chosen.action.option == expected


def test_what_a_search_brings_is_clicked_when_it_is_there():
    call = ChooseOption(selector="label=Who", option="Ann Lee (E-1)", search="E-1")
    first = expect(decide_call(call, page(el("combobox", "Who", tag="input")), EMPTY), Perform)
    assert first.more
    assert isinstance(first.action, TypeText)
    second = FlowContext(FlowFiles(), done=1)
    offered = page(el("combobox", "Who", tag="input"), el("option", "Ann Lee (E-10)"), el("option", "Ann Lee (E-1)"))
    click = expect(decide_call(call, offered, second), Perform)
    assert click.action == Click(target=ByRef(ref=3, snapshot_id="s1"))
    assert code(decide_call(call, page(el("option", "Ann Lee (E-10)")), second)) == "element_missing"


def test_what_a_search_brings_may_have_another_role_than_an_option():
    mapping = DropdownMapping(type="custom", container="label=Who", option_selector="role=treeitem")
    context = FlowContext(FlowFiles(mappings={"who": mapping}), done=1)
    call = ChooseOption(selector="label=Who", option="Ann Lee", search="Ann")
    offered = page(el("combobox", "Who", tag="input"), el("option", "Ann Lee"), el("treeitem", "Ann Lee"))
    click = expect(decide_call(call, offered, context), Perform)
    assert click.action == Click(target=ByRef(ref=3, snapshot_id="s1"))


def test_another_effect_than_in_the_samples_is_told():
    facts = {"text=Save": ElementFacts(role="button", effects=("navigated",))}
    click = expect(
        decide_call(ClickElement(selector="text=Save"), SHOWN, FlowContext(FlowFiles(locators=facts))), Perform
    )
    assert check_effect(click, done_result(effect=Navigated(url="/x"))) == FlowAnswer()
    assert code(check_effect(click, done_result(effect=PageChanged()))) == "effect_missing"
    assert code(check_effect(click, done_result(ok=False, code="blocked", message="covered"))) == "action_failed"


TABBED = page(*ticket(), el("tab", "History"))
OF_TICKET = under("Assignee")


def clicked_tab(role: str = "tab", *, recorded: str = "page_changed", irreversible: bool = False) -> Perform:
    shown = page(*ticket(), el(role, "History"))
    facts = {"text=History": ElementFacts(role="tab", effects=(recorded,))}
    call = ClickElement(selector="text=History", irreversible=irreversible)
    return expect(decide_call(call, shown, FlowContext(FlowFiles(locators=facts))), Perform)


@cases(
    ("recorded", "now"),
    [("page_changed", Navigated(url="/history")), ("navigated", PageChanged())],
)
def test_a_tab_may_be_a_page_now_and_a_page_a_tab(recorded, now):
    click = clicked_tab(recorded=recorded)
    assert is_exchanged(click, done_result(effect=now))
    assert check_effect(click, done_result(effect=now)) == FlowAnswer()
    assert code(check_effect(clicked_tab(recorded="value_set"), done_result(effect=now))) == "effect_missing"


def test_what_is_pressed_once_or_may_send_a_form_has_its_recorded_effect():
    now = done_result(effect=Navigated(url="/history"))
    assert code(check_effect(clicked_tab(irreversible=True), now)) == "effect_missing"
    filled = FlowContext(
        FlowFiles(locators={"text=History": ElementFacts(role="tab", effects=("page_changed",))}),
        filled=(FilledField("label=Name", "Ann"),),
    )
    click = expect(decide_call(ClickElement(selector="text=History"), TABBED, filled), Perform)
    assert code(check_effect(click, now)) == "effect_missing"


def test_after_another_way_to_show_the_page_proves_the_record_before_it_is_read():
    proven = after_call(fields(name=(rule(AtHeading(level=1)),), assignee=(OF_TICKET,)),
                        ProveRecord(expected={"name": "TCK-1001"}), performed=False)  # fmt: skip
    clicked = after_call(proven, ClickElement(selector="text=History"), performed=True, exchanged=True)
    asked = ReadFields(fields=("assignee",))
    own, other = page(heading("TCK-1001"), *row("Assignee", "Ann Lee")), page(heading("TCK-2"), *row("Assignee", "Bo"))
    assert decide_call(asked, own, clicked) == FlowAnswer(value={"assignee": "Ann Lee"})
    assert code(decide_call(asked, other, clicked)) in ("wrong_record", "record_unproven")
    never = after_call(
        fields(assignee=(OF_TICKET,)), ClickElement(selector="text=History"), performed=True, exchanged=True
    )
    assert code(decide_call(asked, own, never)) == "record_unproven"
    again = after_call(clicked, ProveRecord(expected={"name": "TCK-1001"}), performed=False)
    assert not again.exchanged


@cases(("role", "found"), [("link", True), ("tab", True), ("button", False), ("text", False)])
def test_what_only_shows_may_have_another_role_now(role, found):
    key = 'role=menuitem[name="History"]'
    facts = {key: ElementFacts(role="menuitem", selectors=("css=.gone",), effects=("page_changed",))}
    shown = page(*ticket(), el(role, "History"))
    decided = decide_call(ClickElement(selector=key), shown, FlowContext(FlowFiles(locators=facts)))
    assert isinstance(decided, Perform) == found
    if isinstance(decided, Perform):
        assert decided.heal is not None
    once = decide_call(ClickElement(selector=key, irreversible=True), shown, FlowContext(FlowFiles(locators=facts)))
    assert isinstance(once, FlowAnswer)


def test_a_name_that_two_elements_have_that_can_be_clicked_is_no_other_role():
    key = 'role=button[name="History"]'
    facts = {key: ElementFacts(role="button", effects=("navigated",))}
    shown = page(*ticket(), el("link", "History"), el("tab", "History"))
    assert isinstance(
        decide_call(ClickElement(selector=key), shown, FlowContext(FlowFiles(locators=facts))), FlowAnswer
    )


def test_elements_are_counted_and_looked_for():
    shown = page(el("link", "a"), el("link", "b"))
    assert decide_call(CountElements(selector="role=link"), shown, EMPTY) == FlowAnswer(value=2)
    assert decide_call(CheckShown(selector="text=a"), shown, EMPTY) == FlowAnswer(value=True)
    assert decide_call(CheckShown(selector="role=link"), shown, EMPTY) == FlowAnswer(value=False)
    assert code(decide_call(CountElements(selector="div.x"), shown, EMPTY)) == "bad_call"
    asked = expect(decide_call(CheckShown(selector="div.x"), shown, EMPTY), Perform)
    assert isinstance(asked.action, Extract)
    assert check_effect(asked, done_result(ok=False, code="not_found")) == FlowAnswer(value=False)


# --- reading


def test_fields_are_read_where_their_rules_agree():
    context = fields(assignee=(under("Assignee"), rule(AfterText(text="Assignee", steps=1, role="definition"))))
    assert decide_call(ReadFields(fields=("assignee",)), SHOWN, context) == FlowAnswer(value={"assignee": "Ann Lee"})


def test_what_differs_is_told_with_its_candidates():
    context = fields(assignee=(under("Assignee"), under("Due date")))
    answer = decide_call(ReadFields(fields=("assignee",)), SHOWN, context)
    assert code(answer) == "value_uncertain"
    assert isinstance(answer, FlowAnswer)
    assert answer.error is not None
    assert "'Ann Lee' or 'Mar 3, 2026'" in answer.error.message


def test_structure_alone_is_not_enough():
    at = rule(AtPlace(path="dl>dd", nth=0, of=1))
    shown = page(text("Ann", place="dl>dd"))
    assert code(decide_call(ReadFields(fields=("assignee",)), shown, fields(assignee=(at,)))) == "value_uncertain"


@cases(("shown", "expected"), [("Unassigned", None), ("unassigned", None)])
def test_words_for_nothing_are_none(shown, expected):
    answer = decide_call(
        ReadFields(fields=("assignee",)), page(*row("Assignee", shown)), fields(assignee=(under("Assignee"),))
    )
    assert answer == FlowAnswer(value={"assignee": expected})


def test_a_dash_is_nothing_only_where_the_task_says_so():
    context = fields(due=(under("Due"),), other=(under("Other"),))
    shown = page(*row("Due", "-"), *row("Other", "-"))
    assert decide_call(ReadFields(fields=("due",)), shown, context) == FlowAnswer(value={"due": None})
    assert code(decide_call(ReadFields(fields=("other",)), shown, context)) == "value_missing"


@cases("shown", ["Loading…", "...", "Please wait"])
def test_what_stands_there_until_the_value_comes_is_no_value(shown):
    answer = decide_call(
        ReadFields(fields=("assignee",)), page(*row("Assignee", shown)), fields(assignee=(under("Assignee"),))
    )
    assert code(answer) == "value_missing"


def test_a_text_of_every_page_is_no_value_but_beside_its_own_label():
    constants = tuple(constant_at(one, one.name) for one in SHOWN.elements)
    placed = rule(AfterText(text="Assignee", steps=1, role="definition"))
    call = ReadFields(fields=("assignee",))
    assert code(decide_call(call, SHOWN, fields(assignee=(placed,), constants=constants))) == "value_missing"
    assert code(decide_call(call, SHOWN, fields(assignee=(under("Assignee"), placed), constants=constants))) == ""


def test_a_field_for_a_model_is_refused():
    assert code(decide_call(ReadWithModel(fields=("mood",)), SHOWN, EMPTY)) == "needs_model"


# --- whose record


@cases(
    ("shown", "expected", "told"),
    [
        ("TCK-1001", "tck-1001", ""),
        ("#1001", "1001", ""),
        ("8f2c1de", "8f2c1deaa0b1c2d3e4f5061728394a5b6c7d8e9f", ""),
        ("TCK-10011", "TCK-1001", "wrong_record"),
    ],
)
def test_the_record_is_proven_by_its_field(shown, expected, told):
    context = fields(number=(under("Number"),))
    assert code(decide_call(ProveRecord(expected={"number": expected}), page(*row("Number", shown)), context)) == told


@cases(("name", "told"), [("TCK-1001: Printer", ""), ("TCK-10011: Printer", "record_unproven")])
def test_without_rules_a_heading_proves_it(name, told):
    shown = page(heading(name))
    assert code(decide_call(ProveRecord(expected={"number": "TCK-1001"}), shown, EMPTY)) == told


def test_another_label_proves_nothing():
    shown = page(*row("Duplicate of", "TCK-1001"))
    assert code(decide_call(ProveRecord(expected={"number": "TCK-1001"}), shown, EMPTY)) == "record_unproven"


def named(*rules: ExtractionRule, wanted: str = "Issue13") -> FlowContext:
    """Return the context after the record was to be proven by its name, which only its place tells."""
    proof = ProveRecord(expected={"name": wanted})
    return after_call(fields(name=rules), proof, performed=False)


@cases(
    ("shown", "found"),
    [
        (page(heading("Issue13", level=2)), "Issue13"),
        (page(heading("Issue13", level=1)), "Issue13"),
        (page(heading("Issue14", level=2)), None),
        (page(heading("Issue14", level=2), heading("Issue13", level=1)), None),
        (page(heading("Duplicate of Issue13", level=1)), None),
        (page(text("Issue13")), None),
    ],
)
def test_the_name_of_the_record_is_read_where_its_place_or_a_heading_shows_what_the_row_has(shown, found):
    context = named(rule(AtHeading(level=2)))
    answer = expect(decide_call(ReadFields(fields=("name",)), shown, context), FlowAnswer)
    assert (None if answer.error is not None else answer.value["name"]) == found


def test_a_field_that_does_not_name_the_record_needs_its_label():
    context = fields(name=(rule(AtHeading(level=2)),))
    shown = page(heading("Issue13", level=2))
    assert code(decide_call(ReadFields(fields=("name",)), shown, context)) == "value_uncertain"


def test_a_name_that_only_its_place_tells_proves_the_record_if_it_is_the_wanted_one():
    context = fields(name=(rule(AtHeading(level=2)),))
    proof = ProveRecord(expected={"name": "Issue13"})
    assert code(decide_call(proof, page(heading("Issue13", level=2)), context)) == ""
    assert code(decide_call(proof, page(heading("Issue14", level=2)), context)) == "record_unproven"
    under_text = fields(name=(rule(AtPlace(path="main>p", nth=0, of=1)),))
    assert code(decide_call(proof, page(el("text", "Issue13", place="main>p")), under_text)) == "record_unproven"


# --- boxes, and what was filled in


@cases(("states", "wanted", "clicks"), [
    ((), True, True), (("checked",), True, False), (("checked",), False, True), ((), False, False),
    (("mixed",), True, True), (("mixed",), False, True),
])  # fmt: skip
def test_a_box_is_clicked_only_if_it_is_not_as_it_should_be(states, wanted, clicks):
    shown = page(el("checkbox", "Half day", states=states))
    decided = decide_call(SetChecked(selector="role=checkbox", checked=wanted), shown, EMPTY)
    assert isinstance(decided, Perform) is clicks
    if not isinstance(decided, Perform):
        assert decided == FlowAnswer()
        return
    assert check_effect(decided, done_result(effect=CheckboxSet(checked=wanted))) == FlowAnswer()
    assert code(check_effect(decided, done_result(effect=CheckboxSet(checked=not wanted)))) == "effect_missing"
    assert code(check_effect(decided, done_result(effect=CheckboxSet(checked=None)))) == "effect_missing"
    assert code(check_effect(decided, done_result(effect=PageChanged()))) == "effect_missing"


SEND = ClickElement(selector="role=button", irreversible=True)
FILLED = (
    TypeInto(selector='role=textbox[name="Reason"]', text="Moving"),
    ChooseOption(selector="label=Who", option="Ann Lee (E-1)"),
    ChooseDate(selector='role=textbox[name="First day"]', date="2026-12-03"),
    SetChecked(selector='role=checkbox[name="Half day"]', checked=True),
    TypeInto(selector='role=textbox[name="Phone"]', text="+39 123 456"),
)


def after_filling() -> FlowContext:
    context = EMPTY
    for call in FILLED:
        context = after_call(context, call, performed=True)
    return context


@cases("shown", [
    (),
    (el("definition", "Moving", header="Reason"), el("definition", "3 December 2026", header="First day")),
    (el("definition", "Ann Lee", header="Who:"),),
    (el("textbox", "Reason", value="moving"), el("checkbox", "Half day", states=("checked",))),
    (el("textbox", "Phone", value="+39-123-456"), el("textbox", "First day", value="12/03/2026")),
])  # fmt: skip
def test_what_cannot_be_undone_is_clicked_if_the_page_shows_what_was_filled_in_or_nothing(shown):
    decided = expect(decide_call(SEND, page(el("button", "Send"), *shown), after_filling()), Perform)
    assert decided.irreversible


@cases("shown", [
    el("definition", "Illness", header="Reason"),
    el("definition", "4 December 2026", header="First day"),
    el("definition", "Ann Leeson", header="Who"),
    el("textbox", "Reason", value=""),
    el("textbox", "Reason", value="Moving", states=("invalid",)),
    el("checkbox", "Half day"),
])  # fmt: skip
def test_what_cannot_be_undone_is_not_clicked_where_the_page_shows_another_value(shown):
    shown_page = page(el("button", "Send"), shown)
    assert code(decide_call(SEND, shown_page, after_filling())) == "form_differs"
    again = after_call(after_filling(), FILLED[0], performed=True)
    assert code(decide_call(SEND, shown_page, again)) == "form_differs"
    assert isinstance(decide_call(ClickElement(selector="role=button"), shown_page, after_filling()), Perform)


def test_the_last_value_of_a_field_counts():
    context = after_call(EMPTY, TypeInto(selector="label=City", text="Rome"), performed=True)
    context = after_call(context, TypeInto(selector="label=City", text="Oslo"), performed=True)
    shown = page(el("button", "Send"), el("textbox", "City", value="Oslo"))
    assert isinstance(decide_call(SEND, shown, context), Perform)


# --- what a page tells after what cannot be undone


def sent_order(*later: FlowCall) -> FlowContext:
    filled = [TypeInto(selector="label=Account", text="AC-7"), TypeInto(selector="label=Amount", text="120.00")]
    context = EMPTY
    for call in (*filled, SEND, *later):
        context = after_call(context, call, performed=True)
    return context


READ_NUMBER = ReadFields(fields=("number",))
OTHER_AMOUNT = page(*row("Account", "AC-7"), *row("Amount", "920.00"))


@cases("call", [READ_NUMBER, TakeScreenshot(label="result"), ClickElement(selector="role=link")])
def test_a_page_of_success_with_another_value_stops_the_flow(call):
    assert code(decide_call(call, OTHER_AMOUNT, sent_order())) == "form_differs"
    assert code(decide_call(call, page(*row("Account", "AC-8")), sent_order())) == "form_differs"


@cases(
    "shown",
    [
        page(*row("Account", "AC-7"), *row("Amount", "120.00")),
        page(*row("Number", "OR-1")),
        page(el("textbox", "Account", value=""), el("textbox", "Amount", value="")),
    ],
)
def test_a_page_of_success_that_contradicts_nothing_is_read(shown):
    assert code(decide_call(READ_NUMBER, shown, sent_order())) == "value_missing"


def test_a_later_page_counts_where_it_repeats_what_was_sent():
    on = sent_order(ClickElement(selector="role=link"))
    assert code(decide_call(READ_NUMBER, OTHER_AMOUNT, on)) == "form_differs"
    assert code(decide_call(READ_NUMBER, page(*row("Amount", "920.00")), on)) == "value_missing"
    again = after_call(on, TypeInto(selector="label=Amount", text="5.00"), performed=True)
    assert code(decide_call(READ_NUMBER, page(*row("Amount", "920.00")), again)) == "value_missing"


def test_before_it_was_sent_another_record_may_show_other_values():
    context = after_call(EMPTY, TypeInto(selector="label=Amount", text="120.00"), performed=True)
    assert code(decide_call(READ_NUMBER, OTHER_AMOUNT, context)) == "value_missing"


def test_what_covered_an_element_may_go_away_but_is_not_pressed_twice():
    blocked = done_result(ok=False, code="blocked", message="a dialog is over it")
    save = ClickElement(selector='role=button[name="Save"]')
    click = expect(decide_call(save, SHOWN, EMPTY), Perform)
    assert is_tried_again(click, blocked)
    assert is_tried_again(replace(click, answers_shown=True), blocked)
    assert not is_tried_again(replace(click, irreversible=True), blocked)
    assert not is_tried_again(click, done_result(ok=False, code="timeout", message="it took too long"))


def test_a_choice_that_is_made_anew_is_searched_anew():
    half = FlowContext(FlowFiles(), done=1)
    assert reset_call(half, ChooseOption(selector="label=Who", option="Ann Lee", search="Ann")).done == 0
    assert reset_call(half, DownloadAll(selector="role=link", label="files")).done == 1


def test_a_blank_that_tells_that_there_is_no_value_is_told_with_its_place():
    form = FieldType(type="string | null")
    file = FieldsFile(fields={"assignee": FieldRules(rules=(under("Assignee"),), labels=("assignee",), form=form)})
    context = FlowContext(FlowFiles(fields=file), not_present={"assignee": ("",)})
    blank = page(*row("Assignee", ""), *row("Team", "Red"))
    (reading,) = readings_of(ReadFields(fields=("assignee",)), blank, context)
    assert reading.state == "empty"
    assert reading.element is not None
    assert (reading.element.header, reading.element.name) == ("Assignee", "")
    (reading,) = readings_of(ReadFields(fields=("assignee",)), page(*row("Assignee", "Ida Falk")), context)
    assert (reading.state, reading.text) == ("value", "Ida Falk")
