"""Reads a finished run that is compared: from a folder, a zip or a bucket. Nothing of it is changed.

Where the run is sealed, each file that is read is checked against the seal. Pages and pictures are only named, so their
bytes are not read: `exhibit verify` checks them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import msgspec

from shared.comparing.sides import (
    EndedSide,
    NotComparable,
    PopulationSide,
    RunHead,
    SampleSide,
    fields_of_spec,
    naming_of,
)
from shared.comparing.told_result import parse_told_result
from shared.contracts.base import Part
from shared.contracts.evidence import RunFinished
from shared.evidence_format import chain, layout
from shared.evidence_format.files.manifest import FileEntry, SampleLink
from shared.evidence_format.files.run import RunFile, parse_run_file
from shared.evidence_format.files.sample import SampleFile
from shared.evidence_format.population import population_headline
from shared.evidence_format.review.reviewed import RunReview
from shared.evidence_format.signing import PublicKey
from shared.evidence_format.sources.source import NoRun, RunSource, Unreadable, map_in_threads, read_file
from shared.evidence_format.verify.samples import MOST_BYTES
from shared.evidence_format.verify.seal import Signed, check_seal, read_manifest
from shared.evidence_format.verify.signed_review import DamagedDecision, read_signed_review
from shared.text.names import DISCOVERY


class RunSeal(Part, frozen=True, kw_only=True):
    """How a compared run is sealed. ``signed``: ``no`` where it is not sealed; ``fingerprint``: of the key."""

    place: str
    signed: Signed
    fingerprint: str = ""
    manifest_sha256: str = ""


class _ResultHash(msgspec.Struct, frozen=True, gc=False):
    """The key of a sample's manifest that is needed here."""

    result_sha256: str


_HASHES = msgspec.json.Decoder(_ResultHash)
"""Made before there are threads: two that meet a type for the first time at the same time end the process."""


