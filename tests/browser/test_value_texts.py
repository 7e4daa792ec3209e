"""A value is the text of one element, on real pages: badges, tags, buttons and struck-out texts are not glued to it."""

from __future__ import annotations

import pytest

from services.planner.page.fields import FieldAmbiguous, FieldFound, Reading, read_fields
from services.planner.page.labels.candidates import Candidate
from shared.contracts.browser_pool import PageObserved
from shared.task.spec import TaskSpec
from tests.browser.conftest import Look
from tests.typed import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")
BADGE = "display:inline-block;padding:2px 6px;background:#ddd;border-radius:6px"
UNSEEN = "position:absolute;clip:rect(0,0,0,0);overflow:hidden"
INLINE_BADGE = "padding:2px 6px;background:#ddd"


def read(page: PageObserved, kind: object) -> Reading:
    spec = TaskSpec.model_validate(
        {"task_id": "t", "goal": "Read.", "start_url": "{url}", "output_schema": {"owner": kind}}
    )
    return read_fields(spec, page)["owner"]


def candidate(page: PageObserved, kind: object) -> Candidate:
    return expect(read(page, kind), FieldFound).candidate


def reading(page: PageObserved, kind: object = "string") -> object:
    found = read(page, kind)
    if isinstance(found, FieldFound):
        return found.candidate.shown
    return set(found.texts) if isinstance(found, FieldAmbiguous) else None


def cell(html: str) -> str:
    return f"<table><tr><th>Owner</th><td>{html}</td></tr></table>"


def definition(html: str) -> str:
    return f"<dl><dt>Owner</dt><dd>{html}</dd></dl>"


def line(html: str) -> str:
    return f"<div><b>Owner:</b> {html}</div>"


@pytest.mark.parametrize("place", [cell, definition, line])
@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("Opened by <a href=#>Ann</a> on 3 May", "Opened by Ann on 3 May"),
        ("Ann <b>Lee</b>", "Ann Lee"),
        ("<em>Ann</em>-<code style='padding:3px;background:#eee'>x1</code>", "Ann-x1"),
        (f"Ann Lee <span style='{BADGE}'>Admin</span>", "Ann Lee"),
        (f"Ann Lee <span style='{INLINE_BADGE}'>Admin</span>", "Ann Lee"),
        (f"Ann Lee <span style='{BADGE}'>Admin</span> <span style='{BADGE}'>Away</span>", "Ann Lee"),
        ("Ann Lee <span class=badge>Admin</span>", "Ann Lee"),
        ("<del>Bob</del> <ins>Ann Lee</ins>", "Ann Lee"),
        ("<a href=#>Ann Lee</a> <button>Edit</button>", "Ann Lee"),
        (
            "Ann Lee <span style='position:absolute;clip:rect(0,0,0,0);overflow:hidden'>(opens a window)</span>",
            "Ann Lee",
        ),
    ],
)
async def test_a_text_is_not_glued_to_what_stands_beside_it(look: Look, place, html: str, expected: str) -> None:
    assert reading(await look(place(html))) == expected


@pytest.mark.parametrize("place", [cell, definition])
@pytest.mark.parametrize(
    ("html", "texts"),
    [
        (f"<span style='{BADGE}'>red</span> <span style='{BADGE}'>blue</span>", {"red", "blue"}),
        (f"<span style='{BADGE}'>Open</span> since May", {"Open", "since May"}),
        ("<div>Ann Lee</div><div style='font-size:10px'>Engineering</div>", {"Ann Lee", "Engineering"}),
        (
            "<div style='display:flex;gap:20px'><span>Ann Lee</span><span>Engineering</span></div>",
            {"Ann Lee", "Engineering"},
        ),
        ("Ann Lee <small>Engineering</small>", {"Ann Lee", "Engineering"}),
        ("<a href=#>Ann</a> <a href=#x>Bob</a>", {"Ann", "Bob"}),
        ("Ann <a href=#>edit</a>", {"Ann", "edit"}),
        ("<ul><li>Ann</li><li>Bob</li></ul>", {"Ann", "Bob"}),
    ],
)
async def test_several_texts_in_one_place_go_to_a_person(look: Look, place, html: str, texts: set[str]) -> None:
    assert reading(await look(place(html))) == texts


@pytest.mark.parametrize(
    ("html", "kind", "expected"),
    [
        ("12 <small>kilograms</small>", "number", "12"),
        (f"<span style='{BADGE}'>Open</span> since May", {"type": "enum", "values": ["Open", "Closed"]}, "Open"),
        (f"<span style='{BADGE}'>late</span> Mar 3, 2026", "date", "Mar 3, 2026"),
        (f"<span style='{BADGE}'>red</span> <span style='{BADGE}'>blue</span>", "array", "red, blue"),
        (
            f"<span style='{BADGE}'>red <a href=# onclick=''>×</a></span> <span style='{BADGE}'>blue</span>",
            "array",
            "red, blue",
        ),
        ("<ul><li>red</li><li>light blue</li></ul>", "array", "red, light blue"),
        (
            "<select multiple><option selected>red</option><option>x</option><option selected>blue</option></select>",
            "array",
            "red, blue",
        ),
        ("<p>First part.</p><p>Second part.</p>", "string", "First part. Second part."),
        ("12 Main St<br>Springfield", "string", "12 Main St Springfield"),
    ],
)
async def test_the_type_chooses_between_texts(look: Look, html: str, kind: object, expected: str) -> None:
    assert reading(await look(cell(html)), kind) == expected


