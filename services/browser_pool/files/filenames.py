"""Names, media types and messages of downloaded files. The site chooses the name, so it may be anything."""

from __future__ import annotations

import mimetypes
import re
import unicodedata
from collections.abc import Container
from itertools import count

MAX_NAME = 200
UNNAMED = "download"
_SUFFIX = re.compile(r"\.[a-z0-9]{1,10}$")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def safe_name(name: str) -> str:
    """Return the last part of a path, without invisible and direction-changing characters; a long name keeps its
    suffix."""
    last = re.split(r"[/\\]", name)[-1]
    seen = "".join(char for char in last if unicodedata.category(char) not in _UNSEEN).strip()
    if not seen.strip("."):
        return UNNAMED
    ending = suffix_of(seen)
    return seen if len(seen) <= MAX_NAME else seen[: MAX_NAME - len(ending)] + ending


def suffix_of(name: str) -> str:
    """Return the suffix such as ``.pdf``; empty when there is none."""
    found = _SUFFIX.search(name.lower())
    return found[0] if found else ""


def media_type_of(name: str) -> str:
    """Return the media type by suffix, the only hint that a download gives."""
    return mimetypes.guess_type(f"x{suffix_of(name)}")[0] or "application/octet-stream"


def too_large(name: str, limit_bytes: int, got_bytes: int, announced_bytes: int) -> str:
    """Return the message for a file that exceeds the limit."""
    if max(got_bytes, announced_bytes) <= limit_bytes:
        return f'"{name}" and the files before it are larger than the {limit_bytes} bytes one action may bring'
    said = f"{announced_bytes} bytes were announced" if announced_bytes else f"it was stopped at {got_bytes}"
    return f'"{name}" is larger than the {limit_bytes} bytes allowed ({said}); nothing of it was kept'


def label_of(name: str, taken: Container[str]) -> str:
    """Return a label for a file without one: its name without suffix, numbered when that is taken."""
    stem = name.removesuffix(name[-len(suffix_of(name)) :] if suffix_of(name) else "").strip() or UNNAMED
    numbered = (stem if n == 1 else f"{stem} {n}" for n in count(1))
    return next(label for label in numbered if label not in taken)


def interrupted_message(name: str, got_bytes: int, announced_bytes: int) -> str:
    """Return the message for a download that ended early."""
    of = f" of {announced_bytes}" if announced_bytes else ""
    return f'"{name}" was interrupted after {got_bytes}{of} bytes; nothing of it was kept'
