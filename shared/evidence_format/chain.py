"""Pure: how a list of JSON objects is chained, each to the one before it. docs/adr/0010 says it for other programs.

An entry bears two hashes of its own: ``previous_sha256`` is the ``sha256`` of the entry before it, that of the first
one is the start that names what the list is of; ``sha256`` is that of the entry's canonical JSON without ``sha256``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

NOT_JSON = (msgspec.MsgspecError, ValueError, RecursionError)
"""What reading raises of bytes that are no text, no JSON, of another kind than asked for, or nested beyond measure."""
PREVIOUS, OWN = "previous_sha256", "sha256"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def canonical(value: object) -> bytes:
    """The bytes of ``json.dumps(json.loads(written), sort_keys=True, separators=(",", ":"), ensure_ascii=False)`` in
    UTF-8, where ``written`` is the value as JSON: what anybody gets who reads the file."""
    return _sorted(_reader.decode(msgspec.json.encode(value)))


def start(**names: object) -> str:
    """What the first entry of a chain is chained to, so that a chain that is moved elsewhere does not fit there."""
    return sha256(canonical(names))


def log_start(run_id: str, sample_id: str, attempt: int) -> str:
    """The start of the log of one attempt at one sample."""
    return start(run_id=run_id, sample_id=sample_id, attempt=attempt)


def linked(entry: Mapping[str, Any], previous: str) -> dict[str, Any]:
    """The entry with both hashes."""
    whole = {**entry, PREVIOUS: previous}
    return {**whole, OWN: entry_hash(whole)}


def entry_hash(entry: object) -> str:
    """The ``sha256`` of an entry, which has none yet: a mapping, or a struct that leaves it out."""
    return sha256(canonical(entry))


def followed(entries: Iterable[Any], first: str) -> tuple[str, int | None]:
    """The head of the chain, and the number (from 1) of the first entry that does not fit; None where all do.

    ``entries`` as `read_exactly` reads them.
    """
    head = first
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict):
            return head, number
        own: dict[str, Any] = dict(entry)  # pyright: ignore[reportUnknownArgumentType]
        said = own.pop(OWN, None)
        if own.get(PREVIOUS) != head or said != sha256(_sorted(own)):
            return head, number
        head = str(said)
    return head, None


def read_exactly(data: bytes) -> Any:
    """JSON as `followed` wants it. Raises msgspec.DecodeError."""
    return _reader.decode(data)


def _sorted(read: object) -> bytes:
    return msgspec.json.encode(read, order="sorted")


def _number(written: str) -> msgspec.Raw:
    """Programs agree on the shortest digits of a number, and not on when to write an exponent: Python's way counts."""
    return msgspec.Raw(repr(float(written)).encode())


_reader = msgspec.json.Decoder(float_hook=_number)
