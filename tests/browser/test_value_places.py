"""Which text of a real page is the value of a field: beside its label, in its part of the page, and of this record."""

from __future__ import annotations

import pytest

from shared.contracts.browser_pool import PageObserved
from shared.pages.elements import is_filter
from shared.pages.identity.identity import read_page
from shared.pages.read.candidates import Candidate
from shared.pages.read.fields import FieldAmbiguous, FieldFound, FieldMissing, Reading, field_value, read_fields
from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec
from tests.browser.conftest import Look
from tests.typed import expect
from tests.unit.planner.planner_pages import sample, spec

STATUS = "<dl><dt>Status</dt><dd>Closed</dd></dl>"
MAYBE = "string | null"
BADGE = "display:inline-block;padding:2px 6px;background:#ddd;border-radius:6px"
UNSEEN = "position:absolute;clip:rect(0,0,0,0);overflow:hidden"


def task(kind: object) -> TaskSpec:
    return TaskSpec.model_validate(
        {"task_id": "t", "goal": "Read.", "start_url": "{url}", "output_schema": {"status": kind}}
    )


def read(page: PageObserved, kind: object = "string", key: str | None = None) -> Reading:
    return read_fields(task(kind), page, key)["status"]


def shown(page: PageObserved, kind: object = "string", key: str | None = None) -> object:
    """Return the text that is read, the set of texts that a person would choose from, or None."""
    found = read(page, kind, key)
    if isinstance(found, FieldFound):
        return found.candidate.shown
    return set(found.texts) if isinstance(found, FieldAmbiguous) else None


def candidate(page: PageObserved, kind: object) -> Candidate:
    return expect(read(page, kind), FieldFound).candidate


def cell(html: str) -> str:
    return f"<table><tr><th>Status</th><td>{html}</td></tr></table>"


def definition(html: str) -> str:
    return f"<dl><dt>Status</dt><dd>{html}</dd></dl>"


def line(html: str) -> str:
    return f"<div><b>Status:</b> {html}</div>"


# --- one place


ONE_TEXT = {
    "Opened by <a href=#>Ann</a> on 3 May": "Opened by Ann on 3 May",
    "Ann <b>Lee</b>": "Ann Lee",
    "<span>Ann</span><span style='margin-left:5px'>Lee</span>": "Ann Lee",
    "<i style='padding-right:4px'>Ann</i>Lee": "Ann Lee",
    "<b style='margin-right:1px'>Ann</b>ika": "Annika",
    "<em>Ann</em>-<code style='padding:3px;background:#eee'>x1</code>": "Ann-x1",
    f"Ann Lee <span style='{BADGE}'>Admin</span>": "Ann Lee",
    "Ann Lee <span style='padding:2px 6px;background:#ddd'>Admin</span>": "Ann Lee",
    f"Ann Lee <span style='{BADGE}'>Admin</span> <span style='{BADGE}'>Away</span>": "Ann Lee",
    "Ann Lee <span class=badge>Admin</span>": "Ann Lee",
    "<del>Bob</del> <ins>Ann Lee</ins>": "Ann Lee",
    "<a href=#>Ann Lee</a> <button>Edit</button>": "Ann Lee",
    f"Ann Lee <span style='{UNSEEN}'>(opens a window)</span>": "Ann Lee",
}
SEVERAL_TEXTS = {
    f"<span style='{BADGE}'>red</span> <span style='{BADGE}'>blue</span>": {"red", "blue"},
    f"<span style='{BADGE}'>Open</span> since May": {"Open", "since May"},
    "<div>Ann Lee</div><div style='font-size:10px'>Sales</div>": {"Ann Lee", "Sales"},
    "<div style='display:flex;gap:20px'><span>Ann Lee</span><span>Sales</span></div>": {"Ann Lee", "Sales"},
    "Ann Lee <small>Sales</small>": {"Ann Lee", "Sales"},
    "<a href=#>Ann</a> <a href=#x>Bob</a>": {"Ann", "Bob"},
    "Ann <a href=#>edit</a>": {"Ann", "edit"},
    "<ul><li>Ann</li><li>Bob</li></ul>": {"Ann", "Bob"},
}


