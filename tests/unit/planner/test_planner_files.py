"""Files that a route fetches: by their address, and by the one button without a name under a heading."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from services.planner.drivers.rules.decide_rules import decide
from services.planner.judge.record_checks import artifact_problems, file_notes, missing_artifacts
from services.planner.state.attempt_state import Act, AttemptState, ObserveAgain
from services.planner.state.transitions import after_look
from shared.contracts.actions import AnyAction, ByRef, Download, Fail, Goto, Screenshot
from shared.contracts.browser_pool import Element
from shared.contracts.results import ActionResult, FileContent
from shared.contracts.steps import note_text
from shared.flows.waiting import PAUSES_S
from shared.task.spec import TaskSpec, check_spec
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import acted, artifact, done_result, el, heading, page, shot, spec, ticket, view

OPENED = acted(AttemptState(), Goto(url="http://127.0.0.1:8000/"), done_result(), "")
SHOWN = page(*ticket())


def routed(*steps: object, **changes: object) -> TaskSpec:
    return spec(**{"required_artifacts": [], "required_fields": [], "route": list(steps), **changes})


def taken(task: TaskSpec, state: AttemptState, *elements: Element) -> Act:
    return expect(decide(view(page(*ticket(), *elements), state, spec=task)), Act)


def action(task: TaskSpec, state: AttemptState, *elements: Element) -> AnyAction:
    return taken(task, state, *elements).action


FILE = artifact("export", ".csv", "download")
KEPT = done_result(ok=False, code="failed", message="it is a file, not a page", artifacts=(FILE,))


def test_a_file_is_fetched_by_its_address_and_counts_under_its_own_label():
    task = routed({"download": "bill", "open": "/bills/{ticket_number}.csv"}, required_artifacts=["download:bill"])
    first = taken(task, OPENED)
    assert expect(first.action, Goto).url == "http://127.0.0.1:8000/bills/TCK-1001.csv"
    state = replace(acted(replace(OPENED, proven=True), first, KEPT, ""), proven=True)
    assert missing_artifacts(view(SHOWN, state, spec=task)) == ()
    assert not isinstance(action(task, state), Goto | Download)


@cases(
    ("results", "code", "words"),
    [
        ([done_result()], "off_route", "is a page, and no file came down"),
        ([done_result(ok=False, code="unreachable", message="gone")] * 2, "unreachable", "does not come down: gone"),
    ],
)
def test_an_address_without_a_file_goes_to_a_person(results: list[ActionResult], code: str, words: str):
    task, state = routed({"download": "bill", "open": "/bill.csv"}), OPENED
    for result in results:
        state = acted(state, taken(task, state), result, result.message)
    look = expect(action(task, state), Screenshot)
    failed = expect(action(task, acted(state, look, shot(look.label), "")), Fail)
    assert failed.code == code
    assert words in failed.note


ICON = el("button", "", tag="button")
OTHER = el("button", "Print", tag="button")


@cases(
    ("under", "ref"),
    [
        ((heading("Report", 2), OTHER, ICON, heading("Notes", 2), ICON), 8),
        ((heading("Report", 2), el("button", "icon download"), el("button", "icon pencil")), 7),
        ((heading("Report", 2), el("link", "Signed report", url="/r.pdf"), ICON, heading("Notes", 2)), 7),
    ],
)
def test_the_button_without_a_name_under_the_heading_is_pressed(under: tuple[Element, ...], ref: int):
    task = routed({"download": "report", "press": "Signed report", "under": "Report"})
    pressed = expect(action(task, OPENED, *under), Download)
    assert expect(pressed.target, ByRef).ref == ref


def test_two_buttons_without_names_are_a_question():
    task, state = routed({"download": "report", "under": "Report"}), OPENED
    seen = page(*ticket(), heading("Report", 2), ICON, ICON)
    for _ in PAUSES_S:
        state = after_look(state, ObserveAgain(0.3, 6000))
    look = expect(expect(decide(view(seen, state, spec=task)), Act).action, Screenshot)
    assert look.label == "ambiguous_target"


def test_a_file_is_fetched_in_one_way():
    written = {"task_id": "t", "goal": "g", "output_schema": {"a": "string"}}
    good, none = check_spec({**written, "route": [{"download": "bill", "open": "/b.csv"}]})
    assert (good is not None, none) == (True, ())
    _, problems = check_spec({**written, "route": [{"download": "bill", "open": "/b.csv", "press": "Bill"}]})
    assert [problem.where for problem in problems] == ["spec.route[0].download"]


def test_the_same_file_is_stored_once_and_counts_under_both_labels():
    task = routed(
        {"download": "bill", "open": "/bill.csv"},
        {"download": "again"},
        required_artifacts=["download:bill", "download:again"],
    )
    by_address = structs.replace(FILE, original_name="bill.csv")
    by_click = structs.replace(by_address, label="again", blob="another blob")
    proven = replace(OPENED, proven=True)
    state = acted(proven, taken(task, proven), done_result(artifacts=(by_address,)), "")
    button = el("link", "again", url="/bill.csv")
    state = acted(state, taken(task, state, button), done_result(artifacts=(by_click,)), "")
    assert [one.artifact.label for one in state.artifacts] == ["export"]
    assert missing_artifacts(view(SHOWN, state, spec=task)) == ()
    changed = structs.replace(by_click, sha256="cd" * 32)
    other = acted(state, Download(target=ByRef(ref=1, snapshot_id="s1")), done_result(artifacts=(changed,)), "")
    assert len(other.artifacts) == 2


EMPTY = structs.replace(
    artifact("report", ".pdf", "download"),
    original_name="report.pdf",
    content=FileContent(kind="empty", problem="empty", told="it has no bytes"),
)


def test_a_file_that_is_not_what_it_is_called_is_fetched_once_more_and_then_goes_to_a_person():
    task = routed({"download": "report"}, required_artifacts=["download:report"])
    state, button = replace(OPENED, proven=True), el("link", "report", url="/report.pdf")
    for _ in range(2):
        step = taken(task, state, button)
        expect(step.action, Download)
        state = replace(acted(state, step, done_result(artifacts=(EMPTY,)), ""), proven=True)
    look = expect(action(task, state, button), Screenshot)
    failed = expect(action(task, acted(state, look, shot(look.label), ""), button), Fail)
    assert failed.code == "invalid_file"
    assert "the file 'report.pdf' is not what it is called: it has no bytes" in failed.note
    (problem,) = artifact_problems(view(SHOWN, state, spec=task))
    assert problem.reason == "invalid_file"


def test_the_second_try_brings_the_file():
    task = routed({"download": "report"}, required_artifacts=["download:report"])
    state, button = replace(OPENED, proven=True), el("link", "report", url="/report.pdf")
    good = structs.replace(EMPTY, sha256="cd" * 32, content=FileContent(kind="pdf"))
    for came in (EMPTY, good):
        state = replace(acted(state, taken(task, state, button), done_result(artifacts=(came,)), ""), proven=True)
    assert missing_artifacts(view(SHOWN, state, spec=task)) == ()
    assert not isinstance(action(task, state, button), Download)


def test_a_file_that_nobody_required_is_a_note_if_it_is_not_what_it_is_called():
    state = acted(replace(OPENED, proven=True), Screenshot(label="a"), done_result(artifacts=(EMPTY,)), "")
    seen = view(SHOWN, replace(state, proven=True), spec=routed())
    assert [note_text(note) for note in file_notes(seen)] == [
        "the file 'report.pdf' is not what it is called: it has no bytes"
    ]
    assert artifact_problems(seen) == []


def test_a_file_that_could_not_be_opened_within_the_limits_fulfils_what_is_required():
    content = FileContent(kind="zip", problem="unopened", told="it could not be opened within the limits")
    task = routed({"download": "report"}, required_artifacts=["download:report"])
    state, button = replace(OPENED, proven=True), el("link", "report", url="/report.pdf")
    came = done_result(artifacts=(structs.replace(EMPTY, content=content),))
    state = replace(acted(state, taken(task, state, button), came, ""), proven=True)
    assert artifact_problems(view(SHOWN, state, spec=task)) == []
    assert len(file_notes(view(SHOWN, state, spec=task))) == 1
