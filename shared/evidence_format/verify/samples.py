"""Reads what each sample's folder says of itself: its manifest, its result, and the chains of its step logs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from shared.evidence_format import chain
from shared.evidence_format.files.manifest import LogHead, SampleManifest
from shared.evidence_format.files.sample import ResultHead
from shared.evidence_format.layout import MANIFEST, RESULT
from shared.evidence_format.sources.base import FileInfo, Finding, Medium, Unreadable
from shared.evidence_format.sources.digests import Digest, read, side_by_side

MOST_BYTES = 512_000_000
"""No manifest, result or log is larger."""


@dataclass
class OwnWords:
    """A sample's manifest as it lies there; ``made`` None where it is none, and ``sha256`` empty where it is not there
    or cannot be read, of which ``problem`` tells."""

    sample_id: str
    sha256: str = ""
    made: SampleManifest | None = None
    problem: Finding | None = None


@dataclass
class SampleChecks:
    """What was read of a sample beside its manifest. What is in ``digests`` need not be read again."""

    digests: dict[str, Digest] = field(default_factory=dict[str, Digest])
    problems: list[Finding] = field(default_factory=list[Finding])


def own_words(medium: Medium, files: Mapping[str, FileInfo], sample_ids: Sequence[str]) -> dict[str, OwnWords]:
    made = side_by_side(medium, sample_ids, lambda some: [_own_words(medium, files, one) for one in some])
    return {one.sample_id: one for one in made}


def _own_words(medium: Medium, files: Mapping[str, FileInfo], sample_id: str) -> OwnWords:
    path = f"{sample_id}/{MANIFEST}"
    if path not in files:
        told = Finding(
            path, "missing", "was sealed and is not there any more: the files of this sample cannot be checked"
        )
        return OwnWords(sample_id, problem=told)
    try:
        data = read(medium, path, MOST_BYTES)
    except (Unreadable, OSError) as exc:
        return OwnWords(sample_id, problem=Finding(path, "unreadable", f"cannot be read: {exc}"))
    try:
        return OwnWords(sample_id, chain.sha256(data), msgspec.json.decode(data, type=SampleManifest))
    except chain.NOT_JSON:
        return OwnWords(sample_id, chain.sha256(data))


def told(medium: Medium, files: Mapping[str, FileInfo], folders: Mapping[str, SampleManifest]) -> SampleChecks:
    """Of all samples, by the folders they lie in."""
    whole = SampleChecks()
    for one in side_by_side(medium, list(folders.items()), lambda some: [_told(medium, files, *pair) for pair in some]):
        whole.digests |= one.digests
        whole.problems += one.problems
    return whole


def _told(medium: Medium, files: Mapping[str, FileInfo], folder: str, made: SampleManifest) -> SampleChecks:
    sample = SampleChecks()
    for name, check in ((RESULT, _result), *((log.path, _log_check(log)) for log in made.logs)):
        path = f"{folder}/{name}"
        if path not in files:
            continue
        try:
            data = read(medium, path, MOST_BYTES)
        except (Unreadable, OSError) as exc:
            sample.digests[path] = Digest("", 0, str(exc))
            continue
        sample.digests[path] = Digest(chain.sha256(data), len(data))
        sample.problems += [Finding(path, "inconsistent", words) for words in check(data, made)]
    return sample


def _result(data: bytes, made: SampleManifest) -> list[str]:
    """Nothing is said of one whose bytes were changed: that is told anyway."""
    if chain.sha256(data) != made.result_sha256:
        return []
    try:
        result = msgspec.json.decode(data, type=ResultHead)
    except chain.NOT_JSON as exc:
        return [f"is no result: {exc}"]
    here = (result.sample_id, result.status, result.reason, result.attempt)
    if here != (made.sample_id, made.status, made.reason, made.attempt):
        return ["says another sample, status, reason or attempt than the manifest beside it"]
    return []


def _log_check(log: LogHead) -> Callable[[bytes, SampleManifest], list[str]]:
    def check(data: bytes, made: SampleManifest) -> list[str]:
        first = chain.log_start(made.run_id, made.sample_id, log.attempt)
        try:
            entries = chain.parse_exactly(data)
        except chain.NOT_JSON as exc:
            return [f"is no step log any more: {exc}"]
        if not isinstance(entries, list):
            return ["is no step log any more"]
        head, broken = chain.follow_chain(entries, first)  # pyright: ignore[reportUnknownArgumentType]
        if broken is not None:
            return [f"the chain of its steps is broken at step {broken}: steps were changed, removed or added there"]
        if head != log.head_sha256:
            return [f"its steps were sealed as {log.steps}, and it has others: it was cut, or made anew"]
        return []

    return check
