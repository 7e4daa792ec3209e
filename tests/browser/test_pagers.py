"""Pagers and counts of lists as real pages have them, observed by the browser and read by the planner."""

from __future__ import annotations

import pytest

from shared.pages.lists.counts import read_counts
from shared.pages.lists.paging import next_page_control
from tests.browser.conftest import Look

ROWS = "<table><tr><th>Id<th>Name<tr><td><a href=/1>#1</a><td>One<tr><td><a href=/2>#2</a><td>Two</table>"
SIGN = '<svg width=20 height=20><path d="M0 0h9v9z"/></svg>'
BLANKS = 40 * "\n        "
LEADS_ON = {
    "an arrow that its title names, beside numbers": (
        '<div><span class=current>1</span> <a href="?page=2" title="Page 2">2</a> <a href="?page=3">3</a>'
        ' <span class="next"><a href="?page=2" title="Next Page">→</a></span></div>',
        "→",
    ),
    "numbers alone, this one without a link": ('<div><b>1</b> <a href="?2">2</a> <a href="?3">3</a></div>', "2"),
    "numbers alone, this one in the middle": ('<div><a href="?1">1</a> <b>2</b> <a href="?3">3</a></div>', "3"),
    "numbers alone, all but this one": ('<div><a href="?1">1</a> <a href="?3">3</a> <a href="?4">4</a></div>', "3"),
    "numbers without the first": ('<div><a href="?2">2</a> <a href="?3">3</a></div>', "2"),
    "numbers between bars": ('<div>Page: 1 | <a href="?2">2</a> | <a href="?3">3</a></div>', "2"),
    "numbers in the last row of the table": (
        '<table><tr><td><span>1</span></td><td><a href="javascript:x(2)">2</a></td><td><a href="javascript:x(3)">3</a>'
        "</td></tr></table>",
        "2",
    ),
    "numbers whose current one has a class": (
        '<ul class=pagination><li class=active><a href="#">1</a></li><li><a href="#">2</a></li></ul>',
        "2",
    ),
    "numbers with hidden words": (
        '<nav><a aria-label="Page 1" aria-current=page href="?1">1</a>'
        '<a aria-label="Go to page 2" href="?2">2</a></nav>',
        "Go to page 2",
    ),
    "a double arrow in a pager": ('<ul class=pager><li><a href="?1">«</a><li><a href="?2">»</a></ul>', "»"),
    "an arrow before the one to the end": (
        '<ul class=pager><li><a href="?2">›</a><li><a href="?9">»</a></ul>',
        "›",
    ),
    "a double arrow alone": ('<div class=pagination><a href="http://a.test/?page=1">»»</a></div>', "»»"),
    "a double arrow behind the numbers before this one": (
        '<div class=pagination><a href="http://a.test/?page=0">0</a> <a href="http://a.test/?page=2">»»</a></div>',
        "»»",
    ),
    "numbers before a double arrow to the end": (
        '<div class=pagination><b>1</b> <a href="http://a.test/?2">2</a> <a href="http://a.test/?9">&gt;&gt;</a></div>',
        "2",
    ),
    "an icon with a title": (f'<div><button title="Go to next page">{SIGN}</button></div>', "Go to next page"),
}
LEADS_NOWHERE = {
    "the last of some numbers": '<div><a href="?1">1</a> <a href="?2">2</a> <b>3</b></div>',
    "a choice of entries per page": '<div>Per page: <a href="?pp=25">25</a> <a href="?pp=50">50</a></div>',
    "a month": "<div>" + " ".join(f'<a href="#d{day}">{day}</a>' for day in range(1, 32)) + "</div>",
    "weeks of a month": "<table>"
    + "".join(f"<tr>{''.join(f'<td><a href=#>{d}</a>' for d in range(w, w + 7))}" for w in (1, 8, 15, 22))
    + "</table>",
    "an end by its class": '<ul class=pagination><li class="next disabled"><a href="#">Next</a></li></ul>',
    "an end by its class, in an indented template": (
        f'<ul class=pagination>{BLANKS}<li class=active>{BLANKS}<a href="#">3</a></li>{BLANKS}'
        f'<li class=disabled>{BLANKS}<a href="#">&gt;</a></li></ul>'
    ),
    "numbers in a footer": '<footer><a href="?2">2</a> <a href="?3">3</a></footer>',
    "a double arrow to the end": '<div class=pagination><b>3</b> <a href="http://a.test/?page=9">»»</a></div>',
    "a double arrow beside a single one": (
        '<div class=pagination><span>›</span> <a href="http://a.test/?page=9">››</a></div>'
    ),
    "a double arrow beside a picture": (
        f'<div class=pagination><a href="http://a.test/?page=1">{SIGN}</a> <a href="http://a.test/?page=9">»»</a></div>'
    ),
    "other titles": '<a href="/feed" title="Next steps for you">→</a>',
}


async def control_of(look: Look, html: str):
    page = await look(f"<body><main>{ROWS}{html}</main>" if "<footer" not in html else f"<body>{ROWS}{html}")
    last = max(element.ref for element in page.elements if element.name == "Two")
    return next_page_control(page, last)


@pytest.mark.parametrize("form", LEADS_ON)
async def test_what_leads_on_is_recognised(look: Look, form: str) -> None:
    html, name = LEADS_ON[form]
    control = await control_of(look, html)
    assert control is not None
    assert control.element.name == name


@pytest.mark.parametrize("form", LEADS_NOWHERE)
async def test_what_leads_nowhere_is_not(look: Look, form: str) -> None:
    assert await control_of(look, LEADS_NOWHERE[form]) is None


COUNTS = {
    "<h1>Active Tickets <span>(120 matches)</span></h1>": ("total", 0, 0, 120),
    "<p>Showing <b>1</b> to <b>25</b> of <strong>120</strong> entries</p>": ("range", 1, 25, 120),
    '<div class=MuiTablePagination-root><p>Rows per page: 25</p><p>1–25 of 63</p></div>': ("range", 1, 25, 63),
    '<p class=paginator><b>1</b> <a href="?2">2</a> 63 users</p>': ("total", 0, 0, 63),
    '<span class=pagination><span>(1-25/120)</span> <span>Per page: 25, <a href="?50">50</a></span></span>': (
        "range", 1, 25, 120,
    ),
}  # fmt: skip


@pytest.mark.parametrize("html", COUNTS)
async def test_a_page_s_own_count_is_read(look: Look, html: str) -> None:
    counts = read_counts(await look(f"<main>{html}{ROWS}</main>"))
    assert [(one.kind, one.first, one.last, one.total) for one in counts] == [COUNTS[html]]
