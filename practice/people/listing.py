"""The list of a company's people, page by page, with each common kind of paging."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from practice.people import words
from practice.people.data import Person
from practice.people.frame import View, address, avatar, company_path, page, path_of
from practice.people.html import Child, Node, h

Pager = Literal["url", "click", "more", "scroll"]
PAGERS: tuple[Pager, ...] = get_args(Pager)
"""The kinds of paging.

Links with the page in the address; buttons that replace the list in place; a button that extends the list; extension
when the end of the list scrolls into view.
"""
END = "You have seen everyone."


def companies_page(view: View, counts: Sequence[tuple[str, int]]) -> str:
    industry = {name: what for name, what, _ in words.COMPANIES}
    rows = [
        h("li", h("a", h("b", name), h("span", industry[name]), h("span", f"{count} people"), href=company_path(name)))
        for name, count in counts
    ]
    listed = h("ul", *rows, class_="companies")
    return page(view, "Companies", h("section", h("h1", "Companies"), listed, class_="card list"))


def people_page(view: View, company: str, pages: Sequence[Sequence[Person]], total: int, pager: Pager, at: int) -> str:
    """Return the list of one company; ``at`` counts from 1, and beyond the last page the list is empty."""
    head = h(
        "header",
        h("h1", f"People at {company}"),
        h("p", f"{total} people work here", class_="total", role="status"),
        class_="list-head",
    )
    rows = h("ul", *list_rows(pages, at), class_="people", id="people", aria_label=f"People at {company}")
    foot = (
        _url_pager(view, company, at, ended=at > len(pages)) if pager == "url" else _script_pager(view, company, pager)
    )
    card = h("section", head, rows, foot, class_="card list")
    return page(view, f"People at {company}", h("div", card, _others(company), class_="profile"), wide=True)


def list_rows(pages: Sequence[Sequence[Person]], at: int) -> list[Node]:
    """Return the rows of one page; none beyond the last."""
    shown = pages[at - 1] if 1 <= at <= len(pages) else ()
    return [
        h(
            "li",
            avatar(person.name, "mid"),
            h("div", h("h3", h("a", person.name, href=path_of(person))), h("p", person.positions[0].title)),
            h("span", person.location, class_="dim"),
        )
        for person in shown
    ]


def _url_pager(view: View, company: str, at: int, *, ended: bool) -> Node:
    """Return a pager by address. The last page links to an empty one: only that one shows the end."""

    def to(number: int) -> str:
        return address(company_path(company), pager="url", page=str(number))

    before = h("a", view.say("Previous"), href=to(at - 1), rel="prev") if at > 1 else None
    after = h("a", view.say("Next"), href=to(at + 1), rel="next")
    parts: list[Child] = [before, h("span", f"Page {at}", aria_current="page"), after]
    if ended:
        return h("nav", h("p", END, class_="none"), before, class_="pages", aria_label="Pages of people")
    return h("nav", *parts, class_="pages", aria_label="Pages of people")


def _script_pager(view: View, company: str, pager: Pager) -> Node:
    controls: dict[str, list[Child]] = {
        "click": [
            h("button", view.say("Previous"), type="button", data_step="-1", disabled=True),
            h("span", "Page 1", data_where=True),
            h("button", view.say("Next"), type="button", data_step="1"),
        ],
        "more": [h("button", view.say("Show more people"), type="button", data_step="1")],
        "scroll": [h("span", "Loading…", class_="dim", data_loading=True)],
    }
    end = h("p", END, class_="none", data_end=True, hidden=True)
    return h(
        "nav",
        end,
        *controls[pager],
        class_="pages",
        aria_label="Pages of people",
        data_pager=pager,
        data_rows=f"{company_path(company)}/rows",
    )


def _others(company: str) -> Node:
    """Return links that look like those of the list and lead elsewhere."""
    names = [name for name, _, _ in words.COMPANIES if name != company][:4]
    links = [h("li", h("a", f"People at {name}", href=company_path(name))) for name in names]
    own = [h("li", h("a", text, href=to)) for text, to in (("Jobs here", "/jobs"), ("Alumni", "/alumni"))]
    similar = h("section", h("h2", "Similar companies"), h("ul", *links, class_="plain"), class_="card pad")
    about = h("section", h("h2", f"More about {company}"), h("ul", *own, class_="plain"), class_="card pad")
    return h("aside", about, similar, class_="side")
