"""Lists of many kinds, made from a seed, with the truth beside them: which entries there are, and what the pages show.

Each is a site of constructed pages. `harmless` lists can be read: nothing on the way is missing or says something else.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from msgspec import structs

from shared.contracts.browser_pool import Element, PageObserved, Scroller
from tests.unit.planner.planner_pages import box, cell, el, heading, page, text

SITE = "http://127.0.0.1:8000"
START = f"{SITE}/list"
ROW_PX, PART_PX = 30, 300


@dataclass
class MadeList:
    """`site`: pages by address; `parts`: pages that are drawn by how far their part is scrolled."""

    kind: str
    total: int
    harmless: bool
    site: dict[str, list[PageObserved]] = field(default_factory=dict[str, list[PageObserved]])
    parts: dict[str, Callable[[float], PageObserved]] = field(
        default_factory=dict[str, Callable[[float], PageObserved]]
    )


def address(number: int) -> str:
    return START if number == 1 else f"{START}?page={number}"


def link(name: str, url: str, **rest: Any) -> Element:
    return el("link", name, tag="a", url=url, **rest)


def row(number: int, y: float = 0.0, **rest: Any) -> list[Element]:
    title = link(f"About {number}", f"{SITE}/t/T-{number}", header="Title", row=number + 1, box=box(10, y, 99), **rest)
    return [structs.replace(cell("Ticket", f"T-{number}", number + 1), **rest), title]


def rows(first: int, last: int) -> list[Element]:
    return [part for number in range(first, last + 1) for part in row(number)]


def shown(*elements: Element, number: int = 1, **rest: Any) -> PageObserved:
    return page(heading("Tickets", 1), *elements, url=address(number), title="Tickets", **rest)


def make(seed: int) -> MadeList:
    rng = random.Random(seed)
    kinds = [virtual, lazy, paged, paged, foot, joined, filtered, broken, broken]
    return kinds[seed % len(kinds)](rng)


def virtual(rng: random.Random) -> MadeList:
    """Only the rows in sight are drawn; sometimes inside of a part that scrolls too, sometimes with declared sizes."""
    total, drawn = rng.randint(5, 70), PART_PX // ROW_PX + rng.randint(1, 5)
    told, nested, stuck = rng.random() < 0.5, rng.random() < 0.4, rng.random() < 0.2
    made = MadeList(f"virtual, stuck: {stuck}", total, harmless=not stuck)
    most = max(0.0, ROW_PX * total - PART_PX)

    def draw(y_px: float) -> PageObserved:
        first = int(y_px) // ROW_PX + 1
        last = min(total, first + drawn - 1, *([drawn] if stuck else []))
        sizes = {"set_size": total + 1} if told else {}
        own = [
            structs.replace(part, set_at=number + 1 if told else 0)
            for number in range(first, last + 1)
            for part in row(number, 100 + ROW_PX * (number - 1) - y_px, scroller=1, **sizes)
        ]
        part = Scroller(number=1, y_px=y_px, max_y_px=most, top_px=100, height_px=PART_PX, within=2 if nested else 0)
        outer = Scroller(number=2, y_px=0, max_y_px=0, top_px=0, height_px=500)
        return shown(*own, scrollers=(part, *([outer] if nested else ())) if most else ())

    made.parts[START] = draw
    return made


def lazy(rng: random.Random) -> MadeList:
    """The part grows as it is scrolled."""
    total, batch = rng.randint(5, 60), rng.randint(8, 20)
    loaded = [min(total, batch)]
    made = MadeList("lazy", total, harmless=True)

    def draw(y_px: float) -> PageObserved:
        most = max(0.0, ROW_PX * loaded[0] - PART_PX)
        if y_px >= most - 1 and y_px:
            loaded[0] = min(total, loaded[0] + batch)
            most = max(0.0, ROW_PX * loaded[0] - PART_PX)
        own = [e for n in range(1, loaded[0] + 1) for e in row(n, 100 + ROW_PX * (n - 1) - y_px, scroller=1)]
        count = [text(f"{loaded[0]} of {total}")] if total > 10 and loaded[0] < total else []
        part = Scroller(number=1, y_px=y_px, max_y_px=most, top_px=100, height_px=PART_PX)
        return shown(*own, *count, scrollers=(part,) if most else ())

    if ROW_PX * loaded[0] <= PART_PX and loaded[0] < total:
        made.harmless = total <= 10  # nothing scrolls: the rest cannot be had
    made.parts[START] = draw
    return made


PAGERS = ("behind", "above", "numbers", "in a row", "alike", "form", "arrow", "years")


def pager(kind: str, number: int, pages: int) -> tuple[list[Element], list[Element]]:
    """Return what stands above the rows and behind them."""
    later = number < pages
    on = [link("Next >", address(number + 1))] if later else []
    numbers = [text(str(n)) if n == number else link(str(n), address(n)) for n in range(1, pages + 1)]
    years = [link(str(n), f"{START}?year={n}") for n in range(2015, 2019)]
    return {
        "behind": ([], on),
        "above": (on, []),
        "numbers": ([], numbers if pages > 1 else []),
        "in a row": ([], [structs.replace(e, row=990) for e in on]),
        "alike": ([], [*([link("next page", address(number - 1), area="pager")] if number > 1 else []),
                       *([link("next page", address(number + 1), area="pager")] if later else [])]),
        "form": ([], [structs.replace(e, role="button", url=None, tag="input", area="search") for e in on]),
        "arrow": ([], [link("›", address(number + 1), area="pager")] if later else []),
        "years": (years, on),
    }[kind]  # fmt: skip


def paged(rng: random.Random) -> MadeList:
    size, pages, kind = rng.randint(2, 5), rng.randint(1, 4), rng.choice(PAGERS)
    total = size * (pages - 1) + rng.randint(1, size)
    made = MadeList(f"paged: {kind}", total, harmless=True)
    words = rng.choice(("", "tickets", "of"))
    for number in range(1, pages + 1):
        above, behind = pager(kind, number, pages)
        first, last = size * (number - 1) + 1, min(total, size * number)
        told = {"": [], "tickets": [text(f"{total} tickets")], "of": [text(f"{first} - {last} of {total}")]}[words]
        made.site[address(number)] = [shown(*above, *told, *rows(first, last), *behind, number=number)]
    return made


def broken(rng: random.Random) -> MadeList:
    """A page behind "next" is not the list; at times a count tells how long it is."""
    made = paged(rng)
    while len(made.site) < 3:
        made = paged(rng)
    at = address(rng.randint(2, len(made.site)))
    kind = rng.choice(("error", "alert", "sign in", "the first again", "empty"))
    first = made.site[START][0]
    made.site[at] = [
        {
            "error": shown(text("Something went wrong. Please try again later.")),
            "alert": shown(el("alert", "Your session has ended"), text("No tickets found")),
            "sign in": shown(el("textbox", "User"), el("textbox", "Password", secret=True), el("button", "Sign in")),
            "the first again": first,
            "empty": shown(),
        }[kind]
    ]
    made.kind, made.harmless = f"{made.kind}, {kind}", False
    return made


def foot(rng: random.Random) -> MadeList:
    """The table ends with its total: in its foot, or as a last row."""
    total = rng.randint(3, 9)
    last = [cell("Ticket", "Total", 900), cell("Title", str(total), 900)]
    last = [structs.replace(e, in_foot=True) for e in last] if rng.random() < 0.5 else last
    return MadeList("foot", total, harmless=True, site={START: [shown(*rows(1, total), *last)]})


def joined(rng: random.Random) -> MadeList:
    """The number of a ticket stands beside a cell that is joined over some rows."""
    total = rng.randint(3, 9)
    own = rows(1, total)
    own.insert(0, structs.replace(cell("Queue", "Printers", 2), rows=total))
    return MadeList("joined", total, harmless=True, site={START: [shown(*own)]})


def filtered(rng: random.Random) -> MadeList:
    """A filter hides rows, and the list is counted in its own noun."""
    total, hidden = rng.randint(4, 9), rng.choice((0, 2))
    words = text(rng.choice((f"{total} tickets", f"Showing {total - hidden} of {total} tickets")))
    return MadeList("filtered", total, harmless=hidden == 0, site={START: [shown(words, *rows(1, total - hidden))]})
