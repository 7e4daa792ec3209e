"""Earlier rounds of a run: each is chained to by the next one, and what it has sealed is still there."""

from __future__ import annotations

import base64
import string
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from shared.evidence_format import chain
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.manifest import (
    RUN_FORMAT,
    FileEntry,
    RunManifest,
    SampleLink,
    count_population,
    objects_of,
)
from shared.evidence_format.layout import MANIFEST, ROUNDS, SEAL
from shared.evidence_format.signing import SigningKey
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.sources.source import hash_files
from shared.evidence_format.verify.seal import check_rounds, check_seal

KEY, STRANGER = (SigningKey(Ed25519PrivateKey.from_private_bytes(letter * 32)) for letter in (b"k", b"s"))
SAMPLE = b"the manifest of A-1"
LINK = SampleLink(
    row=1, sample_id="A-1", status="done", reason="", attempted=True, manifest_sha256=chain.sha256(SAMPLE)
)
TABLE = FileEntry(path="combined.csv", sha256=chain.sha256(b"a table"), size_bytes=7)


def made(number: int, previous: bytes = b"", *links: SampleLink) -> RunManifest:
    return RunManifest(
        format=RUN_FORMAT,
        run_id="run_1",
        round=number,
        previous_sha256=chain.sha256(previous) if previous else "",
        software="",
        sealed_at=datetime(2026, 3, 3, tzinfo=UTC),
        population=count_population(links, len(links), complete=True, note=""),
        samples=links,
        chain_sha256="",
        discovery=None,
        files=(TABLE,) if links else (),
        objects=objects_of(()),
    )


FIRST = encode_file(made(1, b"", LINK))
SECOND = made(2, FIRST, LINK)


def told(folder: Path, latest: RunManifest = SECOND, by: SigningKey = KEY, **changed: bytes | None) -> set[str]:
    """Return path and code of what is told of the rounds before the latest. ``changed``: what the first one holds."""
    held = {"manifest": FIRST, "seal": encode_file(by.seal(FIRST)), "table": b"a table", "sample": SAMPLE, **changed}
    round_ = f"{ROUNDS}/1"
    paths = {"manifest": f"{round_}/{MANIFEST}", "seal": f"{round_}/{SEAL}", "table": f"{round_}/combined.csv"}
    for name, path in {**paths, "sample": f"A-1/{MANIFEST}"}.items():
        data = held[name]
        if data is not None:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
    source = FolderSource(folder)
    files = source.list_files().files
    problems, notes = check_rounds(source, files, hash_files(source, files), latest, KEY.public.fingerprint)
    assert bool(notes) == (by is STRANGER)
    return {f"{one.path}: {one.code}" for one in problems}


def test_a_round_that_the_next_one_was_chained_to_is_whole(tmp_path: Path):
    assert told(tmp_path) == set()


def test_a_round_that_another_key_has_sealed_is_noted(tmp_path: Path):
    assert told(tmp_path, by=STRANGER) == set()


def test_a_round_that_the_next_one_was_not_chained_to_is_told(tmp_path: Path):
    other = replace(SECOND, previous_sha256="0" * 64)
    assert told(tmp_path, other) == {"rounds/1/manifest.json: inconsistent"}


def test_a_round_whose_seal_is_of_other_bytes_is_told(tmp_path: Path):
    seal = encode_file(KEY.seal(b"another manifest"))
    assert told(tmp_path, seal=seal) == {"rounds/1/seal.json: signature_wrong"}


def test_what_a_round_has_sealed_and_is_not_there_any_more_is_told(tmp_path: Path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    assert told(tmp_path / "one", table=b"another table", sample=b"another") == {
        "rounds/1/combined.csv: round_lost",
        "A-1: round_lost",
    }
    assert told(tmp_path / "two", seal=None) == {"rounds/1/seal.json: missing"}


def test_a_letter_of_a_signature_that_decoders_ignore_was_changed_all_the_same():
    seal = KEY.seal(FIRST)
    letters = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
    last = letters[letters.index(seal.signature[-3]) ^ 1]  # its last bits are no part of the signature
    changed = replace(seal, signature=f"{seal.signature[:-3]}{last}==")
    assert base64.b64decode(changed.signature) == base64.b64decode(seal.signature)
    assert check_seal(encode_file(seal), FIRST, KEY.public)[2] == []
    _, signed, problems = check_seal(encode_file(changed), FIRST, KEY.public)
    assert (signed, [one.code for one in problems]) == ("by_known_key", ["changed"])


@pytest.mark.parametrize("change", [{"fingerprint": STRANGER.public.fingerprint}, {"public_key": STRANGER.public.pem}])
def test_the_fingerprint_of_a_seal_is_that_of_its_key(change: dict[str, str]):
    _, _, problems = check_seal(encode_file(replace(KEY.seal(FIRST), **change)), FIRST, KEY.public)
    assert problems[0].message == "its public key and its fingerprint are not of one Ed25519 key"
