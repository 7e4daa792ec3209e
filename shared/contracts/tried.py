"""One row of a task that is tried: worked on like a sample of a run, without a run and without evidence."""

from __future__ import annotations

from typing import Any

from shared.contracts.base import Message
from shared.contracts.discovery import Problem, Sample
from shared.contracts.planner import SampleFinished
from shared.contracts.results import Artifact
from shared.contracts.steps import FieldValue


class TrySample(Message, frozen=True, kw_only=True):
    """Request to work on one sample of a task by the planner. ``planner``: None is the default one."""

    spec: dict[str, Any]
    sample: Sample
    planner: str | None = None


class SampleTried(Message, frozen=True, kw_only=True):
    """What came of it. Whoever has asked removes the ``blob`` of each artifact from ARTIFACTS: no evidence does.

    ``finished``: the result, as that of a run, with all of its fields in ``explained``. ``values``: every field as the
    last page shows it, also where the result keeps none. ``pictures``: screenshots of that page.
    """

    finished: SampleFinished
    values: tuple[FieldValue, ...]
    pictures: tuple[Artifact, ...] = ()


class TryRefused(Message, frozen=True, kw_only=True):
    """The task cannot be tried. ``problems``: all of them."""

    problems: tuple[Problem, ...]


TryReply = SampleTried | TryRefused
