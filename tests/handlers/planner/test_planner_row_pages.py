"""Rows of a record over several pages, read by the rules: all of them, or not as done. Truth is made with them."""

from __future__ import annotations

import random
from typing import Any

import pytest
from msgspec.structs import replace

from services.planner.state.transitions import replayed_state
from shared.contracts.actions import Click, Goto, SaveProgress
from shared.contracts.browser_pool import Element, PageObserved, Scroller
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import ValueSource
from shared.evidence_format.cells import with_cells
from tests.handlers.planner.planner_bench import Bench, bench_of
from tests.step_logs import logged
from tests.typed import expect
from tests.unit.planner.planner_pages import URL, box, cell, el, heading, page, spec, text
from tests.unit.planner.rows_pages import Rows, table

HEADS, NAMES = ("User", "Role"), ("user", "role")
PEOPLE = [(f"U-{number}", ("Owner", "Guest", "Editor")[number % 3]) for number in range(1, 12)]
RECORD = (heading("TCK-1001"), heading("Members", 2))


def address(number: int) -> str:
    return f"{URL}?page={number}" if number > 1 else URL


def link(name: str, url: str, **rest: Any) -> Element:
    return el("link", name, tag="a", url=url, **rest)


def on(number: int, name: str = "Next") -> Element:
    return link(name, address(number))


def shows(rows: Rows, *behind: Element, front: tuple[Element, ...] = RECORD, **rest: Any) -> PageObserved:
    return page(*front, *table(rows, HEADS), *behind, **rest)


def bench(site: dict[str, PageObserved], **field: Any) -> Bench:
    asked = {"type": "rows", "columns": {"user": "string", "role": "string"}, "id_keys": ["user"], **field}
    fields = {"ticket_number": "string", "status": "string | null", "members": asked}
    task = spec(output_schema=fields, required_fields=["members"], required_artifacts=[])
    one = bench_of(**task.model_dump(by_alias=True))
    one.scripted.site = {url: [shown] for url, shown in site.items()}
    return one


def members(finished: SampleFinished) -> Any:
    return next(value for value in finished.values if value.field == "members")


def read(finished: SampleFinished) -> list[tuple[str, ...]]:
    return [tuple(row.values()) for row in members(finished).value]


def three(*last: Element, **field: Any) -> Bench:
    pages = {
        address(1): shows(PEOPLE[:4], on(2)),
        address(2): shows(PEOPLE[4:8], on(1, "Previous"), on(3)),
        address(3): shows(PEOPLE[8:], on(2, "Previous"), *last),
    }
    return bench(pages, **field)


async def test_pages_are_turned_and_each_cell_names_the_page_that_shows_it():
    one = three()
    finished = await one.run()
    assert (finished.status, finished.flagged, finished.usage.llm_calls) == ("done", False, 0)
    assert read(finished) == PEOPLE
    sources = [expect(row.cells[0].source, ValueSource) for row in members(finished).rows]
    assert [source.url for source in sources] == [address(1)] * 4 + [address(2)] * 4 + [address(3)] * 3
    assert all(cell.source and cell.source.page_sha256 for cell in with_cells(members(finished))[1:])


async def test_the_log_gives_the_rows_of_the_pages_again():
    one = three()
    finished = await one.run()
    state = replayed_state(spec(), [*map(logged, one.steps)])
    assert state.seen["members"].value == members(finished).value
    assert [row.cells[0].shown for row in state.kept_rows["members"].rows] == [user for user, _ in PEOPLE[:8]]


async def test_a_step_logs_the_rows_that_are_new():
    """What repeats all rows so far grows with the square of the pages."""
    pages = 8
    rows = {number: [(f"U-{number}-{row}", "Owner") for row in range(3)] for number in range(1, pages + 1)}
    site = {address(number): shows(rows[number], *[on(number + 1)] * (number < pages)) for number in rows}
    one = bench(site)
    finished = await one.run()
    assert (finished.status, len(read(finished))) == ("done", 3 * pages)
    *before, last = one.steps
    counts = [len(value.rows) for step in before for value in (*step.values, *step.seen) if value.field == "members"]
    assert sum(counts) <= 3 * 3 * pages, "seen by two looks, and saved"
    assert [len(value.rows) for value in last.values if value.field == "members"] == [3 * pages]


SIGN_IN = page(el("textbox", "User"), el("textbox", "Password", secret=True), el("button", "Sign in"))
OTHER = (heading("TCK-2002"), heading("Members", 2))


