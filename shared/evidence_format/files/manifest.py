"""The sealed files: the manifests of a sample and of a run, and the seal. docs/adr/0010 describes them.

``format`` names kind and version. All keys are required: a manifest is proof, so no key has a default.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from shared.evidence_format import chain
from shared.statuses import group_of

SAMPLE_FORMAT, RUN_FORMAT, SEAL_FORMAT = "exhibit-sample/1", "exhibit-run/1", "exhibit-seal/1"


class _Sealed(msgspec.Struct, frozen=True, kw_only=True): ...


class FileEntry(_Sealed, frozen=True, kw_only=True, gc=False):
    """A file; ``path`` is relative to the folder of the manifest that names it."""

    path: str
    sha256: str
    size_bytes: int


class LogHead(_Sealed, frozen=True, kw_only=True):
    """The head of the hash chain of a step log."""

    path: str
    attempt: int
    steps: int
    head_sha256: str


class SampleManifest(_Sealed, frozen=True, kw_only=True):
    """``manifest.json`` of a sample: all other files of its folder, including those of earlier attempts."""

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


class SampleLink(_Sealed, frozen=True, kw_only=True):
    """One sample in the run's manifest. ``chain_sha256``: see `link_hash`."""

    row: int
    sample_id: str
    status: str
    reason: str
    attempted: bool
    manifest_sha256: str
    chain_sha256: str = ""


class ReasonCount(_Sealed, frozen=True, kw_only=True):
    status: str
    reason: str
    samples: int


class Population(_Sealed, frozen=True, kw_only=True):
    """``found`` = ``done`` + ``review`` + ``failed`` + ``excepted``.

    All but the last three fields count samples. ``announced``: those known when the population was closed.
    ``attempted``: those with at least one step. ``review``: needs_review and partial_success. ``excepted``: those that
    could not be opened (auth_required). ``complete`` is False where discovery ended early; ``note`` says why.
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


class Objects(_Sealed, frozen=True, kw_only=True):
    """The folder ``objects/``: ``names_sha256`` is the hash of the sorted file names there, one a line."""

    count: int
    names_sha256: str


class RunManifest(_Sealed, frozen=True, kw_only=True):
    """``manifest.json`` of a run: its samples in row order, and all files outside of sample folders."""

    format: str
    run_id: str
    round: int
    """From 1; ``rounds/N/`` holds the sealed files of round N once a later round is sealed."""
    previous_sha256: str
    """Hash of the manifest of the round before; empty in the first."""
    software: str
    sealed_at: datetime
    population: Population
    samples: tuple[SampleLink, ...]
    chain_sha256: str
    """The head of the samples' chain."""
    discovery: SampleLink | None
    """The folder of a discovery by navigating, which has the files of a sample and is counted nowhere."""
    files: tuple[FileEntry, ...]
    objects: Objects
    remarks: tuple[str, ...] = ()
    """What a reader of the seal should know about how the run was sealed."""


class Seal(_Sealed, frozen=True, kw_only=True):
    """``seal.json``: the signature of the bytes of the run's ``manifest.json``, and the public key it claims."""

    format: str
    algorithm: str
    manifest_sha256: str
    signature: str
    """Base64, of 64 bytes."""
    public_key: str
    """PEM."""
    fingerprint: str
    """SHA-256 of the public key as DER."""


def link_hash(previous: str, row: int, sample_id: str, manifest_sha256: str) -> str:
    """Return the hash that chains a sample to the one before it, whose hash is ``previous``."""
    return chain.start_hash(previous=previous, row=row, sample_id=sample_id, manifest_sha256=manifest_sha256)


def samples_start_hash(run_id: str, number: int) -> str:
    """Return what the first sample of a round is chained to; rounds count from 1."""
    return chain.start_hash(run_id=run_id, round=number)


def chain_samples(links: Iterable[SampleLink], first: str) -> tuple[tuple[SampleLink, ...], str]:
    """Return the links with their hashes, and the head of the chain. ``first`` is the start hash."""
    chained: list[SampleLink] = []
    head = first
    for link in links:
        head = link_hash(head, link.row, link.sample_id, link.manifest_sha256)
        chained.append(msgspec.structs.replace(link, chain_sha256=head))
    return tuple(chained), head


def count_population(samples: Sequence[SampleLink], announced: int, *, complete: bool, note: str) -> Population:
    """Return the population that these samples make up."""
    groups = Counter(group_of(sample.status) for sample in samples)
    counted = Counter((sample.status, sample.reason) for sample in samples)
    return Population(
        announced=announced,
        found=len(samples),
        attempted=sum(sample.attempted for sample in samples),
        done=groups["done"],
        review=groups["review"],
        failed=groups["failed"],
        excepted=groups["excepted"],
        reasons=tuple(ReasonCount(status=s, reason=r, samples=n) for (s, r), n in sorted(counted.items())),
        complete=complete,
        note=note,
    )


def objects_of(names: Iterable[str]) -> Objects:
    """Return count and hash of the names below ``objects/``."""
    ordered = sorted(names)
    return Objects(count=len(ordered), names_sha256=chain.sha256("".join(f"{name}\n" for name in ordered).encode()))
