"""Elements, and what changed between two snapshots, as lines of text for a model and a person.

[12] [textbox] "Email" (required) = "ann@example.org"
[13] [cell] Assignee: "Jane Roe" (row 4)
[14] [link] "Next" -> /tickets?page=2
[15] [text] "3 days ago" (title "2026-11-18T09:00Z")
[16] [icon 2] State: (row 4)

+ text | Saved
- text | Saving ...
~ checkbox | Urgent | unchecked => checked
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from services.browser_pool.page.model import FIELD
from shared.contracts.browser_pool import Element
from shared.pages.states import told_states

# Page text must not start a line of its own and pose as an element.
_BREAKS = re.compile(r"[\s\x00-\x1f\x7f\u2028\u2029]+")
# Marks that change the writing direction would show the text in another order.
_ICONS = "... [icon N] is a picture without text (equal N: drawn alike); ask_picture with its ref tells what it shows"
_TURNS = re.compile(r"[\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def line(element: Element, origin: str = "", *, with_ref: bool = True, images: bool = False) -> str:
    """Return the line of one element. Links within ``origin`` (scheme and host) are shortened. ``images``: mark what
    the page shows as a picture only."""
    parts = [f"[{element.ref}]"] if with_ref else []
    parts.append(f"[icon {element.look}]" if element.look else f"[{element.role}]")
    if element.header is not None:
        parts.append(f"{one_line(element.header)}:")
    if not element.look:
        parts.append(quoted(element.name))
    if element.title is not None:
        parts.append(f"(title {quoted(element.title)})")
    if images and element.unwritten:
        parts.append("(image)")
    parts += [f"({note})" for note in _notes(element)]
    if element.value is not None:
        parts.append(f"= {quoted(element.value)}")
    if element.url:
        parts.append(f"-> {short_url(element.url, origin)}")
    return " ".join(parts)


def _notes(element: Element) -> list[str]:
    notes = list(told_states(element))
    if element.level is not None:
        notes.append(f"level {element.level}")
    if element.row is not None:
        notes.append(f"row {element.row}")
    if element.in_dialog:
        notes.append("in dialog")
    if element.covered_by is not None:
        notes.append("covered")
    return notes


def quoted(text: str) -> str:
    """Return the text in quotes that it cannot close."""
    return '"' + one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def one_line(text: str) -> str:
    # Nearly all texts are one line already; characters that break it, or turn its direction, are not printable.
    if text.isprintable() and "  " not in text and text[:1] != " " and text[-1:] != " ":
        return text
    return _BREAKS.sub(" ", _TURNS.sub("", text)).strip()


def short_url(url: str, origin: str) -> str:
    written = one_line(url)
    if origin and (written == origin or written.startswith(origin + "/")):
        return written[len(origin) :] or "/"
    return written


def with_gaps(
    lines: Sequence[str],
    elements: Sequence[Element],
    total: int,
    hidden: frozenset[int],
    unread: Sequence[str],
    dialog: str | None = None,
) -> str:
    """Return the lines with what is missing between them.

    A line of three dots marks left out refs that are not ``hidden``; the last line counts them. A line marks each
    change of frame.
    """
    out = [] if dialog is None else [f'[dialog] "{one_line(dialog)}" (waits for an answer: use dialog)']
    frame = "main"
    expected = 1
    for text, element in zip(lines, elements, strict=True):
        if expected < element.ref and any(ref not in hidden for ref in range(expected, element.ref)):
            out.append("...")
        if element.frame != frame:
            frame = element.frame
            out.append(f"-- frame {one_line(frame)} --")
        out.append(text)
        expected = element.ref + 1
    for cover, count in Counter(element.covered_by for element in elements if element.covered_by).items():
        out.append(f"... {count} covered by {one_line(cover)}")
    if any(element.look for element in elements):
        out.append(_ICONS)
    left_out = total - len(hidden) - len(lines)
    if left_out:
        out.append(f"... {left_out} more elements below or between: scroll, or extract")
    out += [f"... frame {one_line(name)} could not be read" for name in unread]
    return "\n".join(out)


# --- what changed between two snapshots

MAX_COMPARED = 1500
"""Number of lines above which order is ignored: aligning them would take seconds."""
MAX_LINES = 60
MAX_CHARS = 200


def difference(before: Sequence[str], now: Sequence[str]) -> str:
    """Return lines that start with ``-`` (gone), ``+`` (new) or ``~`` (changed); empty when nothing changed.

    ``before`` and ``now`` are the content lines of two snapshots of one session.
    """
    start = _common_count(before, now)
    end = _common_count(before[start:][::-1], now[start:][::-1])
    old, new = before[start : len(before) - end], now[start : len(now) - end]
    in_order = max(len(old), len(new)) <= MAX_COMPARED
    lines = list(_aligned(old, new) if in_order else _counted(old, new))
    more = [f"... {len(lines) - MAX_LINES} more"] if len(lines) > MAX_LINES else []
    return "\n".join([*lines[:MAX_LINES], *more])


def _common_count(before: Sequence[str], now: Sequence[str]) -> int:
    """Return the length of the common prefix."""
    count = 0
    for left, right in zip(before, now, strict=False):
        if left != right:
            break
        count += 1
    return count


def _aligned(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Match elements by what they are, then compare what they say."""
    matcher = SequenceMatcher(
        None, [_key(content) for content in old], [_key(content) for content in new], autojunk=False
    )
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            yield from (_changed(was, now) for was, now in zip(old[a:b], new[c:d], strict=True) if was != now)
        else:
            yield from (f"- {_words(content)}" for content in old[a:b])
            yield from (f"+ {_words(content)}" for content in new[c:d])


def _key(content: str) -> str:
    """Return the role with the header that names a value, else with the element's own name."""
    role, header, name = content.split(FIELD, 3)[:3]
    return FIELD.join((role, header)) if header else FIELD.join((role, "", name))


def _changed(was: str, now: str) -> str:
    key = _key(now)
    before, after = (_words(content[len(key) :]) or "nothing" for content in (was, now))
    return f"~ {_words(key)} | {before} => {after}"


def _counted(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    was, now = set(old), set(new)
    yield from (f"- {_words(content)}" for content in dict.fromkeys(old) if content not in now)
    yield from (f"+ {_words(content)}" for content in dict.fromkeys(new) if content not in was)


def _words(content: str) -> str:
    return " | ".join(part for part in content.split(FIELD) if part).strip()[:MAX_CHARS]
