"""Search in the workflow library: how fast over 10,000 workflows, how soon after a start, how often right.

.venv/bin/python -m benchmarks.library.finding
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.library.retrieval import (
    AT,
    Query,
    Search,
    by_meaning,
    by_words,
    hit_rates,
    load_queries,
    load_workflows,
    silence,
    with_wrong_letters,
)
from benchmarks.report import Row, least, under
from services.workflows.ports import Indexed
from services.workflows.search.embedders import DEFAULT_MODEL, HASHED_WORDS, open_embedder
from services.workflows.search.index import VectorIndex

WORKFLOWS = 10_000
SEARCH_MS, LOAD_S, HITS = 20.0, 2.0, 0.9
LIMIT = 10


def many_workflows(count: int) -> list[Indexed]:
    """Return the labelled workflows again and again, each time for another customer."""
    labelled = load_workflows()
    return [
        replace(one, name=f"{one.name}_{turn}", description=f"{one.description} For customer {turn}.")
        for turn in range(-(-count // len(labelled)))
        for one in labelled
    ][:count]


def speed_rows(count: int = WORKFLOWS) -> list[Row]:
    """Measure a library of so many workflows. Call it first in a process: it measures the first use of the embedder."""
    began_s = time.perf_counter()
    embedder = open_embedder()
    embedder.embed_queries(["first"])
    first_s = time.perf_counter() - began_s
    workflows, queries = many_workflows(count), [query.query for query in load_queries()]
    with tempfile.TemporaryDirectory(prefix="exhibit-search-") as folder:
        path = Path(folder) / "vectors.duckdb"
        made_s = _opened(path, workflows)
        loaded_s = _opened(path, workflows)
        index = VectorIndex(embedder, path)
        index.update(workflows)
        ours = _median_ms(by_meaning(index), queries)
        index.close()
    return [
        under(SEARCH_MS, f"search over {count:,}: median", "ms", ours, _median_ms(by_words(workflows), queries)),
        under(LOAD_S, f"load of {count:,} from stored vectors, until the first answer", "s", loaded_s),
        Row("the embedder: first use of a process", "s", first_s),
        Row(f"{count:,} workflows embedded and stored", "s", made_s),
    ]


def quality_rows(model: str = DEFAULT_MODEL) -> list[Row]:
    """Measure the labelled set with the threshold, as it is used; BM25 is the peer."""
    workflows, queries = load_workflows(), load_queries()
    index = VectorIndex(open_embedder(model))
    index.update(workflows)
    ours, peer = by_meaning(index), by_words(workflows)
    direct = [one for one in queries if one.kind == "direct"]
    rows = _hit_rows("direct", ours, peer, direct)
    misspelt = [replace(one, query=with_wrong_letters(one.query)) for one in direct]
    rows += _hit_rows("direct, a letter missing in each long word", ours, peer, misspelt, aim=None)
    paraphrases = [one for one in queries if one.kind == "paraphrase"]
    rows += _hit_rows("paraphrase", ours, peer, paraphrases)
    rows += _hit_rows(
        "paraphrase, held out", ours, peer, [one for one in paraphrases if one.half == "held_out"], aim=None
    )
    nonsense = [one for one in queries if one.kind == "nonsense"]
    rows.append(Row("nonsense: finds nothing", "share", silence(ours, nonsense), silence(peer, nonsense)))
    return rows


def rows_without_the_extra() -> list[Row]:
    """Measure what takes the place of the default where that is not installed."""
    began_s = time.perf_counter()
    VectorIndex(open_embedder(HASHED_WORDS)).update(many_workflows(WORKFLOWS))
    embedded = Row(f"{WORKFLOWS:,} workflows embedded", "s", time.perf_counter() - began_s)
    rows = [replace(one, aim="", met=None) for one in quality_rows(HASHED_WORDS)]
    return [replace(one, what=f"{HASHED_WORDS}: {one.what}") for one in (*rows, embedded)]


def _opened(path: Path, workflows: Sequence[Indexed]) -> float:
    """Return the seconds until an index on the file has answered its first query."""
    began_s = time.perf_counter()
    index = VectorIndex(open_embedder(), path)
    index.update(workflows)
    index.search("open tickets", LIMIT)
    took_s = time.perf_counter() - began_s
    index.close()
    return took_s


def _median_ms(search: Search, queries: Sequence[str]) -> float:
    search(queries[0], LIMIT)
    times: list[float] = []
    for query in queries:
        began_s = time.perf_counter()
        search(query, LIMIT)
        times.append(time.perf_counter() - began_s)
    return statistics.median(times) * 1000


def _hit_rows(what: str, ours: Search, peer: Search, queries: Sequence[Query], aim: float | None = HITS) -> list[Row]:
    """Return the shares at 1, 3 and 5; the aim is for 5."""
    figures, peers = hit_rates(ours, queries), hit_rates(peer, queries)
    return [
        least(aim, f"{what}: hits at {at}", "share", figures[at], peers[at])
        if aim is not None and at == max(AT)
        else Row(f"{what}: hits at {at}", "share", figures[at], peers[at])
        for at in AT
    ]


if __name__ == "__main__":
    for row in [*speed_rows(), *quality_rows(), *rows_without_the_extra()]:
        print(f"{row.what:50} {row.figure:10.2f} {'' if row.peer is None else f'{row.peer:.2f}':>8} {row.unit}")
