"""The facts that tables, report, SQL and `exhibit verify` select from: of the task spec, sample.json and result.json.

The files may be of an earlier version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, cast

from shared.contracts.actions import Judgment
from shared.contracts.base import Usage
from shared.contracts.sessions.settling import Settlement
from shared.contracts.steps import Note
from shared.evidence_format.files.sample import LostResult, ResultFile, SampleFile, StoredArtifact, StoredField
from shared.evidence_format.review.reviewed import RunReview, SampleReview
from shared.field_types import TYPE_EXPRESSION, base_type
from shared.statuses import group_of


@dataclass(frozen=True)
class TaskField:
    """An output field. ``type`` is the expression in the spec, such as ``date | null``; ``base_type`` is empty if the
    type is unknown."""

    name: str
    type: str
    description: str
    required: bool
    proves: bool
    """Whether `identity` of the spec names the field, so that it must show the sample's key."""
    columns: tuple[TaskField, ...] = ()
    """Of a field of rows, in the order of the spec."""
    id_keys: tuple[str, ...] = ()
    """Of a field of rows: the columns that tell them apart."""

    @property
    def base_type(self) -> str:
        return base_type(self.type) if TYPE_EXPRESSION.match(self.type) else ""


@dataclass(frozen=True)
class TaskControl:
    """A control that the evidence is for. ``framework`` and ``title`` are empty where the task does not say them."""

    id: str
    framework: str = ""
    title: str = ""

    @property
    def name(self) -> str:
        """Framework and id, as papers name it."""
        return f"{self.framework} {self.id}".strip()


@dataclass(frozen=True)
class TaskFacts:
    task_id: str | None
    fields: tuple[TaskField, ...]
    """In the order of the output schema."""
    proving: tuple[str, ...]
    """Names of the fields that prove the record, in the order of `identity`."""
    judged: bool
    reviewed: bool = False
    """Whether the review of the run is signed off, so that tables tell of it."""
    controls: tuple[TaskControl, ...] = ()

    @classmethod
    def of(cls, spec: Mapping[str, Any], *, reviewed: bool = False) -> TaskFacts:
        schema: Mapping[str, Any] = spec.get("output_schema") or {}
        identity: Mapping[str, Any] = spec.get("identity") or {}
        required: Sequence[str] = spec.get("required_fields") or ()
        return cls(
            task_id=spec.get("task_id"),
            fields=tuple(
                _field(name, written, required=name in required, proves=name in identity)
                for name, written in schema.items()
            ),
            proving=tuple(name for name in identity if name in schema),
            judged=bool(spec.get("judgment_required")),
            reviewed=reviewed,
            controls=controls_of(spec),
        )


def controls_of(spec: Mapping[str, Any]) -> tuple[TaskControl, ...]:
    """Return the controls that a task names, in its order."""
    written: Sequence[Mapping[str, Any]] = spec.get("controls") or ()
    return tuple(
        TaskControl(str(one.get("id") or ""), str(one.get("framework") or ""), str(one.get("title") or ""))
        for one in written
    )


def _field(name: str, written: object, *, required: bool, proves: bool) -> TaskField:
    long = cast("Mapping[str, Any]", written) if isinstance(written, Mapping) else {"type": written}
    description = str(long.get("description") or "")
    columns = cast("Mapping[str, Any]", long.get("columns") or {})
    parts = tuple(_field(key, column, required=False, proves=False) for key, column in columns.items())
    keys = cast("Sequence[str]", long.get("id_keys") or ())
    kind = str(long.get("type") or "")
    return TaskField(name, kind, description, required=required, proves=proves, columns=parts, id_keys=tuple(keys))


FOR_PEOPLE = ("screenshot", "download", "workflow")
"""Kinds of artifacts that a person opens."""


