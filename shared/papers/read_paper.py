"""Reads a run that is told in a paper: from a folder, a zip or a bucket. Nothing of it is changed.

The run is checked as a whole first (`shared.evidence_format.verify`). What is read here is compared with its sealed
hash once more, so that nothing that changed in between comes to stand on a paper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from importlib.metadata import version
from typing import NamedTuple

import msgspec

from shared.contracts.discovery import RunRecord
from shared.contracts.error_codes import end_words
from shared.contracts.evidence import RunFinished
from shared.contracts.results import Box, ValueSource
from shared.contracts.sessions.reviewing import Draw
from shared.contracts.steps import ValueCandidate
from shared.evidence_format import chain, layout
from shared.evidence_format.export import ChangedMeanwhile
from shared.evidence_format.facts import TaskFacts
from shared.evidence_format.files.manifest import SampleLink
from shared.evidence_format.files.reconciliation import parse_reconciliation
from shared.evidence_format.files.run import RunFile, parse_run_file
from shared.evidence_format.population import population_advice, population_headline
from shared.evidence_format.reading_words import reading_lines
from shared.evidence_format.review.reviewed import ReviewedTarget, RunReview
from shared.evidence_format.sources.source import NoRun, RunSource, map_in_threads, read_file
from shared.evidence_format.step_words import value_text
from shared.evidence_format.verify.samples import MOST_BYTES
from shared.evidence_format.verify.signed_review import DamagedDecision, read_signed_review
from shared.evidence_format.verify.verify_run import RunCheck
from shared.evidence_view.sample_facts import SampleFacts, SampleFiles
from shared.papers.marks import (
    exception_order,
    exceptions_of_register,
    exceptions_of_run,
    exceptions_of_sample,
    mark_of,
    notes_of,
)
from shared.papers.paper import (
    Paper,
    PaperComment,
    PaperDraw,
    PaperException,
    PaperField,
    PaperFile,
    PaperOutcome,
    PaperPlace,
    PaperPopulation,
    PaperSample,
    PaperSeal,
    PaperSignature,
    PaperStamp,
    PaperValue,
)
from shared.statuses import group_of, population_order
from shared.text.names import DISCOVERY

NO_LINK = SampleLink(row=0, sample_id="", status="", reason="", attempted=False, manifest_sha256="")
_RUN_FILES = (layout.RUN, *layout.POPULATIONS, layout.COMBINED, layout.REPORT, layout.RECONCILED)


def read_paper(source: RunSource, checked: RunCheck) -> Paper:
    """Return what papers tell of a run.

    Args:
        checked: the run, as it was checked just before.

    Raises:
        NoRun: it has no run.json that can be read.
        ChangedMeanwhile: it was whole when it was checked, and a file differs from its sealed hash now.
        Unreadable, OSError: a file cannot be read.
    """
    return _PaperReader(source, checked).read()


class CheckedFiles:
    """The files of a run that was checked. ``paths``: of all of them."""

    def __init__(self, source: RunSource, checked: RunCheck) -> None:
        self.source, self._checked = source, checked
        self.paths = frozenset(checked.actual)

    def read(self, path: str) -> bytes | None:
        """Return a file; None without it. Raises as :func:`read_paper`."""
        if path not in self.paths:
            return None
        data = read_file(self.source, path, MOST_BYTES)
        sealed = self._checked.sealed.get(path)
        if self._checked.whole and sealed is not None and chain.sha256(data) != sealed.sha256:
            raise ChangedMeanwhile(f"{path} changed while it was read")
        return data


class _NamedFile(NamedTuple):
    """A file that a person has named. ``kind``: as the sample has it; ``url``: of the page that it was taken of."""

    path: str
    sha256: str
    kind: str
    url: str


class _PaperReader:
    def __init__(self, source: RunSource, checked: RunCheck) -> None:
        self._source, self._checked = source, checked
        self._files = CheckedFiles(source, checked)
        try:
            self._run: RunFile = parse_run_file(self._files.read(layout.RUN) or b"")
        except chain.NOT_JSON as exc:
            raise NoRun(f"{source.place}: its {layout.RUN} cannot be read: {exc}") from exc
        self._record: RunRecord = self._run.record
        self._finished: RunFinished | None = self._run.last_round
        self._damaged = False
        self._review = self._read_review()
        self._task = TaskFacts.of(self._record.spec, reviewed=self._review is not None)
        self._comments = _comments_of(self._review)
        self._links: Sequence[SampleLink] = checked.made.samples if checked.made is not None else ()

    def read(self) -> Paper:
        record, review = self._record, self._review
        samples = self._samples()
        begin, end = self._period(samples)
        population = self._population(samples)
        spec = record.spec
        return Paper(
            run_id=record.run_id,
            task_id=str(spec.get("task_id") or ""),
            goal=str(spec.get("goal") or ""),
            question=str(spec.get("judgment_question") or "") if self._task.judged else "",
            controls=self._task.controls,
            fields=tuple(
                PaperField(one.name, one.type, one.description, required=one.required, proves=one.proves)
                for one in self._task.fields
            ),
            requested_by=record.requested_by,
            asked_at=record.created_at,
            started_at=begin,
            finished_at=end,
            population=population,
            draw=_draw_of(review.draw if review is not None else None),
            samples=samples,
            exceptions=self._exceptions(population, samples),
            signatures=_signatures_of(review),
            signed_off_at=review.signed_off_at if review is not None else None,
            review_state=self._review_state(),
            seal=self._seal(),
            software=f"exhibit {version('exhibit')}",
            comments=(*self._comments.get("", ()), *(said for one in samples for said in one.comments)),
            decided=review.amounts if review is not None else {},
            first_decision_at=min((row.at for row in review.rows), default=None) if review is not None else None,
        )

    def _period(self, samples: Sequence[PaperSample]) -> tuple[datetime | None, datetime | None]:
        """Return when the work on the samples, or the search for them, began and ended. The summary of the run does
        not say it: its end is when the run was last closed, as after a sign-off."""
        finished = self._finished
        search = SampleFacts(self._task, self._files_of(msgspec.structs.replace(NO_LINK, sample_id=DISCOVERY)))
        begun = [one for one in (*(each.started_at for each in samples), search.started_at) if one is not None]
        ended = [one for one in (*(each.finished_at for each in samples), search.finished_at) if one is not None]
        if finished is None:
            return min(begun, default=None), None
        return min(begun, default=finished.started_at), max(ended, default=finished.finished_at)

    # --- the review

    def _read_review(self) -> RunReview | None:
        try:
            return read_signed_review(self._run, self._files.paths, self._files.read)
        except DamagedDecision:  # a problem of the check, which the paper tells
            self._damaged = True
            return None

    def _review_state(self) -> str:
        if self._review is not None:
            return "signed off"
        if self._damaged:
            return "damaged"
        return "in review" if any(map(layout.is_review, self._files.paths)) else "not reviewed"

    # --- the samples

    def _samples(self) -> list[PaperSample]:
        links = list(self._links) or [msgspec.structs.replace(NO_LINK, sample_id=one) for one in self._folders()]
        # Read in threads and parsed in this one: msgspec makes what it knows of a type when it first meets it, and two
        # threads that meet it at the same time end the process.
        files = map_in_threads(self._source, links, lambda batch: [self._files_of(link) for link in batch])
        found = [self._sample(link, read) for link, read in zip(links, files, strict=True)]
        return found if self._links else sorted(found, key=lambda one: (one.row, one.sample_id))

    def _folders(self) -> list[str]:
        """Return the samples of a run without a manifest, by their files."""
        parts = (path.split("/") for path in self._files.paths)
        marks = (layout.SAMPLE, layout.RESULT)
        return sorted({part[0] for part in parts if len(part) == 2 and part[1] in marks} - {DISCOVERY})

    def _files_of(self, link: SampleLink) -> SampleFiles:
        folder, read = link.sample_id, self._files.read
        names = (layout.SAMPLE, layout.RESULT, layout.ACTION_LOG)
        return SampleFiles(folder, *(read(f"{folder}/{name}") for name in names))

    def _sample(self, link: SampleLink, files: SampleFiles) -> PaperSample:
        folder = link.sample_id
        facts = SampleFacts(self._task, files, self._review)
        status = facts.status or link.status or "no_result"
        review = facts.review
        values = self._values(facts)
        return PaperSample(
            sample_id=folder,
            key=facts.key or "",
            row=facts.row or link.row,
            status=status,
            group=group_of(status),
            reason=facts.reason,
            why=end_words(facts.reason),
            message=facts.message,
            flagged=bool(facts.flagged),
            notes=notes_of(facts),
            url=facts.record_url or "",
            decided_by=facts.decided_by,
            started_at=facts.started_at,
            finished_at=facts.finished_at,
            manifest_sha256=link.manifest_sha256,
            values=values,
            judgment=self._judgment(facts),
            reasoning=facts.judgment.reasoning if facts.judgment is not None else "",
            files=tuple(
                PaperFile(f"{folder}/{one.filename}", one.kind, one.sha256, one.size_bytes)
                for one in facts.artifacts
                if f"{folder}/{one.filename}" in self._files.paths
            ),
            reviewed=review.sample if review is not None else None,
            decision=review.decision if review is not None else "",
            signed_off_at=facts.signed_off_at,
            report=layout.REPORT if layout.REPORT in self._files.paths else "",
            comments=tuple(replace(one, about=facts.key or folder) for one in self._comments.get(folder, ())),
        )

    def _values(self, facts: SampleFacts) -> tuple[PaperValue, ...]:
        types = {one.name: one.type for one in self._task.fields}
        names = [*types, *(name for name in facts.fields if name not in types)]
        return tuple(self._value(facts, name, types.get(name, "")) for name in names)

    def _value(self, facts: SampleFacts, name: str, kind: str) -> PaperValue:
        stored = facts.fields.get(name)
        reviewed = facts.review.values.get(name) if facts.review is not None else None
        decided = facts.review.counting(reviewed) if facts.review is not None else None
        if stored is None:
            return PaperValue(name, kind, "-", None, "", reviewed=reviewed, decided=decided)
        source = stored.source
        page, page_sha256 = self._file_of(facts, source.page_sha256 if source is not None else "")
        picture, picture_sha256, area = self._picture_of(facts, source)
        url = source.url if source is not None else stored.response.url if stored.response else ""
        shows = area is not None and bool(picture)
        mark = mark_of(stored, page=bool(page), picture=shows)
        named = self._named_by(facts, reviewed)
        if named is not None and not (page or picture):  # nothing was read, so that the person's file is all there is
            page, page_sha256 = (named.path, named.sha256) if named.kind == "page" else ("", "")
            picture, picture_sha256 = (named.path, named.sha256) if named.kind == "screenshot" else ("", "")
            url = url or named.url
        return PaperValue(
            field=name,
            type=kind,
            mark=mark,
            value=stored.value,
            absent=stored.state == "not_present" and mark != "?",
            text="" if stored.state != "value" else value_text(stored.value) or stored.shown or "",
            shown=stored.shown or "",
            read_by=stored.read_by,
            page=page,
            page_sha256=page_sha256,
            picture=picture,
            picture_sha256=picture_sha256,
            url=url,
            box=source.box if source is not None and shows else None,
            area=area if shows else None,
            open=tuple(self._place(facts, one) for one in stored.candidates or ()),
            reviewed=reviewed,
            decided=decided,
            where=named.path if named is not None else "",
        )

    def _named_by(self, facts: SampleFacts, reviewed: ReviewedTarget | None) -> _NamedFile | None:
        """Return the file that a decision names for its value; None if it names none that the sample has."""
        if reviewed is None or not reviewed.where:
            return None
        for one in facts.artifacts:
            path = f"{facts.sample_id}/{one.filename}"
            if (one.filename, one.sha256) == (reviewed.where, reviewed.where_sha256) and path in self._files.paths:
                return _NamedFile(path, one.sha256, one.kind, one.source_url)
        return None

    def _file_of(self, facts: SampleFacts, sha256: str) -> tuple[str, str]:
        """Return path and hash of the artifact with this hash; empty if the sample has none."""
        for one in facts.artifacts:
            path = f"{facts.sample_id}/{one.filename}"
            if sha256 and one.sha256 == sha256 and path in self._files.paths:
                return path, sha256
        return "", ""

    def _place(self, facts: SampleFacts, one: ValueCandidate) -> PaperPlace:
        picture, sha256, area = self._picture_of(facts, one.source)
        box = one.source.box if one.source is not None and area is not None else None
        return PaperPlace(one.shown, picture, sha256, box, area)

    def _picture_of(self, facts: SampleFacts, source: ValueSource | None) -> tuple[str, str, Box | None]:
        """Return the picture that shows a text: path, hash, and the part of the document that it shows if the box of
        the text lies on it."""
        wanted = source.screenshot_sha256 if source is not None else ""
        box = source.box if source is not None else None
        for one in facts.artifact_facts:
            path = f"{facts.sample_id}/{one.stored.filename}"
            if not wanted or one.stored.sha256 != wanted or path not in self._files.paths:
                continue
            if box is not None and one.area is not None and overlaps(box, one.area):
                return path, wanted, one.area
        return (*self._file_of(facts, wanted), None)

    def _judgment(self, facts: SampleFacts) -> PaperValue | None:
        judged = facts.judgment
        if judged is None:
            return None
        files = {one.filename: one for one in facts.artifacts}
        named = next((files[name] for name in judged.evidence_refs if name in files), None)
        reviewed = facts.review.judgment if facts.review is not None else None
        where = self._named_by(facts, reviewed)
        return PaperValue(
            field="judgment",
            type="judgment",
            mark="D",
            value=judged.answer,
            text=judged.answer,
            read_by=judged.decided_by,
            picture=f"{facts.sample_id}/{named.filename}" if named is not None else "",
            picture_sha256=named.sha256 if named is not None else "",
            reviewed=reviewed,
            decided=facts.review.counting(reviewed) if facts.review is not None else None,
            where=where.path if where is not None else "",
        )

    # --- the population and what is an exception

    def _population(self, samples: Sequence[PaperSample]) -> PaperPopulation:
        finished, record = self._finished, self._record
        groups = [one.group for one in samples]
        counts = Counter((one.status, one.reason) for one in samples)
        decided = Counter((one.status, one.reason) for one in samples if one.was_open)
        ordered = sorted(counts.items(), key=lambda one: (population_order(one[0][0]), -one[1], one[0][1]))
        complete = finished is not None and finished.population_complete
        if finished is None:
            headline, why_not = (
                f"Not finished: {len(samples)} found so far",
                "The run is still at work, or was stopped.",
            )
        else:
            headline = population_headline(finished)
            why_not = " ".join(part for part in (finished.population_note, population_advice(finished)) if part)
        return PaperPopulation(
            headline=headline,
            complete=complete,
            why_not="" if complete else why_not,
            found=len(samples),
            done=groups.count("done"),
            review=groups.count("review"),
            failed=groups.count("failed"),
            excepted=groups.count("excepted"),
            flagged=sum(one.flagged for one in samples),
            source=_source_lines(record),
            method=_method(record, complete=complete),
            outcomes=tuple(
                PaperOutcome(status, why, end_words(why), number, decided[status, why])
                for (status, why), number in ordered
            ),
            decided=Counter(one.group for one in samples if one.was_open),
        )

    def _exceptions(self, population: PaperPopulation, samples: Sequence[PaperSample]) -> list[PaperException]:
        review = self._review
        of_population = review.population if review is not None else None
        problems = [f"{one.path or 'the run'} {one.message}" for one in self._checked.problems]
        found = [*exceptions_of_run(problems, population, of_population)]
        found += [one for sample in samples for one in exceptions_of_sample(sample)]
        compared = self._files.read(layout.RECONCILED)
        if compared is not None:
            try:
                records = list(parse_reconciliation(compared.splitlines(keepends=True))[1])
            except chain.NOT_JSON as exc:
                found.append(PaperException("difference", "", "", "unreadable", f"{layout.RECONCILED}: {exc}"))
            else:
                found += exceptions_of_register(records, review.differences if review is not None else {})
        return sorted(found, key=exception_order)

    # --- the seal

    def _seal(self) -> PaperSeal:
        checked = self._checked
        made, seal = checked.made, checked.seal
        stamps = sorted(checked.timestamps.items())
        sealed = checked.sealed
        return PaperSeal(
            sealed=made is not None and seal is not None,
            problems=tuple(f"{one.path or 'the run'} {one.message}" for one in checked.problems),
            notes=tuple(checked.notes),
            manifest_sha256=checked.manifest_sha256,
            fingerprint=seal.fingerprint if seal is not None else "",
            sealed_at=made.sealed_at if made is not None else None,
            round=made.round if made is not None else 0,
            software=made.software if made is not None else "",
            files=checked.files,
            size_bytes=checked.size_bytes,
            stamps=tuple(PaperStamp(number, one.at, one.by, one.checked) for number, one in stamps),
            hashes=tuple((path, sealed[path].sha256) for path in _RUN_FILES if path in sealed),
        )


def overlaps(box: Box, area: Box) -> bool:
    """Return whether a part of the box lies on the area."""
    across = min(box.x + box.width, area.x + area.width) - max(box.x, area.x)
    down = min(box.y + box.height, area.y + area.height) - max(box.y, area.y)
    return across > 0 and down > 0


def _source_lines(record: RunRecord) -> tuple[str, ...]:
    if record.discovery_spec is not None:
        start, goal = record.discovery_spec.get("start_url", ""), record.discovery_spec.get("goal", "")
        return (f"Found by navigating from {start}", str(goal))
    if record.input_reading is not None:
        return tuple(reading_lines(record.input_reading))
    return ("The rows that the run was requested with",)


def _method(record: RunRecord, *, complete: bool) -> str:
    if not complete:
        return "Every sample that was found is reported; the population is not complete"
    limit = (record.discovery_spec or {}).get("limit")
    if limit:
        return f"The first {limit} items in the order of the list; each of them is reported"
    return "The whole population: every sample is reported, and none was left out"


def _draw_of(draw: Draw | None) -> PaperDraw | None:
    if draw is None:
        return None
    return PaperDraw(
        method=draw.method,
        seed=draw.seed,
        size=sum(len(one.sample_ids) for one in draw.strata),
        population=draw.population,
        strata=tuple((one.name, one.size, len(one.sample_ids)) for one in draw.strata),
        rates=(draw.expected, draw.tolerable, draw.confidence),
        sample_ids=tuple(sample_id for one in draw.strata for sample_id in one.sample_ids),
    )


def _comments_of(review: RunReview | None) -> dict[str, list[PaperComment]]:
    """Return the comments by the id of their sample; under none those on the run."""
    found: dict[str, list[PaperComment]] = {}
    for row in review.rows if review is not None else ():
        if row.act == "comment" and row.target is not None:
            target = row.target
            where = target.field or target.key or (target.kind if target.kind not in ("sample", "value") else "")
            found.setdefault(target.sample_id, []).append(PaperComment(row.by, row.at, "", where, row.reason))
    return found


def _signatures_of(review: RunReview | None) -> tuple[PaperSignature, ...]:
    rows = review.rows if review is not None else ()
    return tuple(PaperSignature(row.by, row.role, row.at, row.key) for row in rows if row.act == "sign" and row.counts)
