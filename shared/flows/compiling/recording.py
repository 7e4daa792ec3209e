"""Recorded samples: what a flow is compiled from, and checked against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from shared.contracts.browser_pool import Element
from shared.contracts.steps import FieldValue, StepTaken


@dataclass(frozen=True)
class RecordedPage:
    """A page as it was stored: all its elements."""

    url: str
    title: str
    elements: tuple[Element, ...]


@dataclass(frozen=True)
class RecordedSample:
    """One sample of a run.

    ``row``: its columns as they were read. ``pages``: stored pages by the hash of their observation. ``values``: the
    fields of its result.
    """

    run_id: str
    sample_id: str
    row: Mapping[str, str]
    steps: tuple[StepTaken, ...]
    pages: Mapping[str, RecordedPage] = field(default_factory=dict[str, RecordedPage])
    values: tuple[FieldValue, ...] = ()
    status: str = "done"
    reason: str = ""
