"""Recorded samples: what a flow is compiled from, and checked against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from shared.contracts.actions import AskApi
from shared.contracts.browser_pool import Element
from shared.contracts.results import ValueSource
from shared.contracts.steps import FieldValue, RowValue, StepTaken


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

    def stored_page(self, source: ValueSource) -> str:
        """Return the key of the stored page that shows what was read there; empty: none was stored."""
        known = (source.observation_sha256, source.observation_file_sha256)
        return next((sha256 for sha256 in known if sha256 in self.pages), "")

    def observations_of(self, source: ValueSource) -> frozenset[str]:
        """Return the hashes of the observations of the page state on which this was read."""
        own = {
            step.observation.sha256
            for step in self.steps
            if step.observation is not None and step.observation.snapshot_id == source.snapshot_id
        }
        return frozenset(own | {source.observation_sha256})


@dataclass(frozen=True)
class RowsShown:
    """Rows of one field that one page of a sample showed first. ``source``: of one of their cells."""

    source: ValueSource
    rows: tuple[RowValue, ...]


def rows_by_page(value: FieldValue) -> tuple[RowsShown, ...]:
    """Return the rows of a field by the page that showed them first, in the order in which the pages were read."""
    found: dict[str, tuple[ValueSource, list[RowValue]]] = {}
    for row in value.rows:
        source = next((cell.source for cell in row.cells if cell.source is not None), None)
        if source is not None:
            found.setdefault(source.observation_sha256, (source, []))[1].append(row)
    return tuple(RowsShown(source, tuple(rows)) for source, rows in found.values())


def row_texts(row: RowValue) -> dict[str, str | None]:
    """Return the texts of a row as the page shows them; None in a column in which it has nothing."""
    return {cell.field: cell.shown if cell.state == "value" else None for cell in row.cells}
