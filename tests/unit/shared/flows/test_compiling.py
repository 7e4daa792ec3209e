"""Compiling: what several samples did becomes one flow, and what cannot be told keeps it a draft."""

from __future__ import annotations

import ast
from typing import Any, Literal

import pytest
from msgspec.structs import replace

from shared.contracts.results import Change, ClosingButton, Locator
from shared.contracts.steps import FieldValue, FlowPlace
from shared.extraction.rules import InLabelledRow, UnderHeader
from shared.flows.compiling.compiler import CompiledFlow, NotCompiledError, compile_flow
from shared.flows.compiling.source import find_values_in
from tests.cases import cases
from tests.typed import there
from tests.unit.shared.flows.recorded_world import Recorder, element, samples_of, spec_of

ROWS = ({"number": "T-100", "person": "Ann Lee"}, {"number": "T-207", "person": 'Bo "B" O\'Neil'})
SPEC = {"input_schema": {"number": "string", "person": "string"}, "start_url": "http://site/{number}"}


def record(number: int, **more: str) -> Recorder:
    row = {**ROWS[number], **more}
    return Recorder(row["number"], row)


def lines_of(flow: CompiledFlow) -> list[str]:
    """Return the statements of the sections, without white space around them."""
    tree = ast.parse(flow.source)
    found: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.AsyncFunctionDef) and node.name not in ("run", "main"):
            found += [ast.unparse(one) for one in node.body]
    return found


def compiled(recorders: list[Recorder], **keys: object) -> CompiledFlow:
    return compile_flow(spec_of(**{**SPEC, "start_url": "http://site/", **keys}), samples_of(recorders))


def pair() -> list[Recorder]:
    return [record(0), record(1)]


def status_of(one: Recorder) -> str:
    return "open" if one.row["number"] == "T-100" else "closed"


def ends(one: Recorder, *, by: int | None = None) -> None:
    """Show the page with the status, after a click on that element, and read it."""
    page = labelled_page(status_of(one))
    if by is None:
        one.show(*page)
    else:
        one.click(by, *page)
    one.read("status", 5)


def pressed(name: str, *, mark: int = 0, facts: dict[str, object] | None = None, **more: object):
    """Return both samples after a press of one button; blanks in its name are filled from the row."""
    recorders = pair()
    for one in recorders:
        one.open("http://site/", element(1, "button", name.format(**one.row), **more))
        one.click(1, *labelled_page(status_of(one)), mark=mark)
        one.mark_last(**(facts or {}))
        one.read("status", 5)
    return recorders


def labelled_page(status: str, number: str = ""):
    return (
        element(1, "heading", "A ticket", level=1),
        element(2, "term", "Number"),
        element(3, "definition", number, header="Number"),
        element(4, "term", "Status"),
        element(5, "definition", status, header="Status"),
    )


def test_an_address_is_made_of_the_variables_and_a_value_is_read_by_its_label():
    recorders = pair()
    for one, status in zip(recorders, ("open", "closed"), strict=True):
        one.open(f"http://site/{one.row['number']}", *labelled_page(status, one.row["number"]))
        one.screenshot("ticket")
        one.read("status", 5)
    flow = compiled(recorders, start_url=SPEC["start_url"])
    assert flow.problems == ()
    assert lines_of(flow) == [
        ast.unparse(ast.parse("await open_page(f\"http://site/{quote(number, safe='')}\")")),
        "await screenshot('ticket')",
        "return await read('status')",
    ]
    assert set(flow.files.variables) == {"number!"}
    assert flow.files.fields.fields["status"].rules


def test_the_record_is_proven_before_the_first_picture():
    recorders = pair()
    for one, status in zip(recorders, ("open", "closed"), strict=True):
        one.open(f"http://site/{one.row['number']}", *labelled_page(status, one.row["number"]))
        one.screenshot("ticket")
        one.read("status", 5)
        one.read("number", 3)
    schema = {"number": "string", "status": "string"}
    flow = compiled(recorders, start_url=SPEC["start_url"], output_schema=schema, identity={"number": "{number}"})
    lines = lines_of(flow)
    assert lines.index("await prove_record(number=number)") < lines.index("await screenshot('ticket')")


