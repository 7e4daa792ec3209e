"""The manifest of a sample, written when its result is: all files of its folder, and where its step logs end."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from services.evidence.deps import Deps
from services.evidence.ingest.step_files import read_log
from services.evidence.ports import Store
from services.evidence.recovery.read_run import ended_of
from services.evidence.seal.file_hashes import hashed, paths_below
from services.evidence.state.file_contents import AttemptLog
from shared.evidence_format import chain, layout
from shared.evidence_format.files.base import encode_file, problems_of
from shared.evidence_format.files.manifest import SAMPLE_FORMAT, FileEntry, LogHead, SampleManifest


async def seal_sample(deps: Deps, run_id: str, sample_id: str, log: AttemptLog, result: bytes) -> bytes:
    """Writes the manifest of a sample whose result and log lie there; told again it writes the same."""
    store, folder, ended = deps.store, layout.sample_key(run_id, sample_id), ended_of(result)
    known: dict[str, FileEntry] = _captured(log)
    heads: list[LogHead] = []
    for attempt in sorted(layout.attempts_put_aside(await store.names(folder))):
        files, logs = await _put_aside(store, folder, attempt)
        known, heads = known | files, [*heads, *logs]
    paths = await paths_below(store, folder, known, besides=(layout.MANIFEST,))
    made = SampleManifest(
        format=SAMPLE_FORMAT,
        run_id=run_id,
        sample_id=sample_id,
        attempt=ended.attempt,
        status=ended.status,
        reason=ended.reason,
        result_sha256=chain.sha256(result),
        logs=(*heads, *_head(log, layout.ACTION_LOG)),
        files=await hashed(store, folder, paths, known),
    )
    written = encode_file(made)
    await store.write(f"{folder}/{layout.MANIFEST}", written)
    return written


@dataclass(frozen=True)
class Standing:
    """A sample's manifest as it lies there. ``made_late``: it was not there, and was made to seal the run."""

    manifest: SampleManifest
    sha256: str
    made_late: bool


async def sample_manifest(deps: Deps, run_id: str, sample_id: str) -> Standing | None:
    """As it lies there; made now where the result was filed by a version that made none, or somebody took it away.
    None where there is no result."""
    written = await deps.store.read(layout.sample_key(run_id, sample_id, layout.MANIFEST))
    made_late = written is None
    if written is None:
        result = await deps.store.read(layout.sample_key(run_id, sample_id, layout.RESULT))
        if result is None:
            return None
        log = await deps.ledger.log(run_id, sample_id)
        written = await seal_sample(deps, run_id, sample_id, log, result)
        deps.ledger.forget_log(run_id, sample_id)
    return Standing(msgspec.json.decode(written, type=SampleManifest), chain.sha256(written), made_late)


async def _put_aside(store: Store, folder: str, attempt: int) -> tuple[dict[str, FileEntry], list[LogHead]]:
    """What is known of an attempt that was put aside: by its own manifest, or, where it never ended, by its log."""
    aside = layout.attempt_folder(attempt)
    written = await store.read(f"{folder}/{aside}/{layout.MANIFEST}")
    if written is None:
        log = AttemptLog.of(attempt, await read_log(store, f"{folder}/{aside}") or [])
        return _below(aside, _captured(log)), _head(log, f"{aside}/{layout.ACTION_LOG}")
    made = msgspec.json.decode(written, type=SampleManifest)
    own = {entry.path: entry for entry in made.files if not layout.stays(entry.path.split("/")[0])}
    own[layout.MANIFEST] = FileEntry(path=layout.MANIFEST, sha256=chain.sha256(written), size_bytes=len(written))
    logs = [msgspec.structs.replace(log, path=f"{aside}/{log.path}") for log in made.logs if "/" not in log.path]
    return _below(aside, own), logs


def _below(folder: str, known: dict[str, FileEntry]) -> dict[str, FileEntry]:
    moved = {f"{folder}/{path}": entry for path, entry in known.items()}
    return {path: msgspec.structs.replace(entry, path=path) for path, entry in moved.items()}


def _captured(log: AttemptLog) -> dict[str, FileEntry]:
    """Artifacts were hashed when they were captured, and again when they were filed."""
    return {
        one.filename: FileEntry(path=one.filename, sha256=one.artifact.sha256, size_bytes=one.artifact.size_bytes)
        for one in log.artifacts
        if not problems_of(one.filename, log.problems)
    }


def _head(log: AttemptLog, path: str) -> list[LogHead]:
    """Empty where no step was taken, or by a version that chained none."""
    if not log.head_sha256:
        return []
    return [LogHead(path=path, attempt=log.attempt, steps=len(log.steps), head_sha256=log.head_sha256)]
