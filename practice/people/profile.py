"""The page of one person: what is true of them now, and much beside it that was true once or is true of others."""

from __future__ import annotations

from collections.abc import Sequence

from practice.people.data import TODAY, Person, Position, shown_month, shown_span
from practice.people.frame import View, avatar, facts, page, path_of
from practice.people.html import Child, Node, h

NO_COMPANY = "Not currently employed"
NO_SCHOOL = "No school listed"
NO_TENURE = "—"


def profile_page(view: View, person: Person, base_url: str, others: Sequence[Person]) -> str:
    sections = [_about(person), _experience(person), _education(person)]
    column = h("div", _top(person), _glance(view, person, base_url), *view.drift.ordered(sections), class_="column")
    aside = h("aside", _viewed(view, others), _lookalike(view, others), class_="side")
    return page(view, person.name, h("div", column, aside, class_="profile"), wide=True)


def shown_facts(person: Person, base_url: str) -> dict[str, str]:
    """The labels and values of the page that count, as they are shown without drift."""
    return {
        "Name": person.name,
        "Profile URL": base_url + path_of(person),
        "Current company": person.current_company or NO_COMPANY,
        "Tenure": person.tenure or NO_TENURE,
        "Started": shown_month(person.started) if person.started else NO_TENURE,
        "School": person.school or NO_SCHOOL,
    }


def _top(person: Person) -> Node:
    words = [
        h("h1", person.name),
        h("p", person.headline, class_="headline"),
        h("p", f"{person.location} · {person.connections} connections", class_="dim"),
    ]
    buttons = h(
        "div",
        h("button", "Connect", type="button", class_="primary"),
        h("button", "Message", type="button"),
        class_="choices",
    )
    band = h("div", class_="band", aria_hidden="true")
    inner = h("div", avatar(person.name, "huge"), h("div", *words), buttons, class_="top-inner")
    return h("header", band, inner, class_="card person")


def _glance(view: View, person: Person, base_url: str) -> Node:
    rows: list[tuple[str, Child]] = []
    for label, value in shown_facts(person, base_url).items():
        rows.append((label, h("a", value, href=path_of(person)) if label == "Profile URL" else value))
    return h("section", h("h2", "At a glance"), facts(view, rows), class_="card pad")


def _about(person: Person) -> Node:
    return h("section", h("h2", "About"), *(h("p", text) for text in person.about), class_="card pad about")


def _experience(person: Person) -> Node:
    rows = [
        h(
            "li",
            h("span", class_="logo", aria_hidden="true", data_letter=one.company[0]),
            h("div", h("h3", one.title), h("p", one.company), h("p", _time(one), class_="dim")),
        )
        for one in person.positions
    ]
    return h("section", h("h2", "Experience"), h("ol", *rows, class_="steps"), class_="card pad")


def _time(one: Position) -> str:
    ended = shown_month(one.end) if one.end else "Present"
    return f"{shown_month(one.start)} – {ended} · {shown_span(one.start, one.end or TODAY)}"


def _education(person: Person) -> Node:
    rows = [
        h(
            "li",
            h("span", class_="logo school", aria_hidden="true", data_letter=one.school[0]),
            h("div", h("h3", one.school), h("p", one.degree), h("p", f"{one.until - 3} – {one.until}", class_="dim")),
        )
        for one in person.studies
    ]
    body = h("ol", *rows, class_="steps") if rows else h("p", "Nothing here yet.", class_="dim")
    return h("section", h("h2", "Education"), body, class_="card pad")


def _viewed(view: View, others: Sequence[Person]) -> Node:
    rows = [
        h(
            "li",
            avatar(other.name, "mid"),
            h(
                "div",
                h("h3", h("a", other.name, href=path_of(other))),
                h("p", other.headline),
                h("p", f"{other.school or NO_SCHOOL}", class_="dim"),
            ),
        )
        for other in others
    ]
    return h("section", h("h2", view.say("People also viewed")), h("ul", *rows, class_="viewed"), class_="card pad")


def _lookalike(view: View, others: Sequence[Person]) -> Node | None:
    """Under the drift ``lookalike``: the same labels, with the values of somebody else."""
    if not view.drift.has("lookalike"):
        return None
    rows: list[tuple[str, Child]] = [
        (label, value) for label, value in shown_facts(others[0], "").items() if label != "Profile URL"
    ]
    return h("section", h("h2", "A similar profile"), facts(view, rows), class_="card pad")
