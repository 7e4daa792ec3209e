"""Recordings read from the files of a run: from a folder, a zip file or a bucket of evidence."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import msgspec
from msgspec import UNSET

from shared.contracts.discovery import RunRecord
from shared.contracts.steps import StepTaken
from shared.evidence_format import layout
from shared.evidence_format.files.run import parse_run_file
from shared.evidence_format.files.sample import ResultFile, SampleFile, parse_result
from shared.evidence_format.log_codec import parse_log, step_of
from shared.evidence_format.sources.source import RunSource, Unreadable, read_file
from shared.recordings.log_files import read_log
from shared.recordings.logged_rows import complete_steps
from shared.recordings.recording import Recording, step_log_problem, steps_on_pages, values_of_pages, why_not_compiled
from shared.recordings.stored_pages import OBSERVATION_SUFFIX, RecordedPage, captured_hashes, page_by_hashes
from shared.text.names import DISCOVERY

MAX_FILE_BYTES = 64 * 1024**2


@dataclass(frozen=True)
class RunRecordings:
    """``skipped``: samples that cannot be used, each with the reason."""

    record: RunRecord
    samples: tuple[Recording, ...]
    skipped: tuple[tuple[str, str], ...]


class _NotUsableError(Exception):
    """No flow is compiled from the sample; the message says why."""


def read_recordings(source: RunSource, sample_ids: Collection[str] = (), *, with_pages: bool = True) -> RunRecordings:
    """Return the samples of a run with these ids, else all that are done, in the order of their rows.

    ``with_pages``: with their stored pages. What was done and found, and how, is told without them.

    Raises NoRun, and Unreadable where run.json cannot be read.
    """
    listing = source.list_files()
    record = parse_run_file(read_file(source, layout.RUN, MAX_FILE_BYTES)).record
    folders = {path.partition("/")[0] for path in listing.files if path.endswith(f"/{layout.RESULT}")}
    samples: list[tuple[int, Recording]] = []
    skipped: list[tuple[str, str]] = []
    for folder in sorted(folders - {DISCOVERY}):
        names = [path for path in listing.files if path.startswith(f"{folder}/")]
        try:
            result = parse_result(read_file(source, f"{folder}/{layout.RESULT}", MAX_FILE_BYTES))
            if not sample_ids or result.sample_id in sample_ids:
                kept = names if with_pages else [name for name in names if not name.endswith(OBSERVATION_SUFFIX)]
                samples.append((result.row, _read_recording(source, folder, kept, record.run_id, result)))
        except _NotUsableError as exc:
            skipped.append((folder, str(exc)))
        except (Unreadable, msgspec.DecodeError, msgspec.ValidationError, ValueError) as exc:
            skipped.append((folder, f"its files cannot be read: {exc}"))
    ordered = tuple(sample for _, sample in sorted(samples, key=lambda one: one[0]))
    return RunRecordings(record, ordered, tuple(skipped))


def _read_recording(source: RunSource, folder: str, names: Sequence[str], run_id: str, result: ResultFile) -> Recording:
    """Raises _NotUsableError, and what reading and decoding raise."""
    settled = result.settlement is not UNSET
    taken_over = result.taken_over_by is not UNSET
    if why := why_not_compiled(result.status, result.reason, result.decided_by, settled=settled, taken_over=taken_over):
        raise _NotUsableError(why)
    if f"{folder}/{layout.SAMPLE}" not in names:
        raise Unreadable(f"there is no {layout.SAMPLE}")
    given = msgspec.json.decode(read_file(source, f"{folder}/{layout.SAMPLE}", MAX_FILE_BYTES), type=SampleFile)
    log = read_log(lambda path: read_file(source, path, MAX_FILE_BYTES), names, folder)
    entries = parse_log(log) if log is not None else []
    own = [entry for entry in entries if entry.step.attempt == result.attempt]
    steps = complete_steps(step_of(entry, run_id, result.sample_id) for entry in own)
    if why := step_log_problem(steps, result.steps, result.status, result.reason):
        raise _NotUsableError(why)
    return Recording(
        run_id=run_id,
        sample_id=result.sample_id,
        row={"sample_id": result.sample_id, "key": result.key, **given.fields},
        steps=steps_on_pages(steps),
        pages=_read_pages(source, folder, names, steps),
        values=values_of_pages(stored.to_value(name) for name, stored in result.fields.items()),
        status=str(result.status),
        reason=str(result.reason),
    )


def _read_pages(
    source: RunSource, folder: str, names: Sequence[str], steps: Sequence[StepTaken]
) -> dict[str, RecordedPage]:
    """Return the stored pages by the hash of their observation, and by that of its file; not those of earlier attempts,
    which lie in folders of their own."""
    captured = captured_hashes(steps)
    found: dict[str, RecordedPage] = {}
    for path in names:
        name = path.removeprefix(f"{folder}/")
        if name.endswith(OBSERVATION_SUFFIX) and "/" not in name:
            found |= page_by_hashes(read_file(source, path, MAX_FILE_BYTES), captured.get(name))
    return found
