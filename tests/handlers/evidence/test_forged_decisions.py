"""Decisions and sign-offs that are forged, replayed, reordered or late: none counts, and none changes a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from services.evidence.handlers import decide_review
from shared.contracts.sessions.reviewing import DecideReview, DecisionFiled, ReviewSignedOff, SignedDecision
from shared.errors import PermanentError
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.review import ReviewFile, parse_review, sealed_bytes
from tests.handlers.evidence.evidence_desk import Desk
from tests.handlers.evidence.mortal import SIGNER
from tests.handlers.evidence.review_room import ReviewRoom, for_review, reviewing
from tests.typed import expect
from tests.unit.shared.reviewing.review_people import ANN, CLEO, Signatory

ROUND = "run_1/review.rounds/1"
EVE = Signatory("eve")


@pytest.fixture
async def room(desk: Desk) -> ReviewRoom:
    await for_review(desk, reviewing(ANN, CLEO))
    return ReviewRoom(desk)


async def signed(room: ReviewRoom) -> list[SignedDecision]:
    """Decide and sign as both must, without closing the run; return what they have sent."""
    sent: list[SignedDecision] = []
    for who, act in ((ANN, "accept"), (ANN, "sign"), (CLEO, "sign")):
        sent.append(who.sign(await room.said(who, act)))
        expect(await room.send(sent[-1]), DecisionFiled)
    return sent


async def test_a_sign_off_that_nobody_has_signed_closes_nothing(room: ReviewRoom):
    desk = room.desk
    assert await room.code(ANN, "accept") == ""
    files = desk.files()
    for number in (1, 2, 99):
        await desk.tell(ReviewSignedOff(run_id="run_1", round=1, number=number))
        assert desk.files() == files
    assert (await room.load(CLEO)).state == "in_review"


async def test_a_sign_off_that_is_told_again_also_after_a_reopening_closes_nothing(room: ReviewRoom):
    desk = room.desk
    await signed(room)
    told = desk.bus.events(ReviewSignedOff)[-1]
    await desk.tell(told)
    assert await room.code(CLEO, "reopen") == ""
    files = desk.files()
    for number in (told.number, told.number + 1):
        await desk.tell(msgspec.structs.replace(told, number=number))
        desk.restart()
        assert desk.files() == files
    assert desk.check().problems == []


async def test_a_signature_of_an_earlier_round_is_none_in_the_next(room: ReviewRoom):
    sent = await signed(room)
    await room.close()
    assert await room.code(CLEO, "reopen") == ""
    files = room.desk.files()
    for number, one in enumerate(sent, start=1):
        assert expect(await room.send(one), DecisionFiled).number == number
    assert room.desk.files() == files
    stands = await room.load(CLEO)
    assert (stands.state, stands.signatures, len(stands.missing)) == ("in_review", (), 2)


async def test_decisions_that_come_in_another_order_are_refused_until_it_is_theirs(room: ReviewRoom):
    first = ANN.sign(await room.said(ANN, "accept"))
    expect(await room.send(first), DecisionFiled)
    second = ANN.sign(await room.said(ANN, "reject"))
    expect(await room.send(second), DecisionFiled)
    third = ANN.sign(await room.said(ANN, "comment"))
    for path in sorted((room.desk.root / ROUND).iterdir()):
        path.unlink()
    room.desk.restart()
    codes = [getattr(await room.send(one), "code", "") for one in (third, second, first, third, second, third)]
    assert codes == ["out_of_order", "out_of_order", "", "out_of_order", "", ""]
    acts = [parse_review(path.read_bytes()).signed.decision.act for path in sorted((room.desk.root / ROUND).iterdir())]
    assert acts == ["accept", "reject", "comment"]


async def test_two_processes_that_are_sent_the_same_decision_file_it_once(room: ReviewRoom):
    one = ANN.sign(await room.said(ANN, "accept"))
    first = await room.send(one)
    other = Desk(room.desk.root, products=())
    again = await decide_review(DecideReview(run_id="run_1", signed=one), other.deps)
    assert expect(again, DecisionFiled) == expect(first, DecisionFiled)
    assert len(list((room.desk.root / ROUND).iterdir())) == 1


def filed_by_hand(room: ReviewRoom, signed: Sequence[SignedDecision]) -> None:
    """Write decisions as whoever has the evidence folder can, sealed with a key of his own."""
    folder = room.desk.root / ROUND
    before = [parse_review(path.read_bytes()) for path in sorted(folder.iterdir())]
    for number, one in enumerate(signed, start=len(before) + 1):
        file = ReviewFile(
            run_id="run_1",
            round=1,
            number=number,
            manifest_sha256=before[-1].manifest_sha256,
            previous_sha256=before[-1].sha256,
            filed_at=before[-1].filed_at,
            signed=one,
        )
        before.append(msgspec.structs.replace(file, seal=SIGNER.seal(sealed_bytes(file))))
        (folder / f"{number:06d}.json").write_bytes(encode_file(before[-1]))


@pytest.mark.parametrize(
    ("by", "signer", "more"),
    [
        (CLEO, EVE, {}),
        (CLEO, ANN, {}),
        (EVE, EVE, {}),
        (CLEO, CLEO, {"number": 2}),
        (CLEO, CLEO, {"run_id": "run_2"}),
        (CLEO, CLEO, {"round": 2}),
    ],
    ids=["by another", "by a reviewer", "by nobody", "one left out", "of another run", "of another round"],
)
async def test_a_signature_that_was_put_into_the_folder_is_found_and_closes_no_run(
    room: ReviewRoom, by: Signatory, signer: Signatory, more: dict[str, Any]
):
    for act in ("accept", "sign"):
        assert await room.code(ANN, act) == ""
    said = msgspec.structs.replace(await room.said(by, "sign"), **more)
    filed_by_hand(room, [signer.sign(said)])
    found = [one for one in room.desk.check().problems if one.path == f"{ROUND}/000003.json".removeprefix("run_1/")]
    assert {one.code for one in found} & {"inconsistent", "signature_wrong"}
    files = room.desk.files()
    room.desk.restart()
    with pytest.raises(PermanentError, match=r"000003\.json") as refused:
        await room.desk.tell(ReviewSignedOff(run_id="run_1", round=1, number=3))
    assert refused.value.code == "run_unreadable"
    assert room.desk.files() == files, "no forged signature is sealed with the run"
