"""The search pages: the first page, search results, and the sign-in page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from practice.people import words
from practice.people.asking import RESULTS_A_PAGE
from practice.people.data import Person
from practice.people.frame import View, address, avatar, company_path, notice, page, path_of
from practice.people.html import Child, Node, h


@dataclass(frozen=True)
class Asked:
    """The content of the search form; ``page`` counts from 1."""

    name: str = ""
    company: str = ""
    place: str = ""
    page: int = 1

    def at(self, number: int) -> str:
        pages = {} if number == 1 else {"page": str(number)}
        return address("/search", name=self.name, company=self.company, place=self.place, **pages)


def home_page(view: View, companies: Sequence[tuple[str, int]]) -> str:
    cards = [
        h("a", h("b", name), h("span", f"{count} people"), href=company_path(name), class_="tile")
        for name, count in companies[:8]
    ]
    hero = h(
        "section",
        h("h1", "Find the person behind the name"),
        h("p", "Search by name, and by the company somebody works for or has worked for."),
        search_form(view, Asked()),
        class_="hero card",
    )
    tiles = h("section", h("h2", "Companies people look at"), h("div", *cards, class_="tiles"), class_="card pad")
    return page(view, "People directory", hero, tiles)


def results_page(view: View, asked: Asked, found: Sequence[Person], elsewhere: Sequence[Person]) -> str:
    shown = found[(asked.page - 1) * RESULTS_A_PAGE : asked.page * RESULTS_A_PAGE]
    rows = h("ol", *(result(view, person) for person in shown), class_="results", aria_label="Search results")
    body = [rows, _pages(view, asked, len(found))] if shown else [_no_results(asked)]
    card = h("section", h("h1", _result_count(asked, len(found))), *body, class_="card list")
    form = h("section", search_form(view, asked), class_="card pad searchbar")
    other = _elsewhere(view, elsewhere) if elsewhere else None
    return page(view, f"Search: {asked.name or 'everyone'}", form, card, other)


def search_form(view: View, asked: Asked) -> Node:
    """Return a GET form; the name field suggests names during typing."""
    name = h(
        "input",
        id="name",
        name="name",
        value=asked.name,
        autocomplete="off",
        role="combobox",
        aria_expanded="false",
        aria_controls="names",
        aria_autocomplete="list",
        placeholder="First and last name",
    )
    choices = h("ul", id="names", role="listbox", aria_label="Names", class_="names", hidden=True)
    fields = [
        _field(view.say("Name"), "name", h("div", name, choices, class_="typed")),
        _field(view.say("Company"), "company", h("input", id="company", name="company", value=asked.company)),
        _field("Location", "place", _location_field(view, asked.place)),
    ]
    button = h("button", view.say("Search"), type="submit", class_="primary")
    return h("form", *view.drift.ordered(fields), button, action="/search", class_="search", role="search")


def result(view: View, person: Person) -> Node:
    """Return one person in a list of search results."""
    past = [
        position
        for position in person.positions
        if position.end is not None and position.company != person.current_company
    ]
    lines: list[Child] = [
        h("h3", h("a", person.name, href=path_of(person))),
        h("p", person.headline, class_="headline"),
        h("p", person.location, class_="dim"),
        h("p", f"Past: {past[0].title} at {past[0].company}", class_="dim") if past else None,
    ]
    return h("li", avatar(person.name, "big"), h("div", *lines, class_="who"), class_="result")


def sign_in_page(view: View, to: str, *, user: str = "", wrong: bool = False) -> str:
    alert = h("p", "That email and password do not match.", class_="alert", role="alert", id="wrong") if wrong else None
    form = h(
        "form",
        alert,
        h("label", "Email", for_="user"),
        h("input", id="user", name="user", type="email", value=user, autocomplete="username", required=True),
        h("label", "Password", for_="password"),
        h("input", id="password", name="password", type="password", autocomplete="current-password", required=True),
        h("input", type="hidden", name="next", value=to),
        h("button", "Sign in", type="submit", class_="primary"),
        method="post",
        action="/login",
    )
    text = h("p", "See full profiles, schools and work histories.", class_="dim")
    return page(view, "Sign in", h("section", h("h1", "Sign in to see more"), text, form, class_="login card"))


def slow_down_page(view: View, seconds: int) -> str:
    text = f"You have opened many pages in a short time. Please wait {seconds} seconds and try again."
    return page(view, "Too many requests", notice("Too many requests", text))


def lost_page(view: View, title: str = "Page not found", text: str = "There is nothing at this address.") -> str:
    return page(view, title, notice(title, text, h("a", "Search the directory", href="/search", class_="button")))


def _field(label: str, name: str, control: Child) -> Node:
    return h("div", h("label", label, for_=name), control, class_="field")


def _location_field(view: View, chosen: str) -> Node:
    """Return a native select, or an ARIA combobox with a script under the drift ``combobox``."""
    options = [("", "Anywhere"), *((place, place) for place in words.PLACES)]
    if not view.drift.has("combobox"):
        shown = [h("option", name, value=value, selected=value == chosen) for value, name in options]
        return h("select", *shown, id="place", name="place")
    items = [
        h("li", name, role="option", data_value=value, aria_selected="true" if value == chosen else "false")
        for value, name in options
    ]
    opener = h(
        "button",
        chosen or "Anywhere",
        type="button",
        id="place",
        role="combobox",
        aria_haspopup="listbox",
        aria_expanded="false",
        aria_controls="places",
        class_="picker",
    )
    listed = h("ul", *items, id="places", role="listbox", tabindex="-1", class_="names", hidden=True)
    return h(
        "div", opener, listed, h("input", type="hidden", name="place", value=chosen), class_="typed", data_pick=True
    )


def _result_count(asked: Asked, count: int) -> str:
    who = f" for “{asked.name.strip()}”" if asked.name.strip() else ""
    where = f" at {asked.company.strip()}" if asked.company.strip() else ""
    return f"{count or 'No'} {'person' if count == 1 else 'people'} found{who}{where}"


def _no_results(asked: Asked) -> Node:
    if asked.page > 1:
        return h("p", "There are no more results.", class_="none")
    return h(
        "p", "No one in the directory matches your search. Check the spelling, or leave the company out.", class_="none"
    )


def _elsewhere(view: View, others: Sequence[Person]) -> Node:
    rows = h("ol", *(result(view, person) for person in others[:3]), class_="results")
    return h("section", h("h2", "Same name at other companies"), rows, class_="card list other")


def _pages(view: View, asked: Asked, count: int) -> Node | None:
    last = -(-count // RESULTS_A_PAGE)
    if last < 2:
        return None
    numbers = [
        h("a", str(number), href=asked.at(number), aria_current="page" if number == asked.page else None)
        for number in range(1, last + 1)
    ]
    before = h("a", view.say("Previous"), href=asked.at(asked.page - 1), rel="prev") if asked.page > 1 else None
    after = h("a", view.say("Next"), href=asked.at(asked.page + 1), rel="next") if asked.page < last else None
    return h("nav", before, *numbers, after, class_="pages", aria_label="Pages of results")
