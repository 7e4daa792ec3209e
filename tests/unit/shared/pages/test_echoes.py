"""What only repeats a search names no record; what a record says of itself does, also on the answer of a search."""

from __future__ import annotations

from typing import Any

from shared.contracts.browser_pool import PageObserved
from shared.flows.files import FieldsFile
from shared.flows.reading import answer_of_proof
from shared.pages.identity.identity import identity_proof, read_page
from tests.cases import cases
from tests.unit.planner.planner_pages import el, heading, page, row, sample, spec, text

ID = "TCK-1001"
FIELDS = (*row("Assignee", "Ann Lee"), *row("Due date", "Mar 3, 2026"))


def answer(*shown: Any, searched: tuple[str, ...] = (ID,), **rest: Any) -> PageObserved:
    """The page that answers a search."""
    field = el("searchbox", "Search", tag="input", value=ID, area="search")
    url = f"http://127.0.0.1:8000/search?q={ID}"
    return page(field, *shown, *FIELDS, **{"url": url, "title": "Search", "searched": searched, **rest})


ECHOES = [
    (heading(f"Results for {ID}"),),
    (heading(f'1 search result for "{ID}"'),),
    (heading(f"Ergebnisse für {ID}"),),
    (heading(f"No results for {ID}"),),
    (heading(ID),),
    (heading(f"{ID}: 3 results"),),
    (heading(f"{ID} – 3 results in Tickets"),),
    (heading(f"{ID} – 3 résultats de recherche"),),
    (heading(f"{ID}: resultados de la búsqueda"),),
    (heading(f"{ID} – Suchresultate"),),
    (heading(f"{ID}の検索結果"),),
    (heading("Search"), text(f"You asked for {ID}")),
    (heading("Search"), text(ID)),
    (heading("Search"), el("button", f"{ID} ×")),
    (heading("Search"), el("listitem", ID, place="ul>li")),
    (heading("Search"), el("textbox", "Ticket number", tag="input", value=ID)),
    (heading(f"Results for {ID}"), heading("Another printer", 2)),
]
"""Beside these the page shows the values of another record."""
RECORDS = [
    (heading("Search"), heading(f"{ID}: Printer on fire", 2)),
    (heading("Search"), heading(f"{ID}: Search fails on iPad", 2)),
    (heading("Search"), heading(f"{ID}: Such a noise in room 3", 2)),
    (heading(f"Ticket {ID}"),),
    (heading(f"Results for {ID}"), *row("Ticket number", ID)),
    (heading(f"Results for {ID}"), el("heading", ID, tag="h3", level=3, place="ul>li>h3")),
]


@cases("shown", ECHOES)
def test_what_only_repeats_the_search_proves_no_record(shown: Any):
    seen = answer(*shown)
    assert read_page(spec(), sample(), seen).proof.state != "proven"
    assert identity_proof(spec(), sample(), seen).state != "proven"
    told = answer_of_proof({"ticket_number": ID}, FieldsFile(), seen)
    assert told.error is not None
    assert told.error.code == "record_unproven"


@cases("shown", RECORDS)
def test_what_a_record_says_of_itself_proves_it(shown: Any):
    assert identity_proof(spec(), sample(), answer(*shown)).state == "proven"


@cases("searched", [(), ("Ann Lee",)])
def test_where_something_else_or_nothing_was_searched_for_it_is_no_echo(searched: tuple[str, ...]):
    for shown in (ECHOES[0], ECHOES[4], ECHOES[6]):
        assert identity_proof(spec(), sample(), answer(*shown, searched=searched)).state == "proven"


def test_the_title_of_an_answer_is_an_echo_for_a_flow():
    shown = answer(heading("Search"), title=f"{ID} - Search")
    assert answer_of_proof({"ticket_number": ID}, FieldsFile(), shown).error is not None


def test_what_lies_over_the_answer_is_no_echo():
    over = answer(heading(f"Results for {ID}"), el("heading", ID, tag="h2", level=2, in_dialog=True))
    assert identity_proof(spec(), sample(), over).state == "proven"
