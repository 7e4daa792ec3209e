"""Elements of `practice.markup` with this site's own drift, applied when they are rendered."""

from __future__ import annotations

import re

from practice.drift import Drift
from practice.markup import Markup, el

Child = str | None
Node = Markup
h = el
_TAG = re.compile(r"<[a-z][^<>]*>")
_CLASS = re.compile(r' class="([^"]*)"')
_BLOCK_BEGUN = re.compile(r"<(?=(?:section|form|nav)[ >])")
_BLOCK_ENDED = re.compile(r"</(?:section|form|nav)>")


def written(node: Node, drift: Drift) -> str:
    """Return HTML; under the drift ``wrap`` with other class names, and with an extra element around each block."""
    if not drift.has("wrap"):
        return node
    renamed = _TAG.sub(lambda tag: _CLASS.sub(lambda names: f' class="{drift.name(names[1])}"', tag[0]), node)
    return _BLOCK_ENDED.sub(r"\g<0></div>", _BLOCK_BEGUN.sub("<div><", renamed))


def document(node: Node, drift: Drift) -> str:
    return "<!doctype html>\n" + written(node, drift)
