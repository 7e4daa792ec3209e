"""Has one row worked on: by a planner alone, which leaves nothing behind, or as a run of one sample that keeps its
evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from services.console.commands.run.run import user_name
from services.console.commands.trial.chosen_row import TriedRow
from services.console.run_location import find_run, remember_run
from shared.bus.ports import Blobs
from shared.contracts.evidence import RunFinished
from shared.contracts.planner import SampleFinished
from shared.contracts.results import Artifact, Box
from shared.contracts.steps import FieldValue
from shared.contracts.tried import SampleTried, TryRefused, TrySample
from shared.errors import ExhibitError, PermanentError, RunRejectedError
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.sources.source import Unreadable, read_file
from shared.host.connections import open_bus, open_client
from shared.settings import Settings
from shared.streams import ARTIFACTS
from shared.subjects import TRY_SAMPLE

SERVICES = ("browser_pool", "vision", "planner")
ANSWER_TIMEOUT_S = 960.0
MOST_PICTURE_BYTES = 40_000_000


@dataclass(frozen=True)
class Shot:
    """A picture of the page. ``area``: the part of the document that it shows."""

    png: bytes
    area: Box
    sha256: str


@dataclass(frozen=True)
class Tried:
    """What came of the row. ``values``: every field as it was read. ``evidence``: where it lies, if it was kept."""

    finished: SampleFinished
    values: tuple[FieldValue, ...]
    shots: tuple[Shot, ...]
    evidence: str = ""


async def try_row(settings: Settings, row: TriedRow, planner: str | None) -> Tried:
    """Have a planner work on the row. The files that it has captured are read, and removed from the bus."""
    request = TrySample(spec=row.data, sample=row.sample, planner=planner)
    async with open_bus(settings, SERVICES, "try") as opened:
        reply = await opened.bus.ask(TRY_SAMPLE, request, timeout_s=ANSWER_TIMEOUT_S)
        if isinstance(reply, TryRefused):
            raise RunRejectedError(reply.problems)
        shots = [await _fetched(one, opened.bus) for one in _pictures(reply)]
        for blob in {one.blob for one in _captured(reply)}:
            await opened.bus.remove(ARTIFACTS, blob)
    return Tried(reply.finished, reply.values, tuple(one for one in shots if one is not None))


def _captured(reply: SampleTried) -> Iterator[Artifact]:
    yield from reply.pictures
    yield from (one.artifact for one in reply.finished.artifacts)


def _pictures(reply: SampleTried) -> Iterable[Artifact]:
    """Return the pictures, each once; those of the last page come last, for they show it as it was read."""
    shots = [one for one in _captured(reply) if one.kind == "screenshot" and one.area is not None]
    return {one.sha256: one for one in shots if one.size_bytes <= MOST_PICTURE_BYTES}.values()


async def _fetched(artifact: Artifact, blobs: Blobs) -> Shot | None:
    assert artifact.area is not None
    try:
        return Shot(await blobs.get(ARTIFACTS, artifact.blob), artifact.area, artifact.sha256)
    except ExhibitError:  # it is gone: the values are told without their pictures
        return None


async def run_row(settings: Settings, row: TriedRow, planner: str | None) -> Tried:
    """Run the row as a run of one sample, without a flow, and keep its evidence."""
    result: SampleFinished | None = None
    closed: RunFinished | None = None
    async with open_client(settings) as client:
        rows = [dict(row.sample.fields)]
        accepted = await client.submit(row.data, rows=rows, planner=planner, mode="agent", requested_by=user_name())
        remember_run(settings, accepted.run_id)
        async with aclosing(client.watch(accepted.run_id)) as events:
            async for event in events:
                if isinstance(event, SampleFinished):
                    result = event
                elif isinstance(event, RunFinished):
                    closed = event
                    break
    if result is None or closed is None:
        raise PermanentError(f"{accepted.run_id} ended without a result of its sample", code="no_run")
    shots = tuple(_stored(settings, closed, result))
    return Tried(result, result.values, shots, evidence=closed.location)


def _stored(settings: Settings, closed: RunFinished, result: SampleFinished) -> Iterator[Shot]:
    try:
        place = find_run(settings, closed.run_id)
    except PermanentError:  # it lies where the services of another machine keep it
        return
    with open_source(settings, place) as source:
        for filed in result.artifacts:
            shot = filed.artifact
            if shot.kind != "screenshot" or shot.area is None:
                continue
            try:
                png = read_file(source, f"{result.sample_id}/{filed.filename}", MOST_PICTURE_BYTES)
            except Unreadable:
                continue
            yield Shot(png, shot.area, shot.sha256)


def picture_place(settings: Settings, named: Path | None, sample_id: str, task_id: str) -> Path:
    """Return where the picture of a tried row is written: the file that is named, else one beside the state of this
    machine, which the next try of the row replaces."""
    return named or settings.state_dir / "tries" / f"{task_id}_{sample_id}.png"
