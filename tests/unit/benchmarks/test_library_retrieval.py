"""The labelled set is what it says, and search finds what it should in it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest

from benchmarks.library.retrieval import (
    by_meaning,
    by_words,
    hit_rates,
    load_queries,
    load_workflows,
    silence,
    with_wrong_letters,
)
from services.workflows.search.embedders import open_embedder
from services.workflows.search.index import VectorIndex
from tests.cases import cases

_WORDS_WITHOUT_CONTENT = """
a an the of in on at to for from with without and or not no is are was were be been it its this that these those
which who whom whose what when where how do does did has have had i me my we us our you your he she they them
their each every all any some one two than then as by into out up down over under off if so more most much many
here there right now still get need give
"""
FUNCTION_WORDS = frozenset(_WORDS_WITHOUT_CONTENT.split())
ENDINGS = (
    *("ations", "ation", "ingly", "edly", "ings", "ing", "ied", "ies", "ers", "ors", "er", "or", "ed", "es", "ly"),
    *("s", "e", "y", "al", "ment", "ness"),
)
STEM_CHARS = 6
pytestmark = pytest.mark.long


def stem(word: str) -> str:
    """Return a normal form: without a common ending, without a doubled last letter, of few letters."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word[:STEM_CHARS]


def content(text: str) -> set[str]:
    words = re.findall(r"[a-z]{2,}", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower())
    return {stem(word) for word in words if word not in FUNCTION_WORDS}


WORKFLOWS = {one.name: one for one in load_workflows()}
QUERIES = load_queries()


def of_kind(kind: str, half: str = ""):
    return [query for query in QUERIES if query.kind == kind and half in ("", query.half)]


@pytest.fixture(scope="module")
def index():
    index = VectorIndex(open_embedder())
    index.update(list(WORKFLOWS.values()))
    return index


def test_the_set_has_the_sizes_that_are_promised():
    assert len(WORKFLOWS) == 100
    assert Counter(query.kind for query in QUERIES) == {"direct": 30, "paraphrase": 62, "nonsense": 64}
    assert Counter((query.kind, query.half) for query in QUERIES)["paraphrase", "held_out"] == 31
    assert {query.expected for query in QUERIES} <= {"", *WORKFLOWS}
    assert len({query.query for query in QUERIES}) == len(QUERIES)


@cases("query", of_kind("paraphrase"))
def test_a_paraphrase_shares_no_content_word_with_its_workflow(query):
    one = WORKFLOWS[query.expected]
    assert content(query.query)
    assert content(query.query) & content(f"{one.name.replace('_', ' ')} {one.description} {one.code}") == set()


def test_shared_words_would_be_found_in_another_form():
    assert content("closing tickets nobody touched") & content("Close a ticket") == {"clos", "ticket"}
    assert all(
        content(query.query) & content(f"{query.expected} {WORKFLOWS[query.expected].description}".replace("_", " "))
        for query in of_kind("direct")
    )


def test_direct_queries_are_found_first(index):
    assert hit_rates(by_meaning(index), of_kind("direct"))[1] >= 0.9
    misspelt = [replace(one, query=with_wrong_letters(one.query)) for one in of_kind("direct")]
    assert hit_rates(by_meaning(index), misspelt)[1] >= 0.9


def test_paraphrases_are_found_where_words_find_nothing(index):
    """Floors are below what is measured; the benchmark prints the figures."""
    ours, words = by_meaning(index), by_words(list(WORKFLOWS.values()))
    assert hit_rates(ours, of_kind("paraphrase"))[5] >= 0.85
    assert hit_rates(ours, of_kind("paraphrase", "held_out"))[5] >= 0.8
    assert hit_rates(words, of_kind("paraphrase"))[5] <= 0.2


def test_most_nonsense_finds_nothing(index):
    assert silence(by_meaning(index), of_kind("nonsense")) >= 0.9
    assert silence(by_meaning(index, -1.0), of_kind("nonsense")) == 0.0
