"""A run that papers are made of: pictures on which values have boxes, stored pages, hostile texts, and a review."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from PIL import Image, ImageDraw
from typer.testing import CliRunner

from services.console.cli import app
from shared.contracts.discovery import Sample
from shared.contracts.results import Box, ValueSource
from shared.contracts.sessions.reviewing import DrawWish, ReviewItem, ShownWhere
from shared.contracts.steps import FieldValue, FiledArtifact, ValueCandidate
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.verify.verify_run import RunCheck
from shared.papers.paper import Paper
from shared.papers.read_paper import read_paper
from tests.handlers.evidence.evidence_desk import NOW, Desk, closed, ended, found, sample, started, took
from tests.handlers.evidence.review_room import ReviewRoom, reviewing
from tests.typed import there
from tests.unit.shared.reviewing.review_people import ANN, CLEO

AREA = Box(x=0, y=0, width=400, height=300)
BOX = Box(x=200, y=100, width=120, height=30)
HOSTILE = (
    "=1+1",
    "+1",
    "-2+3",
    "@SUM(A1)",
    '=HYPERLINK("http://evil.example","x")',
    "#REF!",
    "_x0041_",
    "\tx",
    "a\x07b",
)
"""Texts that a spreadsheet would run, or show as something else."""
CONTROLS = [{"id": "CC6.1", "framework": "SOC 2", "title": "Logical access"}, {"id": "ITGC-03"}]
SPEC: dict[str, Any] = {
    "task_id": "tickets",
    "goal": "Say who owns each ticket.",
    "output_schema": {"number": "integer", "owner": "string | null"},
    "required_fields": ["number"],
    "controls": CONTROLS,
}


def picture(number: int) -> bytes:
    """Return a picture of 800 x 600 pixels, two for each CSS pixel, with a bar in `BOX`."""
    drawn = Image.new("RGB", (800, 600), "white")
    pen = ImageDraw.Draw(drawn)
    pen.rectangle((400, 200, 640, 260), fill=(20, 60 + number % 100, 160))
    out = io.BytesIO()
    drawn.save(out, "PNG")
    return out.getvalue()


def source_of(page: FiledArtifact, shot: FiledArtifact) -> ValueSource:
    return ValueSource(
        snapshot_id="s",
        observation_sha256="x",
        url="http://tickets.example/1",
        ref=1,
        role="cell",
        label="Owner",
        box=BOX,
        frame="main",
        page_sha256=page.artifact.sha256,
        screenshot_sha256=shot.artifact.sha256,
    )


async def worked(desk: Desk, one: Sample, owner: str, **how: Any) -> None:
    """File a sample whose owner stands on a page that is stored and pictured."""
    shot = await desk.capture(one, picture(one.row), area=AREA, filename="01_ticket.png")
    page = await desk.capture(one, f"page of {one.key}".encode(), step=2, filename="01_ticket.mhtml.zst")
    kept = replace(page.artifact, kind="page", suffix=".mhtml.zst", media_type="multipart/related")
    page = FiledArtifact(filename=page.filename, artifact=kept)
    where = source_of(page, shot)
    read = FieldValue(field="owner", state="value", value=owner, shown=owner, source=where, read_by="rules")
    if how.pop("doubtful", False):
        nearly = tuple(ValueCandidate(shown=text, source=where) for text in (owner, "=cmd|' /C calc'!A0"))
        read = FieldValue(field="owner", state="not_found", candidates=nearly)
    values = FieldValue(field="number", state="value", value=one.row, read_by="rules"), read
    step, end = took(one, shot, page), ended(one, shot, page, **how)
    await desk.tell(replace(step, values=values), replace(end, values=values))


async def filed_run(desk: Desk, owners: Sequence[str] = HOSTILE, **record: Any) -> None:
    """File a run: a sample for each owner, one whose owner is not certain, and one that the site does not have."""
    given: dict[str, Any] = {"spec": SPEC, "requested_by": "dan", **record}
    samples = [sample(f"T-{row}", row=row) for row in range(1, len(owners) + 3)]
    await desk.tell(started(**given), *map(found, samples), closed(len(samples)))
    for one, owner in zip(samples, owners, strict=False):
        await worked(desk, one, owner)
    doubtful, lost = samples[len(owners) :]
    await worked(desk, doubtful, "Ann Lee", doubtful=True, status="needs_review", reason="ambiguous_value")
    await desk.tell(took(lost), ended(lost, status="failed", reason="not_found"))


async def reviewed_run(desk: Desk) -> ReviewRoom:
    """File the run, and have it reviewed: a draw, a correction, a rejection, a comment, two signatures."""
    await filed_run(desk, spec={**SPEC, "review": reviewing(ANN, CLEO)})
    room = ReviewRoom(desk)
    drawn = there((await room.load(ANN, wish=DrawWish(seed="Q1", size=2, by=()))).wished)
    assert await room.code(ANN, "draw", draw=drawn) == ""
    assert await room.code(ANN, "accept") == ""
    doubtful, lost = f"T-{len(HOSTILE) + 1}", f"T-{len(HOSTILE) + 2}"
    value = next(one for one in await room.items(doubtful) if one.target.field == "owner")
    assert await room.code(ANN, "correct", value, value="=Ann") == ""
    sample_item = next(one for one in await room.items(lost) if one.target.kind == "sample")
    assert await room.code(ANN, "reject", sample_item) == ""
    assert await room.code(CLEO, "comment", value, reason="ask the =owner\x07") == ""
    assert [await room.code(who, "sign") for who in (ANN, CLEO)] == ["", ""]
    await room.close()
    return room


async def corrected_run(desk: Desk) -> ReviewRoom:
    """File a run of which people have decided all. T-1: its owner was certain, and is corrected by its page. T-2: its
    owner is rejected. T-3: its owner was open, and is corrected by a picture. T-4, which the site does not have, is
    accepted."""
    await filed_run(desk, ("4 weeks ago", "Bo"), spec={**SPEC, "review": reviewing(ANN)})
    room = ReviewRoom(desk)

    async def owner(sample_id: str) -> ReviewItem:
        return next(one for one in await room.items(sample_id) if one.target.field == "owner")

    def where(sample_id: str, file: str) -> ShownWhere:
        artifacts = desk.json(f"{sample_id}/result.json")["artifacts"]
        return ShownWhere(file=file, sha256=next(one["sha256"] for one in artifacts if one["filename"] == file))

    page, shot = where("T-1", "01_ticket.mhtml.zst"), where("T-3", "01_ticket.png")
    assert await room.code(ANN, "correct", await owner("T-1"), value="2026-10-31", where=page) == ""
    assert await room.code(ANN, "reject", await owner("T-2")) == ""
    assert await room.code(ANN, "correct", await owner("T-3"), value="Cy", where=shot) == ""
    lost = next(one for one in await room.items("T-4") if one.target.kind == "sample")
    assert [await room.code(ANN, "accept", lost), await room.code(ANN, "sign")] == ["", ""]
    await room.close()
    return room


async def timed_run(desk: Desk) -> ReviewRoom:
    """File a run of two samples, of which the first began ten minutes before the run was closed, and the last ended
    five minutes before; then have it reviewed, from two minutes before its sign-off."""
    samples = [sample(f"T-{row}", row=row) for row in (1, 2)]
    spec = {**SPEC, "review": reviewing(ANN)}
    await desk.tell(started(spec=spec, requested_by="dan"), *map(found, samples), closed(2))
    for one, begin, end in ((samples[0], 10, 7), (samples[1], 8, 5)):
        times = {"started_at": NOW - timedelta(minutes=begin), "finished_at": NOW - timedelta(minutes=end)}
        await desk.tell(took(one), replace(ended(one, number="1"), **times))
    room = ReviewRoom(desk)
    item = next(one for one in await room.items("T-1") if one.target.kind == "sample")
    assert await room.code(ANN, "accept", item, at=NOW - timedelta(minutes=2)) == ""
    assert await room.code(ANN, "sign") == ""
    await room.close()
    return room


def paper_of(desk: Desk) -> tuple[Paper, RunCheck]:
    checked = desk.check()
    return read_paper(FolderSource(desk.root / "run_1"), checked), checked


def exported(run: Path, state: Path, *words: object) -> tuple[int, str]:
    """Return exit code and output of `exhibit export`."""
    own = {"EXHIBIT_STATE_DIR": str(state), "EXHIBIT_EVIDENCE_DIR": ""}
    ended = CliRunner().invoke(app, ["export", str(run), *map(str, words)], env=own)
    assert ended.exception is None or isinstance(ended.exception, SystemExit), ended.exception
    return ended.exit_code, ended.output