class StoredRun:
    """A run of evidence; see :class:`shared.comparing.sides.RunSide`.

    Raises:
        NoRun: there is no run.
        NotComparable: it is not finished, a file of it cannot be read, or it is not what was sealed.
    """

    def __init__(self, source: RunSource, key: PublicKey | None) -> None:
        self._source = source
        self._names = frozenset(source.list_files().files)
        if layout.RUN not in self._names:
            raise NoRun(f"{source.place} holds no run: it has no {layout.RUN}")
        self._links: dict[str, SampleLink] = {}
        self._sealed: dict[str, FileEntry] = {}
        self.seal = self._check_seal(key)
        file = self._read_run_file()
        finished = file.last_round
        if finished is None:
            raise NotComparable(f"{file.record.run_id} is not finished, so what it lacks is not known")
        self.ids: Sequence[str] = list(self._links) if self.is_sealed else self._folders()
        self.head = _head_of(file, finished, len(self.ids))
        self._review = self._read_review(file)

    @property
    def is_sealed(self) -> bool:
        return self.seal.signed != "no"

    def load(self, sample_id: str) -> SampleSide:
        path = f"{sample_id}/{layout.RESULT}"
        data = self._read(path)
        if self.is_sealed:
            self._check_result(sample_id, data)
        review = self._review.samples.get(sample_id) if self._review is not None else None
        if data is not None:
            try:
                result = parse_told_result(data)
            except chain.NOT_JSON:
                pass
            else:
                end = EndedSide(
                    sample_id=sample_id,
                    key=result.key.strip(),
                    row=result.row,
                    status=result.status,
                    reason=result.reason,
                )
                return SampleSide(end, result, self.head.fields, review)
        return SampleSide(self._end_of_lost(sample_id), None, self.head.fields)

    # --- the seal

    def _check_seal(self, key: PublicKey | None) -> RunSeal:
        """Return how the run is sealed; a run without a seal is read as it is."""
        sealed, written = self._read(layout.SEAL), self._read(layout.MANIFEST)
        if sealed is None:
            return RunSeal(place=self._source.place, signed="no")
        seal, signed, problems = check_seal(sealed, written, key, given=False)
        made, more = read_manifest(written) if written is not None else (None, [])
        for problem in (*problems, *more):
            self._refuse(problem.path, problem.message)
        if seal is None or made is None:
            self._refuse(layout.SEAL, "cannot be checked")
        self._links = {link.sample_id: link for link in made.samples}
        self._sealed = {entry.path: entry for entry in made.files}
        return RunSeal(
            place=self._source.place,
            signed=signed,
            fingerprint=seal.fingerprint,
            manifest_sha256=seal.manifest_sha256,
        )

    def _check_result(self, sample_id: str, data: bytes | None) -> None:
        """Check a result against the manifest of its sample, and that against the manifest of the run."""
        path = f"{sample_id}/{layout.MANIFEST}"
        manifest = self._read(path) or b""
        if chain.sha256(manifest) != self._links[sample_id].manifest_sha256:
            self._refuse(path, "was changed since it was sealed")
        try:
            wanted = _HASHES.decode(manifest).result_sha256
        except chain.NOT_JSON:
            self._refuse(path, "is no manifest of a sample")
        if (chain.sha256(data) if data is not None else "") != wanted:
            self._refuse(f"{sample_id}/{layout.RESULT}", "was changed since it was sealed")

    def _read_sealed(self, path: str) -> bytes:
        """Return a file of the run itself, as it was sealed."""
        data = self._read(path) or b""
        self._check_sealed(path, data)
        return data

    def _check_sealed(self, path: str, data: bytes) -> None:
        if self.is_sealed and (path not in self._sealed or self._sealed[path].sha256 != chain.sha256(data)):
            self._refuse(path, "was changed since it was sealed")

    def _refuse(self, path: str, message: str) -> NoReturn:
        raise NotComparable(f"{self._source.place}, {path}: {message}; `exhibit verify` names every problem")

    # --- the files

    def _read(self, path: str) -> bytes | None:
        if path not in self._names:
            return None
        try:
            return read_file(self._source, path, MOST_BYTES)
        except (Unreadable, OSError) as exc:
            raise NotComparable(f"{self._source.place}, {path}: cannot be read: {exc}") from exc

    def _read_run_file(self) -> RunFile:
        try:
            return parse_run_file(self._read_sealed(layout.RUN))
        except chain.NOT_JSON:
            self._refuse(layout.RUN, "is damaged")

    def _folders(self) -> list[str]:
        """Return the samples of a run without a seal, by their files."""
        marks = (layout.SAMPLE, layout.RESULT)
        parts = (name.split("/") for name in self._names)
        return sorted({part[0] for part in parts if len(part) == 2 and part[1] in marks} - {DISCOVERY})

    def _end_of_lost(self, sample_id: str) -> EndedSide:
        """Return what is known of a sample whose result is missing or damaged."""
        link = self._links.get(sample_id)
        told: dict[str, Any] = {
            "sample_id": sample_id,
            "row": link.row if link is not None else 0,
            "status": link.status if link is not None else "",
            "reason": link.reason if link is not None else "",
        }
        data = self._read(f"{sample_id}/{layout.SAMPLE}")
        try:
            key = msgspec.json.decode(data or b"", type=SampleFile).key.strip()
        except chain.NOT_JSON:
            key = ""
        return EndedSide(key=key, **told)

    # --- the review

    def _read_review(self, file: RunFile) -> RunReview | None:
        """Return what the review said when it was last signed off; None if it never was."""
        try:
            return read_signed_review(file, self._names, self._read, self._check_sealed)
        except DamagedDecision as exc:
            self._refuse(str(exc), "is no decision of a review")


def _head_of(file: RunFile, finished: RunFinished, samples: int) -> RunHead:
    record = file.record
    fields, unknown = fields_of_spec(record.spec)
    return RunHead(
        run_id=record.run_id,
        task_id=str(record.spec.get("task_id") or ""),
        naming=naming_of(record.spec),
        fields=fields,
        unknown_fields=unknown,
        judged=bool(record.spec.get("judgment_required")),
        question=str(record.spec.get("judgment_question") or ""),
        population=PopulationSide(
            samples=samples,
            complete=finished.population_complete,
            headline=population_headline(finished),
            note=finished.population_note,
        ),
        input_sha256=record.input_sha256,
    )


def in_threads(source: RunSource) -> Callable[[Sequence[Any], Callable[[Any], Any]], Iterator[Any]]:
    """Return what works on as many items at a time as the source is best read in
    (:data:`shared.comparing.run_comparison.MapInOrder`)."""
    return lambda items, work: map_in_threads(source, items, lambda batch: [work(one) for one in batch])
