"""One row of a task that is tried, or the list of a discovery task: worked on as in a run, without a run and without
evidence."""

from __future__ import annotations

from typing import Any

from shared.contracts.base import Message, Part
from shared.contracts.discovery import Problem, Sample
from shared.contracts.planner import SampleFinished
from shared.contracts.results import Artifact
from shared.contracts.steps import FieldValue, ShownCount


class TrySample(Message, frozen=True, kw_only=True):
    """Request to work on one sample of a task by the planner. ``planner``: None is the default one. ``others``: entries
    that may take the place of a field's own in ``output_schema``; each is read on the last page, by itself."""

    spec: dict[str, Any]
    sample: Sample
    planner: str | None = None
    others: dict[str, tuple[dict[str, Any], ...]] = {}


class SampleTried(Message, frozen=True, kw_only=True):
    """What came of it. Whoever has asked removes the ``blob`` of each artifact from ARTIFACTS: no evidence does.

    ``finished``: the result, as that of a run, with all of its fields in ``explained``. ``values``: every field as the
    last page shows it, also where the result keeps none. ``pictures``: screenshots of that page. ``says``: where the
    sample is not done, its short texts that may say that there is no such record, the likeliest first.
    ``others``: what the last page gives with each entry that was asked for, in their order; None: no certain value. Of
    a page that is not that of the record nothing is told.
    """

    finished: SampleFinished
    values: tuple[FieldValue, ...]
    pictures: tuple[Artifact, ...] = ()
    says: tuple[str, ...] = ()
    others: dict[str, tuple[FieldValue | None, ...]] = {}


class TryRefused(Message, frozen=True, kw_only=True):
    """The task cannot be tried. ``problems``: all of them."""

    problems: tuple[Problem, ...]


TryReply = SampleTried | TryRefused


class TryList(Message, frozen=True, kw_only=True):
    """Request to read the list of a discovery task. ``row`` fills the task. ``most_items``: the first so many are read,
    whatever the task asks for. ``planner``: None is the default one."""

    spec: dict[str, Any]
    row: dict[str, str] = {}
    most_items: int = 200
    planner: str | None = None


class TriedPage(Part, frozen=True, kw_only=True):
    """Items that a page of the list has and no page before it. ``addresses``: as in
    :class:`shared.contracts.planner.SamplesListed`."""

    url: str
    items: tuple[dict[str, Any], ...]
    addresses: tuple[str, ...] = ()


class ListTried(Message, frozen=True, kw_only=True):
    """What came of it. Whoever has asked removes the ``blob`` of each artifact from ARTIFACTS: no evidence does.

    ``finished``: the result, as that of the search of a run: done where the list is proven complete. ``pages``: those
    with new items, in order. ``why``: why the reading ended, in words of whoever decided; empty where it was cut short.
    ``counts``: what the last page says of the length of the list. ``cut``: ended by ``most_items`` or by the time of a
    try, so that nothing is said of whether the list is complete.
    """

    finished: SampleFinished
    pages: tuple[TriedPage, ...] = ()
    why: str = ""
    counts: tuple[ShownCount, ...] = ()
    cut: bool = False


TryListReply = ListTried | TryRefused