def test_no_value_of_a_variable_is_in_the_source_whatever_it_contains():
    recorders = pair()
    for one in recorders:
        page = (element(1, "textbox", "Name"), element(2, "button", "Search"))
        one.open("http://site/", *page)
        one.type(1, one.row["person"])
        one.click(2, element(1, "link", one.row["person"]), element(2, "link", "Home"))
        ends(one, by=1)
    flow = compiled(recorders)
    assert "await type_text(selector=by_role('textbox', 'Name'), text=person)" in lines_of(flow)
    assert "await click(by_role('link', person))" in lines_of(flow)
    for row in ROWS:
        assert find_values_in(flow.source, row) == []
    ast.parse(flow.source)


def test_steps_that_failed_are_not_repeated():
    recorders = pair()
    for one in recorders:
        one.open("http://site/", element(1, "button", "Go"), element(2, "button", "Stay"))
        one.fail(2)
        ends(one, by=1)
    assert not any("Stay" in line for line in lines_of(compiled(recorders)))


@pytest.mark.parametrize(
    ("waited_s", "line"),
    [
        ((20.0, 45.0), "await wait_for(by_role('button', 'Go'), timeout_s=45.0)"),
        ((10.0, 10.0), "await wait_for(by_role('button', 'Go'))"),
        ((0.0, 0.0), "await wait_for(by_role('button', 'Go'))"),  # a flow waits for more than nothing
        ((5000.0, 5.0), "await wait_for(by_role('button', 'Go'), timeout_s=300.0)"),  # and for no more than this
    ],
)
def test_a_flow_waits_as_long_as_any_of_its_samples_would(waited_s: tuple[float, float], line: str):
    recorders = pair()
    for one, timeout_s in zip(recorders, waited_s, strict=True):
        one.open("http://site/", element(1, "button", "Go"))
        one.await_element(1, timeout_s)
        ends(one, by=1)
    assert line in lines_of(compiled(recorders))


def test_a_link_that_shows_a_value_is_found_by_what_stands_beside_it():
    recorders = pair()
    for at, one in enumerate(recorders):
        link = element(3, "link", f"#{at + 31}", header="Pull request")
        one.open("http://site/", element(2, "term", "Pull request"), link, element(4, "link", "Home"))
        ends(one, by=3)
    assert "await click(beside(by_role('link'), 'Pull request'))" in lines_of(compiled(recorders))


def test_a_link_in_a_table_is_found_by_the_row_that_has_the_variable():
    recorders = pair()
    for at, one in enumerate(recorders):
        rows = [
            (element(2, "link", "Open", row=1, header="Action"), element(3, "cell", "Cy Doe", row=1, header="Name")),
            (
                element(4, "link", "Open", row=2, header="Action"),
                element(5, "cell", one.row["person"], row=2, header="Name"),
            ),
        ]
        one.open("http://site/", *(rows[at] + rows[1 - at]))
        ends(one, by=4)
    [line] = [line for line in lines_of(compiled(recorders)) if "click" in line]
    assert line == "await click(in_row(beside(by_role('link'), 'Action'), person))"


def test_a_banner_that_was_closed_is_closed_only_where_it_is():
    recorders = pair()
    for at, one in enumerate(recorders):
        page = labelled_page(("open", "closed")[at])
        one.open("http://site/", element(9, "button", "Reject all", in_dialog=True), *page)
        if at == 0:
            one.click(9)
        one.show(*page)
        one.screenshot("ticket")
        one.read("status", 5)
    flow = compiled(recorders)
    assert flow.problems == ()
    assert "await try_click(by_role('button', 'Reject all'))" in lines_of(flow)
    assert flow.files.locators['role=button[name="Reject all"]'].over_page


def closed_by_pool(name: str) -> dict[str, Any]:
    """Return the result of a step before which the browser pool has pressed this button over the page."""
    closed = (ClosingButton(role="button", name=name),)
    return {"change": Change(url_before="", url_after="", dismissed=("a banner",), closed_by=closed)}


def test_what_the_browser_pool_closed_by_itself_is_closed_by_the_flow():
    recorders = pair()
    for at, one in enumerate(recorders):
        one.open("http://site/", element(1, "button", "Go"))
        one.click(1, *labelled_page(("open", "closed")[at]))
        if at == 1:
            one.mark_last(result=replace(there(one.steps[-1].result), **closed_by_pool("Reject all")))
        one.read("status", 5)
    flow = compiled(recorders)
    assert flow.problems == ()
    lines = lines_of(flow)
    at = lines.index("await try_click(by_role('button', 'Reject all'))")
    assert lines[at + 1] == "await click(by_role('button', 'Go'))"
    assert flow.files.locators['role=button[name="Reject all"]'].over_page