@pytest.mark.parametrize("html", ONE_TEXT)
async def test_a_text_is_not_glued_to_what_stands_beside_it(look: Look, html: str) -> None:
    assert [shown(await look(place(html))) for place in (cell, definition, line)] == [ONE_TEXT[html]] * 3


@pytest.mark.parametrize("html", SEVERAL_TEXTS)
async def test_several_texts_in_one_place_go_to_a_person(look: Look, html: str) -> None:
    assert [shown(await look(place(html))) for place in (cell, definition)] == [SEVERAL_TEXTS[html]] * 2


@pytest.mark.parametrize("more", ["+2", "+ 1", "and 3 more"])
async def test_the_first_of_several_of_which_only_their_number_is_shown_is_no_value(look: Look, more: str) -> None:
    assert shown(await look(definition(f"Ann Lee <span style='{BADGE}'>{more}</span>"))) is None


MAILS = "<table><tr><th>E-Mail<td><a href=#>Ann Lee</a> <a href=#m>a@x.org</a></table>"
CHOICES = "<select multiple><option selected>red</option><option>x</option><option selected>blue</option></select>"
PRJ = "<table><tr><th>Status</th><td>PRJ-1</td><td>Ann <span class=badge>Admin</span></td></tr></table>"
MOVED = definition("Berlin → Paris")
BY_TYPE = (
    (cell("12 <small>kilograms</small>"), "number", "12"),
    (cell(f"<span style='{BADGE}'>Open</span> since May"), {"type": "enum", "values": ["Open", "Closed"]}, "Open"),
    (cell(f"<span style='{BADGE}'>late</span> Mar 3, 2026"), "date", "Mar 3, 2026"),
    (cell(f"<span style='{BADGE}'>red</span> <span style='{BADGE}'>blue</span>"), "array", "red, blue"),
    (cell(f"<span style='{BADGE}'>red <a href=# onclick=''>×</a></span> blue"), "array", "red, blue"),
    (cell("<ul><li>red</li><li>light blue</li></ul>"), "array", "red, light blue"),
    (cell(CHOICES), "array", "red, blue"),
    (cell(CHOICES), "string", {"red", "blue"}),
    (f"<label>Status {CHOICES}</label>", "array", "red, blue"),
    (cell("<p>First part.</p><p>Second part.</p>"), "string", "First part. Second part."),
    (cell("12 Main St<br>Springfield"), "string", "12 Main St Springfield"),
    ("<table><tr><th>Status</th><td>7</td><td>USD of Ann</td></tr></table>", "string", {"7", "USD of Ann"}),
    ("<table><tr><th>Status</th><td>7</td><td>USD of Ann</td></tr></table>", "number", "7"),
    (PRJ, "string", {"PRJ-1", "Ann"}),
    (PRJ, {"type": "string", "pattern": r"[A-Z]+-\d+"}, "PRJ-1"),
    (PRJ, {"type": "string", "pattern": r"\w+ Admin"}, "Ann Admin"),
    (MOVED, "string", None),  # it looks like a change, unless that is asked for
    (MOVED, {"type": "string", "pattern": r"\w+ → \w+"}, "Berlin → Paris"),
    (cell("<del>Bob</del>"), "string", None),
    # what can be done with a key is no part of it
    (cell("<a href=#>3f2a91c</a> (<a href=#p>patch</a>)"), "string", "3f2a91c"),
    (cell("<a href=#>3f2a91c</a> (<a href=#p>patch</a> | <a href=#t>tree</a>)"), "string", "3f2a91c"),
    (cell("<a href=#>3f2a91c</a> (second try)"), "string", "3f2a91c (second try)"),
    # a text that is not of the type says nothing against a cell that is
    (cell("Mar 3, 2026") + "<p>Status: 1999</p>", "date", "Mar 3, 2026"),
    (cell("Mar 3, 2026") + "<p>Status: Mar 4, 2026</p>", "date", {"Mar 3, 2026", "Mar 4, 2026"}),
    (cell("soon") + "<p>Status: Mar 4, 2026</p>", "date", {"soon", "Mar 4, 2026"}),
    (cell("open") + "<p>Status: 1999</p>", "string", {"open", "1999"}),
    # beside a name, an address is another thing, unless addresses are asked for
    (cell("<a href=#>Ann Lee</a> <a href=mailto:a@x.org>a@x.org</a>"), "string", "Ann Lee"),
    (cell("<a href=#>Acme</a> <a href=#y>https://acme.example/</a>"), "string", "Acme"),
    (cell("<a href=#>a@x.org</a> <a href=#y>b@x.org</a>"), "string", {"a@x.org", "b@x.org"}),
    (MAILS, {"type": "string", "labels": ["E-Mail"]}, {"Ann Lee", "a@x.org"}),
    (MAILS, {"type": "string", "labels": ["e mail"], "pattern": "\\S+@\\S+"}, "a@x.org"),
)


