"""An authority of a test, and certificates of 127.0.0.1 that it has signed."""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


class Certified(NamedTuple):
    pem: Path
    key: Path
    ca: Path


class Authority:
    """``pem``: its own certificate, for who is to trust it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._name = folder, _named(folder.name)
        self._key = ec.generate_private_key(ec.SECP256R1())
        made = _certificate(self._name, self._name, self._key, self._key, x509.BasicConstraints(True, 0))
        self.pem = folder / "ca.pem"
        self.pem.write_bytes(made.public_bytes(Encoding.PEM))

    def issue(self, name: str) -> Certified:
        key = ec.generate_private_key(ec.SECP256R1())
        made = _certificate(_named(name), self._name, key, self._key, x509.BasicConstraints(False, None))
        issued = Certified(self._folder / f"{name}.pem", self._folder / f"{name}.key", self.pem)
        issued.pem.write_bytes(made.public_bytes(Encoding.PEM))
        issued.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return issued


def _named(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _certificate(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    constraints: x509.BasicConstraints,
) -> x509.Certificate:
    now = datetime.now(UTC)  # clock: the certificate is valid now
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    return (
        x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1)).not_valid_after(now + timedelta(hours=1))
        .add_extension(address, critical=False)
        .add_extension(constraints, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
        .sign(signer, hashes.SHA256())
    )  # fmt: skip