def test_a_button_of_the_page_with_the_name_of_one_that_closes_is_never_only_tried():
    recorders = pair()
    for at, one in enumerate(recorders):
        one.open("http://site/", element(1, "button", "Close"))
        one.click(1, *labelled_page(("open", "closed")[at]))
        one.mark_last(result=replace(there(one.steps[-1].result), **closed_by_pool("Close")))
        one.read("status", 5)
    flow = compiled(recorders)
    assert [line for line in lines_of(flow) if "Close" in line] == ["await click(by_role('button', 'Close'))"]
    assert not flow.files.locators['role=button[name="Close"]'].over_page


def test_what_lies_over_the_page_anchors_nothing_on_it():
    recorders = pair()
    for at, one in enumerate(recorders):
        link = element(3, "link", f"Issue {at + 31}")
        over = element(2, "heading", "We use cookies", in_dialog=True)
        one.open("http://site/", element(1, "heading", "Latest"), over, link, element(4, "link", "Home"))
        ends(one, by=3)
    flow = compiled(recorders)
    assert "await click(after(by_role('link'), 'Latest'))" in lines_of(flow)
    assert "cookies" not in repr(flow.files.locators)


def form(one: Recorder, *, half: bool) -> None:
    one.open(
        "http://site/",
        element(1, "checkbox", "The last day is a half day"),
        element(2, "checkbox", "I agree"),
        element(3, "button", "Save"),
    )
    if half:
        one.click(1)
    one.click(2)
    ends(one, by=3)


@cases("halves", [("yes", "no"), ("yes", "yes")])
def test_a_box_that_a_variable_asks_for_is_ticked_only_then(halves):
    recorders = [record(at, half_day=half) for at, half in enumerate(halves)]
    for one, half in zip(recorders, halves, strict=True):
        form(one, half=half == "yes")
    schema = {"half_day": "string"}
    flow = compiled(recorders, input_schema=schema)
    lines = lines_of(flow)
    assert "await set_checked(by_role('checkbox', 'The last day is a half day'), half_day)" in lines
    assert "await set_checked(by_role('checkbox', 'I agree'))" in lines
    assert flow.files.variables["half_day!"].type == "boolean"


def test_a_variable_that_never_differed_and_did_nothing_accepts_no_other_value():
    recorders = [record(at, half_day="no") for at in (0, 1)]
    for one in recorders:
        form(one, half=False)
    flow = compiled(recorders, input_schema={"half_day": "string", "number": "string"})
    assert flow.files.variables["half_day!"].enum_values == ("no",)
    assert "number!" not in flow.files.variables  # the samples had different ones and did the same


def select(ref: int, name: str, *options: str):
    return (
        element(ref, "combobox", name, tag="select"),
        *(element(ref + n, "option", one, tag="option") for n, one in enumerate(options, 1)),
    )


def test_a_select_that_is_whole_has_a_mapping_and_one_that_depends_has_none():
    countries = {"Kenya": ("Nairobi", "Mombasa"), "Japan": ("Tokyo", "Osaka")}
    recorders = [record(0, country="Kenya", office="Mombasa"), record(1, country="Japan", office="Tokyo")]
    for one in recorders:
        country, office = one.row["country"], one.row["office"]
        one.open("http://site/", *select(10, "Country", "Japan", "Kenya"), *select(20, "Office"))
        one.pick(10, country)
        one.show(*select(10, "Country", "Japan", "Kenya"), *select(20, "Office", *countries[country]))
        one.pick(20, office)
        ends(one)
    flow = compiled(recorders, input_schema={"country": "string", "office": "string"})
    assert list(flow.files.mappings) == ["country"]
    mapping = flow.files.mappings["country"]
    assert mapping.type == "native_select"
    assert mapping.options == {"japan": "Japan", "kenya": "Kenya"}
    lines = lines_of(flow)
    assert (
        "await select_option(selector=mappings['country']['container'], label=option_of(mappings['country'], country))"
        in lines
    )
    assert "await select_option(selector=by_role('combobox', 'Office'), label=office)" in lines


def test_a_dropdown_that_is_searched_names_the_selector_of_its_options_and_no_option():
    recorders = [record(0, who="Ann Lee", id="E-1"), record(1, who="Bo Xi", id="E-20")]
    for one in recorders:
        shown = f"{one.row['who']} ({one.row['id']})"
        one.open("http://site/", element(1, "combobox", "Who", tag="input"))
        one.type(1, one.row["id"])
        one.show(element(1, "combobox", "Who", tag="input"), element(2, "option", shown))
        one.click(2)
        ends(one)
    flow = compiled(recorders, input_schema={"who": "string", "id": "string"})
    mapping = flow.files.mappings["who"]
    assert (mapping.type, mapping.options, mapping.option_selector) == ("custom", {}, "role=option")
    chosen = "await select_option(selector=mappings['who']['container'], label=f'{who} ({id})', search=id)"
    assert chosen in lines_of(flow)


