"""What earlier rounds of a run have sealed is still there: each of their manifests, and all that they name."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from shared.evidence_format import chain
from shared.evidence_format.files.manifest import RunManifest, SampleLink, Seal
from shared.evidence_format.layout import MANIFEST, ROUNDS, SEAL
from shared.evidence_format.signing import PublicKey
from shared.evidence_format.sources.base import FileInfo, Finding, Medium, Unreadable
from shared.evidence_format.sources.digests import Digest, read
from shared.evidence_format.verify.samples import MOST_BYTES


def check_rounds(
    medium: Medium, files: Mapping[str, FileInfo], lying: Mapping[str, Digest], latest: RunManifest, latest_by: str
) -> tuple[list[Finding], list[str]]:
    """What is wrong, and what else a reader should know. That the files of the rounds are as they were when the latest
    was sealed is not asked here."""
    problems: list[Finding] = []
    notes: list[str] = []
    after = latest
    for number in range(latest.round - 1, 0, -1):
        folder = f"{ROUNDS}/{number}"
        before = _round(medium, files, folder)
        if isinstance(before, Finding):
            return [*problems, before], notes
        made, seal, written = before
        problems += _signed(folder, seal, written, after)
        problems += _kept(folder, made, files, lying)
        if seal.fingerprint != latest_by:
            notes.append(f"round {number} was sealed with another key, {seal.fingerprint}")
        after = made
    return problems, notes


def _round(medium: Medium, files: Mapping[str, FileInfo], folder: str) -> tuple[RunManifest, Seal, bytes] | Finding:
    missing = [path for path in (f"{folder}/{MANIFEST}", f"{folder}/{SEAL}") if path not in files]
    if missing:
        return Finding(missing[0], "missing", "is not there, so that this round cannot be checked")
    try:
        written = read(medium, f"{folder}/{MANIFEST}", MOST_BYTES)
        seal = msgspec.json.decode(read(medium, f"{folder}/{SEAL}", MOST_BYTES), type=Seal)
        return msgspec.json.decode(written, type=RunManifest), seal, written
    except (Unreadable, OSError, *chain.NOT_JSON) as exc:
        return Finding(folder, "unreadable", f"the manifest or the seal of this round cannot be read: {exc}")


def _signed(folder: str, seal: Seal, written: bytes, after: RunManifest) -> list[Finding]:
    problems: list[Finding] = []
    key = PublicKey.read(seal.public_key)
    if key is None or key.fingerprint != seal.fingerprint or not key.signed(written, seal.signature):
        problems.append(
            Finding(f"{folder}/{SEAL}", "signature_wrong", "its signature is not that of the round's manifest")
        )
    if after.previous_sha256 != chain.sha256(written):
        told = "is not the manifest that the next round was chained to"
        problems.append(Finding(f"{folder}/{MANIFEST}", "inconsistent", told))
    return problems


def _kept(folder: str, made: RunManifest, files: Mapping[str, FileInfo], lying: Mapping[str, Digest]) -> list[Finding]:
    """The round's own files lie in its folder; a sample's manifest (and so its files) in the sample's."""
    problems = [
        Finding(f"{folder}/{one.path}", "round_lost", f"is not what round {made.round} has sealed")
        for one in made.files
        if not one.path.startswith(f"{ROUNDS}/") and _sha256(lying, f"{folder}/{one.path}") != one.sha256
    ]
    aside: dict[str, set[str]] = {}
    for path in files:
        if path.endswith(f"/{MANIFEST}") and not path.startswith(f"{ROUNDS}/"):
            aside.setdefault(path.split("/")[0], set()).add(_sha256(lying, path))
    discovery = [made.discovery] if made.discovery is not None else []
    return problems + [_lost(made, link) for link in [*made.samples, *discovery] if not _has(aside, link)]


def _has(aside: Mapping[str, set[str]], link: SampleLink) -> bool:
    return link.manifest_sha256 in aside.get(link.sample_id, set())


def _lost(made: RunManifest, link: SampleLink) -> Finding:
    told = f"what round {made.round} has sealed of this sample is not there any more"
    return Finding(link.sample_id, "round_lost", told)


def _sha256(lying: Mapping[str, Digest], path: str) -> str:
    return lying[path].sha256 if path in lying else ""
