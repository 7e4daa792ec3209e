"""How well search finds the right workflow: the labelled set, hits at 1, 3 and 5, and BM25 as a peer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rank_bm25 import BM25Okapi  # pyright: ignore[reportMissingTypeStubs]

from services.workflows.ports import Indexed, SearchIndex

FIXTURES = Path(__file__).parents[2] / "tests/fixtures/workflow_search"
AT = (1, 3, 5)

Kind = Literal["direct", "paraphrase", "nonsense"]
Half = Literal["tuning", "held_out"]
Search = Callable[[str, int], Sequence[str]]
"""Returns the names that are found for a query, best first, at most so many."""


@dataclass(frozen=True)
class Query:
    """``expected``: the right workflow; empty for nonsense. A paraphrase shares no content word with it.

    What can be tuned was tuned on one half of each kind; the other half was held out.
    """

    query: str
    kind: Kind
    expected: str
    half: Half


def load_workflows() -> list[Indexed]:
    rows = json.loads((FIXTURES / "workflows.json").read_text(encoding="utf-8"))
    return [Indexed(row["name"], "", row["description"], row["code"]) for row in rows]


def load_queries() -> list[Query]:
    return [Query(**row) for row in json.loads((FIXTURES / "queries.json").read_text(encoding="utf-8"))]


def hit_rates(search: Search, queries: Sequence[Query]) -> Mapping[int, float]:
    """Return the share of queries whose workflow is among the first 1, 3 and 5."""
    found = [(query.expected, list(search(query.query, max(AT)))) for query in queries]
    return {at: sum(expected in names[:at] for expected, names in found) / len(found) for at in AT}


def with_wrong_letters(query: str) -> str:
    """Return the query without the middle letter of each word of five letters or more, as typed in haste."""
    return re.sub(r"[^\W\d_]{5,}", lambda word: word[0][: len(word[0]) // 2] + word[0][len(word[0]) // 2 + 1 :], query)


def silence(search: Search, queries: Sequence[Query]) -> float:
    """Return the share of queries that find nothing."""
    return sum(not search(query.query, 1) for query in queries) / len(queries)


def by_meaning(index: SearchIndex, threshold: float | None = None) -> Search:
    """Return the search of an index; ``threshold`` None: the one of its embedder."""

    def search(query: str, limit: int) -> Sequence[str]:
        return [name for name, _ in index.search(query, limit, threshold)]

    return search


def by_words(workflows: Sequence[Indexed]) -> Search:
    """Return the peer: BM25 over the words of names, descriptions and sources."""
    ordered = sorted(workflows, key=lambda one: one.name)
    ranking = BM25Okapi([_tokens(f"{one.name} {one.description} {one.code}") for one in ordered])

    def search(query: str, limit: int) -> Sequence[str]:
        scores = [float(score) for score in ranking.get_scores(_tokens(query))]
        best = sorted(range(len(ordered)), key=lambda number: -scores[number])[:limit]
        return [ordered[number].name for number in best if scores[number] > 0]

    return search


def _tokens(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())
