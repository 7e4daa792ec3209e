"""Views of the list of runs that somebody has saved: a name and the address, in the state folder of the user."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import msgspec

from shared.contracts.base import Part
from shared.settings import Settings
from shared.whole_files import replace_file

MOST_VIEWS, MOST_NAME_CHARS = 50, 80
KEYS = ("q", "state", "tag")
"""Of the address, what a view has."""
_changing = threading.Lock()


class SavedView(Part, frozen=True, kw_only=True):
    """``query``: of the address of the list of runs, without ``?``."""

    name: str
    query: str


def views_file(settings: Settings) -> Path:
    return settings.state_dir / "console/views.json"


def read_views(settings: Settings) -> tuple[SavedView, ...]:
    """Return the views, by name; none where there is no file, or it cannot be read."""
    try:
        return _read(settings)
    except (OSError, ValueError):
        return ()


def query_of(asked: str) -> str:
    """Return the part of a query that a view has; empty: it is that of all runs."""
    pairs = dict(parse_qsl(asked[:2000]))
    return urlencode({key: pairs[key] for key in KEYS if pairs.get(key)})


def save_view(settings: Settings, name: str, query: str) -> str:
    """Save a view, in the place of one of the same name. Return why that is not done; empty: it is."""
    name, query = " ".join(name.split())[:MOST_NAME_CHARS], query_of(query)
    if not name:
        return "The view has no name. Go back and write one."
    if not query:
        return "The list shows all runs: there is no filter to save. Go back, and choose some first."
    with _changing:
        try:
            others = [one for one in _read(settings) if one.name != name]
        except (OSError, ValueError) as exc:
            return f"{views_file(settings)} cannot be read, and would be lost: {exc}. Mend it, or move it away."
        if len(others) >= MOST_VIEWS:
            return f"There are {MOST_VIEWS} views already. Remove one first."
        _write(settings, [*others, SavedView(name=name, query=query)])
    return ""


def remove_view(settings: Settings, name: str) -> None:
    with _changing, suppress(ValueError):
        _write(settings, [one for one in _read(settings) if one.name != name])


def _read(settings: Settings) -> tuple[SavedView, ...]:
    """Return the views. Raises OSError and ValueError for a file that is there and cannot be read."""
    try:
        data = views_file(settings).read_bytes()
    except FileNotFoundError:
        return ()
    return msgspec.json.decode(data, type=tuple[SavedView, ...])


def _write(settings: Settings, views: list[SavedView]) -> None:
    """Raises OSError."""
    path = views_file(settings)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with replace_file(path) as file:
        file.write(msgspec.json.encode(sorted(views, key=lambda one: one.name.casefold())))
