"""Writes the manifest of a sample together with its result: all files of its folder, and the heads of its step logs."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from services.evidence.deps import EvidenceDeps
from services.evidence.ports import Store
from services.evidence.seal.file_hashes import hash_files, list_paths
from services.evidence.state.file_contents import AttemptLog
from services.evidence.state.run_state import parse_sample_end
from services.evidence.step_files import read_log
from shared.evidence_format import chain, layout
from shared.evidence_format.files.json_files import encode_file, problems_of
from shared.evidence_format.files.manifest import SAMPLE_FORMAT, FileEntry, LogHead, SampleManifest


async def seal_sample(deps: EvidenceDeps, run_id: str, sample_id: str, log: AttemptLog, result: bytes) -> bytes:
    """Write the manifest of a sample whose result and log are stored, and return its bytes. Idempotent."""
    store, folder, end = deps.store, layout.sample_key(run_id, sample_id), parse_sample_end(result)
    known: dict[str, FileEntry] = _captured_files(log)
    heads: list[LogHead] = []
    for attempt in sorted(layout.attempts_put_aside(await store.names(folder))):
        files, logs = await _read_archived_attempt(store, folder, attempt)
        known, heads = known | files, [*heads, *logs]
    paths = await list_paths(store, folder, known, exclude=(layout.MANIFEST,))
    manifest = SampleManifest(
        format=SAMPLE_FORMAT,
        run_id=run_id,
        sample_id=sample_id,
        attempt=end.attempt,
        status=end.status,
        reason=end.reason,
        result_sha256=chain.sha256(result),
        logs=(*heads, *_log_heads(log, layout.ACTION_LOG)),
        files=await hash_files(store, folder, paths, known),
    )
    written = encode_file(manifest)
    await store.write(f"{folder}/{layout.MANIFEST}", written)
    return written


@dataclass(frozen=True)
class StoredManifest:
    """The manifest of a sample. ``made_late``: it was missing, and was written when the run was sealed."""

    manifest: SampleManifest
    sha256: str
    made_late: bool


async def read_or_write_manifest(deps: EvidenceDeps, run_id: str, sample_id: str) -> StoredManifest | None:
    """Read the manifest of a sample; write it if it is missing, because an older version made none or it was removed.
    None without a result."""
    written = await deps.store.read(layout.sample_key(run_id, sample_id, layout.MANIFEST))
    made_late = written is None
    if written is None:
        result = await deps.store.read(layout.sample_key(run_id, sample_id, layout.RESULT))
        if result is None:
            return None
        log = await deps.ledger.log(run_id, sample_id)
        written = await seal_sample(deps, run_id, sample_id, log, result)
        deps.ledger.forget_log(run_id, sample_id)
    return StoredManifest(msgspec.json.decode(written, type=SampleManifest), chain.sha256(written), made_late)


async def _read_archived_attempt(store: Store, folder: str, attempt: int) -> tuple[dict[str, FileEntry], list[LogHead]]:
    """Return the files and log heads of an earlier attempt, from its manifest; if it never ended, from its log."""
    archive = layout.attempt_folder(attempt)
    written = await store.read(f"{folder}/{archive}/{layout.MANIFEST}")
    if written is None:
        log = AttemptLog.of(attempt, await read_log(store, f"{folder}/{archive}") or [])
        return _moved(archive, _captured_files(log)), _log_heads(log, f"{archive}/{layout.ACTION_LOG}")
    manifest = msgspec.json.decode(written, type=SampleManifest)
    own = {entry.path: entry for entry in manifest.files if not layout.stays(entry.path.split("/")[0])}
    own[layout.MANIFEST] = FileEntry(path=layout.MANIFEST, sha256=chain.sha256(written), size_bytes=len(written))
    logs = [msgspec.structs.replace(log, path=f"{archive}/{log.path}") for log in manifest.logs if "/" not in log.path]
    return _moved(archive, own), logs


def _moved(folder: str, known: dict[str, FileEntry]) -> dict[str, FileEntry]:
    moved = {f"{folder}/{path}": entry for path, entry in known.items()}
    return {path: msgspec.structs.replace(entry, path=path) for path, entry in moved.items()}


def _captured_files(log: AttemptLog) -> dict[str, FileEntry]:
    """Return the artifacts of a log. They were hashed when they were captured, and again when they were stored."""
    return {
        filed.filename: FileEntry(
            path=filed.filename, sha256=filed.artifact.sha256, size_bytes=filed.artifact.size_bytes
        )
        for filed in log.artifacts
        if not problems_of(filed.filename, log.problems)
    }


def _log_heads(log: AttemptLog, path: str) -> list[LogHead]:
    """Return the head of a log; nothing if it has no step, or was written by a version without a hash chain."""
    if not log.head_sha256:
        return []
    return [LogHead(path=path, attempt=log.attempt, steps=len(log.steps), head_sha256=log.head_sha256)]
