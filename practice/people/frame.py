"""The frame of every page of the directory, and small shared parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlencode

from practice.drift import Drift
from practice.people import words
from practice.people.data import Person, company_slug
from practice.people.html import Child, Node, document, h

NAME = "Acquaint"
SYNONYMS = {
    "Name": "Full name",
    "Profile URL": "Public link",
    "Current company": "Employer",
    "Tenure": "Time at employer",
    "Started": "Joined",
    "School": "Studied at",
    "Company": "Organisation",
    "Search": "Find people",
    "People also viewed": "You may also know",
    "Next": "Further",
    "Previous": "Back",
    "Show more people": "Load further people",
}
"""Synonyms of labels under the drift ``rename``."""


@dataclass(frozen=True)
class View:
    """The view of one visitor. ``framed`` is the inside of the frame of the drift ``iframe``."""

    drift: Drift = field(default_factory=Drift)
    framed: bool = False
    signed_in: bool = False
    inside: str = ""
    """Address of the frame's content; empty if the page has no frame."""

    def say(self, label: str) -> str:
        return self.drift.label(label, SYNONYMS)


def page(view: View, title: str, *content: Child, wide: bool = False) -> str:
    """Return a whole page.

    With an ``inside``, the content is left to the frame; within one, the rest is omitted.
    """
    main = h("main", *content, id="content", class_="main wide" if wide else "main")
    if view.inside:
        frame = h("iframe", src=view.inside, title="Page content", class_="inner")
        body: list[Child] = [_header(view), frame, _footer(), _popup(view)]
    elif view.framed:
        body = [main]
    else:
        skip = h("a", "Skip to content", href="#content", class_="skip")
        body = [skip, _header(view), main, _footer(), _popup(view)]
    whole = h("html", _head(view, title), h("body", *body), lang="en", data_drift=str(view.drift))
    return document(whole, view.drift)


def path_of(person: Person) -> str:
    return f"/in/{person.slug}"


def company_path(company: str) -> str:
    return f"/companies/{company_slug(company)}/people"


def avatar(name: str, size: str = "") -> Node:
    """Return a round mark with initials, hidden from accessibility."""
    parts = name.split()
    initials = parts[0][0] + (parts[-1][0] if len(parts) > 1 else "")
    hue = sum(map(ord, name)) * 37 % 360
    style = f"--hue: {hue}"
    return h("span", class_=f"avatar {size}".strip(), aria_hidden="true", data_initials=initials, style=style)


def facts(view: View, rows: list[tuple[str, Child]], *, ordered: bool = True) -> Node:
    """Return a list of labels and values."""
    shown = view.drift.ordered(rows) if ordered else rows
    return h("dl", *(h("div", h("dt", view.say(name)), h("dd", value)) for name, value in shown), class_="facts")


def address(path: str, **query: str) -> str:
    asked = {name: value for name, value in query.items() if value}
    return f"{path}?{urlencode(asked)}" if asked else path


def notice(title: str, text: str, *more: Child) -> Node:
    return h("section", h("h1", title), h("p", text), *more, class_="notice card")


def _head(view: View, title: str) -> Node:
    return h(
        "head",
        h("meta", charset="utf-8"),
        h("meta", name="viewport", content="width=device-width, initial-scale=1"),
        h("title", f"{title} · {NAME}"),
        h("base", target="_top") if view.framed else None,
        h("link", rel="icon", href="/static/icon.svg", type="image/svg+xml"),
        h("link", rel="stylesheet", href="/app.css"),
        h("script", src="/static/app.js", type="module"),
    )


def _header(view: View) -> Node:
    brand = h("a", h("span", class_="mark", aria_hidden="true"), NAME, href="/", class_="brand")
    links = [("People", "/search"), ("Companies", "/companies"), ("Jobs", "/jobs"), ("Messages", "/messages")]
    nav = h("nav", *(h("a", name, href=to) for name, to in links), aria_label="Main", class_="topnav")
    find = h(
        "form",
        h("input", type="search", name="name", placeholder="Search people", aria_label="Search people by name"),
        h("button", "Go", type="submit", class_="quiet"),
        class_="quick",
        action="/search",
        role="search",
        aria_label="Quick search",
    )
    account = ("Sign out", "/logout") if view.signed_in else ("Sign in", "/login")
    return h("header", h("div", brand, find, nav, h("a", account[0], href=account[1], class_="account")), class_="top")


def _footer() -> Node:
    columns = {
        "Directory": [("Browse people", "/search"), ("Browse companies", "/companies"), ("Alumni", "/alumni")],
        "Popular": [(name, company_path(name)) for name, _, _ in words.COMPANIES[:3]],
        NAME: [("About", "/about"), ("Privacy", "/privacy"), ("Terms", "/terms"), ("Help", "/help")],
    }
    shown = [
        h("div", h("h2", title), h("ul", *(h("li", h("a", name, href=to)) for name, to in links)))
        for title, links in columns.items()
    ]
    small = h("p", f"{NAME} is a practice site. All people are invented. Tenures as of November 2026.")
    return h("footer", h("div", *shown, small), class_="bottom")


def _popup(view: View) -> Node | None:
    if not view.drift.has("popup"):
        return None
    choices = h(
        "div",
        h("button", "Not now", type="button", data_close=True),
        h("button", "Subscribe", type="button", class_="primary", data_close=True),
        class_="choices",
    )
    box = h(
        "div",
        h("h2", "The week in your network", id="popup-title"),
        h("p", "Get a short letter every Friday about people you may know. You can leave at any time."),
        choices,
        class_="popup",
        role="dialog",
        aria_modal="true",
        aria_labelledby="popup-title",
    )
    return h("div", box, class_="veil", data_popup=True, hidden=True)
