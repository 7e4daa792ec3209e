"""Messages about named artifacts of the library; evidence keeps them."""

from __future__ import annotations

from datetime import datetime

from shared.contracts.base import Message, Part


class ArtifactEntry(Part, frozen=True, kw_only=True):
    """A named artifact of the library. ``saved_by``: the workflow or the user that saved it."""

    name: str
    sha256: str
    size_bytes: int
    media_type: str
    description: str = ""
    saved_by: str = ""
    saved_at: datetime


class SaveArtifact(Message, frozen=True, kw_only=True):
    """Request to evidence to keep bytes of the ARTIFACTS bucket under a name. An existing name is refused."""

    name: str
    blob: str
    sha256: str
    size_bytes: int
    media_type: str
    description: str = ""
    saved_by: str = ""


class ArtifactSaved(Message, frozen=True, kw_only=True):
    artifact: ArtifactEntry


class LoadArtifact(Message, frozen=True, kw_only=True):
    name: str


class ArtifactLoaded(Message, frozen=True, kw_only=True):
    """``blob``: the name of its bytes in the ANSWERS bucket; None: there is no such artifact."""

    artifact: ArtifactEntry | None
    blob: str | None = None


class ListArtifacts(Message, frozen=True, kw_only=True):
    """Request for a page of the artifacts, by name."""

    skip: int = 0


class ArtifactsListed(Message, frozen=True, kw_only=True):
    artifacts: tuple[ArtifactEntry, ...]
    total: int


class DeleteArtifact(Message, frozen=True, kw_only=True):
    name: str


class ArtifactDeleted(Message, frozen=True, kw_only=True):
    existed: bool
