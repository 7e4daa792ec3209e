"""Hash chains over lists of JSON objects. docs/adr/0010 describes the format for other programs.

An entry holds two hashes: ``previous_sha256`` is the ``sha256`` of the entry before it, or, in the first entry, the
start hash, which names what the list belongs to. ``sha256`` is the hash of the entry's canonical JSON without that
key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

NOT_JSON = (msgspec.MsgspecError, ValueError, RecursionError)
"""What decoding raises for bytes that are not text, not JSON, not of the expected type, or nested too deeply."""
PREVIOUS, OWN = "previous_sha256", "sha256"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def canonical_json(value: object) -> bytes:
    """Return the bytes that are hashed.

    They equal ``json.dumps(json.loads(written), sort_keys=True, separators=(",", ":"), ensure_ascii=False)`` in UTF-8,
    where ``written`` is the value as JSON, so that any program that reads the file gets the same bytes.
    """
    return _sorted_json(_decoder.decode(msgspec.json.encode(value)))


def start_hash(**names: object) -> str:
    """Return what the first entry of a chain is chained to, so that a chain does not fit in another place."""
    return sha256(canonical_json(names))


def log_start(run_id: str, sample_id: str, attempt: int) -> str:
    """Return the start hash of the step log of one attempt at a sample."""
    return start_hash(run_id=run_id, sample_id=sample_id, attempt=attempt)


def with_hashes(entry: Mapping[str, Any], previous: str) -> dict[str, Any]:
    """Return the entry with both hashes."""
    chained = {**entry, PREVIOUS: previous}
    return {**chained, OWN: entry_hash(chained)}


def entry_hash(entry: object) -> str:
    """Return the ``sha256`` of an entry that has none yet: of a mapping, or of a struct that leaves it out."""
    return sha256(canonical_json(entry))


def follow_chain(entries: Iterable[Any], first: str) -> tuple[str, int | None]:
    """Return the head of the chain, and the number (from 1) of the first entry that does not fit, None where all do.

    Args:
        entries: as `parse_exactly` returns them.
        first: the start hash.
    """
    head = first
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict):
            return head, number
        own: dict[str, Any] = dict(entry)  # pyright: ignore[reportUnknownArgumentType]
        stated = own.pop(OWN, None)
        if own.get(PREVIOUS) != head or stated != sha256(_sorted_json(own)):
            return head, number
        head = str(stated)
    return head, None


def parse_exactly(data: bytes) -> Any:
    """Return JSON with its numbers as they are hashed, for `follow_chain`. Raises msgspec.DecodeError."""
    return _decoder.decode(data)


def _sorted_json(value: object) -> bytes:
    return msgspec.json.encode(value, order="sorted")


def _canonical_number(written: str) -> msgspec.Raw:
    """Return a float as Python writes it: programs agree on its shortest digits, but not on when to use an exponent."""
    return msgspec.Raw(repr(float(written)).encode())


_decoder = msgspec.json.Decoder(float_hook=_canonical_number)
