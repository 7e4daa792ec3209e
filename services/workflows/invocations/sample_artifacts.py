"""Artifacts that a workflow saves within a run: bytes on the bus, which become evidence of the sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from uuid import uuid4

from services.workflows.clock import utc_now
from shared.bus.ports import Blobs
from shared.contracts.workflows.artifacts import ArtifactEntry
from shared.contracts.workflows.invocations import SavedBlob
from shared.evidence_format.library import artifact_taken, new_artifact
from shared.streams import ARTIFACTS


class SampleArtifacts:
    """See :class:`services.workflows.ports.Artifacts`. It holds what one invocation has saved."""

    def __init__(self, blobs: Blobs, now: Callable[[], datetime] = utc_now) -> None:
        self._blobs, self._now = blobs, now
        self.saved: list[SavedBlob] = []

    async def save(self, name: str, data: bytes, *, media_type: str, description: str, saved_by: str) -> ArtifactEntry:
        entry = new_artifact(
            name, data, media_type=media_type, description=description, saved_by=saved_by, saved_at=self._now()
        )
        if self._find(name) is not None:
            raise artifact_taken(name)
        blob = uuid4().hex
        await self._blobs.put(ARTIFACTS, blob, data)
        self.saved.append(SavedBlob(artifact=entry, blob=blob))
        return entry

    async def load(self, name: str) -> tuple[ArtifactEntry, bytes] | None:
        found = self._find(name)
        return None if found is None else (found.artifact, await self._blobs.get(ARTIFACTS, found.blob))

    async def list(self) -> Sequence[ArtifactEntry]:
        return sorted((one.artifact for one in self.saved), key=lambda entry: entry.name)

    async def delete(self, name: str) -> bool:
        found = self._find(name)
        if found is None:
            return False
        self.saved.remove(found)
        await self._blobs.remove(ARTIFACTS, found.blob)
        return True

    def _find(self, name: str) -> SavedBlob | None:
        return next((one for one in self.saved if one.artifact.name == name), None)
