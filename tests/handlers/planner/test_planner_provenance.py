"""Every value read from a page is bound to the stored page, or has the reason why not."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from services.planner.state.attempt_state import Act
from services.planner.state.transitions import replayed_state
from shared.contracts.actions import AskPicture, ByRef, ByText, Click, Done, Extract, Goto, SaveProgress, Screenshot
from shared.contracts.browser_pool import CapturePage, PageObserved
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import FieldValue, ObservationRef, ValueSource, note_text
from shared.errors import Unavailable
from shared.subjects import CAPTURE
from tests.handlers.planner.planner_bench import Bench, bench_of
from tests.handlers.planner.scripted_driver import ScriptedDriver
from tests.handlers.planner.scripted_pool import ScriptedPool
from tests.handlers.planner.scripted_vision import eye_of, seen
from tests.typed import expect
from tests.unit.planner.planner_pages import URL, box, el, heading, page, row, spec, text, ticket

OTHER = "http://127.0.0.1:8000/other"
TWO_PAGES = {
    URL: [page(*ticket(), el("button", "More"))],
    OTHER: [page(heading("TCK-1001"), *row("Due date", "Mar 3, 2026"))],
}
DONE = Done(values={"ticket_number": "TCK-1001", "due_date": "Mar 3, 2026"}, refs={"ticket_number": 1, "due_date": 3})
CHANGED = page(*ticket(assignee="Bob"), el("text", "a minute later"))


def says_all(answers: list[Any]) -> ScriptedDriver:
    return ScriptedDriver(answers, name="opus")


def sources(finished: SampleFinished) -> dict[str, ValueSource]:
    return {one.field: one.source for one in finished.values if one.source is not None}


def named(finished: SampleFinished, kind: str) -> dict[str, str]:
    """Hashes by file name."""
    return {one.filename: one.artifact.sha256 for one in finished.artifacts if one.artifact.kind == kind}


async def test_values_are_bound_to_the_page_that_a_picture_brought_along():
    boxed = [
        el(e.role, e.name, tag=e.tag, header=e.header, level=e.level, box=box(10, 10), fingerprint="f")
        for e in ticket()
    ]
    one = bench_of(page(*boxed), pool={"with_pages": True})
    finished = await one.run()
    assert [filed.filename for filed in finished.artifacts] == [
        "01_ticket.png",
        "01_ticket.mhtml.zst",
        "01_ticket.observation.json.zst",
    ]
    (asked,) = (request for request in one.scripted.asked if isinstance(request, CapturePage))
    assert asked.known == (page(*boxed).sha256,)
    for value in finished.values:
        source = value.source
        assert source is not None
        assert source.page_sha256 == named(finished, "page")["01_ticket.mhtml.zst"]
        assert source.observation_file_sha256 == named(finished, "observation")["01_ticket.observation.json.zst"]
        assert source.screenshot_sha256 == named(finished, "screenshot")["01_ticket.png"]
        assert source.locators[0].value == f"#e{source.ref}"
        assert (source.kept_ref, source.fingerprint, value.read_by, value.origin) == (source.ref, "f", "rules", "page")
    assert (
        expect(one.steps[-1].observation, ObservationRef).page_sha256 == named(finished, "page")["01_ticket.mhtml.zst"]
    )
    assert one.steps[-1].values == finished.values
    assert (finished.notes, finished.flagged) == ((), False)


async def test_a_value_names_the_picture_that_the_browser_has_compared_with_the_page():
    boxed = [el(e.role, e.name, tag=e.tag, header=e.header, level=e.level, box=box(10, 10)) for e in ticket()]
    due = next(ref for ref, one in enumerate(ticket(), start=1) if one.header == "Due date")
    scrolled = {due: ("5" * 64, box(40, 200)), 1: ("", None)}
    one = bench_of(page(*boxed), pool={"with_pages": True, "on_picture": scrolled})
    finished = await one.run()
    taken = named(finished, "screenshot")["01_ticket.png"]
    (asked,) = (request for request in one.scripted.asked if isinstance(request, CapturePage))
    assert asked.pictures == (taken,)
    found = sources(finished)
    assert (found["due_date"].screenshot_sha256, found["due_date"].box) == ("5" * 64, box(40, 200))
    assert (found["ticket_number"].screenshot_sha256, found["ticket_number"].box) == ("", None)
    assert (found["assignee"].screenshot_sha256, found["assignee"].box) == (taken, box(10, 10))


async def test_the_values_between_which_a_page_leaves_a_field_open_are_bound_to_their_places():
    shown = (*ticket(), *row("Assignee", "Bob"))
    boxed = [el(e.role, e.name, tag=e.tag, header=e.header, level=e.level, box=box(10, 10)) for e in shown]
    one = bench_of(page(*boxed), pool={"with_pages": True})
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", "ambiguous_value")
    (open_field,) = (value for value in finished.values if value.candidates)
    assert (open_field.field, open_field.state) == ("assignee", "not_found")
    assert [candidate.shown for candidate in open_field.candidates] == ["Ann Lee", "Bob"]
    pictures = set(named(finished, "screenshot").values())
    for candidate in open_field.candidates:
        source = expect(candidate.source, ValueSource)
        assert source.box == box(10, 10)
        assert source.screenshot_sha256 in pictures
    first, second = (expect(candidate.source, ValueSource).ref for candidate in open_field.candidates)
    assert first != second


async def test_without_a_picture_the_page_is_kept_under_a_name_of_its_own():
    one = bench_of(page(*ticket()), required_artifacts=[])
    finished = await one.run()
    assert [filed.filename for filed in finished.artifacts] == [
        "page_01_tickets.mhtml.zst",
        "page_01_tickets.observation.json.zst",
    ]
    assert {source.page_sha256 for source in sources(finished).values()} == set(named(finished, "page").values())
    assert {source.screenshot_sha256 for source in sources(finished).values()} == {""}
    assert one.steps[-1].artifacts == finished.artifacts


async def test_a_value_that_its_page_shows_no_more_is_not_bound_and_a_person_is_told():
    one = bench_of(page(*ticket()), required_artifacts=[], pool={"meanwhile": CHANGED})
    finished = await one.run()
    found = sources(finished)
    assert (finished.status, finished.flagged) == ("done", True)
    assert found["assignee"].page_sha256 == found["assignee"].observation_file_sha256 == ""
    assert found["assignee"].observation_sha256 == page(*ticket()).sha256
    (note,) = finished.notes
    assert (note.kind, note.field) == ("not_as_read", "assignee")
    assert "'Ann Lee' was read" in note.text
    assert "'Bob'" in note.text
    assert found["due_date"].page_sha256 == next(iter(named(finished, "page").values()))


GONE = page(heading("TCK-1001: Printer on fire"))
LATER = {
    "it has grown": (page(*ticket(assignee="Ann Lee (away)"), text("later")), ""),
    "another name": (page(*ticket(assignee="Ann Leeds"), text("later")), "'Ann Leeds'"),
    "another label": (
        page(heading("TCK-1001"), *row("Reporter", "Ann Lee"), *row("Due date", "Mar 3, 2026")),
        "stood under 'Reporter'",
    ),
    "gone": (GONE, "its element was gone when the page was kept"),
}


@pytest.mark.parametrize(("later", "words"), LATER.values(), ids=LATER)
async def test_a_value_is_bound_where_the_page_that_is_kept_still_shows_it(later: PageObserved, words: str):
    """``words``: of the note why not."""
    finished = await bench_of(page(*ticket()), required_artifacts=[], pool={"meanwhile": later}).run()
    assert bool(sources(finished)["assignee"].page_sha256) is not bool(words)
    assert finished.flagged is bool(words)
    assert any(words in note.text for note in finished.notes if note.field == "assignee") is bool(words)


async def test_what_was_kept_before_stays_bound_though_it_is_gone_later():
    pictured = await bench_of(page(*ticket()), pool={"meanwhile": GONE, "with_pages": True}).run()
    assert sources(pictured)["assignee"].page_sha256 == named(pictured, "page")["01_ticket.mhtml.zst"]
    assert (pictured.notes, pictured.flagged) == ((), False)


async def test_a_value_in_several_elements_is_bound_only_while_all_of_them_say_the_same():
    parts = (text("Ann"), text("Bob"), text("Cid"))
    task = {"required_artifacts": [], "identity": {}, "required_fields": ["assignee"]}
    says = [Goto(url=URL), Done(values={"assignee": "Ann Bob"}, refs={"assignee": 2})]
    for last, bound in (("Bob", True), ("Rob", False)):
        later = page(heading("T"), text("Ann"), text(last), text("later"))
        one = bench_of(page(heading("T"), *parts), **task, pool={"meanwhile": later}, driver=says_all(says))
        finished = await one.run()
        assert bool(sources(finished)["assignee"].page_sha256) == bound, finished


@pytest.mark.parametrize(
    ("pool", "words"),
    [
        ({"unkept": "it is of 95 MiB"}, "95 MiB"),
        ({"lost": Unavailable("the session is gone", code="session_lost")}, "the session is gone"),
        ({}, "nobody answers"),
    ],
)
async def test_a_page_that_cannot_be_kept_fails_nothing_and_goes_to_a_person(pool: dict[str, Any], words: str):
    one = bench_of(page(*ticket()), pool=pool)
    if not pool:
        one.bus.closed_asks.add(CAPTURE.pattern)
    finished = await one.run()
    assert (finished.status, finished.flagged) == ("done", True)
    (note,) = finished.notes
    assert note.kind == "not_kept"
    assert words in note.text
    assert {source.page_sha256 for source in sources(finished).values()} == {""}


async def test_a_model_s_values_are_bound_to_the_page_each_was_saved_on():
    save = SaveProgress(values={"assignee": "Ann Lee"}, refs={"assignee": 3})
    says = [Goto(url=URL), save, Click(target=ByText(text="More")), Screenshot(label="ticket"), DONE]
    one = Bench(ScriptedPool(TWO_PAGES, clicks={"More": OTHER}, with_pages=True), driver=says_all(says))
    finished = await one.run()
    assert finished.status == "done", finished.message
    assert sorted(named(finished, "page")) == ["01_ticket.mhtml.zst", "page_01_tickets.mhtml.zst"]
    found = sources(finished)
    assert found["assignee"].page_sha256 == named(finished, "page")["page_01_tickets.mhtml.zst"]
    assert found["due_date"].page_sha256 == named(finished, "page")["01_ticket.mhtml.zst"]
    assert {value.read_by for value in finished.values} == {"opus"}
    assert [len(step.artifacts) for step in one.steps] == [0, 2, 0, 3, 0]


async def test_what_is_read_along_a_route_is_bound_before_its_page_is_left():
    assignee = FieldValue(field="assignee", state="value", value="Ann Lee", shown="Ann Lee", read_by="rules", source=AT)
    seen = Act(Click(target=ByText(text="More")), "rules", seen=(assignee,))
    written = spec(route=[{"follow": "More"}], required_artifacts=[]).model_dump(mode="json", by_alias=True)
    pool = ScriptedPool(TWO_PAGES, clicks={"More": OTHER})
    one = Bench(pool, driver=says_all([Goto(url=URL), seen, DONE]), task=written)
    finished = await one.run()
    left = one.steps[1]
    assert [one.filename for one in left.artifacts if one.artifact.kind == "page"] == ["page_01_tickets.mhtml.zst"]
    assert [(value.field, expect(value.source, ValueSource).page_sha256 != "") for value in left.seen] == [
        ("assignee", True)
    ]
    assert sources(finished)["assignee"] == left.seen[0].source
    assert sources(finished)["due_date"].page_sha256 == named(finished, "page")["page_02_tickets.mhtml.zst"]
    order = [type(request).__name__ for request in one.scripted.asked]
    assert order.index("CapturePage") < order.index("ActOnPage", order.index("ActOnPage") + 1)


AT = ValueSource(
    snapshot_id="s1",
    observation_sha256="x",
    url=URL,
    ref=3,
    role="definition",
    label="Assignee",
    box=None,
    frame="main",
)


async def test_pages_that_are_kept_show_no_progress_and_use_up_no_numbers():
    save = SaveProgress(values={"assignee": "Ann Lee"}, refs={"assignee": 3})
    says = [Goto(url=URL), save, save, Screenshot(label="ticket")]
    one = bench_of(page(*ticket()), driver=says_all([*says, Done(values={})]), pool={"with_pages": True})
    await one.run()
    assert one.steps[3].artifacts[0].filename == "01_ticket.png"
    assert one.steps[1].artifacts != one.steps[2].artifacts == ()
    states = [replayed_state(spec(), one.steps[:count]) for count in (2, 3)]
    assert [state.progress.gained for state in states] == [True, False]


# --- pictures that were asked about


@pytest.mark.parametrize("reported", [{"state": "failed"}, {}])
async def test_what_a_picture_says_is_bound_to_the_picture(reported: dict[str, str]):
    task = {
        "output_schema": {"ticket_number": "string", "state": "string | null"},
        "required_fields": ["state"],
        "required_artifacts": [],
    }
    asks = AskPicture(question="Pass?", target=ByRef(ref=2, snapshot_id="s1"), field="state")
    done = Done(values={"ticket_number": "TCK-1001", **reported}, refs={"ticket_number": 1})
    shown = page(heading("TCK-1001"), el("img", "build", tag="svg"))
    one = bench_of(shown, driver=says_all([Goto(url=URL), asks, done]), **task, pool={"with_pages": True})
    eye_of(one, seen("failed"))
    finished = await one.run()
    state = next(value for value in finished.values if value.field == "state")
    assert (state.value, state.origin, state.read_by) == ("failed", "vision", "eye")
    assert state.source is not None
    assert state.source.screenshot_sha256 == one.steps[1].artifacts[0].artifact.sha256
    assert state.source.page_sha256 == one.steps[1].artifacts[1].artifact.sha256
    assert (state.source.ref, state.source.observation_sha256) == (2, shown.sha256)


# --- where a bound ends the sample

SEEN = Act(
    Extract(target=ByRef(ref=1, snapshot_id="s1")),
    "rules",
    seen=(
        FieldValue(field="ticket_number", state="value", value="TCK-1001", shown="TCK-1001", read_by="rules"),
        FieldValue(field="assignee", state="value", value="Ann Lee", shown="Ann Lee", read_by="rules", source=AT),
    ),
)


def cut_short(says: list[Any], **rest: Any) -> Bench:
    return bench_of(page(*ticket()), max_steps=len(says), required_artifacts=[], driver=says_all(says), **rest)


async def test_what_was_read_when_a_bound_ends_the_sample_is_bound_to_its_page():
    one = cut_short([Goto(url=URL), SEEN])
    finished = await one.run()
    assert (finished.status, finished.reason) == ("partial_success", "max_steps_exceeded")
    source = sources(finished)["assignee"]
    assert source.page_sha256 == named(finished, "page")["page_01_tickets.mhtml.zst"]
    assert source.observation_file_sha256 == named(finished, "observation")["page_01_tickets.observation.json.zst"]
    assert source.locators[0].value == "#e3"
    assert {value.read_by for value in finished.values if value.state == "value"} == {"rules"}
    # it is a step, so that evidence files it and the log gives it again
    last = one.steps[-1]
    assert (last.step, finished.steps, last.decided_by) == (3, 3, "rules")
    assert isinstance(last.action, SaveProgress)
    assert last.action == SaveProgress(
        values={"ticket_number": "TCK-1001", "assignee": "Ann Lee"}, reason=last.action.reason
    )
    assert last.artifacts == finished.artifacts
    assert replayed_state(spec(), one.steps).stored == finished.artifacts
    assert finished.notes == ()


async def test_a_page_that_does_not_answer_any_more_is_asked_once():
    """Two looks, and time is up: the page would take its time again for each of them."""
    other = FieldValue(field="due_date", state="value", value="Mar 3, 2026", shown="Mar 3, 2026", read_by="rules")
    again = Act(SEEN.action, "rules", seen=(replace(other, source=replace(AT, snapshot_id="s2", ref=5)),))
    one = cut_short([Goto(url=URL), SEEN, again], pool={"unkept": "the page did not answer in time"})
    finished = await one.run()
    assert finished.status == "partial_success"
    [note] = finished.notes
    assert note_text(note) == "the page was not kept: the page did not answer in time"
    assert sum(isinstance(request, CapturePage) for request in one.scripted.asked) == 1


async def test_without_a_value_a_bound_keeps_nothing_and_takes_no_step():
    one = cut_short([Goto(url=URL), Screenshot(label="x"), Act(SEEN.action, "rules")])
    finished = await one.run()
    assert (finished.status, finished.steps) == ("failed", 3)
    assert not any(isinstance(request, CapturePage) for request in one.scripted.asked)


async def test_what_is_bound_with_its_locators_is_not_kept_again_by_a_bound():
    save = SaveProgress(values={"assignee": "Ann Lee"}, refs={"assignee": 3})
    one = cut_short([Goto(url=URL), save, Act(SEEN.action, "rules")])
    finished = await one.run()
    assert (finished.status, finished.steps) == ("partial_success", 3)
    assert sources(finished)["assignee"].page_sha256 == named(finished, "page")["page_01_tickets.mhtml.zst"]
    assert sum(isinstance(request, CapturePage) for request in one.scripted.asked) == 1
