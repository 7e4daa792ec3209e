"""The index of the library: ranking, threshold, ties, changes, and vectors that are used again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest

from services.workflows.ports import Indexed
from services.workflows.search.embedders import open_embedder
from services.workflows.search.index import BATCH, VectorIndex
from tests.handlers.workflows.search_worlds import ColourEmbedder, names, workflow

embedder_of = cache(open_embedder)
"""Loaded once."""


@pytest.fixture
def index():
    index = VectorIndex(ColourEmbedder())
    index.update([workflow("a", "red", "green"), workflow("b", "green", "red"), workflow("c", "blue blue red")])
    return index


def test_a_score_is_seven_parts_description_and_three_parts_code(index):
    found = dict(index.search("red", 10, threshold=-1.0))
    assert found == pytest.approx({"a": 0.7, "b": 0.3, "c": 0.7 / 5**0.5}, abs=1e-5)
    assert names(index.search("red", 10, threshold=-1.0)) == ["a", "c", "b"]


def test_the_limit_counts_from_the_best(index):
    assert names(index.search("red", 2)) == ["a", "c"]
    assert list(index.search("red", 0)) == []


def test_what_is_below_the_threshold_is_not_found(index):
    assert names(index.search("blue", 10)) == ["c"]
    assert names(index.search("red", 10, threshold=0.5)) == ["a"]
    assert names(index.search("red", 10, threshold=0.3)) == ["a", "c", "b"]
    assert list(index.search("sea", 10)) == []


@pytest.mark.parametrize("query", ["", "  \n", "\0", "?"])
def test_an_empty_query_finds_nothing(index, query):
    assert list(index.search(query, 10)) == []


def test_a_word_of_the_query_with_a_wrong_letter_is_taken_for_that_of_the_library(index):
    assert names(index.search("grene", 1)) == ["b"]
    index.remove("a")
    index.remove("b")
    assert list(index.search("grene", 1)) == []
    index.add(workflow("d", "green"))
    assert names(index.search("gren", 1)) == []  # too short to be sure
    assert names(index.search("grean", 1)) == ["d"]


def test_equal_scores_come_by_name():
    index = VectorIndex(ColourEmbedder())
    index.update([workflow(name, "red green") for name in ("delta", "alpha", "charlie", "bravo")])
    assert names(index.search("green", 3)) == ["alpha", "bravo", "charlie"]


def test_the_name_of_a_workflow_finds_it_first_in_any_spelling():
    index = VectorIndex(ColourEmbedder())
    index.update([workflow("red_red", "green"), workflow("redRed", "blue"), workflow("other", "red red")])
    for query in ("red_red", "Red red", "redRed"):
        assert names(index.search(query, 10)) == ["redRed", "red_red", "other"], query
    assert names(index.search("red_red", 1)) == ["redRed"]


def test_an_added_workflow_is_found_and_replaces_the_one_of_its_name(index):
    index.add(workflow("d", "black"))
    assert names(index.search("black", 1)) == ["d"]
    index.add(workflow("d", "red", "red"))
    assert names(index.search("red", 1)) == ["d"]
    assert len(index.search("red", 10, threshold=-1.0)) == 4


def test_a_removed_workflow_is_not_found(index):
    index.remove("a")
    index.remove("a")
    index.remove("unknown")
    assert names(index.search("red", 10)) == ["c", "b"]


def test_an_update_makes_the_index_hold_exactly_what_it_is_given(index):
    index.update([workflow("z", "red")])
    assert names(index.search("red", 10, threshold=-1.0)) == ["z"]
    index.update([])
    assert list(index.search("red", 10, threshold=-1.0)) == []


def test_what_is_known_is_not_embedded_again():
    embedder = ColourEmbedder()
    index = VectorIndex(embedder)
    index.update([workflow("a", "red"), workflow("b", "green")])
    count = len(embedder.embedded)
    index.update([workflow("b", "green"), workflow("renamed", "red"), workflow("a", "red")])
    index.remove("a")
    index.add(workflow("a", "red"))
    assert len(embedder.embedded) == count == 4


@pytest.mark.parametrize(
    "text", ["Prüft Rechnungen auf Vollständigkeit", "检查发票", "फ़ाइलें", "🧾 💶", "a\ud800b", "\0\x1b[2J"]
)
@pytest.mark.parametrize("model", ["minilm", "wordllama", "hashed-words"])
def test_texts_of_any_script_are_indexed_and_searched(text, model, tmp_path):
    index = VectorIndex(embedder_of(model), tmp_path / "vectors.duckdb")
    index.update(
        [Indexed("prüfen", "", text, f"def run():\n    return {text!r}\n"), workflow("other", "close tickets")]
    )
    assert names(index.search(text, 1)) == ["prüfen"]
    index.close()


@pytest.mark.parametrize("count", [BATCH + 1, pytest.param(10_000, marks=pytest.mark.long)])
def test_many_workflows_are_stored_and_found(tmp_path, count):
    many = [workflow(f"w{number:05}", f"red {'green ' * number}") for number in range(40)]
    many += [Indexed(f"x{number:05}", "", f"black number {number}", "") for number in range(count)]
    index = VectorIndex(ColourEmbedder(), tmp_path / "vectors.duckdb")
    index.update(many)
    index.close()
    embedder = ColourEmbedder()
    again = VectorIndex(embedder, tmp_path / "vectors.duckdb")
    again.update(many)
    assert embedder.embedded == []
    assert names(again.search("red", 3)) == ["w00000", "w00001", "w00002"]
    assert names(again.search("black", 2)) == ["x00000", "x00001"]
    again.close()


def test_threads_may_search_and_change_it_at_the_same_time(index):
    def work(number: int) -> list[str]:
        index.add(workflow(f"n{number}", "black"))
        found = names(index.search("black", 100))
        index.remove(f"n{number}")
        return found

    with ThreadPoolExecutor(8) as pool:
        for number, found in enumerate(pool.map(work, range(60))):
            assert f"n{number}" in found
    assert len(index.search("red", 100, threshold=-1.0)) == 3