@pytest.mark.parametrize(
    ("second", "field", "reason", "says"),
    [
        (SIGN_IN, {}, "incomplete_list", "asks for a password"),
        (shows([], http_status=500), {}, "incomplete_list", "HTTP 500"),
        (page(*RECORD, text("Something went wrong")), {}, "incomplete_list", "shows no such rows"),
        (shows(PEOPLE[:4], on(1)), {}, "incomplete_list", "shows no new item"),
        (shows(PEOPLE[4:8], front=OTHER), {}, "uncertain_list", "another record"),
        (shows([("U-1", "Nobody"), *PEOPLE[4:8]]), {}, "ambiguous_value", "'Guest', 'Nobody'"),
        (shows([PEOPLE[3], *PEOPLE[4:8]]), {"id_keys": []}, "incomplete_list", "id_keys"),
        (shows(PEOPLE[4:8], text("9 members")), {}, "incomplete_list", "8 of 9"),
        (shows(PEOPLE[4:8], on(3)), {}, "incomplete_list", "HTTP 404"),
    ],
)
async def test_what_is_not_the_next_page_of_these_rows_is_never_done(
    second: PageObserved, field: dict[str, Any], reason: str, says: str
):
    one = bench({address(1): shows(PEOPLE[:4], on(2)), address(2): second}, **field)
    one.scripted.site[address(3)] = [page(*RECORD, http_status=404, url=address(3))]
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", reason)
    assert says in finished.message


async def test_equal_rows_of_two_pages_are_two_only_where_an_id_key_says_so():
    again = [("U-9", "Guest"), ("U-9", "Guest")]
    site = {address(1): shows(again[:1], on(2)), address(2): shows(again[1:])}
    assert (await bench(site, id_keys=[]).run()).status == "needs_review"
    apart = [("U-9", "Guest"), ("U-8", "Guest")]
    site = {address(1): shows(apart[:1], on(2)), address(2): shows(apart[1:])}
    assert read(await bench(site, id_keys=[]).run()) == apart


async def test_what_one_page_says_of_the_number_of_rows_holds_for_all():
    site = {address(1): shows(PEOPLE[:4], text("12 members"), on(2)), address(2): shows(PEOPLE[4:])}
    finished = await bench(site).run()
    assert (finished.status, finished.reason) == ("needs_review", "incomplete_list")
    assert "11 of 12" in finished.message
    site[address(1)] = shows(PEOPLE[:4], text("11 members"), on(2))
    assert (await bench(site).run()).status == "done"


async def test_a_value_of_the_record_that_a_later_page_shows_otherwise_is_left_open():
    status = (el("term", "Status", tag="dt"), el("definition", "4 here", tag="dd", header="Status"))
    other = (status[0], el("definition", "7 here", tag="dd", header="Status"))
    site = {
        address(1): shows(PEOPLE[:4], on(2), front=(RECORD[0], *status, RECORD[1])),
        address(2): shows(PEOPLE[4:], front=(RECORD[0], *other, RECORD[1])),
    }
    finished = await bench(site).run()
    assert (finished.status, finished.reason) == ("needs_review", "ambiguous_value")
    assert "'4 here', '7 here'" in finished.message


COMMENTS = table([("2026-01-01", "first"), ("2026-01-02", "second")], ("When", "What"))
LATER = tuple(replace(one, row=(one.row or 0) + 50) for one in COMMENTS)


@pytest.mark.parametrize(
    "around",
    [
        # The pager of a list below, with a heading between and without one; of one above; of the next record.
        ((), (heading("Comments", 2), *LATER, link("Next", f"{URL}?comments=2"))),
        ((), (*LATER, link("Next", f"{URL}?comments=2"))),
        ((*COMMENTS, link("Next", f"{URL}?comments=2")), ()),
        ((), (link("Next", "http://127.0.0.1:8000/tickets/TCK-1002"),)),
        ((el("button", "Next", tag="button"),), ()),
        # Two pagers behind the rows, of which one turns something else.
        ((), (link("Next", f"{URL}?comments=2"), link("Next", f"{URL}?page=2"))),
    ],
)
async def test_what_may_turn_something_else_is_never_followed(around: tuple[Any, Any]):
    front, behind = around
    one = bench({URL: shows(PEOPLE, *behind, front=(*RECORD, *front))})
    finished = await one.run()
    assert not any(isinstance(action, Click) for action in one.scripted.actions)
    assert [action.url for action in one.scripted.actions if isinstance(action, Goto)] == [URL]
    headed = heading("Comments", 2) in behind
    assert (finished.status == "done") == headed


ROW_PX, PART_PX = 30, 180


