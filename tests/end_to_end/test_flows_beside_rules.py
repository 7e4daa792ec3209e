"""A flow in a real browser is never worse than the rules: on pages of another kind, and after a redesign."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from practice.comparing import rows_of
from shared.client import Client
from tests.end_to_end.finished_runs import outcomes_of, results_of, run
from tests.end_to_end.small_site import Answers, SmallSite

TITLES = ("Harbour Lights", "The Long Field", "Glass Rivers", "Nine Winters", "Salt and Iron", "A Quiet Engine")
AUTHORS = ("Mara Lind", "Tom Ekberg", "Ines Rowe", "Jon Vale", "Ada Brandt", "Leo Marsh")
SERIES = {1: "North Coast", 3: "Ekberg Cycle", 4: "North Coast"}
LEARNED = (0, 1)
"""Of the two books that the flow is compiled from one is of a series."""


def book(number: int) -> dict[str, str]:
    """Return what the page of a book shows, by label."""
    series = {"Series": SERIES[number]} if number in SERIES else {}
    return {"Code": f"BK-{100 + number}", "Author": AUTHORS[number], **series, "Price": f"{7 + number}.50"}


class Books(Answers):
    def do_GET(self) -> None:
        number = int(self.path.strip("/"))
        draw = _table if getattr(self.server, "redesigned", False) else _list
        title = TITLES[number]
        self.answer(f"<!doctype html><title>{title}</title><main><h1>{title}</h1>{draw(book(number))}</main>")


class BookSite(SmallSite):
    """``redesigned``: the pages are those after the redesign."""

    redesigned = False

    def __init__(self) -> None:
        super().__init__(Books)


def _list(shown: Mapping[str, str]) -> str:
    return f"<dl>{''.join(f'<dt>{label}</dt><dd>{value}</dd>' for label, value in shown.items())}</dl>"


def _table(shown: Mapping[str, str]) -> str:
    rows = "".join(f"<tr><th>{label}</th><td>{value}</td></tr>" for label, value in reversed([*shown.items()]))
    return f"<section><p>All about this book.</p><table>{rows}</table></section>"


def spec_of(task_id: str, url: str) -> dict[str, Any]:
    return {
        "task_id": task_id,
        "goal": "Read the book.",
        "start_url": "{url}",
        "allowed_hosts": [url.removeprefix("http://")],
        "output_schema": {"code": "string", "author": "string", "price": "decimal", "series": "string | null"},
        "required_fields": ["code", "author", "price"],
        "identity": {"code": "{code}"},
    }


async def test_books_of_a_series_are_read_by_a_flow_that_was_learned_from_one(client: Client):
    with BookSite() as site:
        spec = spec_of("books_beside_rules", site.url)
        asked = [{"code": book(number)["Code"], "url": f"{site.url}/{number}"} for number in range(len(TITLES))]
        await run(client, spec, [asked[number] for number in LEARNED] + asked[5:], mode="auto", concurrency=1)
        plain = await run(client, spec, asked[2:], mode="flow")
        site.redesigned = True
        redesigned = await run(client, spec, asked[2:], mode="flow")
    for finished in (plain, redesigned):
        assert outcomes_of(finished) == {("done", ""): 4}, {k: v["message"] for k, v in results_of(finished).items()}
        table = {row["code"]: row for row in rows_of(Path(finished.table))}
        for number in range(2, len(TITLES)):
            shown = book(number)
            got = table[shown["Code"]]
            assert (got["author"], got["price"], got["series"]) == (
                shown["Author"],
                shown["Price"],
                shown.get("Series", ""),
            )
        assert finished.llm_calls == 0
