"""The file of the vectors: stored once, of one model, held by one process, made anew when it is damaged."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest

from services.workflows.search.index import VectorIndex
from services.workflows.search.vector_file import VectorFile
from tests.handlers.workflows.search_worlds import ColourEmbedder, names, workflow

WORKFLOWS = [workflow("a", "red"), workflow("b", "green")]
HEADERS_BYTES, BLOCK_BYTES = 3 * 4_096, 256 * 1_024
"""Of a DuckDB file."""
OTHER_PROCESS = """
import sys
from pathlib import Path
from services.workflows.search.index import VectorIndex
from tests.handlers.workflows.search_worlds import ColourEmbedder, workflow
index = VectorIndex(ColourEmbedder(), Path(sys.argv[1]))
index.update([workflow("a", "red"), workflow("b", "green")])
print(index.is_stored, [name for name, _ in index.search("red", 5)], flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "library" / "vectors.duckdb"


def embedded_by(path: Path, model: str = "colours-1", workflows=WORKFLOWS) -> list[str]:
    """Open an index on the file and return the documents that had to be embedded."""
    embedder = ColourEmbedder(model)
    index = VectorIndex(embedder, path)
    index.update(workflows)
    assert index.is_stored
    assert names(index.search("red", 5)) == ["a"]
    index.close()
    return embedder.embedded


def test_vectors_are_made_once(path):
    assert len(embedded_by(path)) == 4
    assert embedded_by(path) == []
    assert len(embedded_by(path, workflows=[*WORKFLOWS, workflow("c", "blue")])) == 2


def test_a_changed_model_clears_the_vectors(path):
    embedded_by(path)
    assert len(embedded_by(path, "colours-2")) == 4
    assert embedded_by(path, "colours-2") == []
    assert len(embedded_by(path, "colours-1")) == 4


def test_vectors_of_what_the_library_no_longer_holds_are_removed_at_the_next_start(path):
    embedded_by(path, workflows=[*WORKFLOWS, workflow("c", "blue")])
    embedded_by(path)
    assert len(embedded_by(path, workflows=[*WORKFLOWS, workflow("c", "blue")])) == 2


def test_added_workflows_are_stored(path):
    index = VectorIndex(ColourEmbedder(), path)
    for one in WORKFLOWS:
        index.add(one)
    index.close()
    assert embedded_by(path) == []


def other_tables(path: Path) -> None:
    path.unlink()
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE vectors (something INTEGER)")


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"garbage" * 3_000),
        lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
        other_tables,
    ],
    ids=["empty", "other", "cut", "other tables"],
)
def test_a_damaged_file_is_made_anew(path, damage):
    embedded_by(path)
    damage(path)
    assert len(embedded_by(path)) == 4
    assert embedded_by(path) == []


def test_a_file_that_can_be_opened_and_not_be_read_is_made_anew(path):
    rows = np.random.default_rng(1).normal(size=(1_500, 256)).astype(np.float32)
    first = VectorFile(path, "model", 256)
    first.add({str(number): row for number, row in enumerate(rows)})
    first.close()
    whole, kept = path.read_bytes(), set[int]()
    for middle in range(HEADERS_BYTES + BLOCK_BYTES // 4, len(whole), BLOCK_BYTES):
        damaged = bytearray(whole)
        damaged[middle : middle + 64] = bytes(byte ^ 1 for byte in damaged[middle : middle + 64])
        path.write_bytes(damaged)
        file = VectorFile(path, "model", 256)
        assert file.is_stored
        kept.add(len(file.take_loaded()))
        file.close()
    assert kept == {0, len(rows)}


@pytest.mark.system
def test_a_file_that_another_process_holds_is_left_to_it(path):
    embedded_by(path)
    command = [sys.executable, "-c", OTHER_PROCESS, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline().split() == ["True", "['a']"]
        index = VectorIndex(ColourEmbedder(), path)
        index.update(WORKFLOWS)
        assert not index.is_stored
        assert names(index.search("green", 5)) == ["b"]
        index.close()
        other.communicate("")
    assert embedded_by(path) == []


def test_two_indexes_of_one_process_do_not_share_the_file(path):
    first, second = VectorIndex(ColourEmbedder(), path), VectorIndex(ColourEmbedder(), path)
    assert (first.is_stored, second.is_stored) == (True, False)
    second.update(WORKFLOWS)
    assert names(second.search("red", 5)) == ["a"]
    first.close()
    second.close()
    assert len(embedded_by(path)) == 4


@pytest.mark.system
def test_a_process_that_was_killed_leaves_a_file_that_can_be_used(path):
    command = [sys.executable, "-c", OTHER_PROCESS, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        other.stdout.readline()
        other.kill()
    assert embedded_by(path) == []


def test_a_folder_that_cannot_be_written_leaves_the_vectors_in_memory(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    index = VectorIndex(ColourEmbedder(), tmp_path / "file" / "vectors.duckdb")
    index.update(WORKFLOWS)
    assert not index.is_stored
    assert names(index.search("red", 5)) == ["a"]
    index.close()


def test_a_closed_index_still_searches(path):
    index = VectorIndex(ColourEmbedder(), path)
    index.update(WORKFLOWS)
    index.close()
    index.close()
    index.add(workflow("c", "blue"))
    assert names(index.search("blue", 5)) == ["c"]
