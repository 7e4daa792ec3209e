"""A process that is killed at any of its writes leaves a whole review: a decision is there or is not, and none
twice."""

from __future__ import annotations

import shutil
from pathlib import Path

from services.evidence.handlers import decide_review
from shared.contracts.sessions.reviewing import DecideReview, ReviewSignedOff, SignedDecision
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.verify.verify_run import check_run
from tests.handlers.evidence.mortal import SIGNER, Disk, Fragile, Killed, hidden, on, told_until_done, unclosed
from tests.handlers.evidence.review_room import ReviewRoom, for_review
from tests.unit.shared.reviewing.review_people import ANN, BEN

MOST_TRIES = 3


async def decided_until_done(desk: Fragile, decisions: list[SignedDecision], disk: Disk) -> None:
    """As a client does it: what was not answered is asked again, of a process that knows nothing."""
    for signed in decisions:
        for _ in range(MOST_TRIES):
            try:
                with on(disk):
                    await decide_review(DecideReview(run_id="run_1", signed=signed), desk.deps)
                break
            except Killed:
                disk.dead = False
                desk.restart()
        else:
            raise AssertionError("it was never filed")


async def reviewed(root: Path, decisions: list[SignedDecision], disk: Disk) -> dict[str, bytes]:
    """Decide and close the review, and return all files."""
    desk = Fragile(root, products=())
    await decided_until_done(desk, decisions, disk)
    await told_until_done(desk, [desk.bus.events(ReviewSignedOff)[-1]], disk)
    return {name: data for name, data in desk.files().items() if not hidden(name)}


@unclosed
async def test_killed_at_each_write_the_review_is_as_if_nothing_had_happened(tmp_path: Path):
    base = tmp_path / "base"
    desk = Fragile(base, products=())
    await for_review(desk)
    room = ReviewRoom(desk)
    decisions: list[SignedDecision] = []
    for who, act in ((ANN, "accept"), (BEN, "comment"), (ANN, "sign")):
        decisions.append(who.sign(await room.said(who, act)))
        await room.send(decisions[-1])
    shutil.rmtree(base / "run_1/review.rounds")
    here = tmp_path / "here"

    async def once(disk: Disk) -> dict[str, bytes]:
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(base, here)
        return await reviewed(here, decisions, disk)

    counted = Disk()
    right = await once(counted)
    assert check_run(FolderSource(here / "run_1"), SIGNER.public).problems == []
    assert len([name for name in right if "review.rounds/" in name]) == 3
    assert len(counted.made) > 15
    for at in range(1, len(counted.made) + 1):
        disk = Disk(at)
        assert await once(disk) == right, disk.failed
