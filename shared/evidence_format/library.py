"""Named artifacts of workflows, which lie beside the runs: ``library.artifacts/<name>/content`` and ``entry.json``.

No run can have the name of that folder, so what reads the runs passes over it.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

import msgspec

from shared.contracts.workflows.artifacts import ArtifactEntry
from shared.errors import PermanentError
from shared.evidence_format import layout

LIBRARY_ARTIFACTS = "library.artifacts"
CONTENT, ENTRY = "content", "entry.json"
MAX_ARTIFACT_BYTES = 200_000_000


def library_artifact_key(name: str, file: str = "") -> str:
    """Return the path of an artifact's folder, or of a file in it. Raises PermanentError (``unsafe_name``)."""
    if not layout.is_filename(name):
        message = f"{name[:200]!r} cannot be the name of an artifact: a file name of letters, digits, '.', '_' and '-'"
        raise PermanentError(message, code="unsafe_name")
    return f"{LIBRARY_ARTIFACTS}/{name}{f'/{file}' if file else ''}"


def require_artifact_size(name: str, size_bytes: int) -> None:
    """Raise PermanentError (``too_large``) for an artifact that is larger than the limit."""
    if size_bytes > MAX_ARTIFACT_BYTES:
        message = f"the artifact {name!r} has {size_bytes} bytes; the most is {MAX_ARTIFACT_BYTES}"
        raise PermanentError(message, code="too_large")


def new_artifact(
    name: str, data: bytes, *, media_type: str, description: str, saved_by: str, saved_at: datetime
) -> ArtifactEntry:
    """Return the entry of a new artifact. Raises PermanentError (``unsafe_name``, ``too_large``)."""
    library_artifact_key(name)
    require_artifact_size(name, len(data))
    return ArtifactEntry(
        name=name,
        sha256=sha256_of(data),
        size_bytes=len(data),
        media_type=media_type,
        description=description,
        saved_by=saved_by,
        saved_at=saved_at,
    )


def artifact_taken(name: str) -> PermanentError:
    return PermanentError(f"there is an artifact {name!r} already; it is never overwritten", code="name_taken")


def require_unchanged(entry: ArtifactEntry, size_bytes: int, digest: str) -> None:
    """Raise PermanentError (``object_damaged``) where the bytes are not those of the entry."""
    if size_bytes != entry.size_bytes or digest != entry.sha256:
        message = f"the bytes of the artifact {entry.name!r} are not those that were saved"
        raise PermanentError(message, code="object_damaged")


def parse_artifact_entry(data: bytes) -> ArtifactEntry:
    """Raises PermanentError (``object_damaged``)."""
    try:
        return msgspec.json.decode(data, type=ArtifactEntry)
    except msgspec.DecodeError as exc:
        raise PermanentError(f"an {ENTRY} of an artifact cannot be read: {exc}", code="object_damaged") from exc


def sha256_of(data: bytes) -> str:
    return sha256(data).hexdigest()
