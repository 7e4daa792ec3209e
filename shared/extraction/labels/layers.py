"""Tag paths of pages that have got more layers: tags around a part that mean nothing to a reader."""

from __future__ import annotations

LAYERS = ("div", "span")
MAX_TAGS = 8
"""An observed path has no more than its last tags, so that layers push the first ones out of it."""
LEAST_TAGS = 3
"""Tags of a path that a longer one must still show."""


def is_layered(place: str, path: str) -> bool:
    """Return whether a tag path is another one, perhaps with more layers in it."""
    return _shows(place.split(">"), path.split(">"), is_cut=_is_cut(place))


def is_within(place: str, container: str) -> bool:
    """Return whether an element stands in the part of the page with this tag path, perhaps in more layers."""
    tags, wanted = place.split(">"), container.split(">")
    return any(_shows(tags[:count], wanted, is_cut=_is_cut(place)) for count in range(1, len(tags)))


def are_akin(place: str, other: str) -> bool:
    """Return whether two tag paths differ by layers only, as far as both of them are observed."""
    one, two = place.split(">"), other.split(">")
    short, long = sorted((_without_layers(one), _without_layers(two)), key=len)
    is_cut = _is_cut(place) or _is_cut(other)
    return one[-1] == two[-1] != "" and (short == long or (is_cut and long[len(long) - len(short) :] == short))


def _without_layers(tags: list[str]) -> list[str]:
    """Return the tags of a path that are no layers, and the last one."""
    return [*(one for one in tags[:-1] if one not in LAYERS), tags[-1]]


def _is_cut(place: str) -> bool:
    return place.count(">") + 1 >= MAX_TAGS


def _shows(tags: list[str], wanted: list[str], *, is_cut: bool) -> bool:
    """Compare from the end, where each tag is the wanted one or a layer. ``is_cut``: further tags stand before them."""
    due = wanted[::-1]
    for tag in reversed(tags):
        if due and tag == due[0]:
            due = due[1:]
        elif tag not in LAYERS:
            return False
    return not due or (is_cut and len(wanted) - len(due) >= LEAST_TAGS)