@pytest.mark.parametrize(("html", "kind", "expected"), BY_TYPE)
async def test_the_type_chooses_between_texts(look: Look, html: str, kind: object, expected: object) -> None:
    assert shown(await look(html), kind) == expected


CHOSEN = "<label>Status <select {}><option {}>New</option><option value=b>Old</option></select></label>"


@pytest.mark.parametrize(
    ("select", "option", "kind", "expected"),
    [
        ("", "value=a", "string", "New"),
        ("", "value='' selected disabled", MAYBE, ""),
        ("", "value=a selected disabled", MAYBE, {"New", ""}),  # what was chosen, and cannot be any more
        ("", "value=a selected hidden", {"type": MAYBE, "not_present": ["New"]}, "New"),
        ("required", "value=''", MAYBE, ""),
        ("", "value=''", MAYBE, {"New", ""}),
        ("", "value=''", {"type": MAYBE, "not_present": ["New"]}, "New"),
        ("", "value=''", {"type": "enum", "values": ["New", "Old"]}, "New"),
    ],
)
async def test_the_text_of_an_option_without_a_value_or_that_cannot_be_chosen_may_stand_for_none(
    look: Look, select: str, option: str, kind: object, expected: object
) -> None:
    assert shown(await look(CHOSEN.format(select, option)), kind) == expected


ASKS = ["Choose", "Select a status ...", "Bitte wählen", "-- Status auswählen --", "Kies"]


@pytest.mark.parametrize(
    "html",
    [
        *(f"<label>Status <select><option value=0>{text}</option></select></label>" for text in ASKS),
        *(f"<b id=l>Status</b> <div role=combobox aria-labelledby=l tabindex=0>{text}</div>" for text in ASKS),
    ],
)
async def test_a_list_that_asks_to_choose_may_show_no_value(look: Look, html: str) -> None:
    assert isinstance(shown(await look(html), MAYBE), set)
    chosen = "Selected by hand"
    for text in ASKS:
        html = html.replace(f">{text}<", f">{chosen}<")
    assert shown(await look(html), MAYBE) == chosen


async def test_a_definition_of_two_terms_may_be_of_the_last_one_alone(look: Look) -> None:
    page = await look("<dl><dt>Status<dt>Kind<dd>Open<dt>Team<dd>Blue</dl>")
    assert shown(page, MAYBE) == {"", "Open"}
    assert shown(await look("<dl><dt>Kind<dt>Status<dd>Open<dt>Team<dd>Blue</dl>"), MAYBE) == "Open"


async def test_a_head_is_named_by_what_is_written_in_it(look: Look) -> None:
    sort = "<i role=button tabindex=0 aria-label='Status: sort' style='display:inline-block;width:9px;height:9px'></i>"
    page = await look(f"<table><tr><th>Status{sort}<th>Kind<tr><td>Open<td>A</table>")
    assert (page.elements[0].name, shown(page)) == ("Status", "Open")


