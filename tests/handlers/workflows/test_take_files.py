"""Files of a folder that are taken into a library on the bus, which others share."""

from __future__ import annotations

import pytest

from services.workflows.library.files import take_files
from services.workflows.library.storage.bus import BusStorage
from services.workflows.library.storage.library_folder import FILE
from shared.contracts.workflows.library import WorkflowUnknown
from shared.testing.bus import MemoryBus
from tests.handlers.workflows.storages import GREET, GREET_LOUDLY, open_library, shown


@pytest.fixture
def library():
    return open_library(BusStorage(MemoryBus()))


async def test_a_file_is_taken_and_a_changed_one_is_a_new_version(library, tmp_path):
    for source in (GREET, GREET, GREET_LOUDLY):
        (tmp_path / "greet.py").write_text(source)
        assert await take_files(library, tmp_path) == ()
        assert (await shown(library, "greet")).source == source
    assert [one.kind for one in await library.history("greet")] == ["created", "deleted", "created"]


async def test_a_file_that_is_no_workflow_any_more_takes_nothing_away(library, tmp_path):
    (tmp_path / "greet.py").write_text(GREET)
    await take_files(library, tmp_path)
    (tmp_path / "greet.py").write_text("def run(:")
    problems = await take_files(library, tmp_path)
    assert (problems[0].file, problems[0].line) == ("greet.py", 1)
    assert (await shown(library, "greet")).source == GREET


async def test_a_version_that_was_deleted_is_not_taken_again(library, tmp_path):
    (tmp_path / "greet.py").write_text(GREET)
    await take_files(library, tmp_path)
    await library.delete("greet", author="anna")
    assert await take_files(library, tmp_path) == ()
    assert isinstance(await library.get("greet"), WorkflowUnknown)
    (tmp_path / "greet.py").write_text(GREET_LOUDLY)
    await take_files(library, tmp_path)
    assert (await shown(library, "greet")).workflow.author == FILE


async def test_a_name_that_somebody_else_has_is_left_as_it_is(library, tmp_path):
    await library.create("greet", GREET, author="anna")
    (tmp_path / "greet.py").write_text(GREET_LOUDLY)
    (problem,) = await take_files(library, tmp_path)
    assert "anna" in problem.message
    assert (await shown(library, "greet")).source == GREET
