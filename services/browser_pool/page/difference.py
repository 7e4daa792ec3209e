"""What changed between two snapshots, in few lines.

+ text | Saved
- text | Saving ...
~ checkbox | Urgent | unchecked => checked
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

MAX_COMPARED = 1500
"""Number of lines above which order is ignored: aligning them would take seconds."""
MAX_LINES = 60
MAX_CHARS = 200
FIELD = "\x1f"


def difference(before: Sequence[str], now: Sequence[str]) -> str:
    """Return lines that start with ``-`` (gone), ``+`` (new) or ``~`` (changed); empty when nothing changed.

    ``before`` and ``now`` are the content lines of two snapshots of one session.
    """
    start = _common(before, now)
    end = _common(before[start:][::-1], now[start:][::-1])
    old, new = before[start : len(before) - end], now[start : len(now) - end]
    in_order = max(len(old), len(new)) <= MAX_COMPARED
    lines = list(_aligned(old, new) if in_order else _counted(old, new))
    more = [f"... {len(lines) - MAX_LINES} more"] if len(lines) > MAX_LINES else []
    return "\n".join([*lines[:MAX_LINES], *more])


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the common prefix."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _aligned(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Match elements by what they are, then compare what they say."""
    matcher = SequenceMatcher(None, [_key(one) for one in old], [_key(one) for one in new], autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            yield from (_changed(was, now) for was, now in zip(old[a:b], new[c:d], strict=True) if was != now)
        else:
            yield from (f"- {_words(one)}" for one in old[a:b])
            yield from (f"+ {_words(one)}" for one in new[c:d])


def _key(content: str) -> str:
    """Return the role with the header that names a value, else with the element's own name."""
    role, header, name = content.split(FIELD, 3)[:3]
    return FIELD.join((role, header)) if header else FIELD.join((role, "", name))


def _changed(was: str, now: str) -> str:
    key = _key(now)
    before, after = (_words(one[len(key) :]) or "nothing" for one in (was, now))
    return f"~ {_words(key)} | {before} => {after}"


def _counted(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    was, now = set(old), set(new)
    yield from (f"- {_words(one)}" for one in dict.fromkeys(old) if one not in now)
    yield from (f"+ {_words(one)}" for one in dict.fromkeys(new) if one not in was)


def _words(content: str) -> str:
    return " | ".join(part for part in content.split(FIELD) if part).strip()[:MAX_CHARS]
