"""Reads and checks the manifest, the result and the step logs in the folder of each sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from shared.evidence_format import chain
from shared.evidence_format.files.manifest import LogHead, SampleManifest
from shared.evidence_format.files.sample import ResultHead
from shared.evidence_format.layout import MANIFEST, RESULT
from shared.evidence_format.sources.source import (
    Digest,
    FileInfo,
    Finding,
    RunSource,
    Unreadable,
    map_in_threads,
    read_file,
)

MOST_BYTES = 512_000_000
"""No manifest, result or log is larger."""
_MANIFESTS, _RESULTS = msgspec.json.Decoder(SampleManifest), msgspec.json.Decoder(ResultHead)
"""Made before there are threads: two that meet a type for the first time at the same time end the process."""


@dataclass
class FolderManifest:
    """The manifest file in a sample's folder.

    ``manifest`` is None if it cannot be decoded; ``sha256`` is empty if it cannot be read, and ``problem`` says why.
    """

    sample_id: str
    sha256: str = ""
    manifest: SampleManifest | None = None
    problem: Finding | None = None


@dataclass
class SampleChecks:
    """Problems found in the files of samples; the files in ``digests`` need not be read again."""

    digests: dict[str, Digest] = field(default_factory=dict[str, Digest])
    problems: list[Finding] = field(default_factory=list[Finding])


def read_manifests(
    source: RunSource, files: Mapping[str, FileInfo], sample_ids: Sequence[str]
) -> dict[str, FolderManifest]:
    manifests = map_in_threads(
        source, sample_ids, lambda batch: [_read_manifest(source, files, sample_id) for sample_id in batch]
    )
    return {stored.sample_id: stored for stored in manifests}


def _read_manifest(source: RunSource, files: Mapping[str, FileInfo], sample_id: str) -> FolderManifest:
    path = f"{sample_id}/{MANIFEST}"
    if path not in files:
        message = Finding(
            path, "missing", "was sealed and is not there any more: the files of this sample cannot be checked"
        )
        return FolderManifest(sample_id, problem=message)
    try:
        data = read_file(source, path, MOST_BYTES)
    except (Unreadable, OSError) as exc:
        return FolderManifest(sample_id, problem=Finding(path, "unreadable", f"cannot be read: {exc}"))
    try:
        return FolderManifest(sample_id, chain.sha256(data), _MANIFESTS.decode(data))
    except chain.NOT_JSON:
        return FolderManifest(sample_id, chain.sha256(data))


def check_samples(
    source: RunSource, files: Mapping[str, FileInfo], folders: Mapping[str, SampleManifest]
) -> SampleChecks:
    """Check results and step logs of all samples, given the manifest of each folder."""
    whole = SampleChecks()
    for one in map_in_threads(
        source, list(folders.items()), lambda some: [_check_sample(source, files, *pair) for pair in some]
    ):
        whole.digests |= one.digests
        whole.problems += one.problems
    return whole


def _check_sample(
    source: RunSource, files: Mapping[str, FileInfo], folder: str, manifest: SampleManifest
) -> SampleChecks:
    sample = SampleChecks()
    for name, check in ((RESULT, _result_problems), *((log.path, _log_checker(log)) for log in manifest.logs)):
        path = f"{folder}/{name}"
        if path not in files:
            continue
        try:
            data = read_file(source, path, MOST_BYTES)
        except (Unreadable, OSError) as exc:
            sample.digests[path] = Digest("", 0, str(exc))
            continue
        sample.digests[path] = Digest(chain.sha256(data), len(data))
        sample.problems += [Finding(path, "inconsistent", words) for words in check(data, manifest)]
    return sample


def _result_problems(data: bytes, manifest: SampleManifest) -> list[str]:
    """Return how the result contradicts its manifest; nothing if its bytes changed, which is a finding of its own."""
    if chain.sha256(data) != manifest.result_sha256:
        return []
    try:
        result = _RESULTS.decode(data)
    except chain.NOT_JSON as exc:
        return [f"is no result: {exc}"]
    here = (result.sample_id, result.status, result.reason, result.attempt)
    if here != (manifest.sample_id, manifest.status, manifest.reason, manifest.attempt):
        return ["says another sample, status, reason or attempt than the manifest beside it"]
    return []


def _log_checker(log: LogHead) -> Callable[[bytes, SampleManifest], list[str]]:
    def check(data: bytes, manifest: SampleManifest) -> list[str]:
        first = chain.log_start(manifest.run_id, manifest.sample_id, log.attempt)
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
