"""Histories, labels, empty places and joined rows, on real pages."""

from __future__ import annotations

import pytest

from services.planner.page.fields import FieldAmbiguous, FieldFound, Reading, field_value, read_fields
from shared.contracts.browser_pool import PageObserved
from shared.task.spec import TaskSpec
from tests.browser.conftest import Look

pytestmark = pytest.mark.asyncio(loop_scope="session")
STATUS = "<dl><dt>Status</dt><dd>Closed</dd></dl>"


def task(kind: object) -> TaskSpec:
    field = {**(kind if isinstance(kind, dict) else {"type": kind}), "labels": ["Status"]}
    return TaskSpec.model_validate(
        {"task_id": "t", "goal": "Read.", "start_url": "{url}", "output_schema": {"state": field}}
    )


def read(page: PageObserved, kind: object = "string", key: str | None = None) -> Reading:
    return read_fields(task(kind), page, key)["state"]


def shown(page: PageObserved, kind: object = "string", key: str | None = None) -> object:
    found = read(page, kind, key)
    if isinstance(found, FieldFound):
        return found.candidate.shown
    return set(found.texts) if isinstance(found, FieldAmbiguous) else None


CHANGES = (
    "<ul><li>Status: Open → Closed</li><li>Status: → Open</li></ul>",
    "<ul><li><b>Status:</b> changed from <i>Open</i> to <i>Closed</i></li></ul>",
    "<div class=note>Status: <del>New</del> <span>⇒</span> Open</div>",
    "<div id=issue-history><div>Status: Open</div></div>",
    "<div class='activityLog'><p>Status</p><p>Open</p></div>",
    "<div role=feed><div><span>Status: Open</span></div></div>",
    "<h2>History (3)</h2><div>Status: Open</div><h3>2 May</h3><div>Status: New</div>",
    "<h2>Änderungen</h2><dl><dt>Status</dt><dd>Open</dd></dl>",
    "<h2>変更履歴</h2><dl><dt>Status</dt><dd>Open</dd></dl>",
    "<table><tr><th>Who</th><th>What</th><th>Removed</th><th>Added</th></tr>"
    "<tr><td>ann</td><td>Status</td><td>New</td><td>Open</td></tr></table>",
    "<table><tr><th>Date</th><th>User</th><th>Field</th><th>Change</th></tr>"
    "<tr><td>2026-01-01</td><td>ann</td><td>Status</td><td>new => open</td></tr></table>",
    "<table><tr><th>Field</th><th>Original Value</th><th>New Value</th></tr>"
    "<tr><td>Status</td><td>New</td><td>Open</td></tr></table>",
    "<table><tr><th>Status:</th><td>→ Open</td></tr></table>",
)


@pytest.mark.parametrize("changes", CHANGES)
async def test_a_change_is_neither_the_value_nor_its_rival(look: Look, changes: str) -> None:
    assert shown(await look(f"<h1>T-1</h1>{STATUS}{changes}")) == "Closed"
    assert shown(await look(f"<h1>T-1</h1>{changes}")) is None


@pytest.mark.parametrize(
    "page",
    [
        "<main class='history comments'><h1>T-1</h1><dl><dt>Status</dt><dd>Closed</dd></dl></main>",
        "<h1>History of Rome</h1><dl><dt>Status</dt><dd>Closed</dd></dl>",
        "<h2>Changes</h2><p>none</p><h2>Details</h2><dl><dt>Status</dt><dd>Closed</dd></dl>",
        "<table class=history-fields><tr><th>Status</th><td>Closed</td></tr></table><p class=comment>x</p>",
    ],
)
async def test_a_record_about_changes_is_read(look: Look, page: str) -> None:
    expected = None if "history-fields" in page else "Closed"
    assert shown(await look(page)) == expected


async def test_a_pattern_may_ask_for_what_looks_like_a_change(look: Look) -> None:
    page = await look("<dl><dt>Status</dt><dd>Berlin → Paris</dd></dl>")
    assert shown(page) is None
    assert shown(page, {"type": "string", "pattern": r"\w+ → \w+"}) == "Berlin → Paris"


async def test_a_pattern_chooses_between_texts(look: Look) -> None:
    page = await look(
        "<table><tr><th>Status</th><td>PRJ-1</td><td>Ann <span class=badge>Admin</span></td></tr></table>"
    )
    assert shown(page) == {"PRJ-1", "Ann"}
    assert shown(page, {"type": "string", "pattern": r"[A-Z]+-\d+"}) == "PRJ-1"
    assert shown(page, {"type": "string", "pattern": r"\w+ Admin"}) == "Ann Admin"


@pytest.mark.parametrize(
    "page",
    [
        "<table><tr><td><a href=#>Status</a></td><td>Open</td></tr></table>",
        "<table><tr><td><button>Status</button></td><td>Open</td></tr></table>",
        "<table><tr><th><a href=#>Status</a></th><td>Open</td></tr></table>",
        "<div><span>Status</span> <span role=status class=badge>Open</span></div>",
        "<table><tr><td>Status</td><td><span role=status><span class=badge>Open</span></span></td></tr></table>",
        "<dl><dt>Status</dt><dd><div role=status><a href=#>Open</a></div></dd></dl>",
        "<table><tr><th rowspan=2>Status</th><td>Open</td></tr><tr><td>Open</td></tr></table>",
    ],
)
async def test_a_label_may_be_pressed_and_a_value_may_be_a_badge(look: Look, page: str) -> None:
    assert shown(await look(page)) == "Open"


