"""What of a run can be decided, what must be, and the hashes of the evidence that stands for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from shared.contracts.codes import facts_of
from shared.contracts.sessions.reviewing import LookedAt, ReviewTarget
from shared.evidence_format import chain
from shared.evidence_format.files.reconciliation import ReconciledRecord
from shared.evidence_format.files.sample import ResultFile, StoredArtifact, StoredField, parse_result
from shared.statuses import group_of
from shared.text.dates import date_in_markup
from shared.text.normal import fold

UNDECIDED_VERDICTS = ("same", "other_form")
"""Verdicts of the comparison with a register that say of no difference."""


@dataclass(frozen=True)
class DecidableItem:
    """``why``: why it is for review, as a code; empty: it need not be decided. ``value``: what the run has, for people.

    ``page``, ``picture``: names of files. ``parts``: where the sample is for review because of its values, those that
    are not certain: who has decided each of them has decided the sample. ``key``: of the sample, as the input has it.
    """

    target: ReviewTarget
    looked_at: LookedAt
    why: str = ""
    value: str = ""
    page: str = ""
    picture: str = ""
    parts: tuple[DecidableItem, ...] = ()
    key: str = ""


class ReviewedSample:
    """A sample as its result and its manifest have it. Raises one of `chain.NOT_JSON` for a damaged result."""

    def __init__(self, sample_id: str, result: bytes, manifest: bytes, drawn: bool = False) -> None:
        self.sample_id, self._manifest, self._drawn = sample_id, manifest, drawn
        self.result, self._written = parse_result(result), result

    @cached_property
    def _raw(self) -> Mapping[str, Any]:
        """The result as it is written, for the hashes of what is in it: of most samples nobody asks for one."""
        raw = chain.parse_exactly(self._written)
        return cast("Mapping[str, Any]", raw) if isinstance(raw, dict) else {}

    @property
    def item(self) -> DecidableItem:
        """The sample itself."""
        result = self.result
        why = why_of(result) or ("drawn" if self._drawn else "")
        settles = is_settled_by_values(why)
        doubtful = [name for name, stored in result.fields.items() if settles and doubt_of(stored)]
        said = f"{result.status} ({result.reason})" if result.reason else str(result.status)
        return DecidableItem(
            target=ReviewTarget(kind="sample", sample_id=self.sample_id),
            looked_at=LookedAt(content_sha256=chain.sha256(self._manifest)),
            why=why,
            value=said,
            parts=tuple(one for name in doubtful if (one := self.value(name)) is not None),
            key=result.key,
        )

    def bare(self, target: ReviewTarget) -> DecidableItem | None:
        """What a target of this sample is, without parts; None if the sample has no such thing."""
        if target.kind == "sample":
            return DecidableItem(target=target, looked_at=LookedAt(content_sha256=chain.sha256(self._manifest)))
        if target.kind == "value":
            return self.value(target.field)
        return self.judgment if target.kind == "judgment" else None

    def value(self, name: str) -> DecidableItem | None:
        """The value of a field; None if the result has none of that name."""
        stored = self.result.fields.get(name)
        fields: Mapping[str, Any] = self._raw.get("fields") or {}
        written: object = fields.get(name)
        if stored is None or written is None:
            return None
        page = stored.source.page_sha256 if stored.source is not None else ""
        picture = stored.source.screenshot_sha256 if stored.source is not None else ""
        return DecidableItem(
            target=ReviewTarget(kind="value", sample_id=self.sample_id, field=name),
            looked_at=LookedAt(
                content_sha256=chain.sha256(chain.canonical_json(written)), page_sha256=page, picture_sha256=picture
            ),
            why=doubt_of(stored),
            value=_told(stored),
            page=_name_of(self.result, page),
            picture=_name_of(self.result, picture),
            key=self.result.key,
        )

    @property
    def judgment(self) -> DecidableItem | None:
        judged = self.result.judgment
        if judged is None:
            return None
        file = next((one for one in self.result.artifacts if one.filename in judged.evidence_refs), None)
        return DecidableItem(
            target=ReviewTarget(kind="judgment", sample_id=self.sample_id),
            looked_at=LookedAt(
                content_sha256=chain.sha256(chain.canonical_json(self._raw.get("judgment"))),
                picture_sha256=file.sha256 if file is not None else "",
            ),
            value=judged.answer,
            picture=file.filename if file is not None else "",
            key=self.result.key,
        )

    def file(self, name: str) -> StoredArtifact | None:
        return next((one for one in self.result.artifacts if one.filename == name), None)

    @property
    def items(self) -> list[DecidableItem]:
        """The sample, its values and its judgment."""
        values = [one for name in self.result.fields if (one := self.value(name)) is not None]
        judged = self.judgment
        return [self.item, *values, *([judged] if judged is not None else [])]


def why_of(result: ResultFile) -> str:
    """Return why a sample is for review; empty if it is not."""
    if group_of(result.status) != "done":
        return result.reason or str(result.status)
    return "flagged" if result.flagged else ""


def is_settled_by_values(why: str) -> bool:
    """Return whether the reason for which a sample is for review lies in its values: who has decided each of them has
    decided the sample. Nobody has then looked at another reason, such as a picture that is missing."""
    facts = facts_of(why)
    return facts is not None and facts.of_fields


def unreadable_item(sample_id: str) -> DecidableItem:
    """Return a sample of which no result, or no manifest, can be read."""
    target = ReviewTarget(kind="sample", sample_id=sample_id)
    return DecidableItem(target=target, looked_at=LookedAt(content_sha256=""), why="unreadable", value="unreadable")


def population_item(file: bytes, *, complete: bool, note: str) -> DecidableItem:
    """Return the population as its file lists it."""
    return DecidableItem(
        target=ReviewTarget(kind="population"),
        looked_at=LookedAt(content_sha256=chain.sha256(file)),
        why="" if complete else "incomplete",
        value=note or ("complete" if complete else "not complete"),
    )


def difference_item(record: ReconciledRecord) -> DecidableItem | None:
    """Return a record of the comparison with a register; None if both sides are the same."""
    if record.verdict in UNDECIDED_VERDICTS:
        return None
    fields = ", ".join(one.field for one in record.fields)
    return DecidableItem(
        target=ReviewTarget(kind="difference", key=record_key(record)),
        looked_at=LookedAt(content_sha256=chain.sha256(chain.canonical_json(record))),
        why=str(record.verdict),
        value=f"{record.verdict}: {fields}" if fields else str(record.verdict),
    )


def record_key(record: ReconciledRecord) -> str:
    """Return what a record is called in a decision: its key; of one without a key, its samples and rows."""
    return record.key or " ".join((*record.samples, *(f"row {row}" for row in record.rows)))


def shown_text(stored: StoredField) -> str:
    """Return a value as a person reads it; empty if there is none."""
    if stored.shown is not None:
        return stored.shown
    return "" if stored.value is None else str(stored.value)


def value_beside(text: str, value: str, title: str) -> str:
    """Return the value where it is not what the text says, but what the markup adds to it, such as the date of
    "3 days ago", also where that text was taken as the value; else nothing."""
    if not title or fold(value) not in fold(text):
        return value if title else ""
    return date_in_markup(text, title)


def _told(stored: StoredField) -> str:
    """Return a value as a person reads it, with what only the markup of the page says."""
    text, title = shown_text(stored), stored.source.title if stored.source is not None else None
    value = value_beside(text, "" if stored.value is None else str(stored.value), title or "")
    return f"{text} ({value})" if value else text


def doubt_of(stored: StoredField) -> str:
    """Return why a value is not certain; empty if it is."""
    if stored.state == "not_found":
        return "not_found"
    if stored.candidates or stored.settled_by:
        return "not_certain"
    return "rows_lacking" if stored.lacking else ""


def _name_of(result: ResultFile, sha256: str) -> str:
    return next((one.filename for one in result.artifacts if sha256 and one.sha256 == sha256), "")
