"""Lists: reading, validation of reported items, and detection of the end."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from services.planner.drivers.rules.decide_listing import decide, list_end_reason
from services.planner.judge.listed_items import check_items, item_key, listing_ending
from services.planner.state.attempt_state import Act, AttemptState, Entry, ObserveAgain
from services.planner.state.transitions import after_look
from shared.contracts.actions import ByRef, Click, Done, Fail, Goto, ReportItems, Screenshot, Scroll
from shared.contracts.browser_pool import Element, Scroller
from shared.flows.waiting import PAUSES_S
from shared.pages.listing.list_reader import read_list
from shared.pages.lists.lists import interleaved_kinds
from tests.typed import expect
from tests.unit.planner.planner_pages import acted, box, cell, done_result, el, page, shot, spec, text, view

SITE = "http://127.0.0.1:8000"
TICKETS = {
    "phase": "discovery",
    "start_url": f"{SITE}/list",
    "output_schema": {"number": {"type": "string", "labels": ["Ticket"]}, "due": "date | null", "url": "string"},
    "required_fields": ["number", "url"],
    "required_artifacts": [],
    "identity": {},
}
DMY = {"type": "date | null", "date_order": "dmy"}
PEOPLE = {**TICKETS, "output_schema": {"name": "string", "url": "string"}, "required_fields": ["name", "url"]}


def ticket(number: str, row: int, due: str = "Mar 3, 2026"):
    link = el("link", f"About {number}", tag="a", url=f"{SITE}/t/{number}", header="Title", row=row, place="tr>td>a")
    return (cell("Ticket", number, row), link, cell("Due", due, row))


def person(name: str, path: str, place: str = "main>ul>li>a", **rest):
    return el("link", name, tag="a", url=f"{SITE}/{path}", place=place, **rest)


def listing_view(seen, state=None, **changes):
    return view(seen, state, spec=spec(**{**TICKETS, **changes}))


def report(*items: dict) -> ReportItems:
    return ReportItems(items=items)


# --- reading


def test_rows_of_a_table_are_read_by_their_columns():
    read = read_list(spec(**TICKETS), page(*ticket("T-1", 2), *ticket("T-2", 3, "Apr 4, 2026")))
    assert read.items == (
        {"number": "T-1", "due": "2026-03-03", "url": f"{SITE}/t/T-1"},
        {"number": "T-2", "due": "2026-04-04", "url": f"{SITE}/t/T-2"},
    )


def test_an_empty_cell_of_a_field_that_may_be_absent_is_no_reason_to_leave_its_row_out():
    required = {"required_fields": ["number", "due", "url"]}
    rows = (*ticket("T-1", 2, ""), *ticket("T-2", 3, "-"), *ticket("T-3", 4, "soon"))
    read = read_list(spec(**{**TICKETS, **required}), page(*rows))
    assert [(item["number"], item["due"]) for item in read.items] == [("T-1", None), ("T-2", None)]


def test_the_foot_of_a_table_is_no_item_and_a_joined_cell_is_in_each_of_its_rows():
    owners = {"output_schema": {"owner": "string", "number": "string"}, "required_fields": ["owner", "number"]}
    foot = [structs.replace(cell(*one, 9), in_foot=True) for one in (("Owner", "Total"), ("Number", "3 tickets"))]
    joined = structs.replace(cell("Owner", "Ann", 2), rows=2)
    rest = (cell("Number", "T-1", 2), cell("Number", "T-2", 3), cell("Owner", "Bo", 4), cell("Number", "T-3", 4))
    seen = page(joined, *rest, *foot)
    read = read_list(spec(**{**TICKETS, **owners}), seen)
    listed = [(item["owner"], item["number"]) for item in read.items]
    assert listed == [("Ann", "T-1"), ("Ann", "T-2"), ("Bo", "T-3")]
    assert read.last == 5
    assert len(check_items(listing_view(seen, **owners), report(*read.items)).new) == 3


def test_a_row_without_the_link_that_all_others_have_is_a_doubt_unless_it_is_the_total():
    numbers = {"output_schema": {"title": "string"}, "required_fields": ["title"]}

    def row(name: str, number: int, **rest: Any) -> Element:
        return el(**{"role": "link", "name": name, "tag": "a", "url": f"/t/{number}", "header": "Title", "row": number,
                     **rest})  # fmt: skip

    linked = [part for n in (1, 2, 3) for part in (row(f"About {n}", n), cell("Due", "2026-01-01", n))]
    bare = {"role": "cell", "url": None}
    for name, listed, doubted in (("Total", 3, False), ("Grand total:", 3, False), ("Draft", 4, True)):
        odd = (row(name, 4, **bare), cell("Due", "3", 4))
        read = read_list(spec(**{**TICKETS, **numbers}), page(*linked, *odd))
        assert (bool(read.doubt), len(read.items) == listed) == (doubted, not doubted), name


def test_rows_of_two_forms_that_take_turns_are_a_doubt_unless_one_only_lacks_a_value():
    titles = {"output_schema": {"title": "string"}, "required_fields": ["title"]}

    def read(*forms: str) -> str:
        """Return the doubt about rows: of each its cells, `t` a text, `a` a link and `.` none."""
        rows = [
            el("link" if kind == "a" else "cell", f"{kind}{row}", url=f"/t/{row}" if kind == "a" else None,
               header=("Number", "Title", "Owner")[at], row=row, column=at)
            for row, form in enumerate(forms, 1) for at, kind in enumerate(form) if kind != "."
        ]  # fmt: skip
        return read_list(spec(**{**TICKETS, **titles}), page(*rows)).doubt

    assert "each item may be 2 rows" in read("ta.", ".a.", "ta.", ".a.") + read("tat", "tt.", "tat", "tt.")
    assert "each item may be 2 rows" in read("tat", "tt.", "tat", "tt.")
    for single in (("tat", "tat"), ("tat", "ta.", "tat", "ta."), ("tat", "tat", "ta.", "tat")):
        assert read(*single) == "", single


def test_links_in_a_column_beside_are_another_list():
    def card(name: str, x: float, y: float) -> Element:
        return person(name, f"p/{name}", box=box(x, y, 200))

    own = [card(f"P{n}", 10, 100.0 * n) for n in range(4)]
    beside = [card(f"Q{n}", 900, 100.0 * n) for n in range(2)]
    assert "2 lists of the page fit" in read_list(spec(**PEOPLE), page(*own, *beside)).doubt
    grid = [card(f"P{n}", 10.0 + 300 * (n % 2), 100.0 * (n // 2)) for n in range(6)]
    assert len(read_list(spec(**PEOPLE), page(*grid)).items) == 6


def test_what_repeats_without_being_an_item_is_told_with_what_it_lacks():
    trials = [el("button", f"Trial {n} Complete", place="ul>li>div") for n in range(22)]
    ended = expect(decide(listing_view(page(*trials), begun(listed=0, looks=9))), Act).action
    assert isinstance(ended, Screenshot)
    assert "22 things repeat, from 'Trial 0 Complete' on" in read_list(spec(**PEOPLE), page(*trials)).lacks
    authors = {"output_schema": {"name": "string", "author": "string"}, "required_fields": ["name", "author"]}
    cards = page(*(person(f"Book {n}", f"b/{n}") for n in range(6)))
    assert read_list(spec(**{**TICKETS, **authors}), cards).lacks.endswith("and none shows author")
    empty = listing_view(page(*trials, text("No tickets found")), begun(listed=0, looks=9))
    assert isinstance(expect(decide(empty), Act).action, Done)


def test_a_chosen_filter_and_a_field_that_no_item_shows_are_said():
    status = el("combobox", "Status", tag="select", value="Open", area="search")
    seen = page(status, el("combobox", "Owner", value="All", area="search"), *ticket("T-1", 2), url=f"{SITE}/list")
    read = entry(report({"number": "T-1", "due": None, "url": "/t/T-1"}))
    ended = expect(decide(listing_view(seen, begun(read, looks=9))), Act)
    assert [note.text for note in ended.notes] == ["the list is filtered: Status is 'Open'", "no item shows due"]


def test_rows_that_can_be_pressed_are_rows_of_one_table():
    pressable = [(el("row", f"About {key}", tag="tr"), *ticket(key, at)) for at, key in enumerate(("T-1", "T-2"), 2)]
    read = read_list(spec(**TICKETS), page(*(one for row in pressable for one in row)))
    assert [item["number"] for item in read.items] == ["T-1", "T-2"]


def test_links_of_a_list_are_read_and_those_around_it_are_not():
    noise = [person(f"Menu {n}", f"m{n}", "nav>a", area="navigation") for n in range(9)]
    foot = [person(f"Legal {n}", f"l{n}", "footer>a", area="contentinfo") for n in range(9)]
    own = [person("Ann Lee", "p/1"), text("Engineer"), person("Bo Berg", "p/2"), text("Clerk")]
    read = read_list(spec(**PEOPLE), page(*noise, *own, *foot))
    assert [item["name"] for item in read.items] == ["Ann Lee", "Bo Berg"]


def test_a_later_page_is_read_where_the_list_stood_before():
    others = [person(f"Other {n}", f"o{n}", "main>div>a") for n in range(5)]
    assert read_list(spec(**PEOPLE), page(*others), "main>ul>li>a").items == ()


def test_a_link_beside_a_head_to_another_kind_of_page_is_no_item():
    commits = [person(f"Fix {n}", f"commit/{n}abcdef", box=box(10, 40.0 * n, 200)) for n in (1, 2)]
    pulls = [person(f"#{n}", f"pull/{n}", box=box(214, 40.0 * n, 30)) for n in (1, 2)]
    fields = {"output_schema": {"sha": "string", "url": "string"}, "required_fields": ["sha", "url"]}
    read = read_list(spec(**{**TICKETS, **fields}), page(commits[0], pulls[0], commits[1], pulls[1]))
    assert [item["sha"] for item in read.items] == ["1abcdef", "2abcdef"]


def test_cards_beside_each_other_are_items_each():
    cards = [person(f"Repo {n}", f"org{n}/repo", box=box(300.0 * n, 40, 200)) for n in (0, 1, 2)]
    assert len(read_list(spec(**PEOPLE), page(*cards)).items) == 3


def test_one_row_refutes_the_order_of_the_dates_of_all():
    task = spec(**{**TICKETS, "output_schema": {**TICKETS["output_schema"], "due": DMY}})
    rows = [*ticket("T-1", 2, "03/04/2026"), *ticket("T-2", 3, "05/04/2026")]
    assert [item["due"] for item in read_list(task, page(*rows)).items] == ["2026-04-03", "2026-04-05"]
    read = read_list(task, page(*rows, *ticket("T-3", 4, "03/25/2026")))
    assert (read.items, "'03/25/2026'" in read.doubt) == ((), True)


# --- what is believed


def test_what_stands_on_the_page_is_taken_once_in_its_type():
    seen = page(*ticket("T-1", 2), *ticket("T-2", 3))
    one = {"number": "T-1", "due": "Mar 3, 2026", "url": "/t/T-1"}
    listed = check_items(listing_view(seen), report(one, one))
    assert listed.new == ({"number": "T-1", "due": "2026-03-03", "url": f"{SITE}/t/T-1"},)
    assert (listed.known, listed.problems) == (1, ())


def test_what_was_reported_before_is_known():
    item = {"number": "T-1", "due": "2026-03-03", "url": f"{SITE}/t/T-1"}
    state = AttemptState(listed=frozenset({item_key(item)}))
    listed = check_items(listing_view(page(*ticket("T-1", 2)), state), report(item))
    assert (listed.new, listed.known) == ((), 1)


def test_nothing_is_taken_that_the_page_does_not_show():
    seen = page(*ticket("T-1", 2), *ticket("T-2", 3))
    invented = {"number": "T-9", "url": f"{SITE}/t/T-1"}
    elsewhere = {"number": "T-1", "url": "http://evil.example/t/T-1"}
    torn = {"number": "T-1", "url": f"{SITE}/t/T-2"}
    lacking = {"number": "T-1", "url": None}
    strange = {"number": "T-1", "url": f"{SITE}/t/T-1", "colour": "red"}
    listed = check_items(listing_view(seen), report(invented, elsewhere, torn, lacking, strange))
    assert listed.new == ()
    assert [problem.partition(":")[0] for problem in listed.problems] == [f"item {n}" for n in range(1, 6)]


def test_an_address_with_a_password_in_it_is_no_link_to_report():
    bad = el("link", "T-1", url="http://me:secret@127.0.0.1:8000/t/T-1", row=2)
    assert check_items(listing_view(page(bad)), report({"number": "T-1", "url": bad.url})).new == ()


# --- the end


def entry(action, new_items: int = 0, url: str = f"{SITE}/list") -> Entry:
    return Entry(action, None, "", url=url, new_items=new_items)


def begun(*more: Entry, listed: int = 1, looks: int = 0) -> AttemptState:
    start = (entry(Goto(url=f"{SITE}/list")), entry(ReportItems(items=(), place="row"), 1))
    keys = frozenset(
        item_key({"number": f"T-{n}", "due": "2026-03-03", "url": f"{SITE}/t/T-{n}"}) for n in range(1, listed + 1)
    )
    return AttemptState(history=(*start, *more), steps=2 + len(more), listed=keys, listed_pages=1, looks=looks)


def test_a_list_is_read_once_all_that_was_expected_is_there():
    assert list_end_reason(listing_view(page(), begun(listed=3), expected_items=4)) is None
    assert list_end_reason(listing_view(page(), begun(listed=4), expected_items=4)) is not None


def test_a_list_is_read_once_two_pages_in_a_row_brought_nothing_new():
    nothing = entry(ReportItems(items=()))
    assert list_end_reason(listing_view(page(), begun(nothing))) is None
    assert list_end_reason(listing_view(page(), begun(nothing, nothing))) == "two pages in a row showed nothing new"
    assert list_end_reason(listing_view(page(), begun(nothing, entry(ReportItems(items=()), 2)))) is None


def test_fewer_than_expected_go_to_a_person():
    ending = listing_ending(listing_view(page(), begun(listed=3), expected_items=4), ())
    assert (ending.status, ending.reason) == ("needs_review", "missing_items")
    assert listing_ending(listing_view(page(), begun(listed=3)), ()).status == "done"


# --- the rules


def test_a_page_is_reported_first_then_turned():
    pager = el("link", "Next", tag="a", url=f"{SITE}/list?page=2", area="pager", turn="next")
    seen = page(*ticket("T-1", 2), *ticket("T-2", 3), pager, url=f"{SITE}/list")
    first = expect(decide(listing_view(seen, AttemptState(history=(entry(Goto(url=f"{SITE}/list")),), steps=1))), Act)
    assert isinstance(first.action, ReportItems)
    assert [item["number"] for item in first.action.items] == ["T-1", "T-2"]
    after = expect(decide(listing_view(seen, begun(listed=2))), Act)
    assert isinstance(after.action, Goto)
    assert after.action.url == f"{SITE}/list?page=2"


def test_a_page_that_shows_nothing_new_ends_the_list_though_it_leads_on():
    pager = el("link", "Next", tag="a", url=f"{SITE}/list?page=3", area="pager", turn="next")
    seen = page(*ticket("T-1", 2), pager, url=f"{SITE}/list?page=2")
    state = begun(entry(Goto(url=f"{SITE}/list?page=2")), looks=4)
    assert isinstance(expect(decide(listing_view(seen, state)), Act).action, Done)


def test_a_pager_that_leads_back_ends_the_list():
    pager = el("link", "Next", tag="a", url=f"{SITE}/list", area="pager", turn="next")
    seen = page(*ticket("T-1", 2), pager, url=f"{SITE}/list?page=9")
    assert isinstance(expect(decide(listing_view(seen, begun(looks=4))), Act).action, Done)


def test_a_button_that_brings_nothing_twice_ends_the_list_and_that_is_noted():
    seen = page(*ticket("T-1", 2), el("button", "Next", area="pager"), url=f"{SITE}/list")
    assert isinstance(expect(decide(listing_view(seen, begun(looks=4))), Act).action, Click)
    pressed = entry(Click(target=None))  # type: ignore[arg-type]
    last = expect(decide(listing_view(seen, begun(pressed, pressed, looks=4))), Act)
    assert isinstance(last.action, Done)
    assert last.notes


def test_where_nothing_leads_on_the_page_is_scrolled_to_its_end():
    seen = page(*ticket("T-1", 2), url=f"{SITE}/list", scroll_y_px=0.0, scroll_max_y_px=900.0)
    assert isinstance(expect(decide(listing_view(seen, begun(looks=4))), Act).action, Scroll)
    bottom = page(*ticket("T-1", 2), url=f"{SITE}/list", scroll_y_px=900.0, scroll_max_y_px=900.0)
    assert isinstance(expect(decide(listing_view(bottom, begun(entry(Scroll()), looks=4))), Act).action, Done)


def part(number: int, y_px: float, max_y_px: float = 600.0, within: int = 0) -> Scroller:
    return Scroller(number=number, y_px=y_px, max_y_px=max_y_px, top_px=100, height_px=200, within=within)


def in_part(*parts: Scroller, before: Any = None, **rest: Any) -> Any:
    rows = [structs.replace(e, scroller=1, box=box(0, 100 + 20 * n, 50)) for n in (1, 2) for e in ticket(f"T-{n}", n)]
    seen = page(*rows, url=f"{SITE}/list", scrollers=parts, **rest)
    history = (entry(before),) if before is not None else ()
    return expect(decide(listing_view(seen, begun(*history, listed=2, looks=4))), Act).action


def test_the_part_that_holds_the_list_is_scrolled_to_its_end_and_then_what_is_around_it():
    pager = el("link", "Next", tag="a", url=f"{SITE}/list?page=2", area="pager")
    for parts, before in (((part(1, 0),), None), ((part(1, 600, within=2), part(2, 0)), Scroll())):
        scroll = expect(in_part(*parts, before=before), Scroll)
        assert (scroll.target, scroll.amount_px) == (ByRef(ref=6, snapshot_id="s1"), 140)
    assert isinstance(in_part(part(1, 600, within=2), part(2, 600), before=Scroll()), Done)
    seen = page(*ticket("T-1", 2), pager, url=f"{SITE}/list")
    assert isinstance(expect(decide(listing_view(seen, begun(looks=4))), Act).action, Goto)


def test_a_part_that_is_not_at_its_top_is_scrolled_there_before_the_list_is_read():
    turned = Click(target=ByRef(ref=9, snapshot_id="s0"))
    up = expect(in_part(part(1, 300), before=turned), Scroll)
    assert (up.direction, up.amount_px) == ("up", 301)
    assert expect(in_part(part(1, 300), before=Scroll()), Scroll).direction == "down"


def test_an_error_is_no_end_of_the_list():
    seen = page(text("Too many requests"), url=f"{SITE}/list?page=2", http_status=429)
    turned = entry(Click(target=None))  # type: ignore[arg-type]
    again = expect(decide(listing_view(seen, begun(turned))), Act)
    assert isinstance(again.action, Goto)
    tried = entry(Goto(url=f"{SITE}/list?page=2"))
    last = expect(decide(view(seen, begun(turned, tried, tried), spec=spec(**{**TICKETS, "max_steps": 6}))), Act)
    assert isinstance(last.action, Fail)
    assert last.action.code == "http_error"


# --- what the task asks of a list


def test_a_limit_lists_the_first_in_the_order_of_the_list():
    seen = page(*ticket("T-1", 2), *ticket("T-2", 3), *ticket("T-3", 4))
    every = report(*({"number": f"T-{n}", "url": f"/t/T-{n}"} for n in (1, 2, 3)))
    listed = check_items(listing_view(seen, limit=2), every)
    assert [item["number"] for item in listed.new] == ["T-1", "T-2"]
    assert listed.problems == ()
    begun_view = listing_view(seen, begun(listed=2), limit=2)
    assert check_items(begun_view, report({"number": "T-3", "url": "/t/T-3"})).new == ()
    assert "first 2 items" in (list_end_reason(begun_view) or "")


def test_an_item_whose_value_does_not_fit_its_pattern_or_its_column_is_left_out():
    seen = page(*ticket("T-1", 2))
    narrow = {"number": {"type": "string", "pattern": r"X-\d+"}, "url": "string"}
    item = {"number": "T-1", "url": "/t/T-1"}
    wrong = check_items(listing_view(seen, output_schema=narrow), report(item))
    assert (wrong.new, "pattern" in wrong.problems[0]) == ((), True)
    elsewhere = check_items(listing_view(seen, list={"columns": {"number": "Title"}}), report(item))
    assert (elsewhere.new, "list.columns" in elsewhere.problems[0]) == ((), True)
    assert check_items(listing_view(seen, list={"columns": {"number": "Ticket"}}), report(item)).new != ()


def test_an_item_of_another_list_or_with_another_link_is_left_out():
    menu = el("link", "T-9", tag="a", url=f"{SITE}/edit/T-9", place="ul>li>a")
    seen = page(el("heading", "Menu", level=2), menu, el("heading", "Open", level=2), *ticket("T-1", 2))
    own, foreign = {"number": "T-1", "url": "/t/T-1"}, {"number": "T-9", "url": "/edit/T-9"}
    assert len(check_items(listing_view(seen), report(own, foreign)).new) == 2
    for asked in ({"under": "Open"}, {"link": "Title"}):
        listed = check_items(listing_view(seen, list=asked), report(own, foreign))
        assert [item["number"] for item in listed.new] == ["T-1"]
        assert any("no link on the page leads to" in problem for problem in listed.problems)
    assert check_items(listing_view(seen, list={"under": "Closed"}), report(own)).new == ()


def test_a_list_that_is_not_certain_goes_to_a_person_once_the_page_had_time():
    two = [*ticket("T-1", 2), text("Closed"), *ticket("T-2", 9)]
    seen = page(*two)
    assert isinstance(decide(listing_view(seen, begun(listed=0))), ObserveAgain)
    shot_taken = begun(entry(Screenshot(label="uncertain_list")), listed=0, looks=9)
    ended = expect(expect(decide(listing_view(seen, shot_taken)), Act).action, Fail)
    assert (ended.code, "list.under" in ended.note) == ("uncertain_list", True)


def test_links_are_of_several_kinds_only_where_they_take_turns():
    def kinds(*paths: str) -> list[list[str]]:
        heads = [person(path, path) for path in paths]
        return [[head.name for head in kind] for kind in interleaved_kinds(heads)]

    assert kinds("t/1", "u/ann", "t/2", "u/bob") == [["t/1", "t/2"], ["u/ann", "u/bob"]]
    assert kinds("t/1", "t/2", "u/ann", "u/bob") == [["t/1", "t/2", "u/ann", "u/bob"]]


def test_no_item_is_taken_while_the_page_awaits_an_answer():
    """What is shown until then may stand in for the items; a page without an answer goes to a person."""
    seen = page(*ticket("T-1", 2), *ticket("T-2", 3), awaited=("GET http://127.0.0.1:8000/api/list",), idle=False)
    state, looks = acted(AttemptState(), Goto(url=f"{SITE}/list"), done_result(), ""), 0
    while isinstance(decision := decide(listing_view(seen, state)), ObserveAgain):
        state, looks = after_look(state, decision), looks + 1
    assert looks == len(PAUSES_S)
    assert isinstance(expect(decision, Act).action, Screenshot)
    state = acted(state, expect(decision, Act).action, shot("still_loading"), "")
    assert expect(expect(decide(listing_view(seen, state)), Act).action, Fail).code == "still_loading"


# --- the address of each item

NUMBERS = {"output_schema": {"number": {"type": "string", "labels": ["Ticket"]}}, "required_fields": ["number"]}


def read_and_checked(*elements: Element, **changes: Any) -> tuple[str, ...]:
    """The addresses of the items that the rules read, as they are published."""
    asked = {**NUMBERS, **changes}
    seen = page(*elements, url=f"{SITE}/list")
    read = read_list(spec(**{**TICKETS, **asked}), seen)
    assert len(read.items) == len(read.addresses)
    return check_items(listing_view(seen, **asked), ReportItems(items=read.items, addresses=read.addresses)).addresses


def test_the_address_of_an_item_is_that_of_its_own_link_though_no_field_asks_for_it():
    assert read_and_checked(*ticket("T-1", 2), *ticket("T-2", 3)) == (f"{SITE}/t/T-1", f"{SITE}/t/T-2")
    linked = [el("link", f"T-{n}", tag="a", url=f"/t/{n}", header="Ticket", row=n + 1, place="tr>td>a") for n in (1, 2)]
    assert read_and_checked(*linked) == (f"{SITE}/t/1", f"{SITE}/t/2")


def test_an_address_that_is_a_field_of_the_item_or_not_certain_is_none():
    both = {"output_schema": TICKETS["output_schema"], "required_fields": ["number", "url"]}
    assert read_and_checked(*ticket("T-1", 2), *ticket("T-2", 3), **both) == ("", "")
    edits = [
        link
        for n in (1, 2)
        for link in (
            cell("Ticket", f"T-{n}", n + 1),
            el("link", "Ann", tag="a", url=f"/u/{n}", header="Owner", row=n + 1, place="tr>td>a"),
            el("link", "Bob", tag="a", url=f"/v/{n}", header="Group", row=n + 1, place="tr>td>a"),
        )
    ]
    assert read_and_checked(*edits) == ("", "")
    places = [el("link", f"T-{n}", tag="a", url="#", header="Ticket", row=n + 1, place="tr>td>a") for n in (1, 2)]
    assert read_and_checked(*places) == ("", "")


def test_what_a_model_reports_has_the_address_that_its_values_link_to():
    people = [person(name, f"p/{name.lower()}") for name in ("Ann", "Bob")]
    asked = {"output_schema": {"name": "string"}, "required_fields": ["name"]}
    seen = listing_view(page(*people, url=f"{SITE}/list"), **asked)
    assert check_items(seen, report({"name": "Ann"}, {"name": "Bob"})).addresses == (f"{SITE}/p/ann", f"{SITE}/p/bob")


def test_a_list_whose_items_have_no_address_says_so():
    rows = [cell(head, f"{head} {n}", n + 1) for n in (1, 2) for head in ("Ticket", "Title")]
    items = tuple({"number": f"Ticket {n}"} for n in (1, 2))
    history = (entry(Goto(url=f"{SITE}/list")), entry(ReportItems(items=items, addresses=("", "")), 2))
    listed = frozenset(map(item_key, items))
    state = AttemptState(history=history, steps=2, listed=listed, listed_pages=1, looks=4)
    ended = expect(decide(listing_view(page(*rows, text("2 tickets"), url=f"{SITE}/list"), state, **NUMBERS)), Act)
    assert isinstance(ended.action, Done)
    assert ["an address of its own" in note.text for note in ended.notes] == [True]
