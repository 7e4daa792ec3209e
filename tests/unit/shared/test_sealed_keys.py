"""The signing key: created once, readable by its owner only, never inside the evidence."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.errors import PolicyDenied, Unavailable
from shared.evidence_format.signing import PublicKey, SigningKey, key_path, load_known_key, load_signing_key
from shared.settings import Settings
from shared.testing.settings import isolated_settings
from tests.cases import cases


def of(folder: Path, **said: object) -> Settings:
    given = {"evidence_dir": folder / "evidence", "state_dir": folder / "state", **said}
    return isolated_settings(**given)


def pem(key: Ed25519PrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def test_it_is_made_once_and_for_its_owner_alone(tmp_path: Path):
    first = load_signing_key(of(tmp_path))
    assert load_signing_key(of(tmp_path)).public.fingerprint == first.public.fingerprint
    [file] = (tmp_path / "state").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_to_ask_for_it_makes_none(tmp_path: Path):
    assert load_known_key(of(tmp_path)) is None
    assert not (tmp_path / "state").exists()


def test_a_user_has_one_key_wherever_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("EXHIBIT_STATE_DIR", raising=False)
    made = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        made.append(load_signing_key(isolated_settings()).public.fingerprint)
        assert not list((tmp_path / name).iterdir())
    assert made[0] == made[1]
    earlier = Path(".exhibit") / "signing_key.pem"
    earlier.parent.mkdir()
    earlier.write_bytes(pem(Ed25519PrivateKey.generate()))
    assert key_path(isolated_settings()) == earlier, "the key of an earlier version goes on sealing where it is"


def test_of_two_that_make_one_at_once_both_have_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The second looks before the first has made it."""
    first = load_signing_key(of(tmp_path))
    looked = iter([False])
    real = Path.exists
    monkeypatch.setattr(Path, "exists", lambda path: next(looked, None) if path.suffix == ".pem" else real(path))
    assert load_signing_key(of(tmp_path)).public.fingerprint == first.public.fingerprint


def test_one_that_is_given_is_taken(tmp_path: Path):
    key, file = Ed25519PrivateKey.generate(), tmp_path / "own.pem"
    file.write_bytes(pem(key))
    assert load_signing_key(of(tmp_path, signing_key=file)).public.fingerprint == SigningKey(key).public.fingerprint


def test_it_never_lies_inside_the_evidence(tmp_path: Path):
    with pytest.raises(PolicyDenied, match="EXHIBIT_STATE_DIR"):
        load_signing_key(of(tmp_path, state_dir=tmp_path / "evidence" / "x" / ".." / "state"))
    assert not (tmp_path / "evidence").exists()


@cases("content", [b"", b"no key", b"-----BEGIN PRIVATE KEY-----\nMC4C\n-----END PRIVATE KEY-----\n"])
def test_what_is_no_key_is_said(tmp_path: Path, content: bytes):
    file = tmp_path / "own.pem"
    file.write_bytes(content)
    with pytest.raises(Unavailable, match=r"own\.pem"):
        load_signing_key(of(tmp_path, signing_key=file))


def test_a_key_of_another_kind_is_none_of_ours(tmp_path: Path):
    other = generate_private_key(SECP256R1())
    encoding, public = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    assert PublicKey.parse(other.public_key().public_bytes(encoding, public)) is None
    assert PublicKey.parse(b"\xff") is None


def test_only_the_bytes_that_were_signed_are_signed():
    key = SigningKey(Ed25519PrivateKey.generate())
    signature = key.seal(b"manifest").signature
    assert key.public.is_signed(b"manifest", signature)
    assert not key.public.is_signed(b"manifesT", signature)
    assert not key.public.is_signed(b"manifest", "no base64!")
    assert not key.public.is_signed(b"manifest", signature[4:])
    assert not SigningKey(Ed25519PrivateKey.generate()).public.is_signed(b"manifest", signature)
