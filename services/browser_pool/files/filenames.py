"""Pure: what a file that comes down is called, taken for and told as. The name is the site's and may be anything."""

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
    """The last part of a path, without what cannot be seen or turns text around; a long one keeps its suffix."""
    last = re.split(r"[/\\]", name)[-1]
    seen = "".join(char for char in last if unicodedata.category(char) not in _UNSEEN).strip()
    if not seen.strip("."):
        return UNNAMED
    ending = suffix_of(seen)
    return seen if len(seen) <= MAX_NAME else seen[: MAX_NAME - len(ending)] + ending


def suffix_of(name: str) -> str:
    """``.pdf``; empty where the name ends in nothing that looks like one."""
    found = _SUFFIX.search(name.lower())
    return found[0] if found else ""


def media_type_of(name: str) -> str:
    """By the name's suffix, which is all a download tells."""
    return mimetypes.guess_type(f"x{suffix_of(name)}")[0] or "application/octet-stream"


def too_large(name: str, limit_bytes: int, got_bytes: int, announced_bytes: int) -> str:
    if max(got_bytes, announced_bytes) <= limit_bytes:
        return f'"{name}" and the files before it are larger than the {limit_bytes} bytes one action may bring'
    said = f"{announced_bytes} bytes were announced" if announced_bytes else f"it was stopped at {got_bytes}"
    return f'"{name}" is larger than the {limit_bytes} bytes allowed ({said}); nothing of it was kept'


def label_of(name: str, taken: Container[str]) -> str:
    """What a file that nobody asked for is called: its name without the suffix, numbered where that is taken."""
    stem = name.removesuffix(name[-len(suffix_of(name)) :] if suffix_of(name) else "").strip() or UNNAMED
    numbered = (stem if n == 1 else f"{stem} {n}" for n in count(1))
    return next(label for label in numbered if label not in taken)


def interrupted(name: str, got_bytes: int, announced_bytes: int) -> str:
    of = f" of {announced_bytes}" if announced_bytes else ""
    return f'"{name}" was interrupted after {got_bytes}{of} bytes; nothing of it was kept'
