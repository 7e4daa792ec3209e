"""Every page of the console is walked by a test: small, large, dark, by keyboard and by two at once."""

from __future__ import annotations

from pathlib import Path

from starlette.routing import Match
from starlette.types import Scope

from services.console.web.routes import routes
from tests.end_to_end.console_screens import ELSEWHERE, NO_PAGES, SCREENS

FOLDER = Path(__file__).parents[2] / "end_to_end"
WORDS = {"RUN": "/runs/r", "DRAFT": "/new/d", "POINTED": "/specs/s"}


def name_of(screen: str) -> str:
    """Return the name of the route that a screen is of."""
    path = screen.partition("?")[0]
    for word, stands_for in WORDS.items():
        path = path.replace(word, stands_for)
    scope: Scope = {"type": "http", "method": "GET", "path": path, "root_path": "", "headers": []}
    return next(str(one.name) for one in routes() if one.matches(scope)[0] is Match.FULL)


def test_each_page_is_walked():
    walked = set(map(name_of, SCREENS.values()))
    pages = {one.name for one in routes() if "GET" in (one.methods or ())} - NO_PAGES
    assert walked | set(ELSEWHERE) == pages
    assert not walked & set(ELSEWHERE)
    assert all((FOLDER / test).is_file() for test in ELSEWHERE.values())
