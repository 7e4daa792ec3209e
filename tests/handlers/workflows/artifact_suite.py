"""The common suite of all keepers of artifacts."""

from __future__ import annotations

import asyncio
import hashlib

import pytest

from services.workflows.ports import Artifacts
from shared.contracts.workflows.artifacts import ArtifactEntry
from shared.errors import PermanentError
from tests.raising import raises_code

HOSTILE_NAMES = [
    "",
    ".",
    "..",
    "../x",
    "a/b",
    "a\\b",
    ".hidden",
    "a\0b",
    "a\n",
    "-x",
    "é.txt",
    "x" * 200,
    "manifest.json",
]


async def saved(artifacts: Artifacts, name: str = "report.pdf", data: bytes = b"%PDF") -> ArtifactEntry:
    return await artifacts.save(
        name, data, media_type="application/pdf", description="The report.", saved_by="weekly_report"
    )


class ArtifactSuite:
    """Subclasses provide a fixture `artifacts`, and `damage`: changes the stored bytes of a name."""

    async def test_what_is_saved_is_loaded_as_it_was(self, artifacts):
        entry = await saved(artifacts)
        assert (entry.name, entry.size_bytes) == ("report.pdf", 4)
        assert entry.sha256 == hashlib.sha256(b"%PDF").hexdigest()
        assert (entry.media_type, entry.description, entry.saved_by) == (
            *("application/pdf", "The report.", "weekly_report"),
        )
        assert await artifacts.load("report.pdf") == (entry, b"%PDF")
        assert tuple(await artifacts.list()) == (entry,)

    async def test_empty_and_large_ones_are_kept_too(self, artifacts):
        large = bytes(range(256)) * 20_000
        await saved(artifacts, "empty.bin", b"")
        await saved(artifacts, "large.bin", large)
        assert (await artifacts.load("empty.bin"))[1] == b""
        assert (await artifacts.load("large.bin"))[1] == large

    async def test_a_name_is_never_overwritten(self, artifacts):
        await saved(artifacts)
        for data in (b"other", b"%PDF"):
            with raises_code(PermanentError, "name_taken", match=r"there is an artifact 'report.pdf' already"):
                await saved(artifacts, data=data)
        assert (await artifacts.load("report.pdf"))[1] == b"%PDF"

    async def test_of_many_that_save_one_name_at_once_one_wins(self, artifacts):
        outcomes = await asyncio.gather(
            *(saved(artifacts, data=b"%d" % number) for number in range(8)), return_exceptions=True
        )
        entries = [one for one in outcomes if isinstance(one, ArtifactEntry)]
        assert len(entries) == 1
        assert {getattr(one, "code", "") for one in outcomes if not isinstance(one, ArtifactEntry)} == {"name_taken"}
        assert (await artifacts.load("report.pdf"))[0] == entries[0]

    async def test_a_name_that_is_no_file_name_is_refused(self, artifacts):
        for name in HOSTILE_NAMES:
            for attempt in (saved(artifacts, name), artifacts.load(name), artifacts.delete(name)):
                with pytest.raises(PermanentError) as caught:
                    await attempt
                assert caught.value.code == "unsafe_name", name
        assert tuple(await artifacts.list()) == ()

    async def test_what_is_not_there_is_none_and_deleting_says_whether_it_was(self, artifacts):
        assert await artifacts.load("report.pdf") is None
        assert not await artifacts.delete("report.pdf")
        await saved(artifacts)
        assert await artifacts.delete("report.pdf")
        assert await artifacts.load("report.pdf") is None
        assert tuple(await artifacts.list()) == ()
        await saved(artifacts, data=b"new")
        assert (await artifacts.load("report.pdf"))[1] == b"new"

    async def test_they_are_listed_by_name(self, artifacts):
        for name in ("b.txt", "a.txt", "C.txt"):
            await saved(artifacts, name)
        assert [one.name for one in await artifacts.list()] == ["C.txt", "a.txt", "b.txt"]

    async def test_bytes_that_were_changed_are_not_given_out(self, artifacts, damage):
        await saved(artifacts)
        damage("report.pdf")
        with raises_code(PermanentError, "object_damaged", match="are not those that were saved"):
            await artifacts.load("report.pdf")
