"""Build HTML from Python values: text is always escaped, and drift can wrap a finished page."""

from __future__ import annotations

import html
import re

from practice.drift import Drift

_VOID = frozenset({"base", "br", "img", "input", "link", "meta"})
_NAMED = re.compile(r' (class|id|for|aria-labelledby|aria-controls|aria-describedby)="([^"]*)"')
_BEGUN = re.compile(r"<(dd|td|th|li|main|section|article|aside)((?: [^<>]*)?)>")
_ENDED = re.compile(r"</(dd|td|th|li|main|section|article|aside)>")
_WRAPPER = '<div class="layer" style="display: contents">'


class Markup(str):
    """Text that is already HTML."""

    __slots__ = ()


Attribute = str | int | bool | None


def el(tag: str, *children: str | None, **attributes: Attribute) -> Markup:
    """Return an element.

    ``cls`` is class, ``for_`` is for, ``_`` is "-"; None and False omit an attribute. Children that are not
    :class:`Markup` are escaped; None is omitted.
    """
    head = f"<{tag}{''.join(_attribute(name, value) for name, value in attributes.items())}>"
    return Markup(head if tag in _VOID else f"{head}{join(*children)}</{tag}>")


def join(*children: str | None) -> Markup:
    """Concatenate the children."""
    return Markup("".join(_safe(child) for child in children if child is not None))


def _safe(child: str) -> str:
    return child if isinstance(child, Markup) else html.escape(child, quote=False)


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    written = "class" if name == "cls" else name.rstrip("_").replace("_", "-")
    return f" {written}" if value is True else f' {written}="{html.escape(str(value))}"'


def wrapped(page: str, drift: Drift) -> str:
    """Return the page; under ``wrap`` with other names and more elements. :meth:`Drift.css` has the same names."""
    if not drift.has("wrap"):
        return page
    layered = _ENDED.sub(r"</div></\1>", _BEGUN.sub(rf"<\1\2>{_WRAPPER}", page))
    return _NAMED.sub(lambda match: f' {match[1]}="{drift.name(match[2])}"', layered)
