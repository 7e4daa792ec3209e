"""Names that are safe as a folder, a file and a NATS subject token, and what those of runs say."""

from __future__ import annotations

import hashlib
import re
import unicodedata

DISCOVERY = "_discovery"
"""What the sample is called that finds the others."""
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))}
"""What no folder can be called where a zip of the evidence may be unpacked."""
RESERVED = frozenset({"memory", "objects", "reconciliation", "rounds", "tables", *_DEVICES, DISCOVERY})
_HASHED = re.compile(r"-[0-9a-f]{8}$")
_SECOND = len("run_2026-03-01_101500")
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


def safe_id(key: str, *, max_length: int = 64, hashed: bool = False) -> str:
    """``key`` itself where it is already safe, else a readable form plus 8 hex digits of its hash, so that two
    different keys never share a name. ``hashed``: that form in any case, for a key that differs from another in
    capitals alone: where capitals do not count, as on macOS and Windows, their folders would be one."""
    ascii_form = unicodedata.normalize("NFKD", key).encode("ascii", "ignore").decode()
    readable = _UNSAFE.sub("-", ascii_form).strip("-")[:max_length].strip("-")
    # A key that ends like one of our hashes is hashed too, or it could pass for another key's name.
    if not hashed and readable and readable == key and key.lower() not in RESERVED and not _HASHED.search(key):
        return key
    digest = hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{readable}-{digest}" if readable else digest


def age_of_run(run_id: str) -> tuple[str, int, str]:
    """To sort runs by when they were asked for: their ids begin with that second, and of one second ``..._10`` came
    after ``..._2``."""
    return run_id[:_SECOND], len(run_id), run_id


def safe_label(label: str, *, max_length: int = 48) -> str:
    """A label for a file name: lower case, words joined by ``_``, never empty."""
    ascii_form = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode()
    return _UNSAFE.sub("_", ascii_form.lower()).strip("_-")[:max_length].strip("_-") or "page"
