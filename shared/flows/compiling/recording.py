"""Recorded samples: what a flow is compiled from, and checked against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from shared.contracts.actions import AskApi
from shared.contracts.browser_pool import Element
from shared.contracts.steps import FieldValue, StepTaken


@dataclass(frozen=True)
class RecordedPage:
    """A page as it was stored: all its elements."""

    url: str
    title: str
    elements: tuple[Element, ...]


def steps_on_pages(steps: Iterable[StepTaken]) -> tuple[StepTaken, ...]:
    """Return the steps without that in which the API of the task was asked: a run asks it before its flow."""
    return tuple(step for step in steps if not isinstance(step.action, AskApi))


def values_of_pages(values: Iterable[FieldValue]) -> tuple[FieldValue, ...]:
    """Return the values that no API gave: a flow is to find the others on no page."""
    return tuple(value for value in values if value.origin != "api")


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
