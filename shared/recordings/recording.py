"""A recording: the row, the steps and the stored pages of one sample, whatever they were read from. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from shared.contracts.actions import AskApi, Done, Fail
from shared.contracts.planner import BY_API
from shared.contracts.results import ValueSource
from shared.contracts.steps import FieldValue, RowValue, StepTaken
from shared.recordings.stored_pages import RecordedPage


@dataclass(frozen=True)
class Recording:
    """One sample of a run.

    ``row``: its columns as they were read. ``steps``: of its latest attempt. ``pages``: stored pages by the hash of
    their observation. ``values``: the fields of its result.
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


def steps_on_pages(steps: Iterable[StepTaken]) -> tuple[StepTaken, ...]:
    """Return the steps without that in which the API of the task was asked: a run asks it before its flow."""
    return tuple(step for step in steps if not isinstance(step.action, AskApi))


def values_of_pages(values: Iterable[FieldValue]) -> tuple[FieldValue, ...]:
    """Return the values that no API gave: a flow is to find the others on no page."""
    return tuple(value for value in values if value.origin != "api")


# --- what can be done with a recording


def why_not_compiled(
    status: str, reason: str, decided_by: str = "", *, settled: bool = False, taken_over: bool = False
) -> str:
    """Return why no flow is compiled from a sample that has ended so, for people; empty: one can be.

    Only its judgment may be left to a person. ``settled``: a person has told how it ended. ``taken_over``: one has done
    some of its steps by hand.
    """
    if status != "done" and (status, reason) != ("needs_review", "judgment_missing"):
        return f"it ended as {status} ({reason}): a flow is compiled from samples that are done"
    if decided_by == BY_API:
        return "an API gave its values: no step shows how a page gives them"
    if taken_over:
        return "a person has taken it over: its steps do not show how it is done without one"
    return "a person has settled it: its steps do not show how it was done" if settled else ""


def step_log_problem(steps: Sequence[StepTaken], taken: int | None, status: str | None, reason: str) -> str:
    """Return why a step log does not show how its attempt ended; empty if it does.

    ``taken``: the number of steps that the result counts, None without a result.
    """
    if taken is None:
        return "it has no result yet"
    if [step.step for step in steps] != list(range(1, taken + 1)):
        return f"its log has {len(steps)} of {taken} steps"
    last = steps[-1] if steps else None
    if last is None or last.refused or not isinstance(last.action, Done | Fail):
        return f"it ended as {status} ({reason.replace('_', ' ')}), without a done or a fail of its own"
    return ""


# --- fields of rows


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
