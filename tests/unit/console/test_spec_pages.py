"""The pages on which a spec is made by pointing, over a pool with scripted pages: what they show, what comes of it."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from services.console.text.trial_story import TriedField
from services.console.web import noted_views
from services.console.web.pointing.settling import key_offer
from services.console.web.pointing.spec_drafts import address_with, learned_of
from services.console.web.pointing.trials import TriedPlace
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.explained import NearValue, SettlingKey
from shared.pages.entries.value_places import field_name_of
from shared.streams import ARTIFACTS
from shared.task.spec import check_spec
from tests.unit.console.asked_pages import SentPage
from tests.unit.console.pointing_room import HOSTILE, SHOWN, URL, PointingRoom, record
from tests.unit.planner.planner_pages import box, el, heading, page, row


@pytest.fixture
def room(tmp_path: Path) -> PointingRoom:
    return PointingRoom(tmp_path, {URL: [record()], "http://site/none": [record(http_status=404)]})


async def test_a_spec_is_made_of_what_is_pointed_at_and_a_run_is_prepared_with_it(room: PointingRoom):
    assert (await room.open()).status == 303
    shown = await room.ask(room.at)
    assert "Press a value on the picture" in shown.text
    assert room.pool.held == set(), "the session is given back"
    naming = await room.ask(f"{room.at}?value={room.ref('Ann Lee')}")
    assert 'name="name" id="name" value="owner"' in naming.text
    assert "beside the label “Owner”" in naming.text
    await room.take("R-17", "number")
    await room.take("Ann Lee", "owner", optional="1")
    ready = await room.take("03/04/2026", "due", "date:dmy")
    assert ready.text.count('class="point-number"') == 3
    assert "guessed: the address of the page has the value" in ready.text
    written = json.loads((await room.ask(f"{room.at}/spec.json")).text)
    assert written["start_url"] == "http://site/records/{number}"
    assert written["identity"] == {"number": "{number}"}
    assert written["required_fields"] == ["number", "due"]
    assert written["output_schema"] == {
        "number": {"type": "string", "labels": ["Number"]},
        "owner": {"type": "string | null", "labels": ["Owner"]},
        "due": {"type": "date", "date_order": "dmy", "labels": ["Due"]},
    }
    assert check_spec(written)[1] == ()
    sent = await room.ask(f"{room.at}/use", {"task_id": "records", "goal": "Read it."})
    assert sent.status == 303
    prepared = room.drafts.get(sent.headers["location"].removeprefix("/new/"))
    assert prepared is not None
    assert (prepared.spec["task_id"], prepared.spec["goal"]) == ("records", "Read it.")
    assert json.loads((room.folder / "console/specs/records.json").read_text()) == prepared.spec
    listed = await room.ask("/specs")
    assert "/new?saved=records" in listed.text


async def test_a_saved_spec_is_replaced_only_when_somebody_says_so(room: PointingRoom):
    await room.open()
    await room.take("R-17", "number")
    assert (await room.ask(f"{room.at}/use", {"task_id": "records"})).status == 303
    assert (await room.ask(f"{room.at}/use", {"task_id": "records"})).status == 303, "it is the same"
    await room.take("Ann Lee", "owner")
    refused = await room.ask(f"{room.at}/use", {"task_id": "records"})
    assert (refused.status, "saved already" in refused.text) == (409, True)
    assert (await room.ask(f"{room.at}/use", {"task_id": "records", "replace": "1"})).status == 303
    assert "owner" in (room.folder / "console/specs/records.json").read_text()


async def test_of_a_text_with_its_own_label_the_value_is_offered_and_named_by_the_label(tmp_path: Path):
    seen = record()
    labelled = replace(el("text", "Due back: May 13, 2026", box=box(10, 900)), ref=90)
    room = PointingRoom(tmp_path, {URL: [replace(seen, elements=(*seen.elements, labelled))]})
    await room.open()
    naming = (await room.ask(f"{room.at}?value=90")).text
    assert 'id="shown" value="May 13, 2026"' in naming
    assert 'id="name" value="due_back"' in naming
    assert '<option value="date" selected>date: 2026-05-13' in naming
    whole = (await room.ask(f"{room.at}?value=90&whole=1")).text
    assert 'id="shown" value="Due back: May 13, 2026"' in whole
    of_whole = "in a text, after “Publisher”"
    taken = await room.do("field", ref="90", shown="May 13, 2026", name="due_back", type="date", by=of_whole)
    assert taken.status == 200
    assert "beside the label “Due back”" in taken.text
    assert "not as was chosen before" in taken.text


async def test_a_date_that_the_page_leaves_open_is_asked_for(room: PointingRoom):
    await room.open()
    naming = (await room.ask(f"{room.at}?value={room.ref('03/04/2026')}")).text
    assert "the page does not say which number is the day" in naming
    assert "date, day first: 2026-04-03" in naming
    assert "date, month first: 2026-03-04" in naming
    refused = await room.take("03/04/2026", "due", "")
    assert (refused.status, "not to be read as this type" in refused.text) == (409, True)


async def test_without_what_proves_the_record_nothing_is_saved_and_what_does_not_prove_it_is_refused(
    room: PointingRoom,
):
    await room.open()
    await room.take("Ann Lee", "owner")
    refused = await room.ask(f"{room.at}/use", {"task_id": "records"})
    assert (refused.status, "which field proves the record" in refused.text) == (409, True)
    assert not (room.folder / "console/specs").exists()
    refused = await room.do("proof", key="own.nothing")
    assert (refused.status, "choose the field" in refused.text) == (409, True)
    await room.take("R-17", "number")
    own = await room.do("proof", key="own.number")
    assert re.search(r'value="own\.number" checked', own.text)
    written = json.loads((await room.ask(f"{room.at}/spec.json")).text)
    assert (written["start_url"], written["input_schema"]) == ("{url}", {"number": "string", "url": "string"})
    assert written["allowed_hosts"] == ["site"]


async def test_a_field_is_changed_removed_and_never_there_twice(room: PointingRoom):
    await room.open()
    await room.take("R-17", "number")
    for name, words in (
        ("number", "name of another field"),
        ("2nd", "begins with a letter"),
        ("", "begins with a letter"),
    ):
        refused = await room.take("Ann Lee", name)
        assert (refused.status, words in refused.text) == (409, True), name
    await room.take("R-17", "record_number")
    written = json.loads((await room.ask(f"{room.at}/spec.json")).text)
    assert (list(written["output_schema"]), written["identity"]) == (
        ["record_number"],
        {"record_number": "{record_number}"},
    )
    empty = await room.do("remove", name="record_number")
    assert "Press a value on the picture" in empty.text
    assert "not said yet" in empty.text


OTHERS = {
    "http://site/records/R-18": [record("R-18", "Unassigned", "07/05/2026")],
    "http://site/records/R-19": [record("R-19", "Bo Diaz", "soon")],
    "http://site/records/R-20": [record("R-99", "Cy Young", "08/05/2026")],
}


async def pointed_at(room: PointingRoom) -> None:
    """Point at all values of the record."""
    room.pool.site |= OTHERS
    await room.open()
    await room.take("R-17", "number")
    await room.take("Ann Lee", "owner")
    await room.take("03/04/2026", "due", "date:dmy")
    await room.bus.put(ARTIFACTS, "blob-try", b"PNG")


async def test_a_spec_is_tried_on_other_records_beside_their_pictures(room: PointingRoom):
    await pointed_at(room)
    page_of = await room.do("try", rows="R-18\nR-19\nR-20\nR-21")
    records = page_of.text.split('<article class="tried"')[1:]
    assert len(records) == 3, "three are enough"
    assert "The first 3 of 4 rows were tried" in page_of.text
    assert "all read, and the record proven" in records[0]
    assert "2026-05-07" in records[0]
    assert re.search(r'<svg class="build-picture".*R-18, on the page.*heal-box', records[0], re.DOTALL)
    assert "Needs review" in records[1]
    assert "R-99" in records[2], "it is another record, and told"
    assert "all read" not in records[2]
    shots = set(re.findall(r"/pictures/([0-9a-f]+)", page_of.text))
    for sha256 in shots:
        assert (await room.ask(f"{room.at}/pictures/{sha256}")).status == 200
    sent = await room.ask(f"{room.at}/use", {"task_id": "records"})
    prepared = room.drafts.get(sent.headers["location"].removeprefix("/new/"))
    assert prepared is not None
    assert prepared.data.decode().split() == ["number", "R-18", "R-19", "R-20", "R-21"]
    asked = await room.ask(sent.headers["location"])
    assert "the rows that the spec was tried on" in asked.text
    assert asked.text.count("Take these rows") == 1


async def test_a_text_that_nearly_was_the_value_is_shown_with_the_reason(room: PointingRoom):
    await pointed_at(room)
    await room.do("try", rows="R-18")
    [draft] = room.specs.newest()
    assert draft.trial is not None
    [tried] = draft.trial.records
    near = NearValue(shown="Language", why="unsure", box=box(10, 40))
    place = TriedPlace(TriedField(field="owner", state="not_found", near=(near,)))
    changed = dataclasses.replace(tried, fields=(place, *tried.fields[1:]))
    room.specs.put(dataclasses.replace(draft, trial=dataclasses.replace(draft.trial, records=(changed,))))
    shown = (await room.ask(room.at)).text
    assert re.search(r"The page has.*Language.*it may be a label itself", shown)


async def test_only_of_a_text_that_may_say_so_is_it_asked_whether_there_is_none(room: PointingRoom):
    await pointed_at(room)
    shown = await room.do("try", rows="R-18\nR-19")
    likely, *others = re.sub(r"<details>.*?</details>", "<details>", shown.text, flags=re.DOTALL).split("<article")[1:]
    assert "It says that there is none: owner of R-18" in likely, "Unassigned"
    assert "It says that there is none" not in "".join(others), "Bo Diaz"
    assert "It says that there is none: owner of R-19" in shown.text, "a person may know better"


async def test_what_a_tried_record_shows_changes_the_spec_by_a_press(room: PointingRoom):
    await pointed_at(room)
    await room.do("try", rows="R-18\nR-19")
    after = await room.do("none", row="0", field="owner")
    assert "The spec has changed since" in after.text
    again = await room.do("try", rows="R-18\nR-19")
    assert re.search(r"none: the page says <bdi>Unassigned", again.text)
    [draft] = room.specs.newest()
    assert draft.trial is not None
    offered = draft.trial.records[1].fields[2].field.settled_by
    words = next(at for at, one in enumerate(offered) if one.why == "words_for_none")
    assert "“soon” says that there is none" in again.text
    await room.do("settle", row="1", field="due", key=str(words))
    done = await room.do("try", rows="R-18\nR-19")
    assert done.text.count("all read, and the record proven") == 2
    written = json.loads((await room.ask(f"{room.at}/spec.json")).text)
    assert written["required_fields"] == ["number"]
    assert written["output_schema"]["owner"]["not_present"] == ["Unassigned"]
    assert written["output_schema"]["due"]["not_present"] == ["soon"]
    for act, fields in (("none", {"row": "7", "field": "owner"}), ("settle", {"row": "0", "field": "due", "key": "9"})):
        refused = await room.do(act, **fields)
        assert (refused.status, "of an earlier try" in refused.text) == (409, True)


async def test_what_the_site_says_of_a_record_that_does_not_exist_is_taught_by_a_press(room: PointingRoom):
    parts = (heading("Plant", 2), el("alert", "Oops! R-404 is out of reach for you"), el("text", "Pump leaks"))
    lost = page(*(replace(one, box=box(10, 40 * at)) for at, one in enumerate(parts)))
    room.pool.site["http://site/records/R-404"] = [lost]
    await pointed_at(room)
    await room.take("Pump leaks", "title")
    shown = await room.do("try", rows="R-404")
    assert "The page that came for R-404" in shown.text
    assert "route" not in shown.text.partition('id="tried"')[2]
    offers = re.findall(r'name="says" value="([^"]*)"', shown.text)
    assert offers == ["is out of reach for you"], "a part of the name, and what the pointed page shows, are none"
    for says in ("Pump leaks", "Plant R-404", ""):
        assert (await room.do("absent", row="0", says=says)).status == 409, says
    taught = await room.do("absent", row="0", says=offers[0])
    assert "There is no such record where the page says" in taught.text
    again = await room.do("try", rows="R-404")
    assert "there is no such record</span>" in again.text
    written = json.loads((await room.ask(f"{room.at}/spec.json")).text)
    assert written["not_found_texts"] == offers
    await room.do("absent_not", number="0")
    assert "not_found_texts" not in (await room.ask(f"{room.at}/spec.json")).text


async def test_what_is_said_of_an_earlier_trial_changes_nothing(room: PointingRoom):
    await pointed_at(room)
    await room.do("try", rows="R-18")
    [draft] = room.specs.newest()
    assert draft.trial is not None
    earlier = draft.trial.trial_id
    await room.do("try", rows="R-18")
    for act, fields in (("none", {"row": "0", "field": "owner"}), ("learn", {"right": "1"})):
        refused = await room.do(act, tried=earlier, **fields)
        assert (refused.status, "of an earlier try" in refused.text) == (409, True), act
    [after] = room.specs.newest()
    assert after.fields == draft.fields


async def test_rows_that_show_nothing_or_cannot_be_tried_are_refused(room: PointingRoom):
    await pointed_at(room)
    for rows, words in (
        ("", "write one a line"),
        ("R-17", "the record that the spec was made with"),
        ("R-18\nR-18", "R-18"),
    ):
        refused = await room.do("try", rows=rows)
        assert (refused.status, words in refused.text) == (409, True), rows
    await room.do("remove", name="number")
    refused = await room.do("try", rows="R-18")
    assert (refused.status, "which field proves the record" in refused.text) == (409, True)


async def test_no_flow_is_learned_of_what_nobody_has_looked_at_or_of_one_record(room: PointingRoom):
    await pointed_at(room)
    untried = await room.do("learn", right="1")
    assert (untried.status, "try the spec as it is on other records first" in untried.text) == (409, True)
    wrong = await room.do("try", rows="R-19\nR-20")
    assert "A flow of these examples" not in wrong.text, "none of them is done"
    assert (await room.do("learn", right="1")).status == 409
    right = await room.do("try", rows="R-18")
    assert "A flow of these examples" in right.text
    unseen = await room.do("learn")
    assert (unseen.status, "look at each value first" in unseen.text) == (409, True)
    kept = await room.do("learn", task_id="pumps")
    assert (kept.status, kept.text.count('name="task_id" value="pumps"')) == (409, 1), "one name, and it is not lost"
    unnamed = await room.do("learn", right="1", task_id="No name")
    assert (unnamed.status, "task_id" in unnamed.text) == (409, True)


async def test_a_flow_is_of_the_spec_that_it_was_learned_of_alone(room: PointingRoom):
    await pointed_at(room)
    await room.do("try", rows="R-18")
    [draft] = room.specs.newest()
    room.specs.put(dataclasses.replace(draft, learned=draft.spec(), learned_of=learned_of(draft)))
    learned = (await room.ask(room.at)).text
    assert ("was learned of 2 records and checked" in learned, "Learn the flow again" in learned) == (True, False)
    again = (await room.do("try", rows="R-18")).text
    assert ("2 records, other ones than these," in again, "Learn the flow again" in again) == (True, True)
    await room.do("task", task_id="another")
    assert "It has a flow" not in (await room.ask(room.at)).text


async def test_what_cannot_be_opened_is_told_and_nothing_is_begun(room: PointingRoom):
    for url, words in (
        ("javascript:alert(1)", "write it whole"),
        ("records/1", "write it whole"),
        ("http://", "write it whole"),
        ("http://site/" + "a" * 2000, "more than 2000 characters"),
        ("http://site/none", "HTTP 404"),
    ):
        refused = await room.open(url)
        assert (refused.status in (400, 409), words in refused.text) == (True, True), url
    room.pool.unreachable = True
    refused = await room.open()
    assert (refused.status, "connection refused" in refused.text) == (409, True)
    assert room.specs.newest() == ()
    assert room.pool.held == set()
    assert (await room.ask("/specs/none")).status == 404


async def test_hostile_text_of_a_page_is_text(tmp_path: Path):
    seen = record("R-17", HOSTILE, "a", title=HOSTILE)
    hostile = replace(el("cell", HOSTILE, header=HOSTILE, box=box(0, 900)), ref=90)
    room = PointingRoom(tmp_path, {URL: [replace(seen, elements=(*seen.elements, hostile))]})
    await room.open()
    for ref in (room.ref(HOSTILE), "90", "1"):
        naming = await room.ask(f"{room.at}?value={ref}&find=R")
        assert naming.status == 200
        assert SHOWN in naming.text
        assert "<script>" not in naming.text
        assert "{{7*7}}" in naming.text
        # What is to be shortened is in a field as it is; nothing else has a mark of direction.
        assert "\u202e" not in re.sub(r'<input [^>]*name="shown"[^>]*>', "", naming.text)


@pytest.mark.parametrize(
    ("url", "value", "template"),
    [
        ("http://site/issue17", "17", "http://site/issue{n}"),
        ("http://site/issues/17?page=2", "#17", "http://site/issues/{n}?page=2"),
        ("http://site/issues/170", "17", ""),
        ("http://site/17/17", "17", ""),
        ("http://site/commit/a0b17c", "17", ""),
        ("http://site/a17b", "17", "http://site/a{n}b"),
        ("http://17.site/a", "17", ""),
        ("http://site/{x}/A-1", "A-1", "http://site/%7Bx%7D/{n}"),
        ("http://site/a", "", ""),
    ],
)
def test_an_address_is_made_of_the_key_where_it_has_it_once(url: str, value: str, template: str):
    assert address_with(url, "n", value) == template


def test_a_name_is_made_of_a_label_and_taken_once():
    assert field_name_of("Due date", {}) == "due_date"
    assert field_name_of("Due date", {"due_date": 1}) == "due_date_2"
    assert field_name_of("日期", {}) in ("value", "page")
    assert field_name_of("URL", {}) == "url_of_page"


async def test_what_asks_nothing_of_the_bus_waits_for_none(room: PointingRoom, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(noted_views, "BUS_BACK_S", 0.0)
    await room.open()
    sha256 = room.specs.newest()[0].look.shots[0].sha256
    room.away = True
    for path in ("/specs", room.at, f"{room.at}/spec.json", f"{room.at}/pictures/{sha256}", "/settings"):
        assert (await room.ask(path)).status == 200, path
    assert (await room.take("R-17", "number")).status == 200
    saved = await room.ask(f"{room.at}/use", {"task_id": "records"})
    assert (await room.ask(saved.headers["location"])).status == 200
    view = {"name": "open", "query": "tag=q3"}
    assert [(await room.ask(path, view)).status for path in ("/views", "/views/remove")] == [303, 303]
    away = await room.ask("/new")
    assert (away.status, "the bus is away" in away.text) == (503, True)


def ticket(number: str, status: str, kind: str, *more: Element) -> PageObserved:
    """Return a page whose headline has links of its own: its number, its status and its kind."""
    line = [el("link", one, box=box(10 + 200 * at, 40)) for at, one in enumerate((f"#{number}", status, kind))]
    parts = (heading("Pump leaks"), *row("Number", number))
    return page(*(replace(one, box=box(10, 200 + 40 * at)) for at, one in enumerate(parts)), *line, *more)


async def pointed_at_ticket(tmp_path: Path, *tried: PageObserved) -> PointingRoom:
    """Point at the number and the status of ticket 3, and try tickets 4, 5 and so on."""
    site = {f"http://site/tickets/{at}": [one] for at, one in enumerate(tried, 4)}
    room = PointingRoom(tmp_path, {"http://site/tickets/3": [ticket("3", "closed", "defect")], **site})
    await room.open("http://site/tickets/3")
    await room.take("3", "number")
    await room.take("closed", "status", by="in a text, after “#[0-9]+”, before “defect”")
    await room.bus.put(ARTIFACTS, "blob-try", b"PNG")
    await room.do("try", rows="\n".join(str(at) for at, _ in enumerate(tried, 4)))
    return room


def rules_offered(shown: SentPage) -> list[str]:
    """Return the other ways to find a field that the page offers, each once."""
    forms = re.findall(r'/rule" class="inline">.*?<button type="submit">(.*?)</button>', shown.text, re.DOTALL)
    return list(dict.fromkeys(re.sub(r"<[^>]*>", "", one) for one in forms))


async def test_a_field_that_was_not_read_is_mended_by_a_rule_that_reads_all_tried_records(tmp_path: Path):
    room = await pointed_at_ticket(tmp_path, ticket("4", "in work", "task"), ticket("5", "new", "defect"))
    shown = await room.ask(room.at)
    assert shown.text.count("all read, and the record proven") == 1
    assert rules_offered(shown) == ["in a text, after “#[0-9]+”: “in work”, “new”"]
    changed = await room.do("rule", field="status", number="0")
    assert "The spec has changed since" in changed.text
    again = await room.do("try", rows="4\n5")
    assert again.text.count("all read, and the record proven") == 2
    assert (await room.do("rule", field="status", number="0")).status == 409, "nothing is to be mended any more"


@pytest.mark.parametrize(
    "others",
    [
        [
            ticket("4", "new", "task"),
            ticket("5", "new", "task", el("link", "#9", box=box(10, 500)), el("link", "gone", box=box(200, 500))),
        ],
        [ticket("4", "new", "task"), page(*row("Number", "5"), el("link", "new", box=box(10, 500)))],
    ],
    ids=["it finds several on one of them", "it finds none on one of them"],
)
async def test_a_rule_that_does_not_read_each_tried_record_is_not_offered(tmp_path: Path, others: list[PageObserved]):
    room = await pointed_at_ticket(tmp_path, *others)
    assert rules_offered(await room.ask(room.at)) == []
    assert (await room.do("rule", field="status", number="0")).status == 409


async def test_a_rule_that_reads_another_value_than_a_certain_one_is_not_offered(tmp_path: Path):
    room = await pointed_at_ticket(tmp_path, ticket("4", "new", "task"), ticket("5", "old", "defect"))
    [draft] = room.specs.newest()
    assert draft.trial is not None
    first, second = draft.trial.records
    read = second.others["status"]
    assert len(rules_offered(await room.ask(room.at))) == 1
    other = tuple(None if value is None else replace(value, value="gone", shown="gone") for value in read)
    records = (first, dataclasses.replace(second, others={"status": other}))
    room.specs.put(dataclasses.replace(draft, trial=dataclasses.replace(draft.trial, records=records)))
    assert rules_offered(await room.ask(room.at)) == []


async def test_the_way_that_was_taken_is_the_one_that_a_change_begins_with(tmp_path: Path):
    parts = (el("heading", "#3 closed defect", level=2, tag="h2"), el("link", "Previous Ticket"), heading("Pump leaks"))
    seen = page(*(replace(one, box=box(10, 40 * at)) for at, one in enumerate(parts)), *row("Owner", "Ann Lee"))
    room = PointingRoom(tmp_path, {"http://site/tickets/3": [seen]})
    await room.open("http://site/tickets/3")
    at = room.ref("#3 closed defect")
    ways = (await room.ask(f"{room.at}?value={at}&shown=3")).text
    await room.do("field", ref=at, shown="3", name="ticket", type="string")
    [draft] = room.specs.newest()
    taken = dict(draft.fields[0].entry)
    assert (draft.key, taken["shown_in"], taken["preceded_by"]) == ("ticket", "heading", "#"), ways
    naming = (await room.ask(f"{room.at}?value={at}")).text
    chosen = re.findall(r'name="by" value="([^"]*)"( checked)?', naming)
    assert [words for words, checked in chosen if checked] == [
        "in a heading, after “#”, before “closed defect”, of the form [0-9]+"
    ]
    assert not [words for words, _ in chosen if "label" in words], "no label stands beside it"
    for words, _ in chosen[:1]:
        await room.do("field", ref=at, shown="3", name="ticket", type="string", by=words)
    [after] = room.specs.newest()
    assert (after.fields[0].entry, after.key) == (taken, "ticket")


async def test_a_change_of_the_name_alone_keeps_the_way_and_the_words_for_none(room: PointingRoom):
    await pointed_at(room)
    await room.do("try", rows="R-18")
    await room.do("none", row="0", field="owner")
    changed = await room.take("Ann Lee", "holder", by="beside the label “Owner”", optional="1")
    assert changed.status == 200
    written = json.loads((await room.ask(f"{room.at}/spec.json")).text)
    assert written["output_schema"]["holder"] == {
        "type": "string | null", "labels": ["Owner"], "not_present": ["Unassigned"],
    }  # fmt: skip
    assert "owner" not in written["output_schema"]


@pytest.mark.parametrize(
    ("title", "told", "types"),
    [
        ("See timeline at 08/15/26 02:39:00", "The date is in the markup", ["date-time", "date", "string"]),
        (None, "the page has no date for it", ["string"]),
        (HOSTILE, "the page has no date for it", ["string"]),
        (f"{HOSTILE} 2026-08-15", "The date is in the markup", ["date", "string"]),
    ],
    ids=["a date in the title", "no title", "a title without a date", "a hostile title"],
)
async def test_of_a_text_that_counts_from_now_the_date_of_the_markup_is_offered(
    tmp_path: Path, title: str | None, told: str, types: list[str]
):
    opened = replace(el("link", "4 months ago", title=title, box=box(200, 900)), ref=90)
    seen = record(due="2026-03-04")
    label = replace(el("text", "Opened", box=box(10, 900)), ref=89)
    room = PointingRoom(tmp_path, {URL: [replace(seen, elements=(*seen.elements, label, opened))]})
    await room.open()
    naming = (await room.ask(f"{room.at}?value=90")).text
    assert ("counts from the time of reading" in naming, told in naming) == (True, True)
    assert re.findall(r'<option value="([^"]+)"', naming) == types
    assert "<script>alert" not in naming
    other = (await room.ask(f"{room.at}?value={room.ref('Ann Lee')}")).text
    assert "counts from the time of reading" not in other
    await room.do("field", ref="90", shown="4 months ago", name="opened", type=types[0])
    [draft] = room.specs.newest()
    assert draft.fields[0].entry["type"] == types[0]


async def test_a_key_with_a_mark_before_it_is_that_of_rows_without_it_and_the_page_says_so(tmp_path: Path):
    def seen(number: str, kind: str) -> PageObserved:
        return page(el("heading", f"#{number} {kind}", level=1, tag="h1", box=box(10, 10)), *row("Owner", "Ann Lee"))

    site = {f"http://site/tickets/{number}": [seen(number, kind)] for number, kind in (("3", "closed"), ("4", "new"))}
    site["http://site/tickets/5"] = [seen("6", "new, after #5")]
    room = PointingRoom(tmp_path, site)
    await room.open("http://site/tickets/3")
    at = room.ref("#3 closed")
    taken = await room.do("field", ref=at, shown="#3", name="ticket", type="string", by="in a heading, before “closed”")
    [draft] = room.specs.newest()
    entry = {"type": "string", "shown_in": "heading", "pattern": "#[0-9]+", "followed_by": "closed"}
    room.specs.put(dataclasses.replace(draft, fields=(dataclasses.replace(draft.fields[0], entry=entry),)))
    assert "They are one key, and a row may write either" in taken.text
    await room.bus.put(ARTIFACTS, "blob-try", b"PNG")
    shown = await room.do("try", rows="4\n5")
    right, wrong = shown.text.split('<article class="tried"')[1:]
    assert ("all read, and the record proven" in right, "all read, and the record proven" in wrong) == (True, False)
    refused = await room.do("try", rows="3")
    assert (refused.status, "the record that the spec was made with" in refused.text) == (409, True)


def test_each_order_of_a_date_is_offered_with_the_day_that_it_gives():
    def offer(day: str) -> str:
        return key_offer(
            SettlingKey(keys={}, entry={}, why="order_of_dates", state="value", value=day, shown="03/04/26")
        )

    assert offer("2026-04-03").startswith("Read “03/04/26” as 2026-04-03: ")
    assert offer("2026-03-04").startswith("Read “03/04/26” as 2026-03-04: ")
    same = SettlingKey(keys={}, entry={}, why="one_label", state="value", value="Ann Lee", shown="Ann Lee")
    assert key_offer(same).startswith("Read “Ann Lee”: ")
