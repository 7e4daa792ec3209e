"""Runs in a bucket are reviewed, signed off and compared like those in a folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from services.evidence.__main__ import open_comparisons
from services.evidence.handlers import compare_two_runs
from services.evidence.outputs.make_products import ALL_PRODUCTS
from services.evidence.store.s3_store import S3Store
from shared.contracts.comparing import CompareRuns, ComparisonTold
from shared.contracts.discovery import RunStarted
from shared.evidence_format.sources.bucket import BucketSource
from shared.evidence_format.verify.verify_run import check_run
from tests.handlers.evidence.evidence_desk import KEY, Desk, closed, ended, found, sample, started
from tests.handlers.evidence.review_room import ReviewRoom, for_review, reviewing
from tests.s3_servers import S3Server
from tests.unit.shared.reviewing.review_people import ANN


def of_run(run_id: str, message: Any) -> Any:
    other = msgspec.structs.replace(message, run_id=run_id)
    if isinstance(other, RunStarted):
        return msgspec.structs.replace(other, record=msgspec.structs.replace(other.record, run_id=run_id))
    return other


async def test_a_review_in_a_bucket_is_signed_off_and_compared_with_another_run_there(
    real_server: S3Server, tmp_path: Path
):
    place = f"s3://evidence-{uuid4().hex[:12]}/below"
    settings = real_server.settings(place)
    store = S3Store(real_server.bucket(place), tmp_path / "spool")
    store.check_usable()
    desk = Desk(tmp_path / "unused", products=ALL_PRODUCTS)
    desk.deps = replace(desk.deps, store=store, comparisons=open_comparisons(settings, store))
    await for_review(desk, reviewing(ANN))
    one, other = sample("A-1"), sample("A-2", row=2)
    spec = {"output_schema": {"number": "string", "owner": "string | null"}}
    told = started(spec=spec), found(one), found(other), closed(2), ended(one, number="8"), ended(other)
    await desk.tell(*(of_run("run_0", message) for message in told))

    async def compared(run_a: str, run_b: str) -> ComparisonTold:
        return await compare_two_runs(CompareRuns(run_a=run_a, run_b=run_b), desk.deps)

    before = await compared("run_0", "run_1")
    assert (before.refused, before.same, before.counts["unclear"], before.counts["same"]) == ("", False, 1, 1)
    room = ReviewRoom(desk)
    number = next(item for item in await room.items() if item.target.field == "number")
    assert await room.code(ANN, "correct", number, value="8", reason="as the page says") == ""
    assert [await room.code(ANN, act) for act in ("accept", "sign")] == ["", ""]
    await room.close()
    run = BucketSource(real_server.bucket(f"{place}/run_1"))
    checked = check_run(run, KEY.public)
    assert (checked.problems, checked.stands) == ([], True)
    assert any("review signed off" in note for note in checked.notes)
    after = await compared("run_0", "run_1")
    assert (after.refused, after.counts["same"], after.same) == ("", 2, True)
    assert "nothing lies in" in (await compared("run_9", "run_1")).refused
    store.close()
