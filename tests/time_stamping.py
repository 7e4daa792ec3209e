"""A time-stamping authority that is not ours: `openssl ts` with certificates of a test, also behind HTTP on loopback.

OpenSSL's own program must be on the machine, as for `tests/handlers/evidence/test_sealed_run.py`.
"""

from __future__ import annotations

import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from shared.evidence_format.seals.timestamp import TimestampAuthority
from tests.end_to_end.small_site import Answers, SmallSite

POLICY = "1.2.3.4.1"
CONFIG = """\
[tsa]
default_tsa = own
[own]
serial = {folder}/serial
crypto_device = builtin
digests = sha256
default_policy = {policy}
other_policies = 1.2.3.4.2
signer_digest = sha256
ess_cert_id_chain = no
ess_cert_id_alg = sha256
"""
HOUR = timedelta(hours=1)


class OpensslTsa:
    """``begins``, ``ends``: when its certificate is valid, from now. ``asked``: the queries that came."""

    def __init__(self, folder: Path, begins: timedelta = -HOUR, ends: timedelta = HOUR) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self.asked: list[bytes] = []
        self.root = folder / "root.pem"
        root_key, own_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        root = _certificate(f"root of {folder.name}", f"root of {folder.name}", root_key, root_key, -50 * HOUR, HOUR)
        own = _certificate(f"tsa {folder.name}", f"root of {folder.name}", own_key, root_key, begins, ends)
        self.root.write_bytes(root.public_bytes(Encoding.PEM))
        (folder / "own.pem").write_bytes(own.public_bytes(Encoding.PEM))
        (folder / "own.key").write_bytes(own_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        (folder / "tsa.cnf").write_text(CONFIG.format(folder=folder, policy=POLICY))
        (folder / "serial").write_text("01\n")

    @property
    def authority(self) -> TimestampAuthority:
        return TimestampAuthority.parse(self.root.read_bytes(), str(self.root))

    async def ask(self, query: bytes, /) -> bytes:
        """As `TsaClient.ask`, without HTTP."""
        return self.reply(query)

    def reply(self, query: bytes) -> bytes:
        """Return what OpenSSL answers, with its certificate and the root: in the order of the chain, not of DER."""
        self.asked.append(query)
        asked = self._folder / "query.tsq"
        asked.write_bytes(query)
        command = ["openssl", "ts", "-reply", "-config", "tsa.cnf", "-section", "own", "-queryfile", asked.name]
        command += ["-inkey", "own.key", "-signer", "own.pem", "-chain", self.root.name]
        return subprocess.run(command, cwd=self._folder, capture_output=True, check=True).stdout

    def openssl_verifies(self, token: bytes, seal: Path) -> bool:
        """Whether OpenSSL finds the token to be of this file."""
        (self._folder / "token.tsr").write_bytes(token)
        command = ["openssl", "ts", "-verify", "-data", str(seal.resolve()), "-in", "token.tsr", "-CAfile", "root.pem"]
        ended = subprocess.run(command, cwd=self._folder, capture_output=True, check=False)
        return ended.returncode == 0 and b"Verification: OK" in ended.stdout + ended.stderr

    @contextmanager
    def served(self) -> Generator[str]:
        """Answer queries over HTTP while the block runs; yield the address."""
        authority = self

        class Stamps(Answers):
            def do_POST(self) -> None:
                query = self.rfile.read(int(self.headers["content-length"]))
                right = self.headers["content-type"] == "application/timestamp-query"
                data = authority.reply(query) if right else b""
                self.send_response(200 if right else 415)
                self.send_header("content-type", "application/timestamp-reply")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        with SmallSite(Stamps) as site:
            yield f"{site.url}/tsr"


def _certificate(
    subject: str,
    issuer: str,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    begins: timedelta,
    ends: timedelta,
) -> x509.Certificate:
    now = datetime.now(UTC)  # clock: OpenSSL stamps with the time of the machine
    made = (
        x509.CertificateBuilder().subject_name(_named(subject)).issuer_name(_named(issuer)).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + begins).not_valid_after(now + ends)
        .add_extension(x509.BasicConstraints(subject == issuer, None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )  # fmt: skip
    if subject != issuer:
        made = made.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING]), critical=True)
    return made.sign(signer, hashes.SHA256())


def _named(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
