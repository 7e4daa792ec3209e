"""Checks whether a seal is valid for a manifest, and which key made it."""

from __future__ import annotations

import base64
import binascii
from typing import Literal

import msgspec

from shared.evidence_format import chain
from shared.evidence_format.files.base import encode_file
from shared.evidence_format.files.manifest import SEAL_FORMAT, RunManifest, Seal
from shared.evidence_format.layout import MANIFEST, SEAL
from shared.evidence_format.signing import ALGORITHM, PublicKey
from shared.evidence_format.sources.base import Finding

Signed = Literal["by_known_key", "by_unknown_key", "by_other_key", "no"]


def check_seal(
    written: bytes, manifest: bytes | None, key: PublicKey | None
) -> tuple[Seal | None, Signed, list[Finding]]:
    """Return the seal, whose signature it is, and the problems. ``key`` None: any key is accepted."""
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
    signed, more = _signature(seal, manifest, own, key)
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
    seal: Seal, manifest: bytes, own: PublicKey | None, key: PublicKey | None
) -> tuple[Signed, list[Finding]]:
    trusted = key or own
    if trusted is not None and trusted.is_signed(manifest, seal.signature):
        right = seal.manifest_sha256 == chain.sha256(manifest)
        wrong = [] if right else [Finding(SEAL, "changed", "names another hash than that of the manifest it signs")]
        return ("by_known_key" if key is not None else "by_unknown_key"), wrong
    if key is not None and own is not None and own.is_signed(manifest, seal.signature):
        message = f"was made with the key {own.fingerprint}, and not with {key.fingerprint}, the key you trust"
        return "by_other_key", [Finding(SEAL, "other_key", message)]
    if seal.manifest_sha256 != chain.sha256(manifest):
        return "no", [Finding(MANIFEST, "changed", "is not what was signed: it was changed since, or is another's")]
    return "no", [Finding(SEAL, "signature_wrong", "its signature is not that of the manifest")]


def read_manifest(written: bytes) -> tuple[RunManifest | None, list[Finding]]:
    try:
        return msgspec.json.decode(written, type=RunManifest), []
    except chain.NOT_JSON as exc:
        return None, [Finding(MANIFEST, "unreadable", f"is no manifest of a run: {exc}")]
