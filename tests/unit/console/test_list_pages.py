"""The page on which a list is pointed at, over a pool with scripted pages: what is found, whether it is all of it, and
what comes of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from shared.contracts.browser_pool import PageObserved
from shared.task.spec import check_spec
from tests.unit.console.asked_pages import SentPage
from tests.unit.console.pointing_room import HOSTILE, SHOWN, PointingRoom, record
from tests.unit.planner.planner_pages import box, el, heading, page, text

LISTED = "http://site/tickets"


def listing(*numbers: str, says: str = "", **more: Any) -> PageObserved:
    rows = [
        one
        for at, number in enumerate(numbers, 2)
        for one in (
            el("link", number, tag="a", url=f"http://site/records/{number}", header="Number", row=at, place="tr>td>a",
               column=0, box=box(10, 40 * at)),
            el("cell", f"Pump {number}", tag="td", header="Title", row=at, column=1, box=box(200, 40 * at)),
        )
    ]  # fmt: skip
    menu = el("link", "Home", tag="a", url="http://site/", area="navigation", box=box(10, 0))
    count = [text(says)] if says else []
    return page(menu, heading("Tickets"), *count, *rows, url=LISTED, **more)


@pytest.fixture
def room(tmp_path: Path) -> PointingRoom:
    site = {LISTED: [listing("R-17", "R-18", "R-19", says="3 tickets found")], "http://site/records/R-17": [record()]}
    return PointingRoom(tmp_path, site)


def fields_of(sent: SentPage) -> dict[str, str]:
    """Return the hidden fields of the form that reads all of the list."""
    form = sent.text.partition("/list/try")[2].partition("</form>")[0]
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    return {name: value for name, value in fields.items() if name != "form_key"}


async def pointed(room: PointingRoom, one: str = "R-17", other: str = "R-18") -> SentPage:
    await room.open(LISTED)
    return await room.ask(f"{room.at}/list?first={room.ref(one)}&second={room.ref(other)}")


async def test_a_page_that_is_opened_as_a_list_asks_for_two_items(room: PointingRoom):
    sent = await room.ask("/specs", {"url": LISTED, "profile": "", "kind": "list"})
    assert sent.headers["location"].endswith("/list")
    room.at = sent.headers["location"].removesuffix("/list")
    assert "press an item of the list" in (await room.ask(f"{room.at}/list")).text
    once = await room.ask(f"{room.at}/list?first={room.ref('R-17')}")
    assert "Now another item" in once.text
    assert f"first={room.ref('R-17')}&amp;second=" in once.text.replace("&second=", "&amp;second=")


async def test_two_items_give_all_of_the_page_with_what_they_show_and_how_it_goes_on(room: PointingRoom):
    sent = await pointed(room)
    assert sent.status == 200
    assert sent.text.count('class="point-item"') == 3
    assert "<code>number</code>" in sent.text
    assert "<code>title</code>" in sent.text
    assert "Nothing on this page leads on" in sent.text
    assert "not read yet" in sent.text
    assert "http://site/records/R-19" in sent.text


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [("R-17", "R-17", "the same item twice"), ("R-17", "Pump R-17", "of one item"), ("Home", "R-17", "in a menu")],
)
async def test_what_is_no_list_says_what_to_press(room: PointingRoom, one: str, other: str, told: str):
    sent = await pointed(room, one, other)
    assert told in sent.text
    assert "All that are found" not in sent.text


async def test_a_list_that_is_proven_complete_says_why(room: PointingRoom):
    sent = await room.do_list("try", **fields_of(await pointed(room)))
    assert sent.status == 200
    assert "The list is complete." in sent.text
    assert "3 tickets found" in sent.text
    assert room.pool.held == set()


async def test_one_that_is_not_proven_says_why_and_a_person_settles_it(room: PointingRoom):
    room.pool.site[LISTED] = [listing("R-17", "R-18", "R-19", says="9 tickets found")]
    fields = fields_of(await pointed(room))
    sent = await room.do_list("try", **fields)
    assert "It is not proven that these are all." in sent.text
    assert "3 of 9" in sent.text
    assert "The list is complete." not in sent.text
    settled = await room.do_list("try", **fields, expected="3")
    assert "The list is complete." in settled.text
    changed = await room.do_list("try", **fields, expected="0")
    assert (changed.status, "is no number of items" in changed.text) == (409, True)


async def test_the_first_so_many_of_a_list_are_not_called_all(room: PointingRoom):
    fields = fields_of(await pointed(room))
    some = await room.do_list("try", **fields, limit="2")
    assert "the first 2, as you said" in some.text
    assert ("The list is complete." in some.text, "yes, complete" in some.text) == (False, False)
    sent = await room.ask(f"{room.at}/list/record", {**fields, "limit": "2", "task_id": "some", "goal": ""})
    record = (await room.ask(sent.headers["location"])).text
    assert "One of the items of <a" in record, "how many there are is not known"


async def test_the_task_that_finds_it_is_saved_and_a_run_is_prepared_with_it(room: PointingRoom):
    fields = fields_of(await pointed(room))
    await room.do_list("try", **fields)
    sent = await room.ask(f"{room.at}/list/use", {**fields, "task_id": "tickets_list", "goal": ""})
    assert sent.status == 303
    prepared = room.drafts.get(sent.headers["location"].removeprefix("/new/"))
    assert prepared is not None
    assert prepared.lists_only
    assert json.loads((room.folder / "console/specs/tickets_list.json").read_text()) == prepared.spec
    assert json.loads((await room.ask(f"{room.at}/list.json")).text) == prepared.spec
    checked, problems = check_spec(prepared.spec)
    assert problems == ()
    assert checked is not None
    assert (checked.phase, checked.sample_id, checked.required_fields) == (
        "discovery", "{number}", ["number", "title", "url"],
    )  # fmt: skip


async def test_words_of_the_page_are_never_markup(room: PointingRoom):
    room.pool.site[LISTED] = [listing(HOSTILE, "R-18")]
    sent = await pointed(room, HOSTILE, "R-18")
    assert "<script>alert" not in sent.text
    assert SHOWN in sent.text


async def test_a_record_of_the_list_is_pointed_at_and_a_run_finds_all_and_reads_each(room: PointingRoom):
    fields = fields_of(await pointed(room))
    await room.do_list("try", **fields)
    opened = await room.ask(f"{room.at}/list/record", {**fields, "task_id": "tickets_list", "goal": ""})
    assert opened.status == 303
    room.at = opened.headers["location"]
    assert "One of the 3 items of" in (await room.ask(room.at)).text
    newest = room.specs.newest()[0]
    ref = str(next(one.ref for one in newest.look.page.elements if one.name == "R-17"))
    naming = await room.ask(f"{room.at}?value={ref}")
    assert 'name="name" id="name" value="number"' in naming.text, "it is called as the list calls it"
    taken = await room.ask(f"{room.at}/field", {"ref": ref, "shown": "R-17", "name": "number", "type": "string"})
    assert taken.status == 303
    shown = await room.ask(room.at)
    assert "R-18\nR-19</textarea>" in shown.text, "the other items are rows to try it on"
    same = await room.ask(f"{room.at}/use", {"task_id": "tickets_list", "goal": ""})
    assert (same.status, "the list has this name" in same.text) == (409, True)
    sent = await room.ask(f"{room.at}/use", {"task_id": "tickets", "goal": ""})
    assert sent.status == 303
    prepared = room.drafts.get(sent.headers["location"].removeprefix("/new/"))
    assert prepared is not None
    assert prepared.discovery is not None
    assert (prepared.spec["task_id"], prepared.discovery["task_id"]) == ("tickets", "tickets_list")
    run = await room.ask(sent.headers["location"])
    assert "Find them, and do the task for each" in run.text
    assert "This cannot be run yet." not in run.text


async def test_a_record_whose_proof_the_list_does_not_bring_says_so(room: PointingRoom):
    fields = fields_of(await pointed(room))
    opened = await room.ask(f"{room.at}/list/record", {**fields, "task_id": "tickets_list", "goal": ""})
    room.at = opened.headers["location"]
    assert "One of the items of" in (await room.ask(room.at)).text, "how many there are was not read"
    newest = room.specs.newest()[0]
    ref = str(next(one.ref for one in newest.look.page.elements if one.name == "R-17"))
    await room.ask(f"{room.at}/field", {"ref": ref, "shown": "R-17", "name": "case_number", "type": "string"})
    sent = await room.ask(f"{room.at}/use", {"task_id": "tickets", "goal": ""})
    assert (sent.status, "the list has no such field: it has number, title, url" in sent.text) == (409, True)


async def test_a_saved_list_gives_a_new_run_its_samples(room: PointingRoom):
    fields = fields_of(await pointed(room))
    await room.ask(f"{room.at}/list/use", {**fields, "task_id": "tickets_list", "goal": ""})
    assert "/new?list=tickets_list" in (await room.ask("/specs")).text
    task = {
        "task_id": "read", "goal": "Read it.", "sample_id": "{number}", "start_url": "{url}", "allowed_hosts": ["site"],
        "identity": {"number": "{number}"}, "output_schema": {"number": "string"}, "required_fields": ["number"],
    }  # fmt: skip
    sent = await room.ask("/new", {"written": json.dumps(task), "list": "tickets_list"})
    assert sent.status == 303
    prepared = room.drafts.get(sent.headers["location"].removeprefix("/new/"))
    assert prepared is not None
    assert prepared.discovery is not None
    assert "those that a list has" in (await room.ask(sent.headers["location"])).text
    other = {**task, "identity": {"case": "{case}"}, "output_schema": {"case": "string"}, "sample_id": "{case}"}
    other |= {"required_fields": ["case"]}
    lacking = await room.ask("/new", {"written": json.dumps(other), "list": "tickets_list"})
    told = await room.ask(lacking.headers["location"])
    assert "there is no case" in told.text


async def test_a_later_page_of_a_list_is_refused_for_all_before_it_would_be_missing(room: PointingRoom):
    room.pool.site[LISTED] = [listing("R-17", "R-18", "R-19", says="Page 2 of 2")]
    sent = await pointed(room)
    assert "not the first page of the list" in sent.text
    assert "Read all of it" not in sent.text
