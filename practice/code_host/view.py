"""Rendering shared by the three sites: page frame, choosers, icons, people, dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from practice.code_host import words
from practice.code_host.model import Check, CheckState
from practice.drift import Drift
from practice.markup import Markup, el, join, wrapped

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
SiteName = Literal["code", "ci", "tracker"]
BRANDS: dict[SiteName, str] = {"code": "Harbourline Code", "ci": "Slipway CI", "tracker": "Tidewater"}

SYNONYMS = {
    "Pull request": "Change request",
    "Pull requests": "Change requests",
    "No pull request": "No change request",
    "Commit": "Revision",
    "Commits": "History",
    "Author": "Written by",
    "Committed": "Recorded",
    "Branch": "Stream",
    "Opened by": "Proposed by",
    "Merged by": "Landed by",
    "Merged": "Landed",
    "State": "Outcome",
    "Reviewers": "Second pair of eyes",
    "Checks": "Status checks",
    "Conversation": "Discussion",
    "Files changed": "Diff",
    "Code": "Source",
    "Blame": "Annotate",
    "Last commit": "Latest revision",
    "Last modified": "Touched on",
    "Line": "No.",
    "Older": "Further back",
    "Newer": "More recent",
    "Details": "Open log",
    "Ticket": "Item",
    "Status": "Stage",
    "Title": "Summary",
    "Assignee": "Owner",
    "Priority": "Urgency",
    "Job": "Task",
    "Result": "Outcome",
    "Duration": "Took",
    "Search code": "Find in source",
    "Page not found": "Nothing is here",
}


@dataclass
class Origins:
    """The origins of the three sites, such as ``http://127.0.0.1:40123``; known after they listen."""

    code: str = ""
    ci: str = ""
    tracker: str = ""


@dataclass(frozen=True)
class View:
    """The view of one visitor.

    ``address`` is the requested address; ``inner`` is whether this is the page inside the frame of ``iframe``;
    ``greeted`` is whether the visitor has closed the dialog of ``popup``.
    """

    site: SiteName
    drift: Drift
    origins: Origins
    address: str = "/"
    inner: bool = False
    greeted: bool = False

    def t(self, label: str) -> str:
        """Return a label as this visitor sees it."""
        return self.drift.label(label, SYNONYMS)

    def page(self, title: str, nav: Markup, main: Markup, footer: Markup) -> str:
        """Return the whole document."""
        framed = self.drift.has("iframe")
        body = el("main", main, id="main") if self.inner or not framed else _frame(self, title)
        parts = [body] if self.inner else [nav, body, footer, _news(self)]
        head = el(
            "head",
            el("meta", charset="utf-8"),
            el("meta", name="viewport", content="width=device-width, initial-scale=1"),
            el("base", target="_top") if self.inner else None,
            el("title", f"{title} · {BRANDS[self.site]}"),
            el("link", rel="icon", href=f"/static/{self.site}.svg", type="image/svg+xml"),
            el("link", rel="stylesheet", href="/static/base.css"),
            el("link", rel="stylesheet", href=f"/static/{self.site}.css"),
            el("script", src="/static/app.js", type="module"),
        )
        kind = "framed" if framed and not self.inner else "inner" if self.inner else None
        document = el("html", head, el("body", *parts, cls=kind), lang="en")
        return f"<!doctype html>\n{wrapped(document, self.drift)}\n"


def _frame(view: View, title: str) -> Markup:
    glue = "&" if "?" in view.address else "?"
    return el("iframe", src=f"{view.address}{glue}frame=1", title=title, cls="content-frame")


def _news(view: View) -> Markup | None:
    if not view.drift.has("popup") or view.greeted:
        return None
    box = el(
        "div",
        el("h2", "There is something new", id="news-title"),
        el("p", "Reviews now show who was asked and who answered. Take the tour, or look at it another time."),
        el("div", el("button", "Not now", type="button", data_close=True), cls="choices"),
        cls="news",
        role="dialog",
        aria_modal="true",
        aria_labelledby="news-title",
    )
    return el("div", box, cls="veil", data_news=True)


# --- small things


def login_link(login: str) -> Markup:
    return el("span", avatar(login), el("span", login, cls="login"), cls="person")


def person(login: str) -> Markup:
    return el("span", avatar(login), words.PEOPLE.get(login, login), cls="person")


def avatar(login: str) -> Markup:
    hue = sum(ord(letter) * place for place, letter in enumerate(login, 3)) % 360
    return el("span", cls="avatar", style=f"--hue: {hue}", data_initial=login[0].upper(), aria_hidden="true")


