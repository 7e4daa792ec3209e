"""Artifacts in a folder."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from services.workflows.artifacts.artifact_folder import FolderArtifacts
from shared.errors import PermanentError, Unavailable
from tests.handlers.workflows.artifact_suite import ArtifactSuite, saved


class TestFolderArtifacts(ArtifactSuite):
    @pytest.fixture
    def artifacts(self, tmp_path: Path) -> FolderArtifacts:
        return FolderArtifacts(tmp_path / "artifacts")

    @pytest.fixture
    def damage(self, tmp_path: Path) -> Callable[[str], object]:
        return lambda name: (tmp_path / "artifacts" / name / "content").write_bytes(b"%PDf")


@pytest.mark.system
async def test_another_process_sees_them_and_cannot_take_their_names(tmp_path):
    await saved(FolderArtifacts(tmp_path))
    code = f"""
import asyncio
from pathlib import Path
from services.workflows.artifacts.artifact_folder import FolderArtifacts
artifacts = FolderArtifacts(Path({str(tmp_path)!r}))
print(asyncio.run(artifacts.load("report.pdf"))[1])
try:
    asyncio.run(artifacts.save("report.pdf", b"x", media_type="", description="", saved_by=""))
except Exception as exc:
    print(exc.code)
"""
    shown = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert shown.stdout.split() == ["b'%PDF'", "name_taken"]


async def test_what_a_process_left_that_was_killed_while_it_saved_is_no_artifact(tmp_path):
    (tmp_path / ".new-1").mkdir()
    (tmp_path / ".new-1/content").write_bytes(b"half")
    assert tuple(await FolderArtifacts(tmp_path).list()) == ()


async def test_a_folder_that_cannot_be_used_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable, match="artifacts cannot be kept in"):
        await saved(FolderArtifacts(tmp_path / "file"))


async def test_an_entry_that_cannot_be_read_is_told(tmp_path):
    artifacts = FolderArtifacts(tmp_path)
    await saved(artifacts)
    (tmp_path / "report.pdf/entry.json").write_text("{")
    with pytest.raises(PermanentError, match="cannot be read"):
        await artifacts.load("report.pdf")