def test_files_whose_number_differs_are_all_fetched():
    recorders = pair()
    for at, one in enumerate(recorders):
        links = [element(10 + n, "link", f"Download {n}{at}", regions=("Files",)) for n in range(2 - at)]
        one.open("http://site/", *links, *labelled_page(("open", "closed")[at]))
        for n in range(2 - at):
            one.download(10 + n, f"files_{n + 1}")
        one.read("status", 5)
    assert "await download_all(in_region(by_role('link'), 'Files'), 'files')" in lines_of(compiled(recorders))


def fetched(labels: tuple[list[str], list[str]], *, shown: tuple[int, int], route: list[dict] | None = None):
    """Return the downloads of a flow of two samples that fetched files with these labels, of as many as were shown."""
    recorders = pair()
    for at, one in enumerate(recorders):
        links = [element(10 + n, "link", f"Get {n}{at}", regions=("Files", "Main")) for n in range(shown[at])]
        other = element(30, "link", "Home", regions=("Main",))
        one.open("http://site/", other, *links, *labelled_page(("open", "closed")[at]))
        for n, label in enumerate(labels[at]):
            one.download(10 + n, label)
        one.read("status", 5)
    flow = compiled(recorders, route=route or [])
    return [line for line in lines_of(flow) if "download" in line], flow.problems


ALL_FILES = ["await download_all(in_region(by_role('link'), 'Files'), 'files')"]


@cases("labels", [(["files"] * 3, ["files"]), (["files"] * 2, [])])
def test_files_of_one_label_side_by_side_are_all_fetched(labels):
    assert fetched(labels, shown=(len(labels[0]), len(labels[1]))) == (ALL_FILES, ())


def test_a_file_whose_label_the_route_fetches_all_under_is_one_of_a_list():
    route = [{"download_all": "files"}]
    assert fetched((["files"], ["files"]), shown=(1, 1), route=route) == (ALL_FILES, ())
    [line], _ = fetched((["file"], ["file"]), shown=(1, 1), route=route)
    assert line.startswith("await download(")


def test_files_of_which_some_were_left_are_no_list():
    lines, problems = fetched((["files"] * 2, ["files"] * 2), shown=(3, 2))
    assert not any("download_all" in line for line in lines)
    assert problems


def test_files_of_a_branch_are_fetched_in_the_branch():
    recorders = pair()
    for at, one in enumerate(recorders):
        link = (element(8, "link", "#12", header="Ticket"),) if at == 0 else ()
        one.open("http://site/", *labelled_page(("open", "closed")[at]), *link)
        one.read("status", 5)
        if at == 0:
            one.click(8, *(element(n, "link", f"Get {n}", regions=("Files",)) for n in (1, 2)))
            one.download(1, "files")
            one.download(2, "files")
    flow = compiled(recorders)
    assert flow.problems == ()
    [run] = [one for one in ast.parse(flow.source).body if isinstance(one, ast.AsyncFunctionDef) and one.name == "run"]
    fetching = next(
        one.name for one in ast.parse(flow.source).body
        if isinstance(one, ast.AsyncFunctionDef) and "download_all" in ast.unparse(one)
    )  # fmt: skip
    assert any(isinstance(one, ast.If) and f"{fetching}(" in ast.unparse(one) for one in run.body)


def test_a_button_that_cannot_be_taken_back_says_so():
    flow = compiled(pressed("Submit", mark=1), route=[{"press": "Submit", "irreversible": True}])
    assert "await click(by_role('button', 'Submit'), irreversible=True)" in lines_of(flow)


@cases(
    ("name", "irreversible"),
    [("Submit", True), ("Submit order 7", True), ("Submit: *", True), ("Submit draft", False), ("Save", False)],
)
def test_a_button_that_a_model_pressed_cannot_be_taken_back_if_the_route_names_it(name, irreversible):
    route = [{"press": "Submit draft"}, {"press": ["Send", "Submit"], "irreversible": True}]
    source = compiled(pressed(name), route=route).source
    assert ("irreversible=True" in source) is irreversible


