"""One of two runs that are compared: what is known of each field of a sample, and which files show it.

A value counts where the sample is done, or where people have accepted or corrected it in a review that is signed off.
What is not proven is for a person, and is never compared as if it were known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol, cast

from pydantic import ValidationError

from shared.comparing.told_result import ToldField, ToldResult
from shared.contracts.base import Part
from shared.evidence_format.review.reviewed import ReviewedTarget, SampleReview
from shared.field_types import base_type
from shared.statuses import group_of
from shared.task.output_field import OutputField
from shared.task.spec import placeholders
from shared.task.typed_values import is_not_present, typed_value
from shared.text.normal import Normal

FieldState = Literal["value", "none", "for_review", "not_read", "rejected", "not_applicable"]
FIELD_STATES: Mapping[FieldState, str] = {
    "value": "there is a value: it is proven, or people have accepted or corrected it",
    "none": "there is none: the page says so",
    "for_review": "it was read, and is for a person, or the sample is",
    "not_read": "the run could not find it",
    "rejected": "people have rejected it",
    "not_applicable": "people have said that the question does not arise",
}
KNOWN = frozenset[FieldState]({"value", "none"})
"""States of which two can be compared."""
_NO_EVIDENCE: Mapping[str, FieldState] = {"reject": "rejected", "not_applicable": "not_applicable"}
"""Decisions by which nothing counts as a value."""
DEFAULT_NAMING = "{sample_id}"


class FieldSide(Part, frozen=True, kw_only=True, gc=False):
    """What a run says of a field, or of its judgment.

    ``value``: what counts, in its type; None without one. ``read``: what the run has read. It is another one where
    people have corrected it. ``decision``, ``decided_by``: of people, in a review that is signed off. ``page``,
    ``picture``: the files that show what was read; ``where``: the file that shows the corrected value; all relative to
    the run's folder, empty without one. ``url``: of the page.
    """

    state: FieldState
    value: Any = None
    read: Any = None
    shown: str = ""
    decision: str = ""
    decided_by: tuple[str, ...] = ()
    page: str = ""
    picture: str = ""
    where: str = ""
    url: str = ""


class EndedSide(Part, frozen=True, kw_only=True, gc=False):
    """A sample and how it ended. ``key``: what the input calls it; empty if no file says it."""

    sample_id: str
    key: str
    row: int
    status: str
    reason: str = ""


class SampleSide:
    """A sample of a run. ``result``: None if its file is damaged. ``fields``: of the task, by name."""

    def __init__(
        self,
        end: EndedSide,
        result: ToldResult | None,
        fields: Mapping[str, OutputField],
        review: SampleReview | None = None,
    ) -> None:
        self.end, self.result, self._fields, self._review = end, result, fields, review

    @cached_property
    def certain(self) -> bool:
        """Whether the sample is done, or people have decided that it stands."""
        decided = self._review.sample if self._review is not None else None
        if decided is not None:
            return decided.decision == "accept"
        if group_of(self.end.status) == "done":
            return True
        return self._review is not None and self.result is not None and self._all_doubts_decided(self._review)

    def _all_doubts_decided(self, review: SampleReview) -> bool:
        """Whether people have decided each value that is not certain, which decides the sample."""
        stored = self.result.fields if self.result is not None else {}
        doubts = [name for name, one in stored.items() if one.state == "not_found" or one.doubtful]
        return bool(doubts) and all(name in review.values for name in doubts)

    def known(self, name: str) -> tuple[FieldState, Any]:
        """Return the state of a field, and the value that counts."""
        stored = self.result.fields.get(name) if self.result is not None else None
        if self._review is None:
            return _as_read(stored, certain=self.certain)
        decided = self._decided(name)
        if decided is None:
            return _as_read(stored, certain=self.certain)
        if decided.decision == "correct":
            return _corrected(self._fields.get(name), decided.value)
        if decided.decision in _NO_EVIDENCE:
            return _NO_EVIDENCE[decided.decision], None
        return _as_read(stored, certain=True, accepted=True)

    def field(self, name: str) -> FieldSide:
        """Return all that is told of a field."""
        state, value = self.known(name)
        decided = self._decided(name)
        stored = self.result.fields.get(name) if self.result is not None else None
        page, picture, url = self._shown_by(stored) if stored is not None else ("", "", "")
        return FieldSide(
            state=state,
            value=value,
            read=stored.value if stored is not None else None,
            shown=(stored.shown or "") if stored is not None else "",
            decision=decided.decision if decided is not None else "",
            decided_by=decided.by if decided is not None else (),
            page=page,
            picture=picture,
            where=self._path(decided.where) if decided is not None else "",
            url=url,
        )

    @property
    def judgment(self) -> FieldSide | None:
        """Return the judgment; None if there is none."""
        judged = self.result.judgment if self.result is not None else None
        if judged is None:
            return None
        decided = self._review.counting(self._review.judgment) if self._review is not None else None
        state: FieldState = "value" if self.certain or decided is not None else "for_review"
        if decided is not None and decided.decision in _NO_EVIDENCE:
            state = _NO_EVIDENCE[decided.decision]
        corrected = decided is not None and decided.decision == "correct"
        return FieldSide(
            state=state,
            value=decided.value if decided is not None and corrected else judged.answer,
            read=judged.answer,
            shown=judged.reasoning,
            decision=decided.decision if decided is not None else "",
            decided_by=decided.by if decided is not None else (),
            picture=self._path(judged.evidence_refs[0]) if judged.evidence_refs else "",
            where=self._path(decided.where) if decided is not None else "",
        )

    def _decided(self, name: str) -> ReviewedTarget | None:
        """Return what people have decided of a value."""
        return self._review.counting(self._review.values.get(name)) if self._review is not None else None

    def _shown_by(self, stored: ToldField) -> tuple[str, str, str]:
        """Return page, picture and address that show a value."""
        artifacts = self.result.artifacts if self.result is not None else ()
        paths = {one.sha256: self._path(one.filename) for one in artifacts}
        if stored.response is not None:
            return paths.get(stored.response.sha256, ""), "", stored.response.url
        source = stored.source
        if source is None:
            return "", "", ""
        return paths.get(source.page_sha256, ""), paths.get(source.screenshot_sha256, ""), source.url

    def _path(self, filename: str) -> str:
        return f"{self.end.sample_id}/{filename}" if filename else ""


def _as_read(stored: ToldField | None, *, certain: bool, accepted: bool = False) -> tuple[FieldState, Any]:
    if stored is None or stored.state == "not_found":
        return "not_read", None
    if not certain or (not accepted and stored.doubtful):
        return "for_review", stored.value
    return ("none", None) if stored.state == "not_present" or stored.value is None else ("value", stored.value)


def _corrected(field: OutputField | None, text: str) -> tuple[FieldState, Any]:
    """Return a correction in the type of its field; what is none of that type is for a person."""
    if field is None:
        return "for_review", text
    if not text.strip() or is_not_present(text, field):
        return "none", None
    read = typed_value(field, text)
    return ("value", read.value) if isinstance(read, Normal) else ("for_review", text)


# --- the run


class PopulationSide(Part, frozen=True, kw_only=True, gc=False):
    """``complete``: whether it was proven that all samples were found. ``headline``, ``note``: for people."""

    samples: int
    complete: bool
    headline: str
    note: str = ""


@dataclass(frozen=True)
class RunHead:
    """A run without its samples. ``fields``: of the task, by name; ``unknown_fields``: those whose description is not
    valid in this version. ``naming``: how the task names its samples. ``input_sha256``: empty if they were found by
    navigating. ``judged``: whether the task asks for a judgment, by the ``question``."""

    run_id: str
    task_id: str
    naming: str
    fields: Mapping[str, OutputField]
    unknown_fields: Sequence[str]
    judged: bool
    question: str
    population: PopulationSide
    input_sha256: str = ""


class RunSide(Protocol):
    """A run that is compared, from which samples are read one by one."""

    @property
    def head(self) -> RunHead: ...

    @property
    def ids(self) -> Sequence[str]:
        """The ids of all samples, in the order of their rows."""
        ...

    def load(self, sample_id: str) -> SampleSide:
        """Return a sample; from any thread. Raises NotComparable where it is not what was sealed."""
        ...


class NotComparable(Exception):
    """Two runs cannot be compared; the message says why."""


def naming_of(spec: Mapping[str, Any]) -> str:
    """Return the template by which a task names its samples, as :mod:`shared.submission.samples` chooses it; empty
    where addresses or rows name them."""
    written = str(spec.get("sample_id") or DEFAULT_NAMING)
    identity = cast("Mapping[str, str]", spec.get("identity") or {})
    first = str(next(iter(identity.values()), ""))
    return written if written != DEFAULT_NAMING or not placeholders(first) else first


def fields_of_spec(spec: Mapping[str, Any]) -> tuple[dict[str, OutputField], list[str]]:
    """Return the fields of a task as an earlier version may have written it, and the names of those that cannot be
    read."""
    fields: dict[str, OutputField] = {}
    unknown: list[str] = []
    for name, written in cast("Mapping[str, Any]", spec.get("output_schema") or {}).items():
        try:
            fields[name] = OutputField.model_validate(written if isinstance(written, Mapping) else {"type": written})
        except ValidationError:
            unknown.append(name)
    return fields, unknown


def same_type(one: OutputField, other: OutputField) -> bool:
    """Whether values of both fields can be compared: of one type but for `null`, and with the same columns."""

    def kind(field: OutputField) -> tuple[str, dict[str, str]]:
        return base_type(field.type), {name: base_type(column.type) for name, column in field.columns.items()}

    return kind(one) == kind(other)
