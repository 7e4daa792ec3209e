"""Timestamp tokens of a time-stamping authority (RFC 3161): what is asked for a seal, and what an answer proves.

A token says that the SHA-256 of a seal's bytes was known at a time, signed by the authority. It is kept as the
authority has answered (a TimeStampResp in DER), so that other programs can check it: `openssl ts -verify`.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false
# The types of rfc3161_client and of the part of it that is written in Rust import each other.

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm

from shared.errors import PermanentError
from shared.extras import has_extra, need_extra

if TYPE_CHECKING:
    from rfc3161_client import TimeStampResponse

MOST_TOKEN_BYTES = 64_000
"""A token with its chain of certificates has 2 to 10 kB."""
SHA256_OID = "2.16.840.1.101.3.4.2.1"
GRANTED = 0
NOT_A_TOKEN = (
    ValueError,
    TypeError,
    LookupError,
    OverflowError,
    UnsupportedAlgorithm,
    x509.DuplicateExtension,
    x509.InvalidVersion,
    x509.UnsupportedGeneralNameType,
)
"""What reading an answer raises that is no token, or one of an unknown kind."""


class BadToken(Exception):
    """An answer or a file is no timestamp of these bytes. The message says why, for people."""


@dataclass(frozen=True)
class TimestampAuthority:
    """Whom to believe: the certificates that a token must lead to. One of them at least is a root."""

    certificates: tuple[x509.Certificate, ...]

    @classmethod
    def parse(cls, pem: bytes, place: str) -> TimestampAuthority:
        """Return the authority of a PEM file. Raises PermanentError (``invalid_settings``) for a file without a root
        certificate. ``place``: what the file is called, for people."""
        try:
            found = tuple(x509.load_pem_x509_certificates(pem))
        except NOT_A_TOKEN as exc:
            message = f"{place} holds no certificates (PEM): take those that the time-stamping authority publishes"
            raise PermanentError(message, code="invalid_settings") from exc
        if not any(one.issuer == one.subject for one in found):
            message = (
                f"{place} holds no root certificate: add the one that signs itself to it, at the end of the chain of "
                f"{found[0].issuer.rfc4514_string()}"
            )
            raise PermanentError(message, code="invalid_settings")
        return cls(found)


@dataclass(frozen=True)
class Timestamp:
    """What a token says. ``by``: the name in the certificate that it is signed with. ``checked``: whether it was
    checked against an authority; else only that it is of the right bytes."""

    at: datetime
    by: str
    policy: str
    checked: bool


@dataclass(frozen=True)
class TimestampQuery:
    """``body`` is sent to the authority; the answer has to hold the same ``nonce``."""

    body: bytes
    nonce: int


def can_read_tokens() -> bool:
    """Whether the extra that reads tokens is installed."""
    return has_extra("tsa")


def timestamp_query(seal: bytes) -> TimestampQuery:
    """Return what to ask for the bytes of a seal: their SHA-256, with a new nonce. Raises PermanentError
    (``not_installed``)."""
    need_extra("tsa")
    from rfc3161_client import HashAlgorithm, TimestampRequestBuilder  # only here: an extra

    request = TimestampRequestBuilder(cert_req=True).data(seal).hash_algorithm(HashAlgorithm.SHA256).build()
    assert request.nonce is not None
    return TimestampQuery(request.as_bytes(), request.nonce)


def read_timestamp(
    token: bytes, seal: bytes, authority: TimestampAuthority | None, *, nonce: int | None = None, policy: str = ""
) -> Timestamp:
    """Return what a token says of the bytes of a seal.

    Args:
        authority: whom to believe; None: what is checked is only that the token is of these bytes.
        nonce: of the query that this answers; None: it is not compared.
        policy: the object identifier that the token must be given under; empty: any.

    Raises:
        BadToken: it is no token, one of other bytes, or not signed by the authority.
        PermanentError: the extra is not installed (``not_installed``).
    """
    need_extra("tsa")
    if len(token) > MOST_TOKEN_BYTES:
        raise BadToken(f"it has more than {MOST_TOKEN_BYTES:,} bytes")
    from rfc3161_client import VerificationError, decode_timestamp_response  # only here: an extra

    try:
        response = decode_timestamp_response(_in_der_order(token))
        if response.status != GRANTED:
            said = ", ".join(response.status_string)
            raise BadToken(f"the authority has not granted it (status {response.status}{f': {said}' if said else ''})")
        said_of = response.tst_info
        imprint = said_of.message_imprint
        if imprint.hash_algorithm.dotted_string != SHA256_OID or imprint.message != hashlib.sha256(seal).digest():
            raise BadToken("it is of other bytes than those of the seal")
        if nonce is not None and said_of.nonce != nonce:
            raise BadToken("it answers another query: its nonce is not the one that was asked with")
        if policy and said_of.policy.dotted_string != policy:
            raise BadToken(f"it was given under the policy {said_of.policy.dotted_string}, and not under {policy}")
        by = _signer_name(response)
        if authority is not None:
            _check_signature(response, seal, authority)
        return Timestamp(said_of.gen_time, by, said_of.policy.dotted_string, authority is not None)
    except VerificationError as exc:
        raise BadToken(f"it is not signed by the authority whose certificates were given: {exc}") from exc
    except NOT_A_TOKEN as exc:
        raise BadToken(f"it is no timestamp token: {type(exc).__name__}") from exc


def _check_signature(response: TimeStampResponse, seal: bytes, authority: TimestampAuthority) -> None:
    """Raise VerificationError unless the token is signed by a certificate for timestamps that leads to the authority
    and was valid at the time that the token says."""
    from rfc3161_client import VerifierBuilder

    verifier = VerifierBuilder(roots=list(authority.certificates)).build()
    verifier.verify(response, hashlib.sha256(seal).digest())


def _signer_name(response: TimeStampResponse) -> str:
    """Return the name in the certificate that has signed, or, where the token does not hold it, of its issuer."""
    signers = list(response.signed_data.signer_infos)
    if len(signers) != 1:
        raise BadToken(f"it has {len(signers)} signers, and not one")
    for der in response.signed_data.certificates:
        one = x509.load_der_x509_certificate(der)
        if (one.issuer, one.serial_number) == (signers[0].issuer, signers[0].serial_number):
            return one.subject.rfc4514_string()
    return f"a certificate of {signers[0].issuer.rfc4514_string()}"


# --- the order of certificates
#
# In a token the certificates are a set, which DER sorts by its bytes. OpenSSL, and authorities made of it, write them
# in the order of the chain, and the library refuses that. No signature covers the order.

_CERTIFICATES = 0xA0
"""Tag of the set of certificates in SignedData."""


def _in_der_order(answer: bytes) -> bytes:
    """Return the answer with its certificates in the order of DER; as it is, where it has none. Raises ValueError or
    IndexError for bytes that are not DER."""
    parts = _children(answer, 0)
    if len(parts) < 2:
        return answer
    explicit = _children(answer, parts[1][0])[1][0]
    signed_data = _children(answer, explicit)[0][0]
    at = next((begin for begin, _ in _children(answer, signed_data) if answer[begin] == _CERTIFICATES), None)
    if at is None:
        return answer
    begin, end = _content(answer, at)
    return answer[:begin] + b"".join(sorted(answer[a:b] for a, b in _children(answer, at))) + answer[end:]


def _children(data: bytes, at: int) -> list[tuple[int, int]]:
    """Return where each part of the value at this place begins and ends."""
    begin, end = _content(data, at)
    found: list[tuple[int, int]] = []
    while begin < end:
        ends = _content(data, begin)[1]
        found.append((begin, ends))
        begin = ends
    return found


def _content(data: bytes, at: int) -> tuple[int, int]:
    """Return where the content of the value at this place begins and ends."""
    size, begin = data[at + 1], at + 2
    if size & 0x80:
        digits = size & 0x7F
        if not 1 <= digits <= 4:
            raise ValueError("a length that DER does not have")
        size, begin = int.from_bytes(data[begin : begin + digits], "big"), begin + digits
    if begin + size > len(data):
        raise ValueError("it is cut short")
    return begin, begin + size
