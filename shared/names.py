"""Names that are safe as a folder, a file and a NATS subject token."""

from __future__ import annotations

import hashlib
import re
import unicodedata

DISCOVERY = "_discovery"
"""What the sample is called that finds the others."""
RESERVED = frozenset({"memory", "con", "prn", "aux", "nul", DISCOVERY})
_HASHED = re.compile(r"-[0-9a-f]{8}$")
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


def safe_id(key: str, *, max_length: int = 64) -> str:
    """``key`` itself where it is already safe, else a readable form plus 8 hex digits of its hash,
    so that two different keys never share a name."""
    ascii_form = unicodedata.normalize("NFKD", key).encode("ascii", "ignore").decode()
    readable = _UNSAFE.sub("-", ascii_form).strip("-")[:max_length].strip("-")
    # A key that ends like one of our hashes is hashed too, or it could pass for another key's name.
    if readable and readable == key and key.lower() not in RESERVED and not _HASHED.search(key):
        return key
    digest = hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{readable}-{digest}" if readable else digest


def safe_label(label: str, *, max_length: int = 48) -> str:
    """A label for a file name: lower case, words joined by ``_``, never empty."""
    ascii_form = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode()
    return _UNSAFE.sub("_", ascii_form.lower()).strip("_-")[:max_length].strip("_-") or "page"
