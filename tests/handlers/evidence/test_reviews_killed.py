"""A process that is killed at any of its writes leaves a whole review: a decision is there or is not, and none
twice."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from services.evidence.handlers import decide_review
from services.evidence.outputs.make_products import ALL_PRODUCTS
from services.evidence.outputs.products import MakeProduct
from shared.contracts.sessions.reviewing import DecideReview, DrawWish, ReviewSignedOff, SignedDecision
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.verify.verify_run import check_run
from tests.handlers.evidence.mortal import SIGNER, Disk, Fragile, Killed, hidden, on, told_until_done, unclosed
from tests.handlers.evidence.review_room import ReviewRoom, for_review
from tests.unit.shared.reviewing.review_people import ANN, BEN, Signatory

MOST_TRIES = 3


Act = SignedDecision | None
"""What is done to a review: a decision, or, None, that it is closed as it was signed off."""


async def done_until_done(desk: Fragile, acts: Sequence[Act], disk: Disk) -> None:
    """As a client and the bus do it: what was not answered is asked again, of a process that knows nothing."""
    for signed in acts:
        if signed is None:
            await told_until_done(desk, [desk.bus.events(ReviewSignedOff)[-1]], disk)
            continue
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


async def reviewed(root: Path, acts: Sequence[Act], disk: Disk, products: tuple[MakeProduct, ...]) -> dict[str, bytes]:
    """Do all acts, and return all files."""
    desk = Fragile(root, products=products)
    await done_until_done(desk, acts, disk)
    return {name: data for name, data in desk.files().items() if not hidden(name)}


async def acts_on(desk: Fragile, *said: tuple[Signatory, Any] | None) -> list[Act]:
    """Do what people say, None: close the review; return it as they have signed it."""
    room, acts = ReviewRoom(desk), list[Act]()
    for one in said:
        if one is None:
            await room.close()
        more = {"draw": (await room.load(wish=DrawWish(seed="7", size=1))).wished} if one and one[1] == "draw" else {}
        acts.append(one and one[0].sign(await room.said(*one, **more)))
        if acts[-1] is not None:
            await room.send(acts[-1])
    return acts


@unclosed
async def test_killed_at_each_write_the_review_is_as_if_nothing_had_happened(tmp_path: Path):
    base, here = tmp_path / "base", tmp_path / "evidence"
    desk = Fragile(here, products=())
    await for_review(desk)
    shutil.copytree(here, base)
    signed_off = (ANN, "accept"), (BEN, "comment"), (ANN, "draw"), (ANN, "accept"), (ANN, "sign"), None
    acts = await acts_on(desk, *signed_off, (ANN, "reopen"), (ANN, "reject"), (ANN, "sign"), None)

    async def once(disk: Disk) -> dict[str, bytes]:
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(base, here)
        return await reviewed(here, acts, disk, ())

    counted = Disk()
    right = await once(counted)
    assert check_run(FolderSource(here / "run_1"), SIGNER.public).problems == []
    assert len([name for name in right if "review.rounds/" in name and "/rounds/" not in name]) == 8
    assert len(counted.made) > 40
    for at in range(1, len(counted.made) + 1):
        disk = Disk(at)
        assert await once(disk) == right, disk.failed


EVERY = 5
"""Of the writes of a sign-off with all products one in so many is tried."""


@unclosed
async def test_killed_while_a_sign_off_takes_what_the_round_before_has_made_it_makes_the_same(tmp_path: Path):
    base, here = tmp_path / "base", tmp_path / "evidence"
    desk = Fragile(here, products=ALL_PRODUCTS)
    await for_review(desk)
    acts = await acts_on(desk, (ANN, "accept"), (ANN, "sign"))
    desk.restart()
    shutil.copytree(here, base)

    async def once(disk: Disk) -> dict[str, bytes]:
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(base, here)
        return await reviewed(here, [acts[-1], None], disk, ALL_PRODUCTS)

    counted = Disk()
    right = await once(counted)
    assert check_run(FolderSource(here / "run_1"), SIGNER.public).problems == []
    for at in range(EVERY, len(counted.made) + 1, EVERY):
        disk = Disk(at)
        assert await once(disk) == right, disk.failed
