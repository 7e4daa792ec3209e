"""Checks the seal of a run, which key made it, and that everything that earlier rounds have sealed still exists."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from shared.evidence_format import chain
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.manifest import SEAL_FORMAT, RunManifest, SampleLink, Seal
from shared.evidence_format.layout import MANIFEST, ROUNDS, SEAL, is_review
from shared.evidence_format.signing import ALGORITHM, NamedKey, PublicKey
from shared.evidence_format.sources.source import Digest, FileInfo, Finding, RunSource, Unreadable, read_file
from shared.evidence_format.verify.samples import MOST_BYTES

Signed = Literal["by_known_key", "by_unknown_key", "by_other_key", "no"]


def check_seal(
    written: bytes, manifest: bytes | None, key: PublicKey | NamedKey | None, *, given: bool = True
) -> tuple[Seal | None, Signed, list[Finding]]:
    """Return the seal, whose signature it is, and the problems. ``key`` None: any key is accepted. ``given``: a person
    has named the key for this run, so that a seal by another one is a problem; else the other is only not known."""
    try:
        seal = msgspec.json.decode(written, type=Seal)
    except chain.NOT_JSON:
        return None, "no", [Finding(SEAL, "changed", "is no seal any more: its content was changed")]
    problems = _format_problems(seal, written)
    own = PublicKey.parse(seal.public_key)
    if own is None or own.fingerprint != seal.fingerprint or own.pem != seal.public_key:
        problems.append(Finding(SEAL, "changed", "its public key and its fingerprint are not of one Ed25519 key"))
    if manifest is None:
        return (
            seal,
            "no",
            [*problems, Finding(MANIFEST, "missing", "is not there, so that nothing can be checked")],
        )
    signed, more = _signature(seal, manifest, own, key, given=given)
    return seal, signed, problems + more


def _format_problems(seal: Seal, written: bytes) -> list[Finding]:
    message = "is not as it was written, though it says the same"
    if seal.format != SEAL_FORMAT or seal.algorithm != ALGORITHM:
        message = f"is of a kind that is not known here: {seal.format}, {seal.algorithm}"
    elif encode_file(seal) == written and _plain_base64(seal.signature):
        return []
    return [Finding(SEAL, "changed", message)]


def _plain_base64(text: str) -> bool:
    """Whether it is the canonical base64 of these bytes: most decoders ignore some bits of the last letter."""
    try:
        return base64.b64encode(base64.b64decode(text, validate=True)).decode() == text
    except (binascii.Error, ValueError):
        return False


def _signature(
    seal: Seal, manifest: bytes, own: PublicKey | None, key: PublicKey | NamedKey | None, *, given: bool
) -> tuple[Signed, list[Finding]]:
    signs = own is not None and own.is_signed(manifest, seal.signature)
    is_known = own is not None and key is not None and own.fingerprint == key.fingerprint
    if signs and (is_known or key is None or not given):
        right = seal.manifest_sha256 == chain.sha256(manifest)
        wrong = [] if right else [Finding(SEAL, "changed", "names another hash than that of the manifest it signs")]
        return ("by_known_key" if is_known else "by_unknown_key"), wrong
    if signs and own is not None and key is not None:
        message = f"was made with the key {own.fingerprint}, and not with {key.fingerprint}, the key that was given"
        return "by_other_key", [Finding(SEAL, "other_key", message)]
    if seal.manifest_sha256 != chain.sha256(manifest):
        return "no", [Finding(MANIFEST, "changed", "is not what was signed: it was changed since, or is another's")]
    return "no", [Finding(SEAL, "signature_wrong", "its signature is not that of the manifest")]


def read_manifest(written: bytes) -> tuple[RunManifest | None, list[Finding]]:
    try:
        return msgspec.json.decode(written, type=RunManifest), []
    except chain.NOT_JSON as exc:
        return None, [Finding(MANIFEST, "unreadable", f"is no manifest of a run: {exc}")]


def check_rounds(
    source: RunSource, files: Mapping[str, FileInfo], actual: Mapping[str, Digest], latest: RunManifest, latest_by: str
) -> tuple[list[Finding], list[str]]:
    """Return problems and notes. Changes since the latest seal are found elsewhere, by its list of files."""
    problems: list[Finding] = []
    notes: list[str] = []
    after = latest
    for number in range(latest.round - 1, 0, -1):
        folder = f"{ROUNDS}/{number}"
        before = _read_round(source, files, folder)
        if isinstance(before, Finding):
            return [*problems, before], notes
        manifest, seal, written = before
        problems += _signature_problems(folder, seal, written, after)
        problems += _lost_files(folder, manifest, files, actual)
        if seal.fingerprint != latest_by:
            notes.append(f"round {number} was sealed with another key, {seal.fingerprint}")
        after = manifest
    return problems, notes


def _read_round(
    source: RunSource, files: Mapping[str, FileInfo], folder: str
) -> tuple[RunManifest, Seal, bytes] | Finding:
    missing = [path for path in (f"{folder}/{MANIFEST}", f"{folder}/{SEAL}") if path not in files]
    if missing:
        return Finding(missing[0], "missing", "is not there, so that this round cannot be checked")
    try:
        written = read_file(source, f"{folder}/{MANIFEST}", MOST_BYTES)
        seal = msgspec.json.decode(read_file(source, f"{folder}/{SEAL}", MOST_BYTES), type=Seal)
        return msgspec.json.decode(written, type=RunManifest), seal, written
    except (Unreadable, OSError, *chain.NOT_JSON) as exc:
        return Finding(folder, "unreadable", f"the manifest or the seal of this round cannot be read: {exc}")


def _signature_problems(folder: str, seal: Seal, written: bytes, after: RunManifest) -> list[Finding]:
    problems: list[Finding] = []
    key = PublicKey.parse(seal.public_key)
    if key is None or key.fingerprint != seal.fingerprint or not key.is_signed(written, seal.signature):
        problems.append(
            Finding(f"{folder}/{SEAL}", "signature_wrong", "its signature is not that of the round's manifest")
        )
    if after.previous_sha256 != chain.sha256(written):
        message = "is not the manifest that the next round was chained to"
        problems.append(Finding(f"{folder}/{MANIFEST}", "inconsistent", message))
    return problems


def _lost_files(
    folder: str, manifest: RunManifest, files: Mapping[str, FileInfo], actual: Mapping[str, Digest]
) -> list[Finding]:
    """Return what is lost. A round's own files are in its folder, the manifests of samples in the samples' folders."""
    problems = [
        Finding(path, "round_lost", f"is not what round {manifest.round} has sealed")
        for path, sha256 in _places(folder, manifest)
        if _sha256(actual, path) != sha256
    ]
    aside: dict[str, set[str]] = {}
    for path in files:
        if path.endswith(f"/{MANIFEST}") and not path.startswith(f"{ROUNDS}/"):
            aside.setdefault(path.split("/")[0], set()).add(_sha256(actual, path))
    discovery = [manifest.discovery] if manifest.discovery is not None else []
    return problems + [_lost(manifest, link) for link in [*manifest.samples, *discovery] if not _has(aside, link)]


def _places(folder: str, manifest: RunManifest) -> Iterator[tuple[str, str]]:
    """Yield where each file that a round sealed is now, and its hash. Decisions of the review stay where they are."""
    for one in manifest.files:
        if not one.path.startswith(f"{ROUNDS}/"):
            yield one.path if is_review(one.path) else f"{folder}/{one.path}", one.sha256


def _has(aside: Mapping[str, set[str]], link: SampleLink) -> bool:
    return link.manifest_sha256 in aside.get(link.sample_id, set())


def _lost(manifest: RunManifest, link: SampleLink) -> Finding:
    message = f"what round {manifest.round} has sealed of this sample is not there any more"
    return Finding(link.sample_id, "round_lost", message)


def _sha256(actual: Mapping[str, Digest], path: str) -> str:
    return actual[path].sha256 if path in actual else ""