def pair(label: str, value: str) -> str:
    return f"<div><span style='display:block'>{label}</span><div>{value}</div></div>"


async def test_what_stands_where_labels_stand_is_no_value_of_a_text_that_stands_elsewhere(look: Look) -> None:
    kind = {"a": "string", "b": "string", "status": "string"}
    spec = task("string").model_copy(update={"output_schema": {k: OutputField(type=v) for k, v in kind.items()}})
    tagged = pair("Tags", "<b style='padding:2px'>status</b>") + pair("Other", "x") + pair("A", "1") + pair("B", "2")
    assert read_fields(spec, await look(tagged))["status"] == FieldMissing()
    found = read_fields(spec, await look(tagged + pair("Status", "Open")))["status"]
    assert expect(found, FieldFound).candidate.shown == "Open"


async def test_the_title_of_a_page_is_no_label_of_its_badge(look: Look) -> None:
    badge = f"<span style='{BADGE}'>#11</span>"
    assert shown(await look(f"<h2>Status {badge}</h2><h3>Details</h3><dl><dt>Status<dd>Open</dl>")) == "Open"
    assert shown(await look(f"<h1>T-1</h1><h3>Status {badge}</h3>")) == "#11"


SELECT2 = f"""<label for=o>Status</label><select id=o style="{UNSEEN}"><option selected>Ann Lee</option></select>
  <span class="select2-container"><span class="select2-selection" role="combobox" aria-labelledby="c1" tabindex="0">
  <span class="select2-selection__rendered" id="c1" role="textbox" title="Ann Lee">CLEAR Ann Lee</span></span></span>"""
COVERED = """<label for=o>Status</label><div><input id=o role=combobox readonly value="2 options selected"
  style="opacity:0;position:absolute"><div><div><span>red <button>x</button></span></div>
  <div><span>blue <button>x</button></span></div></div></div>"""


async def test_a_field_that_nobody_sees_under_its_tags_is_not_read(look: Look) -> None:
    page = await look(COVERED)
    assert [e.value for e in page.elements if e.role == "combobox"] == ["red blue"]
    assert (shown(page, "array"), shown(page)) == ("red, blue", {"red", "blue"})


@pytest.mark.parametrize("clear", ["<span class=clear>×</span>", "<button title=Remove><span>×</span></button>"])
async def test_a_select_with_a_clear_button_is_its_choice(look: Look, clear: str) -> None:
    page = await look(SELECT2.replace("CLEAR", clear))
    assert [e.value for e in page.elements if e.role == "combobox"] == ["Ann Lee"]


async def test_the_box_of_a_joined_value_is_around_all_of_it(look: Look) -> None:
    page = await look(cell("<p>First part.</p><p>Second part.</p>"))
    box = candidate(page, "string").box
    parts = [e.box for e in page.elements if "part." in e.name]
    assert box is not None
    assert all(b is not None and b.y >= box.y and b.y + b.height <= box.y + box.height for b in parts)


AGO = '<span title="2023-01-02 10:00">3 years ago</span>'


@pytest.mark.parametrize(
    "html",
    [
        f"<p>By <b>Ann</b>, {AGO}.</p>",
        f"<div><div>Log</div>By Ann, {AGO}, on trunk<p>more</p></div>",
        f"<table><tr><th>Written</th><td>{AGO} by Ann</td></tr></table>",
        f"<dl><dt>Written</dt><dd>by Ann, <em>{AGO}</em></dd></dl>",
        f"<p>{AGO}</p>",
        '<p>By Ann, <time datetime="2023-01-02 10:00">3 years ago</time>.</p>',
    ],
)
async def test_words_within_a_text_keep_their_title(look: Look, html: str) -> None:
    page = await look(f"<h1>T-1</h1>{html}")
    tooltip = {"type": "string", "shown_in": "tooltip", "pattern": r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}"}
    assert shown(page, tooltip) == "2023-01-02 10:00"
    ago = candidate(page, {"type": "date", "shown_in": "text", "pattern": r"\d+ years ago"})
    assert (ago.shown, ago.title) == ("3 years ago", "2023-01-02 10:00")


