"""The recorded samples of a version: taken before the version that names them, and read again by it.

A set is kept like its samples, under its own hash, and the history of a name has that hash: a process that ends
meanwhile leaves bytes that nothing names.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable

import msgspec

from services.workflows.ports import WorkflowStorage
from shared.contracts.workflows.library import WorkflowVersion
from shared.contracts.workflows.samples import KeptSample, SampleSet
from shared.contracts.workflows.sources import SourceFinding
from shared.errors import PermanentError
from shared.recordings.packing import checked_recording, sample_set_problems
from shared.workflow_source.findings import finding

Fetch = Callable[[KeptSample], Awaitable[bytes]]
"""Returns the bytes of a sample that has a blob. Raises PermanentError where they are not there or too many."""


def findings_of_samples(given: SampleSet | None) -> list[SourceFinding]:
    """Return why the library does not keep these samples, before any of them is read."""
    problems = [] if given is None else list(sample_set_problems(given))
    return [finding("invalid_sample", problem) for problem in problems]


async def keep_samples(storage: WorkflowStorage, given: SampleSet, fetch: Fetch) -> str | list[SourceFinding]:
    """Keep the samples and their set. Return its hash, or why they are refused."""
    findings: list[SourceFinding] = []
    for one in given.samples:
        try:
            data = await (fetch(one) if one.blob else _kept(storage, one.sha256))
            await asyncio.to_thread(checked_recording, one, data)
        except (ValueError, PermanentError) as exc:
            findings.append(finding("invalid_sample", str(exc)))
        else:
            if not findings:
                await storage.keep(one.sha256, data)
    if findings:
        return findings
    kept = SampleSet(spec=given.spec, samples=tuple(replace_blob(one, "") for one in given.samples))
    written = msgspec.json.encode(kept, order="deterministic")
    sha256 = hashlib.sha256(written).hexdigest()
    await storage.keep(sha256, written)
    return sha256


def replace_blob(one: KeptSample, blob: str) -> KeptSample:
    return msgspec.structs.replace(one, blob=blob)


async def set_of(storage: WorkflowStorage, version: WorkflowVersion) -> SampleSet | None:
    """Return the set of a version; None: it has none. Raises PermanentError (``workflow_unreadable``)."""
    if not version.samples:
        return None
    return msgspec.json.decode(await _kept(storage, version.samples), type=SampleSet)


async def data_of(storage: WorkflowStorage, one: KeptSample) -> bytes:
    """Return the bytes of a sample. Raises PermanentError (``workflow_unreadable``)."""
    return await _kept(storage, one.sha256)


async def _kept(storage: WorkflowStorage, sha256: str) -> bytes:
    data = await storage.kept(sha256)
    if data is None:
        message = f"recorded samples ({sha256[:12]}) are not in the library's storage any more, or were changed"
        raise PermanentError(message, code="workflow_unreadable")
    return data
