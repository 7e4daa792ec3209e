"""What a paper says of a run: the facts that the workpaper, the PDF pack and OSCAL select from.

Paths are relative to the folder of the run, with ``/``. A path that is empty: there is no such file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from shared.contracts.results import Box
from shared.evidence_format.facts import TaskControl
from shared.evidence_format.review.items import is_settled_by_values
from shared.evidence_format.review.reviewed import DEVIATIONS, ReviewedTarget, gravest

MarkCode = Literal["T", "P", "U", "A", "D", "M", "H", "N", "R", "?", "-"]
MARKS: Mapping[MarkCode, str] = {
    "T": "Traced: read off the stored page, and a picture of that page shows it in the box",
    "P": "Read off the stored page; no picture shows it, or not all of its characters",
    "U": "Read off a page of which nothing was stored",
    "A": "Taken from the stored response of the API of the site",
    "D": "Derived by a model from what the pages show; no page shows it in these words",
    "M": "Read from a picture by a model",
    "H": "Given by a person, who has settled an unknown outcome",
    "N": "Not present: the page says that there is none",
    "R": "Decided by a person in the review: corrected, set aside, or accepted though open; what was read is told",
    "?": "Open: not found, or not certain, so that it is for a person",
    "-": "No value: the sample did not come so far",
}
"""The tickmarks, in the order of their legend: how each value is supported by evidence."""

ExceptionKind = Literal["seal", "population", "sample", "flag", "value", "judgment", "difference"]
EXCEPTION_KINDS: Mapping[ExceptionKind, str] = {
    "seal": "Evidence",
    "population": "Population",
    "sample": "Sample",
    "flag": "Remark",
    "value": "Value",
    "judgment": "Judgment",
    "difference": "Register",
}


@dataclass(frozen=True)
class PaperField:
    """An attribute that was tested: an output field of the task. ``type``: as in its spec."""

    name: str
    type: str
    description: str
    required: bool
    proves: bool


@dataclass(frozen=True)
class PaperPlace:
    """A text on a picture. ``picture``: its path; ``area``: the part of the document that it shows, in CSS pixels."""

    text: str
    picture: str = ""
    picture_sha256: str = ""
    box: Box | None = None
    area: Box | None = None


@dataclass(frozen=True)
class PaperValue:
    """A value of a sample, or the answer of its judgment.

    ``value``: as in result.json; ``text``: for people. ``absent``: there is none, as its mark says. ``box`` and
    ``area``: where the picture shows it, and the part of the document that the picture shows, in CSS pixels. ``open``:
    the texts between which a person decides, and where they stand. All of this, and ``mark``, is of what was read.
    ``crop``: the file beside the paper that shows it boxed, as its link has it. ``reviewed``: the decision on the value
    itself; ``decided``: the one that counts, which may be that on its sample. ``where``: the file that the person who
    has corrected it has named for it. Where nothing was read, ``picture``, ``page`` and ``url`` are of that file.
    """

    field: str
    type: str
    mark: MarkCode
    value: Any
    text: str
    absent: bool = False
    shown: str = ""
    read_by: str = ""
    page: str = ""
    page_sha256: str = ""
    picture: str = ""
    picture_sha256: str = ""
    url: str = ""
    box: Box | None = None
    area: Box | None = None
    open: tuple[PaperPlace, ...] = ()
    crop: str = ""
    reviewed: ReviewedTarget | None = None
    decided: ReviewedTarget | None = None
    where: str = ""

    @property
    def decision_instead(self) -> ReviewedTarget | None:
        """The decision that stands in place of what was read; None where what was read is the value: nobody has decided
        otherwise, and a sample that did not come so far has nothing that could be set aside."""
        decided = self.decided
        if decided is None or (self.mark == "-" and self.reviewed is None):
            return None
        return decided if decided.decision in DEVIATIONS or self.mark == "?" else None

    @property
    def tickmark(self) -> MarkCode:
        """The mark of the value that counts."""
        return "R" if self.decision_instead is not None else self.mark

    @property
    def places(self) -> Sequence[PaperPlace]:
        """Where pictures show it: the value, or each text between which a person decides."""
        return self.open or (PaperPlace(self.text, self.picture, self.picture_sha256, self.box, self.area),)

    @property
    def open_texts(self) -> str:
        """The texts between which a person decides, on one line; empty where it is not open between texts."""
        return " | ".join(one.text for one in self.open)

    @property
    def reviewed_value(self) -> str:
        """The value that counts by the review; empty where nobody has corrected it."""
        return self.reviewed.value if self.reviewed is not None and self.reviewed.decision == "correct" else ""


@dataclass(frozen=True)
class PaperFile:
    path: str
    kind: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True)
class PaperComment:
    """What a person has said without deciding. ``about``: the key of its sample; empty: it is of the run. ``where``:
    the field, or the key of a record."""

    by: str
    at: datetime
    about: str
    where: str
    text: str


@dataclass(frozen=True)
class PaperSample:
    """A sample of the population. ``why``: why it is not done, in words; empty for one that is done. ``reviewed``: what
    people have decided of the sample itself; ``decision``: of that, or the gravest of what they have decided of its
    values. ``comments``: what they have said of it. ``manifest_sha256``: of its folder, as the run's seal has it.
    ``report``: the report that has a page of it."""

    sample_id: str
    key: str
    row: int
    status: str
    group: str
    reason: str
    why: str
    message: str
    flagged: bool
    notes: tuple[str, ...]
    url: str
    decided_by: str
    started_at: datetime | None
    finished_at: datetime | None
    manifest_sha256: str
    values: tuple[PaperValue, ...]
    judgment: PaperValue | None
    reasoning: str
    files: tuple[PaperFile, ...]
    reviewed: ReviewedTarget | None
    decision: str
    signed_off_at: datetime | None
    report: str = ""
    comments: tuple[PaperComment, ...] = ()

    @property
    def decided(self) -> Sequence[tuple[str, ReviewedTarget]]:
        """What counts: the decision on the sample itself under no name, and those on its values, by the field."""
        whole = (("", self.reviewed),) if self.reviewed is not None else ()
        return (*whole, *((one.field, one.reviewed) for one in self.tested if one.reviewed is not None))

    @property
    def settled_as(self) -> ReviewedTarget | None:
        """The decision on it; without one the gravest on its values, where it is for review because of them and all
        that are open have one."""
        opened = [one.reviewed for one in self.values if one.mark == "?"]
        decided = [one for one in opened if one is not None]
        by_values = bool(opened) and len(decided) == len(opened) and is_settled_by_values(self.reason)
        return gravest(decided) if self.reviewed is None and by_values else self.reviewed

    @property
    def was_open(self) -> bool:
        """Whether it was for people, who have decided it since: its status stays what it was."""
        return self.group != "done" and self.settled_as is not None

    @property
    def tested(self) -> Sequence[PaperValue]:
        """Its values, and its judgment."""
        return (*self.values, *([self.judgment] if self.judgment is not None else []))

    def value(self, field: str) -> PaperValue | None:
        return next((one for one in self.values if one.field == field), None)


@dataclass(frozen=True)
class PaperException:
    """Something that a reader has to know or decide. ``sample_id`` is empty where it is none of one sample. ``where``:
    the field, or the key of a record. ``reviewed``: the decision that settles it. ``parts``: all that people have
    decided of what is told with it, by the field; under no name of the thing itself; empty where ``reviewed`` is all.
    """

    kind: ExceptionKind
    sample_id: str
    where: str
    code: str
    told: str
    reviewed: ReviewedTarget | None = None
    parts: tuple[tuple[str, ReviewedTarget], ...] = ()

    @property
    def decisions(self) -> Sequence[tuple[str, ReviewedTarget]]:
        """All that people have decided of it, by the field; under no name of the thing itself."""
        return self.parts or ((("", self.reviewed),) if self.reviewed is not None else ())

    @property
    def is_settled(self) -> bool:
        """Whether a decision has settled it; what was rejected is no evidence, and stays an exception."""
        return self.reviewed is not None and all(one.decision != "reject" for _, one in self.decisions)


@dataclass(frozen=True)
class PaperOutcome:
    """How samples have ended. ``words``: the reason in words; ``decided``: how many of them people have decided."""

    status: str
    reason: str
    words: str
    samples: int
    decided: int


@dataclass(frozen=True)
class PaperPopulation:
    """``source``: where the samples come from; ``method``: how those that are reported were taken of it.
    ``outcomes``: in the order of the report; ``decided``: by the group of a status, how many of its samples people have
    decided."""

    headline: str
    complete: bool
    why_not: str
    found: int
    done: int
    review: int
    failed: int
    excepted: int
    flagged: int
    source: tuple[str, ...]
    method: str
    outcomes: tuple[PaperOutcome, ...]
    decided: Mapping[str, int]


@dataclass(frozen=True)
class PaperDraw:
    """The samples that were drawn for people to look at again. ``rates``: expected, tolerable, confidence."""

    method: str
    seed: str
    size: int
    population: int
    strata: tuple[tuple[str, int, int], ...]
    """Name, size of the stratum, number drawn."""
    rates: tuple[float, float, float]
    sample_ids: tuple[str, ...]


@dataclass(frozen=True)
class PaperSignature:
    """``key``: the fingerprint of the key that it is signed with."""

    name: str
    role: str
    at: datetime
    key: str


@dataclass(frozen=True)
class PaperStamp:
    """A token of a time-stamping authority for the seal of a round. ``checked``: against the authority's
    certificate."""

    round: int
    at: datetime
    by: str
    checked: bool


@dataclass(frozen=True)
class PaperSeal:
    """What proves the run. ``sealed``: whether the run is finished and sealed. ``problems``: how it differs from what
    was sealed; none: every byte is as it was sealed. ``fingerprint``: of the key that sealed it."""

    sealed: bool
    problems: tuple[str, ...]
    notes: tuple[str, ...]
    manifest_sha256: str
    fingerprint: str
    sealed_at: datetime | None
    round: int
    software: str
    files: int
    size_bytes: int
    stamps: tuple[PaperStamp, ...]
    hashes: tuple[tuple[str, str], ...]
    """Path and SHA-256 of the files of the run itself."""

    @property
    def whole(self) -> bool:
        return self.sealed and not self.problems


@dataclass(frozen=True)
class Paper:
    """A run, as papers tell it. ``started_at``, ``finished_at``: of the work on its samples, over all rounds;
    ``finished_at`` is None while samples are at work. ``first_decision_at``: of a review that is signed off.
    ``software``: the version of Exhibit that makes the paper. ``decided``: how much of each kind was decided how."""

    run_id: str
    task_id: str
    goal: str
    question: str
    controls: tuple[TaskControl, ...]
    fields: tuple[PaperField, ...]
    requested_by: str
    asked_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    population: PaperPopulation
    draw: PaperDraw | None
    samples: Sequence[PaperSample]
    exceptions: Sequence[PaperException]
    signatures: tuple[PaperSignature, ...]
    signed_off_at: datetime | None
    review_state: str
    seal: PaperSeal
    software: str
    comments: tuple[PaperComment, ...] = ()
    first_decision_at: datetime | None = None
    decided: Mapping[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])

    @property
    def open_exceptions(self) -> int:
        """How many exceptions no decision has settled."""
        return sum(not one.is_settled for one in self.exceptions)

    @property
    def last_change(self) -> datetime:
        """When the evidence was last changed; papers bear this time, and not that of their making."""
        known = [self.seal.sealed_at, self.finished_at, self.started_at]
        return next((one for one in known if one is not None), self.asked_at)
