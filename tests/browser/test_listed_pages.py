"""Lists on real pages: which one is meant, which column and link is whose, and what is left to a person."""

from __future__ import annotations

import random
from typing import Any

import pytest

from shared.contracts.browser_pool import PageObserved
from shared.pages.listing.list_reader import ListRead, read_list
from tests.browser.conftest import Look
from tests.unit.planner.planner_pages import spec


def listing(read: PageObserved, fields: dict[str, Any], **changes: Any) -> ListRead:
    written = {
        "phase": "discovery",
        "required_artifacts": [],
        "identity": {},
        "required_fields": list(fields),
        **changes,
    }
    return read_list(spec(output_schema=fields, **written), read)


def table(header: list[str], rows: list[list[str]], caption: str = "") -> str:
    top = "".join(f"<th>{name}</th>" for name in header)
    body = "".join(
        f"<tr>{''.join(cell if cell.startswith('<th') else f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><caption>{caption}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def link(path: str, name: str) -> str:
    return f'<a href="/{path}">{name}</a>'


ISSUES = [
    ["#1", link("issues/1", "Broken"), link("users/ann", "Ann")],
    ["#2", link("issues/2", "Slow"), link("users/bo", "Bo")],
]
HEADER = ["Id", "Title", "Author"]
NUMBERED = {"number": {"type": "string", "labels": ["Id"]}, "url": "string"}


async def test_a_row_whose_link_stands_in_its_header_is_a_row_like_others(look: Look) -> None:
    rows = [[f"<th>{link(f'p/{n}/change', f'Item {n}')}</th>", f"{n}.00", link("u/ann", "Ann")] for n in (1, 2, 3)]
    page = await look("<div>" + table(["Name", "Price", "Owner"], rows) + "</div>")
    read = listing(page, {"name": "string", "price": "decimal", "owner": "string", "url": "string"})
    assert read.doubt == ""
    assert [(item["name"], item["price"], item["owner"]) for item in read.items] == [
        (f"Item {n}", f"{n}.00", "Ann") for n in (1, 2, 3)
    ]
    assert [item["url"].rstrip("/").rpartition("/p/")[2] for item in read.items] == [f"{n}/change" for n in (1, 2, 3)]


async def test_the_link_whose_address_names_the_record_is_its_own(look: Look) -> None:
    read = listing(await look(table(["Id", "Title", "Author"], ISSUES)), NUMBERED)
    assert (read.doubt, [item["url"][-8:] for item in read.items]) == ("", ["issues/1", "issues/2"])


async def test_several_links_that_may_be_its_own_are_a_doubt_until_the_task_says_which(look: Look) -> None:
    page = await look(table(["Subject", "Author"], [row[1:] for row in ISSUES]))
    fields = {"author": "string", "url": "string"}
    topic = {"topic": {"type": "string", "labels": ["Subject"]}, "author": "string", "url": "string"}
    assert listing(page, fields).doubt == ""  # the author's own page: the only column that is asked for
    doubted = listing(page, topic)
    assert doubted.items == ()
    assert "list.link" in doubted.doubt
    for words in ("Subject", "issues"):
        chosen = listing(page, topic, list={"link": words})
        assert (chosen.doubt, [item["url"][-8:] for item in chosen.items]) == ("", ["issues/1", "issues/2"])


async def test_a_link_of_a_column_that_is_not_asked_for_is_not_taken(look: Look) -> None:
    rows = [["Broken", link("users/ann", "Ann")], ["Slow", link("users/bo", "Bo")]]
    read = listing(await look(table(["Title", "Author"], rows)), {"title": "string", "url": "string"})
    assert read.items == ()
    assert "list.link" in read.doubt


async def test_two_tables_that_fit_are_a_doubt_until_the_task_says_which(look: Look) -> None:
    second = [["#8", link("issues/8", "Old"), "Cy"], ["#9", link("issues/9", "Older"), "Di"]]
    page = await look(f"<h2>Open</h2>{table(HEADER, ISSUES)}<h2>Closed</h2>{table(HEADER, second)}")
    assert listing(page, NUMBERED).items == ()
    assert "list.under" in listing(page, NUMBERED).doubt
    absent = listing(page, NUMBERED, list={"under": "Archive"})
    assert (absent.items, "Archive" in absent.doubt) == ((), True)
    closed = listing(page, NUMBERED, list={"under": "Closed"})
    assert (closed.doubt, [item["number"] for item in closed.items]) == ("", ["#8", "#9"])


async def test_a_caption_names_a_table(look: Look) -> None:
    second = [["#8", link("issues/8", "Old"), "Cy"]]
    html = table(["Id", "Title", "Author"], ISSUES, "Open") + table(["Id", "Title", "Author"], second, "Closed")
    read = listing(await look(html), NUMBERED, list={"under": "Open"})
    assert (read.doubt, [item["number"] for item in read.items]) == ("", ["#1", "#2"])


async def test_no_column_that_fits_is_a_doubt_and_menus_are_not_listed_instead(look: Look) -> None:
    menu = "<div>" + "".join(f"<span>{link(f'm/{n}', f'Menu {n}')}</span>" for n in range(9)) + "</div>"
    page = await look(menu + table(["Id", "Subject", "Author"], ISSUES))
    read = listing(page, {"title": "string", "url": "string"})
    assert read.items == ()
    assert "subject" in read.doubt
    named = listing(page, {"title": "string", "url": "string"}, list={"columns": {"title": "Subject"}})
    assert (named.doubt, [item["title"] for item in named.items]) == ("", ["Broken", "Slow"])


async def test_a_value_never_comes_from_another_column(look: Look) -> None:
    rows = [["A-1", "2026-01-02", "Ann"], ["A-2", "", "Bo"]]
    page = await look(table(["Key", "Created", "Owner"], rows))
    read = listing(page, {"key": "string", "due": "date | null", "owner": "string"}, required_fields=["key"])
    assert [item["due"] for item in read.items] == [None, None]


async def test_cards_under_headings_are_items_and_their_authors_are_not(look: Look) -> None:
    cards = "".join(
        f"<li><h3>{link(f'p/{n}', f'Project {n}')}</h3><p>by {link(f'u/{n}', f'Ann {n}')}</p></li>" for n in range(4)
    )
    read = listing(await look(f"<h2>Projects</h2><ul>{cards}</ul>"), {"name": "string", "url": "string"})
    assert (read.doubt, [item["name"] for item in read.items]) == ("", [f"Project {n}" for n in range(4)])


async def test_links_of_several_kinds_that_take_turns_are_a_doubt(look: Look) -> None:
    items = "".join(f"<li>{link(f'p/x{n}', f'Project {n}')} {link(f'u/y{n}', f'Ann {n}')}</li>" for n in range(4))
    page = await look(f"<ul>{items}</ul>")
    fields = {"name": "string", "url": "string"}
    assert listing(page, fields).items == ()
    chosen = listing(page, fields, list={"link": "p"})
    assert (chosen.doubt, [item["name"] for item in chosen.items]) == ("", [f"Project {n}" for n in range(4)])


SORTED = [
    "Key&nbsp;▼",
    "Key <span>▲</span>",
    '<a href="?sort=key">Key</a> ↑',
    'Key<span style="position:absolute;width:1px;height:1px;overflow:hidden"> sorted descending</span>',
]


@pytest.mark.parametrize("header", SORTED)
async def test_how_a_column_is_sorted_is_no_part_of_its_name(look: Look, header: str) -> None:
    rows = [[link("t/A-1", "A-1"), "One"], [link("t/A-2", "A-2"), "Two"]]
    read = listing(await look(table([header, "Title"], rows)), {"key": "string", "title": "string"})
    assert (read.doubt, [item["key"] for item in read.items]) == ("", ["A-1", "A-2"])


async def test_what_a_reader_hears_of_a_column_is_no_part_of_its_name(look: Look) -> None:
    header = "".join(
        f'<th aria-label="{name}: aktivieren, um die Spalte zu sortieren">{name}</th>' for name in ("Key", "Title")
    )
    page = await look(f"<table><thead><tr>{header}</tr></thead><tr><td>A-1<td>One<tr><td>A-2<td>Two</table>")
    read = listing(page, {"key": "string", "title": "string"})
    assert (read.doubt, [item["title"] for item in read.items]) == ("", ["One", "Two"])


CARD = "<li><a href='/t/{n}'><span style='display:block{title}'>Title {n}</span><span style='display:block{by}'>Ann {n}"
PRINTS = {
    "larger": (";font-size:20px", ""),
    "bold": (";font-weight:bold", ""),
    "darker": ("", ";color:#777"),
    "paler than the other way round": (";color:#eee", ";color:#555;"),
}


@pytest.mark.parametrize("print_", PRINTS)
async def test_the_title_of_a_card_that_is_one_link_is_its_strongest_print(look: Look, print_: str) -> None:
    title, by = PRINTS[print_]
    dark = ";background:#111" if "paler" in print_ else ""
    items = "".join(CARD.format(n=n, title=title, by=by) + "</span></a></li>" for n in range(1, 4))
    read = listing(await look(f"<ul style='color:#000{dark}'>{items}</ul>"), {"title": "string", "url": "string"})
    assert (read.doubt, [item["title"] for item in read.items]) == ("", ["Title 1", "Title 2", "Title 3"])


async def test_a_card_that_is_one_link_with_equal_texts_is_a_doubt_until_a_pattern_chooses(look: Look) -> None:
    page = await look(f"<ul>{''.join(CARD.format(n=n, title='', by='') + '</span></a></li>' for n in (1, 2, 3))}</ul>")
    for title, required in (("title", []), ("title", ["title"]), ("booking", ["booking"])):
        doubted = listing(page, {title: "string", "url": "string"}, required_fields=[*required, "url"])
        assert doubted.items == ()
        assert "pattern" in doubted.doubt
    chosen = listing(page, {"title": {"type": "string", "pattern": "Title .*"}, "url": "string"})
    assert (chosen.doubt, [item["title"] for item in chosen.items]) == ("", ["Title 1", "Title 2", "Title 3"])


async def test_a_badge_in_a_cell_is_no_part_of_its_value(look: Look) -> None:
    rows = [[f"A-{n}", f"Part {n} <span style='background:#ddd;padding:2px'>New</span>"] for n in (1, 2)]
    read = listing(await look(table(["Key", "Title"], rows)), {"key": "string", "title": "string"})
    assert (read.doubt, [item["title"] for item in read.items]) == ("", ["Part 1", "Part 2"])


CHANGES = [
    [f"2026-01-0{n} <a href='/commit/c6f43{n}'>c6f43{n}</a>", link(f"page{n}?rev=c6f43{n}", f"Page {n}"), f"Edit {n}"]
    for n in (1, 2, 3)
]


async def test_an_id_in_a_cell_with_other_texts_is_read_from_the_link_that_the_task_chooses(look: Look) -> None:
    page = await look(table(["Date", "Files", "Message"], CHANGES))
    naive = {"revision": "string", "message": "string"}
    assert listing(page, naive).items == ()
    fields = {"revision": {"type": "string", "pattern": "[0-9a-f]{6}"}, "message": "string"}
    assert (
        "list.link" in listing(page, {"revision": {"type": "string", "pattern": ".{5,6}"}, "message": "string"}).doubt
    )
    read = listing(page, fields, list={"link": "commit"})
    assert (read.doubt, [item["revision"] for item in read.items]) == ("", ["c6f431", "c6f432", "c6f433"])


# --- random pages


def noise(rng: random.Random) -> str:
    """Menus, feeds, filters, pagers and breadcrumbs, some of them in landmarks."""
    many = range(rng.randint(2, 12))
    kinds = [
        "<nav>" + "".join(link(f"menu/{n}", f"Menu {n}") for n in many) + "</nav>",
        "<div class=menu>" + "".join(f"<div>{link(f'go/{n}', f'Go {n}')}</div>" for n in many) + "</div>",
        "<h3>Activity</h3><ul>" + "".join(f"<li>{link(f'event/{n}', f'Ann did {n}')}</li>" for n in many) + "</ul>",
        "<div class=filter>Status: " + " ".join(link(f"?status={n}", f"State {n} ({n})") for n in many) + "</div>",
        "<p>" + " / ".join(link(f"crumb/{n}", f"Crumb {n}") for n in range(3)) + "</p>",
        table(["Build", "State"], [[link(f"build/{n}", f"b{n}"), "ok"] for n in many]),
        "<footer>" + "".join(link(f"legal/{n}", f"Legal {n}") for n in many) + "</footer>",
        "<div class=pagination>" + " ".join(link(f"?page={n}", str(n)) for n in range(1, 5)) + "</div>",
    ]
    return "".join(rng.sample(kinds, rng.randint(0, 4)))


def records(rng: random.Random) -> tuple[str, list[tuple[str, str]]]:
    """A list as a table or as cards, and what is in it."""
    own = [(f"T-{rng.randint(100, 999)}{n}", f"Title {n} {rng.choice('abc')}") for n in range(rng.randint(1, 9))]
    by = link("people/1", "Ann")
    shape = rng.choice(("table", "header", "headless", "cards", "plain"))
    if shape == "table":
        return table(["Key", "Title", "Author"], [[key, link(f"t/{key}", title), by] for key, title in own]), own
    if shape == "header":
        rows = [[f"<th scope=row>{link(f't/{key}', key)}</th>", title, by] for key, title in own]
        return table(["Key", "Title", "Author"], rows), own
    if shape == "headless":
        cells = (f"<tr><td>{key}<td>{link(f't/{key}', title)}<td>{by}" for key, title in own)
        return f"<table>{''.join(cells)}</table>", own
    heads = ("<h3>", f"</h3>by {by}") if shape == "cards" else ("", "")
    return "<ul>" + "".join(f"<li>{link(f't/{key}', title).join(heads)}</li>" for key, title in own) + "</ul>", own


FIELDS = {"key": "string", "title": "string", "url": "string"}
CAREFUL = {**FIELDS, "key": {"type": "string", "pattern": r"T-\d+"}}


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(6, 40))])
async def test_a_random_page_is_listed_exactly_or_not_with_certainty(look: Look, seed: int) -> None:
    rng = random.Random(seed)
    own, expected = records(rng)
    page = await look(f"{noise(rng)}<main><h2>Tickets</h2>{own}<h2>More</h2></main>{noise(rng)}")
    naive = listing(page, {"title": "string", "url": "string"})
    if naive.items and not naive.doubt:
        assert [item["title"] for item in naive.items] == [title for _, title in expected]
    careful = listing(page, CAREFUL, list={"under": "Tickets"})
    assert careful.doubt == ""
    assert [(item["key"], item["title"]) for item in careful.items] == expected
    assert [item["url"].rpartition("/")[2] for item in careful.items] == [key for key, _ in expected]
