"""Durability: when a run is sealed, all of it has been synced to disk, or is retained in a bucket."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from services.evidence.store.folder_store import FolderStore
from shared.contracts.planner import Lessons
from tests.handlers.evidence.evidence_desk import SPEC, Desk, closed, ended, found, sample, started, took
from tests.handlers.evidence.review_room import ReviewRoom, for_review
from tests.unit.shared.reviewing.review_people import ANN


class Cached(FolderStore):
    """A folder that knows which of its files a power failure would take."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.unsafe: set[str] = set()

    async def write(self, key: str, data: bytes) -> None:
        await super().write(key, data)
        self.unsafe.add(key)

    async def write_file(self, key: str, path: Path) -> None:
        await super().write_file(key, path)
        self.unsafe.add(key)

    async def store_captured(self, key: str, sha256: str, path: Path) -> None:
        await super().store_captured(key, sha256, path)
        self.unsafe.add(key)

    async def move(self, key: str, to: str) -> None:
        there = self._path(key).is_file()
        await super().move(key, to)
        self.unsafe.discard(key)
        self.unsafe |= {to} if there else set()

    async def remove(self, prefix: str) -> None:
        await super().remove(prefix)
        self.unsafe -= {key for key in self.unsafe if key.startswith(f"{prefix}/")}

    async def make_durable(self, prefix: str) -> None:
        await super().make_durable(prefix)
        self.unsafe -= {key for key in self.unsafe if key.rpartition("/")[0] == prefix}

    async def make_file_durable(self, key: str) -> None:
        await super().make_file_durable(key)
        self.unsafe.discard(key)


async def test_of_a_run_that_was_resumed_nothing_is_left_unsafe(tmp_path: Path):
    desk = Desk(tmp_path / "evidence")
    store = Cached(desk.root)
    desk.deps = replace(desk.deps, store=store)
    one, two = sample("a"), sample("b", 2)
    await desk.begun(one, two)
    taught = Lessons(patterns=("The owner stands below.",), failures=("The first link is another one.",))
    await desk.tell(took(one, await desk.capture(one)), ended(one, lessons=taught))
    assert "run_1/a/result.json" not in store.unsafe, "a result that is filed is safe at once"
    assert not store.unsafe & {"run_1/run.json", "run_1/samples.csv"}, "nor is it open who is in the population"
    await desk.tell(ended(two, status="failed", reason="http_error"))
    assert store.unsafe == set()

    await desk.tell(started(1), closed(2, 1))
    await desk.tell(took(two, await desk.capture(two, attempt=2), attempt=2), ended(two, attempt=2))
    aside = ("run_1/rounds/1/memory/patterns.json", "run_1/rounds/1/seal.json", "run_1/b/attempt_1/result.json")
    assert all((desk.root / key).is_file() for key in aside)
    assert store.unsafe == set()


async def test_what_was_only_listed_is_safe_too(tmp_path: Path):
    desk = Desk(tmp_path / "evidence")
    store = Cached(desk.root)
    desk.deps = replace(desk.deps, store=store)
    await desk.tell(started(spec={**SPEC, "phase": "discovery"}), found(sample()))
    assert store.unsafe == {"run_1/run.json"}
    await desk.tell(closed(1))
    assert store.unsafe == set()


async def test_a_decision_that_is_answered_is_safe(tmp_path: Path):
    desk = Desk(tmp_path / "evidence")
    await for_review(desk)
    store = Cached(desk.root)
    desk.deps = replace(desk.deps, store=store)
    room = ReviewRoom(desk)
    for act in ("accept", "comment"):
        assert await room.code(ANN, act) == ""
        assert store.unsafe == set()
