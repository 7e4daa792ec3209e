"""Pure: what is sealed: the manifests of a sample and of a run, as they are written, and what follows from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from shared.evidence_format import chain
from shared.statuses import group_of

MANIFEST, SEAL = "manifest.json", "seal.json"
OBJECTS, ROUNDS, MEMORY = "objects", "rounds", "memory"
RUN, SAMPLE, RESULT, COMBINED = "run.json", "sample.json", "result.json", "combined.csv"
POPULATIONS = ("samples.csv", "discovered_samples.csv")
SAMPLE_FORMAT, RUN_FORMAT, SEAL_FORMAT = "exhibit-sample/1", "exhibit-run/1", "exhibit-seal/1"
PUBLIC_KEY, VERIFY = "public_key.pem", "VERIFY.txt"
"""What is put beside a run that is handed over; neither is sealed, and both follow from the seal."""


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


def link(previous: str, row: int, sample_id: str, manifest_sha256: str) -> str:
    """A link of the samples' chain."""
    return chain.start(previous=previous, row=row, sample_id=sample_id, manifest_sha256=manifest_sha256)


def samples_start(run_id: str, number: int) -> str:
    return chain.start(run_id=run_id, round=number)


def chained(links: Iterable[SampleLink], first: str) -> tuple[tuple[SampleLink, ...], str]:
    """The samples with their links, and the head."""
    done: list[SampleLink] = []
    head = first
    for one in links:
        head = link(head, one.row, one.sample_id, one.manifest_sha256)
        done.append(msgspec.structs.replace(one, chain_sha256=head))
    return tuple(done), head


def population(samples: Sequence[SampleLink], announced: int, *, complete: bool, note: str) -> Population:
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


def objects(names: Iterable[str]) -> Objects:
    ordered = sorted(names)
    return Objects(count=len(ordered), names_sha256=chain.sha256("".join(f"{name}\n" for name in ordered).encode()))


def as_written(value: object) -> bytes:
    """How every file of ours is written: JSON with two spaces, and a line end."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def is_ours(path: str) -> bool:
    """Whether a file was written by us, and not captured."""
    name = path.rpartition("/")[2]
    own = name in (SAMPLE, RESULT, "action_log.json", MANIFEST, SEAL) or name.startswith("pressed_")
    return own or path.split("/")[0] in (ROUNDS, MEMORY, "tables")


def is_of_round(path: str) -> bool:
    """Whether a file at the root of a run is of one round alone, such as its tables; else the next goes on with it."""
    return not path.startswith(f"{MEMORY}/") and path not in (RUN, *POPULATIONS)
