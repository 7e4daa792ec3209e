"""What the work of this moment is about: the service that does it, and the run, sample and step that it is for.

It is known wherever the work goes on: in tasks that are started meanwhile, and in the service that is asked, by a
header of the question. Logs and traces read it. Names of runs and samples are the only words of an input in it.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

HEADER = "Exhibit-About"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")
_STEP = re.compile(r"[0-9]{1,6}")


@dataclass(frozen=True, slots=True)
class About:
    """Empty and 0: not known, or of none."""

    service: str = ""
    run: str = ""
    sample: str = ""
    step: int = 0


NOTHING = About()
_now: ContextVar[About] = ContextVar("about", default=NOTHING)


def about_now() -> About:
    return _now.get()


@contextmanager
def work_about(about: About) -> Generator[None]:
    token = _now.set(about)
    try:
        yield
    finally:
        _now.reset(token)


@contextmanager
def work_of_service(name: str) -> Generator[None]:
    """Say for the block, and for the tasks that it starts, which service works."""
    with work_about(replace(_now.get(), service=name)):
        yield


@contextmanager
def work_on_sample(run: str, sample: str = "") -> Generator[None]:
    """Say for the block which run, or which sample of it, the work is for."""
    with work_about(About(_now.get().service, run, sample)):
        yield


def set_step(step: int) -> None:
    """Say of which step of the sample the work is from now on, in this task."""
    _now.set(replace(_now.get(), step=step))


def about_headers() -> dict[str, str]:
    """Return the header of a question that is asked now; empty where the work is for no run."""
    about = _now.get()
    return {HEADER: f"{about.run}/{about.sample}/{about.step}"} if about.run else {}


def about_from(headers: Mapping[str, str] | None) -> About:
    """Return what a question is about, for the service of this moment. A header that is none of ours says nothing."""
    service = _now.get().service
    parts = (headers or {}).get(HEADER, "").split("/")
    if len(parts) != 3 or not _NAME.fullmatch(parts[0]) or not _STEP.fullmatch(parts[2]):
        return About(service)
    if parts[1] and not _NAME.fullmatch(parts[1]):
        return About(service)
    return About(service, parts[0], parts[1], int(parts[2]))