def test_the_name_of_a_button_may_be_made_of_the_row():
    route = [{"press": "Delete {number}", "irreversible": True}]
    assert "irreversible=True" in compiled(pressed("Delete {number}"), route=route).source


@cases("facts", [{"claimed": 3}, {"flow": FlowPlace(name="f", hash="0" * 64, number=1, line=1, irreversible=True)}])
def test_a_button_that_the_log_says_cannot_be_taken_back_says_so(facts):
    assert "await click(by_role('button', 'Go'), irreversible=True)" in lines_of(compiled(pressed("Go", facts=facts)))


def test_a_button_in_a_dialog_that_cannot_be_taken_back_is_not_pressed_only_if_it_is_there():
    flow = compiled(pressed("Submit", in_dialog=True), route=[{"press": "Submit", "irreversible": True}])
    assert "await click(by_role('button', 'Submit'), irreversible=True)" in lines_of(flow)


def test_a_branch_is_taken_where_its_first_element_is_shown():
    recorders = pair()
    for at, one in enumerate(recorders):
        link = (element(8, "link", "#12", header="Ticket"),) if at == 0 else ()
        one.open("http://site/", *labelled_page(("open", "closed")[at]), *link)
        one.screenshot("record")
        one.read("status", 5)
        if at == 0:
            one.click(8, element(1, "heading", "T"))
            one.screenshot("ticket")
    flow = compiled(recorders)
    assert flow.problems == ()
    assert 'if await is_shown(beside(by_role("link"), "Ticket")):' in flow.source


@cases(
    ("css", "kind", "is_told"),
    [("main > div:nth-of-type(2) > a", "css", False), ("#ticket", "id", True), ('[data-cy="ticket"]', "testid", True)],
)
def test_a_branch_is_no_branch_by_its_place_in_the_page_alone(
    css: str, kind: Literal["id", "testid", "css"], is_told: bool
):
    recorders = pair()
    for at, one in enumerate(recorders):
        found = Locator(kind=kind, value=css, matches=1)
        link = (element(8, "link", f"#{at}2", locators=(found,)),) if at == 0 else ()
        one.open("http://site/", *labelled_page(("open", "closed")[at]), *link)
        one.screenshot("record")
        one.read("status", 5)
        if at == 0:
            one.click(8, element(1, "heading", "T"))
            one.screenshot("ticket")
    problems = compiled(recorders).problems
    assert (problems == ()) is is_told
    if not is_told:
        [problem] = problems
        assert f"(click '#02') was not taken by T-207, and only its place in the page ({css})" in problem


def test_what_no_page_can_tell_keeps_it_a_draft():
    recorders = pair()
    for at, one in enumerate(recorders):
        one.open("http://site/", *labelled_page(("open", "closed")[at]))
        one.screenshot("a")
        if at:
            one.screenshot("b")
        one.read("status", 5)
    [problem] = compiled(recorders).problems
    assert "was not taken by T-100" in problem


def test_a_text_that_differs_and_is_no_variable_keeps_it_a_draft():
    recorders = pair()
    for at, one in enumerate(recorders):
        one.open("http://site/", element(1, "textbox", "Note"))
        one.type(1, ("hello", "goodbye")[at])
        ends(one)
    [problem] = compiled(recorders).problems
    assert "differs between the samples" in problem
    assert "'hello', 'goodbye'" in problem


def test_keys_that_differ_keep_it_a_draft():
    recorders = pair()
    for at, one in enumerate(recorders):
        one.open("http://site/", element(1, "textbox", "Amount"))
        one.press(1, ("ArrowUp", "ArrowDown")[at])
        ends(one)
    [problem] = compiled(recorders).problems
    assert "its keys differs between the samples" in problem
    assert "'ArrowUp', 'ArrowDown'" in problem


def test_a_box_that_was_ticked_here_and_cleared_there_is_asked_for_by_a_variable_or_told():
    recorders = [record(0, urgent="yes"), record(1, urgent="no")]
    for at, one in enumerate(recorders):
        one.open("http://site/", element(1, "checkbox", "Urgent"), element(2, "checkbox", "Paid"))
        one.check(1, checked=at == 0)
        ends(one)
    flow = compiled(recorders, input_schema={"number": "string", "person": "string", "urgent": "string"})
    assert flow.problems == ()
    assert "await set_checked(by_role('checkbox', 'Urgent'), urgent)" in lines_of(flow)
    for at, one in enumerate(recorders):
        one.steps.clear()
        one.open("http://site/", element(1, "checkbox", "Urgent"), element(2, "checkbox", "Paid"))
        one.check(2, checked=at == 0)
        ends(one)
    [problem] = compiled(recorders).problems
    assert "its checked differs between the samples" in problem


