"""The queries of docs/sql.md: each returns what the files contain."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from services.evidence.sql.docs_page import EXAMPLES
from shared.settings import Settings
from tests.handlers.evidence.sql_answers import Files, as_answered, as_worked_out
from tests.handlers.evidence.sql_room import Room, opened

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def room(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Room]:
    folder = tmp_path_factory.mktemp("questions")
    async with opened(Settings(evidence_dir=folder / "evidence", state_dir=folder / "state")) as room:
        yield room


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
async def test_the_answer_is_what_the_files_say(room, example):
    rows = await room.rows(example.sql, "run_1")
    worked_out = as_worked_out(example.name, Files(room.settings.evidence_dir / "run_1"))
    assert as_answered(example.name, rows) == worked_out
    assert worked_out, "the run has a case of each"


async def test_what_the_answers_are_in_this_run(room):
    """Beside the files, by what was told: TCK-2 is nobody's, TCK-3 was another page, TCK-4 was not found."""
    questions = {example.name: example.sql for example in EXAMPLES}
    assert [row[0] for row in await room.rows(questions["unassigned"], "run_1")] == ["TCK-2"]
    assert [row[:2] for row in await room.rows(questions["merged_with_failures"], "run_1")] == [
        ("TCK-1", True),
        ("TCK-2", True),
    ]
    assert [row[0] for row in await room.rows(questions["not_done"], "run_1")] == ["TCK-3", "TCK-4", "TCK-5"]
    assert [row[0] for row in await room.rows(questions["mismatches"], "run_1")] == ["TCK-3"]
    assert [row[:2] for row in await room.rows(questions["not_200"], "run_1")] == [(404, "TCK-4"), (503, "TCK-5")]
    assert [(row[1], row[2]) for row in await room.rows(questions["same_bytes"], "run_1")] == [(2, 2)]
    assert [row[-1] for row in await room.rows(questions["cost"], "run_1")] == [0.0369, 0.0011, 0.0005, 0.0]