async def test_titles_are_those_of_their_own_text(look: Look) -> None:
    page = await look(cell(f"<span title='2026-03-03'>3 days ago</span> <span style='{BADGE}' title='x'>late</span>"))
    assert candidate(page, "date").title == "2026-03-03"
    page = await look(
        "<p title=whole>By Ann</p><p>See <a href=/x title='Open the log'>the log</a></p><p>By <b>Ann</b></p>"
    )
    assert [element.hints for element in page.elements if element.hints] == []


@pytest.mark.parametrize(
    "style", [UNSEEN, "position:absolute;left:-9999px", "font-size:0", "color:transparent", "display:none"]
)
async def test_what_cannot_be_seen_is_no_part_of_a_value(look: Look, style: str) -> None:
    for place in (cell, definition):
        found = await look(place(f"<span style='{style}'>Bob Ray</span>Ann Lee"))
        assert [one.name for one in found.elements if one.header == "Status"] == ["Ann Lee"]


async def test_a_name_for_screen_readers_counts_only_where_no_words_are_shown(look: Look) -> None:
    for words, expected in (("Ann Lee", "Ann Lee"), ("✓", "Bob Ray")):
        found = await look(f"<dl><dt>Status</dt><dd aria-label='Bob Ray'>{words}</dd></dl>")
        assert [one.name for one in found.elements if one.header == "Status"] == [expected]


# --- what is no value


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


DRAWN = "<i style='display:block;width:9px;height:9px;background-image:url(x.png)'></i>"
ROWS = (
    "<table><tr><td>Name</td><td>T-1</td></tr><tr><td>Status</td><td>{}</td></tr>"
    "<tr><td>Notes</td><td>{}</td></tr></table>"
)
COLUMNS = (
    "<table><tr><th>Name</th><th>Status</th><th>Notes</th></tr><tr><td>T-1</td><td>{}</td><td>{}</td></tr></table>"
)
PROSE = "Status: closed? Not before May."
NEXT_ROW = "<table>{head}<tr><td>Id<td>7<tr><td>Status<td>" + DRAWN + "<tr><td>changes{after}</table>"
PAGES: tuple[tuple[str, object], ...] = (
    # a record about changes
    ("<main class='history comments'><h1>T-1</h1><dl><dt>Status</dt><dd>Closed</dd></dl></main>", "Closed"),
    ("<h1>History of Rome</h1><dl><dt>Status</dt><dd>Closed</dd></dl>", "Closed"),
    ("<h2>Changes</h2><p>none</p><h2>Details</h2><dl><dt>Status</dt><dd>Closed</dd></dl>", "Closed"),
    ("<table class=history-fields><tr><th>Status</th><td>Closed</td></tr></table><p class=comment>x</p>", None),
    # a label that can be pressed, a value that is a badge
    ("<table><tr><td><a href=#>Status</a></td><td>Open</td></tr></table>", "Open"),
    ("<table><tr><td><button>Status</button></td><td>Open</td></tr></table>", "Open"),
    ("<table><tr><th><a href=#>Status</a></th><td>Open</td></tr></table>", "Open"),
    ("<div><span>Status</span> <span role=status class=badge>Open</span></div>", "Open"),
    ("<table><tr><td>Status</td><td><span role=status><span class=badge>Open</span></span></td></tr></table>", "Open"),
    ("<dl><dt>Status</dt><dd><div role=status><a href=#>Open</a></div></dd></dl>", "Open"),
    ("<table><tr><th rowspan=2>Status</th><td>Open</td></tr><tr><td>Open</td></tr></table>", "Open"),
    # values below their labels, and beside them in one row
    ("<table><tr><td>Status<tr><td>Open<tr><td>Due<tr><td>x</table>", "Open"),
    ("<table><tr><td>Owner: Ann</td><td>Status: Open</td></tr></table>", "Open"),
    # what shows something without text is not empty
    ("<div><span>Status</span><span style='background-image:url(x.png)'></span></div>", None),
    ("<div><span>Status</span><span aria-busy=true></span></div>", None),
    ("<div><span>Status</span></div>", None),
    # the label of the next row is no value
    (NEXT_ROW.format(head="", after="<td>x"), None),
    (NEXT_ROW.format(head="<tr><th>Column<th>Value", after="<td>x"), None),
    (NEXT_ROW.format(head="", after=f"<td>{DRAWN}"), None),
    # sentences that begin like a labelled value
    (f"<h1>T-1</h1><p>{PROSE}</p>", None),
    ("<h1>T-1</h1><p>Status: 開。Ask her!  又問。</p>", None),
    (f"<h1>T-1</h1>{ROWS.format('Open', 'x')}<p>{PROSE}</p>", "Open"),
    (f"<h1>T-1</h1>{ROWS.format('', 'x')}<p>Status: open until the move. Ask her about it.</p>", ""),
    # a labelled text that contradicts a row
    (f"<h1>T-1</h1>{ROWS.format('Open', 'x')}<p>Status: Closed</p>", {"Open", "Closed"}),
    # an abbreviation ends no sentence
    *((f"<h1>T-1</h1><p>Status: {value}</p>", value) for value in ("Ann J. Smith", "St. Gallen", "approx. 5 kg")),
    *((f"<h1>T-1</h1><p>Status: {value}</p>", value) for value in ("v1.2. beta", "Wait!", "Acme Inc.")),
)


