"""What is sealed: the manifests of a sample and of a run, and the seal. docs/adr/0010 tells other programs of them.

Their ``format`` names kind and version. All keys are required: a manifest is proof, and no guess is made about one.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

SAMPLE_FORMAT, RUN_FORMAT, SEAL_FORMAT = "exhibit-sample/1", "exhibit-run/1", "exhibit-seal/1"


class _Kept(msgspec.Struct, frozen=True, kw_only=True): ...


class FileEntry(_Kept, frozen=True, kw_only=True, gc=False):
    """A file; ``path`` is seen from the folder whose manifest names it."""

    path: str
    sha256: str
    size_bytes: int


class LogHead(_Kept, frozen=True, kw_only=True):
    """Where the chain of a step log ends."""

    path: str
    attempt: int
    steps: int
    head_sha256: str


class SampleManifest(_Kept, frozen=True, kw_only=True):
    """``manifest.json`` of a sample: all other files of its folder, those of earlier attempts among them."""

    format: str
    run_id: str
    sample_id: str
    attempt: int
    status: str
    reason: str
    result_sha256: str
    logs: tuple[LogHead, ...]
    files: tuple[FileEntry, ...]

    @property
    def attempted(self) -> bool:
        """Whether a step was taken, in this attempt or an earlier one."""
        return any(log.steps for log in self.logs)


class SampleLink(_Kept, frozen=True, kw_only=True):
    """One sample in the run's manifest. ``chain_sha256``: see `link`."""

    row: int
    sample_id: str
    status: str
    reason: str
    attempted: bool
    manifest_sha256: str
    chain_sha256: str = ""


class ReasonCount(_Kept, frozen=True, kw_only=True):
    status: str
    reason: str
    samples: int


class Population(_Kept, frozen=True, kw_only=True):
    """``found`` = ``done`` + ``review`` + ``failed`` + ``excepted``.

    ``announced``: how many there had to be when the search for them was closed. ``attempted``: those at which a step
    was taken. ``review``: needs_review and partial_success. ``excepted``: could not be looked at (auth_required).
    ``complete`` False: finding them was cut short, and ``note`` says why.
    """

    announced: int
    found: int
    attempted: int
    done: int
    review: int
    failed: int
    excepted: int
    reasons: tuple[ReasonCount, ...]
    complete: bool
    note: str


class Objects(_Kept, frozen=True, kw_only=True):
    """The folder ``objects/`` of a store: the hashes that are names there, sorted, one a line, and hashed."""

    count: int
    names_sha256: str


class RunManifest(_Kept, frozen=True, kw_only=True):
    """``manifest.json`` of a run: its samples in row order, and all files that are in no sample's folder."""

    format: str
    run_id: str
    round: int
    """From 1; ``rounds/N/`` holds what was sealed before."""
    previous_sha256: str
    """Hash of the manifest of the round before; empty in the first."""
    software: str
    sealed_at: datetime
    population: Population
    samples: tuple[SampleLink, ...]
    chain_sha256: str
    """The head of the samples' chain."""
    discovery: SampleLink | None
    """How the samples were found by navigating: files like a sample's, which is in no count."""
    files: tuple[FileEntry, ...]
    objects: Objects
    remarks: tuple[str, ...] = ()
    """What whoever trusts the seal should know of how the run came to be sealed."""


class Seal(_Kept, frozen=True, kw_only=True):
    """``seal.json``: the signature of the bytes of the run's ``manifest.json``, and whose it says it is."""

    format: str
    algorithm: str
    manifest_sha256: str
    signature: str
    """Base64, of 64 bytes."""
    public_key: str
    """PEM."""
    fingerprint: str
    """SHA-256 of the public key as DER."""
