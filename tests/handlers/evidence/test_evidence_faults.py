"""A crash or a full disk at any write: the final content of the folder is the same."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Sequence
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.contracts.planner import Lessons
from shared.errors import Unavailable
from shared.evidence_format.signing import SigningKey
from tests.handlers.evidence.evidence_desk import Desk, closed, ended, found, sample, started, took
from tests.handlers.evidence.mortal import Disk, Killed, on

MOST_TRIES = 3
PARTS = 4
"""Tests that share the changes, so that each ends within the time limit of a test on a slow machine."""
SIGNER = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))


class Fragile(Desk):
    """A desk whose folder can be begun anew under the same name."""

    def start(self) -> None:
        super().start()
        self.deps.signer = SIGNER


async def story(desk: Desk) -> list[Any]:
    """Two samples: one is tried twice, one fails, is tried again in a second round and leaves the same bytes."""
    one, two = sample("A-1"), sample("B-2", 2)
    first = [await desk.capture(one, b"same bytes"), await desk.capture(one, b"page", step=2)]
    second = await desk.capture(two, b"same bytes")
    again = await desk.capture(two, b"of the second round", attempt=2)
    taught = Lessons(patterns=("Tabs load late.",), failures=())
    return [
        started(), found(one), found(two), closed(2),
        took(one), took(one, step=2),
        took(one, *first, attempt=2), took(one, step=2, attempt=2),
        took(two, second), ended(two, second, status="failed", reason="http_error"),
        ended(one, *first, attempt=2, lessons=taught),
        started(1), closed(2, 1),
        took(two, again, attempt=2), ended(two, again, attempt=2),
    ]  # fmt: skip


async def told_until_done(desk: Desk, messages: Sequence[Any], disk: Disk) -> None:
    """As the bus does it: what was not acknowledged is told again, to a process that knows nothing where the first was
    killed, to the same one where it said that it cannot write."""
    for message in messages:
        for _ in range(MOST_TRIES):
            try:
                with on(disk):
                    await desk.tell(message)
                break
            except Killed:
                disk.dead = False
                desk.restart()
            except Unavailable:
                continue
        else:
            raise AssertionError(f"{type(message).__name__} was never filed")


async def left_by(root: Path, disk: Disk) -> dict[str, bytes]:
    shutil.rmtree(root, ignore_errors=True)
    desk = Fragile(root)
    await told_until_done(desk, await story(desk), disk)
    assert desk.bus._blobs == {}, "all bytes are filed, so none is kept on the bus"
    return {name: data for name, data in desk.files().items() if not hidden(name)}


def hidden(name: str) -> bool:
    """Files that are being written lie under such names; no reader looks at them."""
    return any(part.startswith(".") for part in Path(name).parts)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a killed process closes no file
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("how", ["killed", "full"])
async def test_whatever_change_fails_the_folder_is_the_same_in_the_end(tmp_path: Path, how: str, part: int):
    def disk(fail_at: int | None) -> Disk:
        return Disk(fail_at, full=how == "full")

    undisturbed = disk(None)
    wanted = await left_by(tmp_path / "evidence", undisturbed)
    assert undisturbed.changes > 60
    assert "run_1/B-2/attempt_1/result.json" in wanted
    for fail_at in range(1 + part, undisturbed.changes + 1, PARTS):
        failing = disk(fail_at)
        got = await left_by(tmp_path / "evidence", failing)
        assert failing.failed
        different = difference(got, wanted)
        assert not different, f"change {fail_at}: {failing.failed}\n{different}"
    gc.collect()  # what the killed ones left open is told here, where that is no fault, and in no later test


def difference(got: dict[str, bytes], wanted: dict[str, bytes]) -> str:
    """The lines of the first files that differ."""
    lines: list[str] = []
    for name in sorted(name for name in got.keys() | wanted.keys() if got.get(name) != wanted.get(name)):
        before, after = (
            side.get(name, b"there is none").decode(errors="replace").splitlines() for side in (wanted, got)
        )
        lines += unified_diff(before, after, f"{name}, wanted", f"{name}, got", lineterm="", n=0)
    return "\n".join(lines[:40])