@pytest.mark.parametrize(("html", "expected"), PAGES)
async def test_what_is_read_of_a_page(look: Look, html: str, expected: object) -> None:
    assert shown(await look(html), MAYBE) == expected


@pytest.mark.parametrize("table", [ROWS, COLUMNS])
@pytest.mark.parametrize("note", [PROSE, "Status: in repair since Monday, owner to be told"])
async def test_a_text_in_the_place_of_another_label_is_no_value(look: Look, table: str, note: str) -> None:
    assert shown(await look(f"<h1>T-1</h1>{table.format('Open', note)}")) == "Open"
    assert shown(await look(f"<h1>T-1</h1>{table.format('', note)}")) == ""
    assert shown(await look(f"<h1>T-1</h1>{table.replace('Status', 'Kind').format('A', note)}")) is None


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><td>Status</td><td></td></tr><tr><td>Due</td><td>x</td></tr></table>",
        "<table><tr><td><a href=#>Status</a></td><td> </td></tr></table>",
        "<table><tr><th>Column<th>Value<tr><td>Status<td><a href=/none></a><tr><td>Due<td>x</table>",
        "<div><span>Status</span><span></span></div><div><span>Due</span><span>x</span></div>",
        "<div><div>Status</div><div><p></p></div></div>",
        "<dl><dt>Status</dt><dd></dd></dl>",
    ],
)
async def test_an_empty_place_beside_a_label_is_not_present(look: Look, html: str) -> None:
    page = await look(html)
    value = field_value("status", task(MAYBE).output_schema["status"], read(page, MAYBE), page)
    assert (value.state, value.shown) == ("not_present", "")
    assert value.source is not None
    label = next(e for e in page.elements if e.ref == value.source.ref)
    assert "Status" in (label.name, label.header)


# --- of which record, and in which part


BLAME = """<table><tr><th>Commit</th><th>Status</th><th>Line</th><th>Code</th></tr>
  <tr><td rowspan=2>aaa111</td><td rowspan=2>Ann</td><td>1</td><td>x = 1</td></tr>
  <tr><td>2</td><td>y = 2</td></tr>
  <tr><td>bbb222</td><td>Bob</td><td>3</td><td>z = 3</td></tr></table>"""