def day(when: datetime) -> str:
    """Format a date as ``Jul 4, 2026``, independent of the locale of the process."""
    return f"{MONTHS[when.month - 1]} {when.day}, {when.year}"


def moment(when: datetime) -> Markup:
    return el("time", f"{day(when)}, {when:%H:%M} UTC", datetime=when.isoformat())


def took(check: Check) -> str:
    """Return the duration of a check; empty for one that waits or was skipped."""
    return f"{check.seconds // 60} min {check.seconds % 60} s" if check.state in ("passed", "failed") else "–"


def properties(view: View, rows: Sequence[tuple[str, str]], **attributes: str) -> Markup:
    """Return labels and values, in the visitor's order."""
    pairs = [join(el("dt", view.t(label)), el("dd", value)) for label, value in view.drift.ordered(rows)]
    return el("dl", *pairs, cls="properties", **attributes)


def tabs(view: View, label: str, items: Sequence[tuple[str, str]], current: str) -> Markup:
    links = [
        el("a", view.t(name), href=href, aria_current="page" if name == current else None)
        for name, href in view.drift.ordered(items)
    ]
    return el("nav", *links, cls="tabs", aria_label=label)


def lazy(address: str) -> Markup:
    """Return a placeholder that the page's script fills from this address."""
    bones = [el("div", cls="bone", style=f"width: {width}%") for width in (64, 88, 72, 91, 40)]
    return el("div", el("p", "Loading…", cls="hidden", role="status"), *bones, data_lazy=address, aria_busy="true")


def chooser(view: View, label: str, options: Sequence[tuple[str, str]], current: str) -> Markup:
    """Return a native select that opens the chosen address; under ``combobox`` an ARIA combobox."""
    name = f"choose-{label.lower().replace(' ', '-')}"
    if view.drift.has("combobox"):
        return _combobox(name, label, options, current)
    picks = [el("option", text, value=href, selected=text == current) for text, href in options]
    select = el("select", *picks, id=name, data_goto=True, autocomplete="off")
    return el("span", el("label", label, for_=name), select, cls="chooser")


def _combobox(name: str, label: str, options: Sequence[tuple[str, str]], current: str) -> Markup:
    items = [
        el(
            "li",
            text,
            role="option",
            id=f"{name}-{place}",
            data_href=href,
            aria_selected="true" if text == current else "false",
        )
        for place, (text, href) in enumerate(options)
    ]
    button = el(
        "button",
        current,
        type="button",
        role="combobox",
        aria_haspopup="listbox",
        aria_expanded="false",
        aria_controls=f"{name}-list",
        aria_labelledby=f"{name}-label",
    )
    box = el("ul", *items, id=f"{name}-list", role="listbox", aria_labelledby=f"{name}-label", hidden=True)
    return el("span", el("span", label, id=f"{name}-label"), button, box, cls="chooser combo", data_combo=True)


_DISC = "M8 0a8 8 0 1 1 0 16A8 8 0 0 1 8 0Z"
_RING = "M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Zm0 2a5 5 0 1 0 0 10A5 5 0 0 0 8 3Z"
_OCTAGON = "M5 0h6l5 5v6l-5 5H5l-5-5V5z"
_SHAPES: dict[CheckState, tuple[str, str]] = {
    "passed": ("#1a7f4b", f"{_DISC}m3.8 5.2-4.9 5-2.6-2.5-1 1 3.6 3.6 6-6z"),
    "failed": (
        "#c9302c",
        f"{_OCTAGON}M4.6 5.7 6.9 8l-2.3 2.3 1.1 1.1L8 9.1l2.3 2.3 1.1-1.1L9.1 8l2.3-2.3-1.1-1.1L8 6.9 5.7 4.6z",
    ),
    "pending": ("#b7791f", f"{_RING}m0 3a2 2 0 1 1 0 4 2 2 0 0 1 0-4Z"),
    "skipped": (
        "#8a8f9c",
        f"{_DISC}m0 1.6a6.4 6.4 0 1 0 0 12.8A6.4 6.4 0 0 0 8 1.6ZM11.2 3.7l1.1 1.1-7.5 7.5-1.1-1.1z",
    ),
}


def state_icon(state: CheckState, named: bool) -> Markup:
    """Return an icon that shows the state by colour and shape; only a named one has it in words too."""
    colour, path = _SHAPES[state]
    name = {"role": "img", "aria_label": state.capitalize()} if named else {}
    shape = el("path", d=path, fill=colour, fill_rule="evenodd")
    return el("svg", shape, viewBox="0 0 16 16", width=16, height=16, cls="icon", **name)
