"""A seal as a list of seals has it, and how the seals of a run are read for one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import count

import msgspec

from shared.evidence_format import chain
from shared.evidence_format.files.manifest import Seal
from shared.evidence_format.layout import MANIFEST, ROUNDS, SEAL
from shared.evidence_format.signing import PublicKey

ReadFile = Callable[[str], bytes | None]
"""Returns a file of a run; None if there is none."""


class ListedSeal(msgspec.Struct, frozen=True, kw_only=True):
    """A seal, as a line of the list has it beside its number and its hashes. ``seal_sha256``: of the bytes of
    seal.json."""

    run_id: str
    round: int
    sealed_at: datetime
    seal_sha256: str
    manifest_sha256: str
    fingerprint: str

    @property
    def place(self) -> tuple[str, int]:
        return self.run_id, self.round


class SealedHead(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of the manifest of a run."""

    run_id: str
    round: int
    sealed_at: datetime


def read_seals(read: ReadFile) -> list[ListedSeal]:
    """Return all seals of a run, the earliest round first; only those that sign the manifest beside them."""
    found: list[ListedSeal] = []
    for number in count(1):
        folder = f"{ROUNDS}/{number}/"
        if read(f"{folder}{SEAL}") is None:
            break
        found += _read_seal(read, folder)
    return [*found, *_read_seal(read, "")]


def _read_seal(read: ReadFile, folder: str) -> Sequence[ListedSeal]:
    manifest, written = read(f"{folder}{MANIFEST}"), read(f"{folder}{SEAL}")
    if manifest is None or written is None:
        return ()
    try:
        seal, head = msgspec.json.decode(written, type=Seal), msgspec.json.decode(manifest, type=SealedHead)
    except chain.NOT_JSON:
        return ()
    key = PublicKey.parse(seal.public_key)
    if key is None or key.fingerprint != seal.fingerprint or not key.is_signed(manifest, seal.signature):
        return ()
    one = ListedSeal(
        run_id=head.run_id,
        round=head.round,
        sealed_at=head.sealed_at,
        seal_sha256=chain.sha256(written),
        manifest_sha256=chain.sha256(manifest),
        fingerprint=seal.fingerprint,
    )
    return (one,)
