"""Elements as lines of text, as a model and a person read a page.

[12] [textbox] "Email" (required) = "ann@example.org"
[13] [cell] Assignee: "Jane Roe" (row 4)
[14] [link] "Next" -> /tickets?page=2
[15] [text] "3 days ago" (title "2026-11-18T09:00Z")
[16] [icon 2] State: (row 4)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from shared.contracts.browser_pool import Element

# Page text must not start a line of its own and pose as an element.
_BREAKS = re.compile(r"[\s\x00-\x1f\x7f\u2028\u2029]+")
# Marks that change the writing direction would show the text in another order.
_ICONS = "... [icon N] is a picture without text (equal N: drawn alike); ask_picture with its ref tells what it shows"
_TURNS = re.compile(r"[\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def line(element: Element, origin: str = "", *, with_ref: bool = True) -> str:
    """Return the line of one element. Links within ``origin`` (scheme and host) are shortened."""
    parts = [f"[{element.ref}]"] if with_ref else []
    parts.append(f"[icon {element.look}]" if element.look else f"[{element.role}]")
    if element.header is not None:
        parts.append(f"{one_line(element.header)}:")
    if not element.look:
        parts.append(quoted(element.name))
    if element.title is not None:
        parts.append(f"(title {quoted(element.title)})")
    parts += [f"({note})" for note in _notes(element)]
    if element.value is not None:
        parts.append(f"= {quoted(element.value)}")
    if element.url:
        parts.append(f"-> {short_url(element.url, origin)}")
    return " ".join(parts)


def _notes(element: Element) -> list[str]:
    notes = list(element.states)
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
        if any(ref not in hidden for ref in range(expected, element.ref)):
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
