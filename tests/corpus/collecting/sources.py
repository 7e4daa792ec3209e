"""Where the pages of each group come from."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable
from pathlib import Path

from tests.corpus.collecting import apps, cases, practice, tests
from tests.corpus.collecting.practice import Collected
from tests.real.apps.app import NAMES, SINGLE_PAGE

APPS = (*(name for name in NAMES if name not in SINGLE_PAGE), "djangoadmin")
"""The pages of a single-page app are nothing without scripts that are too large to be stored."""
Source = Callable[[Path | None], Collected | Awaitable[Collected]]


def _of_file(collect: Callable[[Path], Collected], path: Path | None) -> Collected:
    if path is None:
        raise ValueError("it is collected from a file or folder: name it")
    return collect(path)


def _alone(collect: Callable[[], Collected | Awaitable[Collected]], _: Path | None) -> Collected | Awaitable[Collected]:
    return collect()


SOURCES: dict[str, Source] = {
    "cases": functools.partial(_of_file, cases.collect),
    "drawn": functools.partial(_alone, tests.collect_drawn),
    "browser_tests": functools.partial(_of_file, tests.collect_heard),
    "practice_code": functools.partial(_alone, practice.collect_code),
    "practice_forged": functools.partial(_alone, practice.collect_forged),
    "practice_hr": functools.partial(_alone, practice.collect_hr),
    "practice_people": functools.partial(_alone, practice.collect_people),
    "practice_tickets": functools.partial(_alone, practice.collect_tickets),
    **{f"app_{name}": functools.partial(_alone, functools.partial(apps.collect, name)) for name in APPS},
}


async def collect(group: str, path: Path | None = None) -> Collected:
    """Return the pages of a group with what they are made of. ``path``: of the cases, or of what was heard."""
    made = SOURCES[group](path)
    return await made if inspect.isawaitable(made) else made
