"""Search in the workflow library: how fast over 10,000 workflows, how soon after a start, how often right.

.venv/bin/python -m benchmarks.library.finding
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

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
from services.workflows.ports import Embedder, Indexed
from services.workflows.search.embedders import DEFAULT_MODEL, HASHED_WORDS, WORDLLAMA, open_embedder
from services.workflows.search.index import VectorIndex

WORKFLOWS, EMBEDDED = 10_000, 500
SEARCH_MS, LOAD_S, COLD_S, HITS, SILENT = 20.0, 2.0, 1.0, 0.9, 0.9
LIMIT = 10
COLD_STARTS = 5
COLD = """
import sys
from pathlib import Path
from benchmarks.library.retrieval import load_workflows
from services.workflows.search.index import open_index
index = open_index(sys.argv[1], Path(sys.argv[2]))
index.update(load_workflows())
assert index.search("open tickets", 10)
"""


class StoredVectors:
    """An embedder whose documents have vectors at random: what is read and searched is of the right size, at once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self._random = embedder, np.random.default_rng(1)
        self.model, self.dimensions, self.threshold = embedder.model, embedder.dimensions, embedder.threshold

    def embed_queries(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self._embedder.embed_queries(texts)

    def embed_documents(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self._random.standard_normal((len(texts), self.dimensions), np.float32).tolist()


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
    began_s = time.perf_counter()
    VectorIndex(embedder).update(many_workflows(EMBEDDED))
    embedded_s = time.perf_counter() - began_s
    workflows, queries = many_workflows(count), [query.query for query in load_queries()]
    with tempfile.TemporaryDirectory(prefix="exhibit-search-") as folder:
        path = Path(folder) / "vectors.duckdb"
        _opened(StoredVectors(embedder), path, workflows)
        loaded_s = _opened(open_embedder(), path, workflows)
        index = VectorIndex(embedder, path)
        index.update(workflows)
        ours = _median_ms(by_meaning(index), queries)
        index.close()
    return [
        under(SEARCH_MS, f"search over {count:,}: median", "ms", ours, _median_ms(by_words(workflows), queries)),
        under(LOAD_S, f"load of {count:,} from stored vectors, until the first answer", "s", loaded_s),
        Row("the embedder: first use of a process", "s", first_s),
        Row(f"{EMBEDDED:,} workflows embedded", "s", embedded_s),
        *_cold_rows(),
    ]


def _cold_rows() -> list[Row]:
    """Measure a process that starts, opens the labelled library with its stored vectors, and answers one query."""
    took: list[float] = []
    cpu: list[float] = []
    with tempfile.TemporaryDirectory(prefix="exhibit-search-") as folder:
        for _ in range(COLD_STARTS + 1):
            before, began_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run([sys.executable, "-c", COLD, DEFAULT_MODEL, folder], check=True)
            took.append(time.perf_counter() - began_s)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return [
        under(
            COLD_S, "cold start: Python, library and model, until the first answer", "s", statistics.median(took[1:])
        ),
        Row("the same, processor time", "s", statistics.median(cpu[1:])),
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
    rows = [*rows, *_hit_rows("paraphrase", ours, peer, paraphrases, aim=None)]
    for label, half in (("tuning half", "tuning"), ("held out", "held_out")):
        aim = half == "held_out"
        chosen = [one for one in paraphrases if one.half == half]
        rows += _hit_rows(f"paraphrase, {label} (n={len(chosen)})", ours, peer, chosen, aim=HITS if aim else None)
        nonsense = [one for one in queries if (one.kind, one.half) == ("nonsense", half)]
        what, found = f"nonsense, {label} (n={len(nonsense)}): finds nothing", silence(ours, nonsense)
        peers = silence(peer, nonsense)
        rows.append(least(SILENT, what, "share", found, peers) if aim else Row(what, "share", found, peers))
    return rows


def rows_without_the_extra() -> list[Row]:
    """Measure what takes the place of the default where that is not installed."""
    began_s = time.perf_counter()
    VectorIndex(open_embedder(HASHED_WORDS)).update(many_workflows(WORKFLOWS))
    embedded = Row(f"{WORKFLOWS:,} workflows embedded", "s", time.perf_counter() - began_s)
    rows = [
        replace(one, what=f"{model}: {one.what}", aim="", met=None)
        for model in (WORDLLAMA, HASHED_WORDS)
        for one in quality_rows(model)
    ]
    return [*rows, replace(embedded, what=f"{HASHED_WORDS}: {embedded.what}")]


def _opened(embedder: Embedder, path: Path, workflows: Sequence[Indexed]) -> float:
    """Return the seconds until an index on the file has answered its first query."""
    began_s = time.perf_counter()
    index = VectorIndex(embedder, path)
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