async def test_two_cells_beside_one_header_are_two_values(look: Look) -> None:
    page = "<table><tr><th>Owner</th><td>7</td><td>USD of Ann</td></tr></table>"
    assert reading(await look(page)) == {"7", "USD of Ann"}
    assert reading(await look(page), "number") == "7"


SELECT2 = f"""<label for=o>Owner</label><select id=o style="{UNSEEN}"><option selected>Ann Lee</option></select>
  <span class="select2-container"><span class="select2-selection" role="combobox" aria-labelledby="c1" tabindex="0">
  <span class="select2-selection__rendered" id="c1" role="textbox" title="Ann Lee">CLEAR Ann Lee</span></span></span>"""


async def test_several_choices_are_no_text(look: Look) -> None:
    chosen = "<select multiple><option selected>red</option><option>x</option><option selected>blue</option></select>"
    for page in (cell(chosen), f"<label>Owner {chosen}</label>"):
        assert reading(await look(page)) == {"red", "blue"}
        assert reading(await look(page), "array") == "red, blue"


COVERED = """<label for=o>Owner</label><div><input id=o role=combobox readonly value="2 options selected"
  style="opacity:0;position:absolute"><div><div><span>red <button>x</button></span></div>
  <div><span>blue <button>x</button></span></div></div></div>"""


async def test_a_field_that_nobody_sees_under_its_tags_is_not_read(look: Look) -> None:
    page = await look(COVERED)
    assert [e.value for e in page.elements if e.role == "combobox"] == ["red blue"]
    assert reading(page, "array") == "red, blue"
    assert reading(page) == {"red", "blue"}


@pytest.mark.parametrize("clear", ["<span class=clear>×</span>", "<button title=Remove><span>×</span></button>"])
async def test_a_select_with_a_clear_button_is_its_choice(look: Look, clear: str) -> None:
    page = await look(SELECT2.replace("CLEAR", clear))
    assert [e.value for e in page.elements if e.role == "combobox"] == ["Ann Lee"]


async def test_the_box_of_a_joined_value_is_around_all_of_it(look: Look) -> None:
    page = await look(cell("<p>First part.</p><p>Second part.</p>"))
    found = candidate(page, "string")
    box = found.box
    shown = [e.box for e in page.elements if "part." in e.name]
    assert box is not None
    assert all(b is not None and b.y >= box.y and b.y + b.height <= box.y + box.height for b in shown)


async def test_a_date_has_the_title_of_its_own_text(look: Look) -> None:
    page = await look(cell(f"<span title='2026-03-03'>3 days ago</span> <span style='{BADGE}' title='x'>late</span>"))
    assert candidate(page, "date").title == "2026-03-03"


async def test_a_place_with_only_struck_out_text_has_no_value(look: Look) -> None:
    assert reading(await look(cell("<del>Bob</del>"))) is None


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
    assert reading(page, tooltip) == "2023-01-02 10:00"
    ago = candidate(page, {"type": "date", "shown_in": "text", "pattern": r"\d+ years ago"})
    assert (ago.shown, ago.title) == ("3 years ago", "2023-01-02 10:00")


async def test_titles_of_links_and_of_whole_texts_are_no_hints_of_another(look: Look) -> None:
    page = await look(
        "<p title=whole>By Ann</p><p>See <a href=/x title='Open the log'>the log</a></p><p>By <b>Ann</b></p>"
    )
    assert [element.hints for element in page.elements if element.hints] == []


@pytest.mark.parametrize("place", [cell, definition])
@pytest.mark.parametrize(
    "style",
    [UNSEEN, "position:absolute;left:-9999px", "font-size:0", "color:transparent", "display:none"],
    ids=["cut away", "outside", "of no size", "without colour", "not displayed"],
)
async def test_what_cannot_be_seen_is_no_part_of_a_value(look: Look, place, style):
    found = await look(place(f"<span style='{style}'>Bob Ray</span>Ann Lee"))
    assert [one.name for one in found.elements if one.header == "Owner"] == ["Ann Lee"]


@pytest.mark.parametrize(("shown", "expected"), [("Ann Lee", "Ann Lee"), ("✓", "Bob Ray")])
async def test_a_name_for_screen_readers_counts_only_where_no_words_are_shown(look: Look, shown, expected):
    found = await look(f"<dl><dt>Owner</dt><dd aria-label='Bob Ray'>{shown}</dd></dl>")
    assert [one.name for one in found.elements if one.header == "Owner"] == [expected]
