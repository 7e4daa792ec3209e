"""Artifacts that evidence keeps, asked over the bus."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Protocol

from shared.bus.ports import Asks, Blobs
from shared.contracts.workflows.artifacts import (
    ArtifactEntry,
    DeleteArtifact,
    ListArtifacts,
    LoadArtifact,
    SaveArtifact,
)
from shared.errors import PermanentError
from shared.evidence_format.library import (
    library_artifact_key,
    require_artifact_size,
    require_unchanged,
    sha256_of,
)
from shared.streams import ANSWERS, ARTIFACTS
from shared.subjects import DELETE_ARTIFACT, LIST_ARTIFACTS, LOAD_ARTIFACT, SAVE_ARTIFACT

TRANSFER_TIMEOUT_S = 120.0


class ArtifactBus(Asks, Blobs, Protocol):
    """What is needed of the bus."""


class EvidenceArtifacts:
    """See :class:`services.workflows.ports.Artifacts`. Every call raises Unavailable when evidence does not answer."""

    def __init__(self, bus: ArtifactBus) -> None:
        self._bus = bus

    async def save(self, name: str, data: bytes, *, media_type: str, description: str, saved_by: str) -> ArtifactEntry:
        library_artifact_key(name)
        require_artifact_size(name, len(data))
        blob = f"library/{uuid.uuid4().hex}"
        request = SaveArtifact(
            name=name,
            blob=blob,
            sha256=sha256_of(data),
            size_bytes=len(data),
            media_type=media_type,
            description=description,
            saved_by=saved_by,
        )
        await self._bus.put(ARTIFACTS, blob, data)
        try:
            return (await self._bus.ask(SAVE_ARTIFACT, request, timeout_s=TRANSFER_TIMEOUT_S)).artifact
        finally:
            await self._bus.remove(ARTIFACTS, blob)

    async def load(self, name: str) -> tuple[ArtifactEntry, bytes] | None:
        library_artifact_key(name)
        reply = await self._bus.ask(LOAD_ARTIFACT, LoadArtifact(name=name), timeout_s=TRANSFER_TIMEOUT_S)
        if reply.artifact is None:
            return None
        if reply.blob is None:
            raise PermanentError(f"evidence gave no bytes of the artifact {name!r}", code="no_blob")
        data = await self._bus.get(ANSWERS, reply.blob)
        await self._bus.remove(ANSWERS, reply.blob)
        require_unchanged(reply.artifact, len(data), sha256_of(data))
        return reply.artifact, data

    async def list(self) -> Sequence[ArtifactEntry]:
        entries: list[ArtifactEntry] = []
        while True:
            page = await self._bus.ask(LIST_ARTIFACTS, ListArtifacts(skip=len(entries)), timeout_s=60.0)
            entries += page.artifacts
            if not page.artifacts or len(entries) >= page.total:
                return tuple(entries)

    async def delete(self, name: str) -> bool:
        library_artifact_key(name)
        return (await self._bus.ask(DELETE_ARTIFACT, DeleteArtifact(name=name), timeout_s=60.0)).existed
