"""Stored pages of a sample: what was observed on them. Pure. The files are untrusted: a few compressed bytes can expand
without limit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.steps import StepTaken
from shared.evidence_format.files.sample import StoredObservation
from shared.zstd import unpack_zstd

OBSERVATION_SUFFIX = ".observation.json.zst"
MAX_OBSERVATION_BYTES = 256 * 1024**2
"""Of one observation, unpacked."""


@dataclass(frozen=True)
class RecordedPage:
    """A page as it was stored: all its elements."""

    url: str
    title: str
    elements: tuple[Element, ...]


def unpack_observation(packed: bytes, most_bytes: int = MAX_OBSERVATION_BYTES) -> StoredObservation:
    """Return what a stored observation holds. Raises msgspec.MsgspecError and ValueError for another file."""
    return msgspec.json.decode(unpack_zstd(packed, most_bytes), type=StoredObservation)


def as_observed(
    elements: tuple[Element, ...], sha256: str, *, url: str, title: str, snapshot_id: str, http_status: int | None
) -> PageObserved:
    """Return a stored page as an observation: all of its elements, at rest and at the top."""
    return PageObserved(
        snapshot_id=snapshot_id, url=url, title=title, http_status=http_status, elements=elements, text="",
        sha256=sha256, dom_confidence=1.0, total_elements=len(elements), left_out=0, scroll_y_px=0.0,
        scroll_max_y_px=0.0, settled=True, browser_ms=0.0,
    )  # fmt: skip


def captured_hashes(steps: Iterable[StepTaken]) -> dict[str, str]:
    """Return the SHA-256 of the files of these steps as they were captured, by file name."""
    return {filed.filename: filed.artifact.sha256 for step in steps for filed in step.artifacts}


def page_by_hashes(packed: bytes, file_sha256: str | None) -> dict[str, RecordedPage]:
    """Return a stored page by the hash of its observation and, where it is known, by that of its file: values and steps
    name either. Raises as `unpack_observation`."""
    stored = unpack_observation(packed)
    page = RecordedPage(stored.capture.url, stored.capture.title, stored.elements)
    own = stored.capture.observation_sha256
    return {own: page} if file_sha256 is None else {own: page, file_sha256: page}