class ResultFacts:
    """The facts of one sample.

    ``sample`` is None if sample.json is missing or unreadable, ``ended`` if there is no result yet. Facts that only a
    readable result has are then None or empty.
    """

    def __init__(
        self,
        task: TaskFacts,
        sample_id: str,
        sample: SampleFile | None,
        ended: ResultFile | LostResult | None,
        review: RunReview | None = None,
    ) -> None:
        self.task, self.sample_id, self.sample, self.ended = task, sample_id, sample, ended
        self._run_review = review
        self.result = ended if isinstance(ended, ResultFile) else None

    # --- the sample

    @property
    def key(self) -> str | None:
        """The name of the sample in the input."""
        known = self.sample or self.result
        return known.key if known is not None else None

    @property
    def row(self) -> int | None:
        known = self.sample or self.result
        return known.row if known is not None else None

    @property
    def url(self) -> str | None:
        return self.sample.url if self.sample is not None else None

    @property
    def input(self) -> Mapping[str, str]:
        return self.sample.fields if self.sample is not None else {}

    # --- how it ended

    @property
    def status(self) -> str | None:
        return self.ended.status if self.ended is not None else None

    @property
    def reason(self) -> str:
        return self.ended.reason if self.ended is not None else ""

    @property
    def message(self) -> str:
        return self.ended.message if self.ended is not None else ""

    @property
    def fault(self) -> str:
        return self.ended.fault if self.ended is not None else ""

    @property
    def flagged(self) -> bool | None:
        return self.ended.flagged if self.ended is not None else None

    @property
    def notes(self) -> tuple[Note, ...]:
        return self.result.notes if self.result is not None else ()

    @property
    def attempt(self) -> int | None:
        return self.result.attempt if self.result is not None else None

    @property
    def llm_calls(self) -> int | None:
        return self.result.llm_calls if self.result is not None else None

    @property
    def usage(self) -> Usage | None:
        return self.result.usage if self.result is not None else None

    @property
    def decided_by(self) -> str:
        return self.result.decided_by if self.result is not None else ""

    @property
    def drivers(self) -> tuple[str, ...]:
        """Who has worked on it, in order: see :data:`shared.contracts.planner.DriverName`."""
        return self.result.drivers if self.result is not None else ()

    @property
    def no_flow(self) -> str:
        return self.result.no_flow if self.result is not None else ""

    @property
    def settlement(self) -> Settlement | None:
        """What a person has said of a press whose outcome was not known."""
        return (self.result.settlement or None) if self.result is not None else None

    @property
    def review(self) -> SampleReview | None:
        """What people have decided of it, in a review that is signed off; None: nothing."""
        return self._run_review.samples.get(self.sample_id) if self._run_review is not None else None

    @property
    def signed_off_at(self) -> datetime | None:
        """When the review was signed off; None also for a sample that has changed since."""
        if self._run_review is None or self.status is None:
            return None
        for_review = bool(self.flagged) or group_of(self.status) != "done"
        return self._run_review.signed_off_for(self.sample_id, self.finished_at, for_review=for_review)

    @property
    def judgment(self) -> Judgment | None:
        return self.result.judgment if self.result is not None else None

    @property
    def started_at(self) -> datetime | None:
        return self.result.started_at if self.result is not None else None

    @property
    def finished_at(self) -> datetime | None:
        return self.result.finished_at if self.result is not None else None

    @cached_property
    def duration_s(self) -> float | None:
        if self.result is None:
            return None
        return (self.result.finished_at - self.result.started_at).total_seconds()

    # --- what it brought

    @property
    def fields(self) -> Mapping[str, StoredField]:
        return self.result.fields if self.result is not None else {}

    @property
    def artifacts(self) -> tuple[StoredArtifact, ...]:
        return self.result.artifacts if self.result is not None else ()

    def value(self, field: str) -> Any:
        """Return the value of a field as in result.json, None if there is none."""
        stored = self.fields.get(field)
        return stored.value if stored is not None else None

    def named(self, state: str) -> list[str]:
        """Return the names of the fields in a state: ``value``, ``not_present`` or ``not_found``."""
        return [name for name, stored in self.fields.items() if stored.state == state]

    @property
    def inferred(self) -> list[str]:
        """Names of the fields whose value was derived, read from a picture or given by a person: no page shows it."""
        named = self.fields.items()
        return [name for name, stored in named if stored.state == "value" and stored.origin not in ("page", "api")]

    @property
    def from_api(self) -> list[str]:
        """Names of the fields that the stored response of an API gave."""
        return [name for name, stored in self.fields.items() if stored.origin == "api"]

    def files(self, kinds: Iterable[str]) -> list[str]:
        """Return the file names of the artifacts of these kinds."""
        wanted = tuple(kinds)
        return [artifact.filename for artifact in self.artifacts if artifact.kind in wanted]

    @property
    def record_url(self) -> str | None:
        """Address of the page that proved the record; else of the first value, the last artifact or the input."""
        for name in (*self.task.proving, *(field.name for field in self.task.fields)):
            stored = self.fields.get(name)
            if stored is not None and stored.source is not None and stored.source.url:
                return stored.source.url
        captured = [artifact.source_url for artifact in self.artifacts if artifact.source_url]
        return captured[-1] if captured else self.url
