"""The files of one sample, and of the review of its run, read wherever this process finds the evidence."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from services.console.run_location import find_run
from shared.contracts.discovery import RunRecord
from shared.contracts.sessions.reviewing import LookedAt
from shared.errors import PermanentError
from shared.evidence_format import chain, layout
from shared.evidence_format.facts import TaskFacts
from shared.evidence_format.files.flow import parse_flow_file
from shared.evidence_format.files.review import parse_review
from shared.evidence_format.review.items import DecidableItem, ReviewedSample, unreadable_item
from shared.evidence_format.review.policy import ReviewPolicy
from shared.evidence_format.review.review_log import ReviewLog, TargetKey, target_key
from shared.evidence_format.review.reviewed import RunReview, log_of, run_review
from shared.evidence_format.signing import fingerprint_of
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.sources.source import NoRun, Unreadable, read_file
from shared.evidence_view.playback_facts import source_of
from shared.evidence_view.sample_details import detail_of
from shared.evidence_view.sample_facts import SampleFacts, SampleFiles
from shared.recordings.log_files import read_log
from shared.settings import Settings

MOST_BYTES = 256_000_000


@dataclass(frozen=True)
class StoredSample:
    """``facts``: made of its files. ``flows``: sources of the flow that did it, by the hash of its version."""

    facts: SampleFacts
    flows: Mapping[str, str]


def read_sample(
    settings: Settings, run_id: str, sample_id: str, task: TaskFacts, signed: ReviewLog | None = None
) -> StoredSample | None:
    """Return a sample as its files tell; None where there are none. ``signed``: the review that is signed off."""
    place = _place(settings, run_id, sample_id)
    if place is None:
        return None
    try:
        with open_source(settings, place) as source:
            names = set(source.list_files().files)

            def read(path: str) -> bytes | None:
                name = path.removeprefix(f"{sample_id}/")
                if name not in names:
                    return None
                try:
                    return read_file(source, name, MOST_BYTES)
                except Unreadable:
                    return None

            if not names & {layout.SAMPLE, layout.RESULT}:
                return None
            log = read_log(read, [f"{sample_id}/{name}" for name in names], sample_id)
            files = SampleFiles(sample_id, read(layout.SAMPLE), read(layout.RESULT), log)
            facts = SampleFacts(task, files, _review_of(signed, sample_id, read) if signed is not None else None)
            return StoredSample(facts, _flows(detail_of(facts).get("flow"), read))
    except NoRun:
        return None


def read_signed_off(settings: Settings, record: RunRecord) -> ReviewLog | None:
    """Return the review of a run up to the decision that has signed it off, as its files tell; None where it is not.

    Raises:
        Unreadable: its decisions cannot be read here.
    """
    place = _below(settings, record.run_id, layout.REVIEWS)
    if place is None:
        return None
    try:
        with open_source(settings, place) as source:
            paths = [path for path in source.list_files().files if path.endswith(".json")]
            read = [parse_review(read_file(source, path, MOST_BYTES)) for path in paths]
    except NoRun:
        return None
    except chain.NOT_JSON as exc:
        raise Unreadable(str(exc)) from exc
    files = sorted(read, key=lambda file: file.number)
    if [file.number for file in files] != [*range(1, len(files) + 1)]:
        raise Unreadable("of its decisions, one is missing or stands there twice")
    policy = ReviewPolicy.of(record)
    number = log_of(record.run_id, policy, files, fingerprint_of).signed_off_number
    return log_of(record.run_id, policy, files[:number], fingerprint_of) if number else None


def _review_of(signed: ReviewLog, sample_id: str, read: Callable[[str], bytes | None]) -> RunReview | None:
    """Return what counts of a review for one sample, by its evidence as it is stored now."""
    now: dict[TargetKey, LookedAt] = {}
    sample: ReviewedSample | None = None
    result, manifest = read(layout.RESULT), read(layout.MANIFEST)
    if result is not None and manifest is not None:
        try:
            sample = ReviewedSample(sample_id, result, manifest)
        except chain.NOT_JSON:
            sample = None
    for file in signed.filed:
        for target in (one.target for one in file.signed.decision.targets if one.target.sample_id == sample_id):
            gone = unreadable_item(sample_id) if target.kind == "sample" else None
            item = sample.bare(target) if sample is not None else gone
            if item is not None:
                now[target_key(target)] = _stored_now(item, read)
    return run_review(signed, now, fingerprint_of)


def _stored_now(item: DecidableItem, read: Callable[[str], bytes | None]) -> LookedAt:
    """Return the evidence of an item, page and picture by what is stored."""

    def stored(name: str, known: str) -> str:
        return hashlib.sha256(read(name) or b"").hexdigest() if name else known

    seen = item.looked_at
    return LookedAt(
        content_sha256=seen.content_sha256,
        page_sha256=stored(item.page, seen.page_sha256),
        picture_sha256=stored(item.picture, seen.picture_sha256),
    )


def _flows(flow: Mapping[str, Any] | None, read: Any) -> dict[str, str]:
    data = read(flow["file"]) if flow is not None and "file" in flow else None
    source = None if flow is None or data is None else source_of(parse_flow_file(data), flow["hash"])
    return {} if flow is None or source is None else {flow["hash"]: source}


def read_one(settings: Settings, run_id: str, sample_id: str, name: str) -> bytes | None:
    """Return a file of a sample; None where there is none."""
    place = _place(settings, run_id, sample_id)
    if place is None:
        return None
    try:
        with open_source(settings, place) as source:
            if name not in source.list_files().files:
                return None
            return read_file(source, name, MOST_BYTES)
    except (NoRun, Unreadable):
        return None


def picture_state(
    settings: Settings, run_id: str, sample_id: str, name: str, sha256: str
) -> Literal["as_captured", "gone", "changed"]:
    """Return whether a picture of a sample is there, and is the one that was captured."""
    data = read_one(settings, run_id, sample_id, name)
    if data is None:
        return "gone"
    return "as_captured" if hashlib.sha256(data).hexdigest() == sha256 else "changed"


def _place(settings: Settings, run_id: str, sample_id: str) -> Path | str | None:
    """Return the folder or address of a sample; None for a name that is none, and for a link."""
    return _below(settings, run_id, sample_id) if layout.is_safe(sample_id) else None


def _below(settings: Settings, run_id: str, name: str) -> Path | str | None:
    """Return a folder of a run, or its address; None where there is none, and for a link."""
    if not layout.is_safe(run_id):
        return None
    try:
        run = find_run(settings, run_id)
    except PermanentError:
        return None
    if isinstance(run, str):
        return f"{run}/{name}"
    folder = run / name
    return None if run.is_symlink() or folder.is_symlink() or not folder.is_dir() else folder
