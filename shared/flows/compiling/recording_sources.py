"""Recorded samples read from a run: a folder, a zip file or a bucket of evidence."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import msgspec
from msgspec import UNSET

from shared.contracts.discovery import RunRecord
from shared.contracts.planner import BY_API
from shared.contracts.steps import StepTaken
from shared.evidence_format.files.run import parse_run_file
from shared.evidence_format.files.sample import SampleFile, StoredObservation, parse_result
from shared.evidence_format.log_codec import parse_log, step_of
from shared.evidence_format.sources.source import RunSource, Unreadable, read_file
from shared.flows.compiling.recording import RecordedPage, RecordedSample, steps_on_pages, values_of_pages
from shared.zstd import unpack_zstd

MAX_FILE_BYTES = 64 * 1024**2
MAX_OBSERVATION_BYTES = 256 * 1024**2
OBSERVATION_SUFFIX = ".observation.json.zst"


@dataclass(frozen=True)
class Recordings:
    """``skipped``: samples that cannot be used, each with the reason."""

    record: RunRecord
    samples: tuple[RecordedSample, ...]
    skipped: tuple[tuple[str, str], ...]


def read_recordings(source: RunSource, sample_ids: Collection[str] = ()) -> Recordings:
    """Return the samples of a run with these ids, else all that are done, in the order of their rows.

    Raises NoRun, and Unreadable where run.json cannot be read.
    """
    listing = source.list_files()
    record = parse_run_file(read_file(source, "run.json", MAX_FILE_BYTES)).record
    folders = sorted({path.partition("/")[0] for path in listing.files if path.endswith("/result.json")})
    samples: list[tuple[int, RecordedSample]] = []
    skipped: list[tuple[str, str]] = []
    for folder in folders:
        names = [path for path in listing.files if path.startswith(f"{folder}/")]
        try:
            row, sample = _read_sample(source, folder, names, record.run_id, sample_ids)
        except (Unreadable, msgspec.DecodeError, msgspec.ValidationError, ValueError) as exc:
            skipped.append((folder, f"its files cannot be read: {exc}"))
            continue
        if isinstance(sample, str):
            skipped.append((folder, sample))
        elif sample is not None:
            samples.append((row, sample))
    ordered = tuple(sample for _, sample in sorted(samples, key=lambda one: one[0]))
    return Recordings(record, ordered, tuple(skipped))


def _read_sample(
    source: RunSource, folder: str, names: Sequence[str], run_id: str, sample_ids: Collection[str]
) -> tuple[int, RecordedSample | str | None]:
    result = parse_result(read_file(source, f"{folder}/result.json", MAX_FILE_BYTES))
    if sample_ids and result.sample_id not in sample_ids:
        return result.row, None
    if result.status != "done" and not (result.status == "needs_review" and result.reason == "judgment_missing"):
        return (
            result.row,
            f"it ended as {result.status} ({result.reason}): a flow is compiled from samples that are done",
        )
    if result.decided_by == BY_API:
        return result.row, "an API gave its values: no step shows how a page gives them"
    if result.settlement is not UNSET:
        return result.row, "a person has settled it: its steps do not show how it was done"
    given = msgspec.json.decode(read_file(source, f"{folder}/sample.json", MAX_FILE_BYTES), type=SampleFile)
    entries = parse_log(read_file(source, f"{folder}/action_log.json", MAX_FILE_BYTES))
    steps = tuple(step_of(entry, run_id, result.sample_id) for entry in entries if entry.attempt == result.attempt)
    sample = RecordedSample(
        run_id=run_id,
        sample_id=result.sample_id,
        row={"sample_id": result.sample_id, "key": result.key, **given.fields},
        steps=steps_on_pages(steps),
        pages=_read_pages(source, names, steps),
        values=values_of_pages(stored.to_value(name) for name, stored in result.fields.items()),
        status=str(result.status),
        reason=str(result.reason),
    )
    return result.row, sample


def _read_pages(source: RunSource, names: Sequence[str], steps: Sequence[StepTaken]) -> dict[str, RecordedPage]:
    """Return the stored pages by the hash of their observation, and by that of its file."""
    hashes = {filed.filename: filed.artifact.sha256 for step in steps for filed in step.artifacts}
    found: dict[str, RecordedPage] = {}
    for path in names:
        if not path.endswith(OBSERVATION_SUFFIX):
            continue
        own, page = unpack_page(read_file(source, path, MAX_FILE_BYTES))
        found[own] = page
        if (sha256 := hashes.get(path.partition("/")[2])) is not None:
            found[sha256] = page
    return found


def unpack_page(packed: bytes) -> tuple[str, RecordedPage]:
    """Return a stored page with the hash of its observation. Raises what decoding raises for another file."""
    data = unpack_zstd(packed, MAX_OBSERVATION_BYTES)
    stored = msgspec.json.decode(data, type=StoredObservation)
    return stored.capture.observation_sha256, RecordedPage(stored.capture.url, stored.capture.title, stored.elements)