@pytest.mark.parametrize(
    "page",
    [
        "<table><tr><td>Status</td><td></td></tr><tr><td>Due</td><td>x</td></tr></table>",
        "<table><tr><td><a href=#>Status</a></td><td> </td></tr></table>",
        "<table><tr><th>Column<th>Value<tr><td>Status<td><a href=/none></a><tr><td>Due<td>x</table>",
        "<div><span>Status</span><span></span></div><div><span>Due</span><span>x</span></div>",
        "<div><div>Status</div><div><p></p></div></div>",
        "<dl><dt>Status</dt><dd></dd></dl>",
    ],
)
async def test_an_empty_place_beside_a_label_is_not_present(look: Look, page: str) -> None:
    seen = await look(page)
    field = task("string | null").output_schema["state"]
    value = field_value("state", field, read(seen, "string | null"), seen)
    assert (value.state, value.shown) == ("not_present", "")
    assert value.source is not None
    label = next(e for e in seen.elements if e.ref == value.source.ref)
    assert "Status" in (label.name, label.header)


@pytest.mark.parametrize(
    "page",
    [
        "<div><span>Status</span><span style='background-image:url(x.png)'></span></div>",
        "<div><span>Status</span><span aria-busy=true></span></div>",
        "<div><span>Status</span></div>",
    ],
)
async def test_what_shows_something_without_text_is_not_empty(look: Look, page: str) -> None:
    assert shown(await look(page), "string | null") is None


DRAWN = "<i style='display:block;width:9px;height:9px;background-image:url(x.png)'></i>"


@pytest.mark.parametrize("head", ["", "<tr><th>Column<th>Value"])
@pytest.mark.parametrize("after", ["<td>x", f"<td>{DRAWN}"])
async def test_the_label_of_the_next_row_is_no_value(look: Look, head: str, after: str) -> None:
    page = f"<table>{head}<tr><td>Id<td>7<tr><td>Status<td>{DRAWN}<tr><td>changes{after}</table>"
    assert shown(await look(page), "string | null") is None


async def test_a_table_of_one_column_has_its_values_below_their_labels(look: Look) -> None:
    assert shown(await look("<table><tr><td>Status<tr><td>Open<tr><td>Due<tr><td>x</table>")) == "Open"


BLAME = """<table><tr><th>Commit</th><th>Status</th><th>Line</th><th>Code</th></tr>
  <tr><td rowspan=2>aaa111</td><td rowspan=2>Ann</td><td>1</td><td>x = 1</td></tr>
  <tr><td>2</td><td>y = 2</td></tr>
  <tr><td>bbb222</td><td>Bob</td><td>3</td><td>z = 3</td></tr></table>"""


@pytest.mark.parametrize(("line", "author"), [("1", "Ann"), ("2", "Ann"), ("3", "Bob")])
async def test_the_row_of_a_line_is_the_one_that_spans_it(look: Look, line: str, author: str) -> None:
    assert shown(await look(BLAME), "string", line) == author


async def test_what_belongs_to_another_line_is_never_taken(look: Look) -> None:
    without = BLAME.replace("<td>Bob</td>", "<td><img alt=''></td>")
    assert shown(await look(without), "string", "3") in (None, "")


async def test_cells_keep_their_columns_under_joined_rows(look: Look) -> None:
    cells = {e.name: (e.column, e.row, e.rows, e.header) for e in (await look(BLAME)).elements}
    assert cells["aaa111"] == (0, 2, 2, "Commit")
    assert cells["y = 2"] == (3, 3, 1, "Code")


ROWS = (
    "<table><tr><td>Name</td><td>T-1</td></tr><tr><td>Status</td><td>{}</td></tr>"
    "<tr><td>Notes</td><td>{}</td></tr></table>"
)
COLUMNS = (
    "<table><tr><th>Name</th><th>Status</th><th>Notes</th></tr><tr><td>T-1</td><td>{}</td><td>{}</td></tr></table>"
)
PROSE = "Status: closed? Not before May."


@pytest.mark.parametrize("table", [ROWS, COLUMNS])
@pytest.mark.parametrize("note", [PROSE, "Status: in repair since Monday, owner to be told"])
async def test_a_text_in_the_place_of_another_label_is_no_value(look: Look, table: str, note: str) -> None:
    assert shown(await look(f"<h1>T-1</h1>{table.format('Open', note)}")) == "Open"
    assert shown(await look(f"<h1>T-1</h1>{table.format('', note)}")) == ""
    assert shown(await look(f"<h1>T-1</h1>{table.replace('Status', 'Kind').format('A', note)}")) is None


@pytest.mark.parametrize(
    "prose", [PROSE, "Status: open until the move. Ask her about it.", "Status: 開。Ask her!  又問。"]
)
async def test_sentences_that_begin_like_a_labelled_value_are_none(look: Look, prose: str) -> None:
    for value in ("Open", ""):
        assert shown(await look(f"<h1>T-1</h1>{ROWS.format(value, 'x')}<p>{prose}</p>")) == value
    assert shown(await look(f"<h1>T-1</h1><p>{prose}</p>")) is None


async def test_a_labelled_text_that_contradicts_a_row_goes_to_a_person(look: Look) -> None:
    page = await look(f"<h1>T-1</h1>{ROWS.format('Open', 'x')}<p>Status: Closed</p>")
    assert shown(page) == {"Open", "Closed"}


@pytest.mark.parametrize("value", ["Ann J. Smith", "St. Gallen", "approx. 5 kg", "v1.2. beta", "Wait!", "Acme Inc."])
async def test_an_abbreviation_ends_no_sentence(look: Look, value: str) -> None:
    assert shown(await look(f"<h1>T-1</h1><p>Status: {value}</p>")) == value


async def test_cells_that_each_name_their_own_label_are_read(look: Look) -> None:
    assert shown(await look("<table><tr><td>Owner: Ann</td><td>Status: Open</td></tr></table>")) == "Open"