def part(total: int, y_px: float, *, stuck: bool = False) -> PageObserved:
    """A part that draws only the rows around its place; ``stuck``: only the first ones."""
    first = max(0, int(y_px) // ROW_PX - 2)
    last = min(total, first + 10) if not stuck else 10
    rows = [(f"U-{number}", "Guest") for number in range(1, total + 1)]
    own = [
        replace(
            cell(HEADS[at], rows[number][at], number + 2, at),
            box=box(10, 100 + ROW_PX * number - y_px, height=ROW_PX),
            scroller=1,
        )
        for number in range(first, last)
        for at in (0, 1)
    ]
    most = float(ROW_PX * total - PART_PX)
    around = Scroller(number=1, y_px=y_px, max_y_px=most, top_px=100, height_px=PART_PX)
    return page(*RECORD, *table([], HEADS), *own, scrollers=(around,))


@pytest.mark.parametrize("keys", [["user"], []])
async def test_a_part_that_draws_only_what_is_seen_is_scrolled_to_its_end(keys: list[str]):
    one = bench({}, id_keys=keys)
    one.scripted.parts[URL] = lambda y_px: part(43, y_px)
    finished = await one.run()
    assert (finished.status, finished.flagged) == ("done", False)
    assert [user for user, _ in read(finished)] == [f"U-{number}" for number in range(1, 44)]


async def test_a_part_whose_rows_are_not_drawn_is_not_done():
    one = bench({})
    one.scripted.parts[URL] = lambda y_px: part(43, y_px, stuck=True)
    assert (await one.run()).reason == "incomplete_list"


async def test_a_page_that_is_not_kept_is_said():
    one = three()
    one.scripted.unkept = "the page is too large"
    finished = await one.run()
    assert finished.flagged
    assert any(note.kind == "not_kept" for note in finished.notes)


async def test_nothing_is_kept_on_the_way_where_the_first_page_has_all_rows():
    one = bench({URL: shows(PEOPLE)})
    finished = await one.run()
    assert finished.status == "done"
    assert not any(isinstance(step.action, SaveProgress) for step in one.steps)


def made(seed: int) -> tuple[Bench, list[tuple[str, str]], bool]:
    """Return a record with its members over pages, who they are, and whether nothing on the way is missing."""
    rng = random.Random(seed)
    size, pages = rng.randint(2, 5), rng.randint(1, 5)
    total = size * (pages - 1) + rng.randint(1, size)
    rows = [(f"U-{number}", rng.choice(("Owner", "Guest"))) for number in range(1, total + 1)]
    word, above, counted = rng.choice(("Next", "Weiter", "Suivant", "›")), rng.random() < 0.3, rng.random() < 0.4
    lost = rng.choice((None, None, None, "first again", "error", "short" if counted else None)) if pages > 2 else None
    after = (heading("Comments", 2), *LATER, link("Next", f"{URL}?comments=2")) if rng.random() < 0.4 else ()
    site: dict[str, PageObserved] = {}
    for number in range(1, pages + 1):
        own = rows[size * (number - 1) : size * number]
        pager = [replace(on(number + 1, word), area="pager" if word == "›" else "")] if number < pages else []
        pager = [on(number - 1, "Previous")] * (number > 1) + pager
        told = [text(f"{total} members")] if counted else []
        at_fault = lost if number == rng.randint(2, max(2, pages - 1)) else None
        if at_fault == "first again":
            own = rows[:size]
        if at_fault == "error":
            own, pager = [], []
        if at_fault == "short":
            own = own[:-1]
        front = (*RECORD, *told, *(pager if above else ()))
        site[address(number)] = shows(own, *pager, *after, front=front)
    one = bench(site)
    shown = [e.name for each in site.values() for e in each.elements if e.header == "User"]
    return one, rows, set(shown) == {user for user, _ in rows}


async def test_records_of_many_kinds_have_all_their_rows_or_are_not_done():
    harmless = right = 0
    for seed in range(120):
        one, rows, whole = made(seed)
        finished = await one.run()
        if finished.status == "done":
            assert read(finished) == rows, seed
        harmless += whole
        right += whole and finished.status == "done"
    assert harmless >= 60
    assert right >= 0.95 * harmless


async def test_no_page_is_turned_where_the_task_asks_for_the_first_one():
    one = three(pages="first")
    finished = await one.run()
    assert (finished.status, finished.flagged) == ("done", True)
    assert read(finished) == PEOPLE[:4]
    assert [note.field for note in finished.notes] == ["members"]
    assert "goes on: 'Next' leads on" in finished.notes[0].text
    assert len(one.scripted.actions) == 1