async def test_the_row_of_a_line_is_the_one_that_spans_it(look: Look) -> None:
    page = await look(BLAME)
    assert [shown(page, "string", line) for line in "123"] == ["Ann", "Ann", "Bob"]
    cells = {e.name: (e.column, e.row, e.rows, e.header) for e in page.elements}
    assert (cells["aaa111"], cells["y = 2"]) == ((0, 2, 2, "Commit"), (3, 3, 1, "Code"))
    without = BLAME.replace("<td>Bob</td>", "<td><img alt=''></td>")
    assert shown(await look(without), "string", "3") in (None, "")


PEOPLE = """
<h1>TCK-1001: Printer</h1>
<section aria-labelledby=r><h2 id=r>Reporter</h2><dl><dt>Name</dt><dd>Ann</dd><dt>Phone</dt><dd>11</dd></dl></section>
<section aria-label="Technician"><dl><dt>Name</dt><dd>Bob</dd><dt>Phone</dt><dd>22</dd></dl></section>
<fieldset><legend>Approver</legend><label>Name <input value=Cem></label>
<label>Phone <input value=33></label></fieldset>
<table><caption>Billing</caption><tr><th>Name<td>Dia<tr><th>Phone<td>44</table>
<h2>Visits</h2><table><tr><th>Day<th>Name<th>Phone<tr><td>Monday<td>Eve<td>55<tr><td>Tuesday<td>Fay<td>66</table>
<h2>Remarks</h2><p>Name: Gus</p>
"""
FILTERS = """
<h1>TCK-1001: Printer</h1>
<form method=get action=/list><label>State <select><option>any</select></label></form>
<form action=/list><label>Owner <input value=x></label></form>
<form class="issue-filter" method=post><label>Age <input value=x></label></form>
<table><thead><tr><th>Day <input aria-label=Day value=x></thead><tr><td>Monday</table>
<form method=post action=/edit><label>Name <input value=Ann></label></form>
<form><label>Phone <input value=11></label></form>
"""


def name_in(page: PageObserved, **how: object) -> str:
    """Return the name that is read in a part of the page, else what came of it."""
    schema = {"ticket_number": "string", "name": {"type": "string", **how}}
    asked = spec(output_schema=schema, required_fields=["name"], required_artifacts=[])
    who = sample(fields={"ticket_number": "TCK-1001", "day": "Tuesday"})
    found = read_page(asked, who, page).readings["name"]
    return found.candidate.shown if isinstance(found, FieldFound) else type(found).__name__


async def test_a_value_is_read_under_its_heading_in_its_region_table_or_row(look: Look) -> None:
    page = await look(PEOPLE)
    parts = ("Reporter", "technician", ["Nobody", "Approver"], "Billing", "{day}", "Remarks")
    assert [name_in(page, under=part) for part in parts] == ["Ann", "Bob", "Cem", "Dia", "Fay", "Gus"]
    assert name_in(page) == "FieldAmbiguous"
    twice = await look(PEOPLE + "<h2>Visits</h2><p>Name: Hal</p>")
    for told in (name_in(page, under="Buyer"), name_in(twice, under="Visits")):
        assert told == "FieldMissing"


async def test_where_labels_are_given_the_fields_own_name_is_none(look: Look) -> None:
    page = await look("<h1>TCK-1001</h1><dl><dt>Name</dt><dd>Ann</dd><dt>Technician</dt><dd>Bob</dd></dl>")
    assert name_in(page, labels=["Technician"]) == "Bob"


async def test_a_control_that_only_searches_or_filters_is_no_value(look: Look) -> None:
    page = await look(FILTERS)
    controls = {e.name: is_filter(e) for e in page.elements if e.tag in ("input", "select")}
    assert controls == {"State": True, "Owner": True, "Age": True, "Day": True, "Name": False, "Phone": False}
