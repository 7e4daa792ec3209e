"""HTML as a tree that is written at the end, so that all text is escaped and drift can rename what it likes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from practice.drift import Drift

_VOID = frozenset(("br", "hr", "img", "input", "link", "meta"))


@dataclass(frozen=True)
class Node:
    tag: str
    attributes: tuple[tuple[str, str], ...]
    children: tuple[Node | str, ...]


Child = Node | str | None


def h(tag: str, *children: Child, **attributes: str | bool | None) -> Node:
    """An element. ``class_`` is class, ``aria_label`` is aria-label; True is a bare attribute, None and False are none;
    children that are None are left out."""
    named = ((name.rstrip("_").replace("_", "-"), value) for name, value in attributes.items())
    kept = tuple((name, "" if value is True else str(value)) for name, value in named if value not in (None, False))
    return Node(tag, kept, tuple(child for child in children if child is not None))


def written(node: Node | str, drift: Drift) -> str:
    """The tree as HTML; under the drift ``wrap`` with other class names, and with an element more around each block."""
    return "".join(_pieces(node, drift))


def document(node: Node, drift: Drift) -> str:
    return "<!doctype html>\n" + written(node, drift)


def _pieces(node: Node | str, drift: Drift) -> Iterator[str]:
    if isinstance(node, str):
        yield escape(node, quote=False)
        return
    attributes = "".join(_attribute(name, value, drift) for name, value in node.attributes)
    if node.tag in _VOID:
        yield f"<{node.tag}{attributes}>"
        return
    wrapped = drift.has("wrap") and node.tag in ("section", "form", "nav")
    yield "<div>" * wrapped + f"<{node.tag}{attributes}>"
    for child in node.children:
        yield from _pieces(child, drift)
    yield f"</{node.tag}>" + "</div>" * wrapped


def _attribute(name: str, value: str, drift: Drift) -> str:
    shown = drift.name(value) if name == "class" else value
    return f' {name}="{escape(shown)}"' if shown else f" {name}"