def test_a_field_that_no_rule_gives_is_left_to_a_model():
    recorders = pair()
    for at, one in enumerate(recorders):
        one.open("http://site/", *labelled_page(("open", "closed")[at]))
        one.read("status", 5)
    schema = {"status": "string", "count": {"type": "number", "derived": True}}
    flow = compiled(recorders, output_schema=schema)
    assert flow.with_model == ("count",)
    assert "await read_with_model('count')" in " ".join(lines_of(flow))


def test_a_step_of_the_route_that_no_sample_took_is_told():
    route = [{"press": "Go"}, {"download_all": "files"}]
    [problem] = compiled(pressed("Go", mark=1), route=route).problems
    assert problem.startswith("step 2 of the task's route (download_all 'files') was taken on no row")


def test_one_sample_is_not_enough():
    with pytest.raises(NotCompiledError, match="1 sample"):
        compile_flow(spec_of(**SPEC), [record(0).sample])


def test_an_id_that_looks_generated_is_no_selector():
    recorders = pair()
    for one in recorders:
        fixed = Locator(kind="id", value="#save", matches=1)
        generated = Locator(kind="id", value="#field-9182", matches=1)
        one.open("http://site/", element(1, "button", "Save", locators=(fixed, generated)))
        ends(one, by=1)
    facts = compiled(recorders).files.locators['role=button[name="Save"]']
    assert "#save" in facts.selectors
    assert "#field-9182" not in facts.selectors


def test_a_value_of_a_sample_that_stands_in_the_source_by_chance_keeps_it_a_draft():
    recorders = [record(0, person="Search"), record(1)]
    for one in recorders:
        one.open("http://site/", element(1, "textbox", "Name"), element(2, "button", "Search"))
        one.type(1, one.row["person"])
        one.click(2, *labelled_page("open" if one.row["number"] == "T-100" else "closed"))
        one.read("status", 5)
    flow = compiled(recorders, start_url="http://site/")
    assert "the source has a value of the variable 'person'" in flow.problems


def test_one_sample_that_shows_a_field_tells_it_by_the_fields_own_label_alone():
    recorders = shown_by_one()
    flow = compiled(recorders)
    (rule,) = flow.files.fields.fields["status"].rules
    assert isinstance(rule.where, UnderHeader)
    assert (rule.where.header, flow.with_model) == ("Status", ())


def test_one_sample_without_the_label_of_a_field_does_not_tell_where_it_stands():
    flow = compiled(shown_by_one(), output_schema={"status": {"type": "string", "labels": ["State"]}})
    assert flow.remarks == ("status: 1 of 2 samples show it on a stored page; 2 or more are needed",)
    assert flow.with_model == ("status",)


def test_one_sample_does_not_tell_a_field_whose_place_shows_something_where_there_is_none():
    recorders = shown_by_one()
    recorders[1].values.append(FieldValue(field="status", state="not_found"))
    assert compiled(recorders).with_model == ("status",)


@cases(("label", "is_told"), [("Status", True), ("Situation", False)])
def test_one_sample_that_shows_a_field_tells_it_by_the_label_in_its_row(label: str, is_told: bool):
    recorders = pair()
    for at, one in enumerate(recorders):
        cells = (("Number", one.row["number"]), (label, ("retired", "")[at]), ("Seen", f"{at} times"))
        pairs = [
            (element(2 * n, "cell", name, row=n, column=0, header="Column"),
             element(2 * n + 1, "cell", text, row=n, column=1, header="Value"))
            for n, (name, text) in enumerate(cells, 1)
        ]  # fmt: skip
        one.open(f"http://site/{one.row['number']}", *[cell for row in pairs for cell in row])
        one.screenshot("ticket")
    recorders[0].read("status", 5)
    recorders[1].values.append(FieldValue(field="status", state="not_present"))
    flow = compiled(recorders, output_schema={"status": "string | null"})
    assert (flow.with_model == ()) is is_told
    if is_told:
        (rule,) = flow.files.fields.fields["status"].rules
        assert rule.where == InLabelledRow(label="Status", columns=1, role="cell")


def shown_by_one() -> list[Recorder]:
    recorders = pair()
    for one in recorders:
        one.open(f"http://site/{one.row['number']}", *labelled_page("open"))
        one.screenshot("ticket")
    recorders[0].read("status", 5)
    return recorders
