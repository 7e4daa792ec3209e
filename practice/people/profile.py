"""The page of one person: the current facts, and outdated or foreign facts beside them."""

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
    """Return the relevant labels and values, as they are shown without drift."""
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
            h("span", class_="logo", aria_hidden="true", data_letter=position.company[0]),
            h("div", h("h3", position.title), h("p", position.company), h("p", _time(position), class_="dim")),
        )
        for position in person.positions
    ]
    return h("section", h("h2", "Experience"), h("ol", *rows, class_="steps"), class_="card pad")


def _time(position: Position) -> str:
    ended = shown_month(position.end) if position.end else "Present"
    return f"{shown_month(position.start)} – {ended} · {shown_span(position.start, position.end or TODAY)}"


def _education(person: Person) -> Node:
    rows = [
        h(
            "li",
            h("span", class_="logo school", aria_hidden="true", data_letter=study.school[0]),
            h(
                "div",
                h("h3", study.school),
                h("p", study.degree),
                h("p", f"{study.until - 3} – {study.until}", class_="dim"),
            ),
        )
        for study in person.studies
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
    """Under the drift ``lookalike``: return the same labels with the values of another person."""
    if not view.drift.has("lookalike"):
        return None
    rows: list[tuple[str, Child]] = [
        (label, value) for label, value in shown_facts(others[0], "").items() if label != "Profile URL"
    ]
    return h("section", h("h2", "A similar profile"), facts(view, rows), class_="card pad")
