"""Checks a run: every byte of it against its seal, and the seal against a key. Needs no bus."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from shared.evidence_format import chain, layout
from shared.evidence_format.facts import ResultFacts, TaskFacts
from shared.evidence_format.files.manifest import FileEntry, RunManifest, SampleLink, SampleManifest, Seal, objects_of
from shared.evidence_format.files.reconciliation import find_reconciliation_problems
from shared.evidence_format.files.run import parse_run_file
from shared.evidence_format.files.sample import SampleFile, parse_result
from shared.evidence_format.handover import accepted_files
from shared.evidence_format.layout import MANIFEST, RESULT, RUN, SAMPLE, SEAL
from shared.evidence_format.seals.timestamp import Timestamp, TimestampAuthority
from shared.evidence_format.seals.transparency import SealList, compare_with_list
from shared.evidence_format.signing import NamedKey, PublicKey
from shared.evidence_format.sources.source import (
    Digest,
    Finding,
    NoRun,
    RunListing,
    RunSource,
    Unreadable,
    hash_files,
    read_file,
)
from shared.evidence_format.verify.compare import differences, row_problems
from shared.evidence_format.verify.samples import MOST_BYTES, check_samples, read_manifests
from shared.evidence_format.verify.seal import Signed, check_rounds, check_seal, read_manifest
from shared.evidence_format.verify.verify_manifest import check_manifest, match_manifests
from shared.evidence_format.verify.verify_review import ReviewCheck, check_review
from shared.evidence_format.verify.verify_timestamps import check_timestamps

_OTHER_ID = re.compile(r"[^\W_]|_[0-9]")
"""What may follow a run id in the id of another run: runs that start in the same second get the suffix ``_2``."""
_RUN_FILES = {RUN, MANIFEST, SEAL}
"""A folder without any of these is no run."""


@dataclass
class RunCheck:
    """The outcome of a check.

    ``sealed``: all files that the seal covers, by path. ``actual``: the paths of all files that exist. ``files`` and
    ``size_bytes`` count those that are both. ``notes`` are remarks for the reader, not problems. ``timestamps``: what
    the tokens of an authority say, by round.
    """

    place: str
    run_id: str = ""
    manifest_sha256: str = ""
    seal: Seal | None = None
    made: RunManifest | None = None
    signed: Signed = "no"
    problems: list[Finding] = field(default_factory=list[Finding])
    notes: list[str] = field(default_factory=list[str])
    sealed: dict[str, FileEntry] = field(default_factory=dict[str, FileEntry])
    timestamps: dict[int, Timestamp] = field(default_factory=dict[int, Timestamp])
    actual: tuple[str, ...] = ()
    files: int = 0
    size_bytes: int = 0

    @property
    def whole(self) -> bool:
        """Whether there is no problem, regardless of the key that sealed the run."""
        return not self.problems

    @property
    def stands(self) -> bool:
        """Whether there is no problem and the given key sealed the run."""
        return self.whole and self.signed == "by_known_key"


def check_run(
    source: RunSource,
    key: PublicKey | NamedKey | None,
    noted: str = "",
    *,
    given: bool = True,
    authority: TimestampAuthority | None = None,
    listed: SealList | None = None,
) -> RunCheck:
    """Check a run completely and return all problems.

    Args:
        key: the key that must have sealed it; None: any key is accepted, and the check says so.
        given: False: the key is that of this machine, and nobody has said that it sealed this run. A run that another
            key has sealed is then not decided: it has no problem for that, and does not stand.
        noted: the hash of the run's manifest, if it was noted when the run was sealed.
        authority: whose timestamps are believed; None: tokens are only compared with the seals.
        listed: the list that all seals of the run must be in; None: there is none.

    Raises:
        NoRun: the source holds no run.
    """
    listing = source.list_files()
    if not _RUN_FILES & listing.files.keys() and not any(one.path in {"", *_RUN_FILES} for one in listing.problems):
        raise NoRun(f"{source.place} holds no run: neither {RUN} nor {MANIFEST} is there")
    checked = RunCheck(source.place, problems=list(listing.problems), actual=tuple(listing.files))
    checker = _RunChecker(source, listing, checked, authority, listed)
    return checker.run(key, noted, given=given) if _RUN_FILES & listing.files.keys() else checked


class _RunChecker:
    def __init__(
        self,
        source: RunSource,
        listing: RunListing,
        so_far: RunCheck,
        authority: TimestampAuthority | None,
        listed: SealList | None,
    ) -> None:
        self.source, self.listing, self.checked = source, listing, so_far
        self.authority, self.listed = authority, listed

    def run(self, key: PublicKey | NamedKey | None, noted: str, *, given: bool) -> RunCheck:
        made = self._check_seal(key, noted, given=given)
        if made is not None:
            self.checked.problems += [*check_manifest(made), *_name_problems(self.source.place, made.run_id)]
            self._files(made)
            if self.listed is not None:
                self.checked.problems += compare_with_list(self._read, made.run_id, self.listed)
        self.checked.problems = sorted(set(self.checked.problems))
        return self.checked

    # --- the seal

    def _check_seal(self, key: PublicKey | NamedKey | None, noted: str, *, given: bool) -> RunManifest | None:
        checked, written, sealed = self.checked, self._read(MANIFEST), self._read(SEAL)
        if sealed is None and SEAL not in self.listing.files:
            checked.problems.append(self._unsealed(written))
        if sealed is not None:
            checked.seal, checked.signed, problems = check_seal(sealed, written, key, given=given)
            checked.problems += problems
        if written is None:
            return None
        checked.manifest_sha256 = chain.sha256(written)
        if noted and noted.lower() != checked.manifest_sha256:
            message = f"has the hash {checked.manifest_sha256}, and not the one that was noted"
            checked.problems.append(Finding(MANIFEST, "not_as_noted", message))
        checked.made, problems = read_manifest(written)
        checked.problems += problems
        checked.run_id = checked.made.run_id if checked.made is not None else ""
        return checked.made

    def _unsealed(self, manifest: bytes | None) -> Finding:
        if manifest is not None:
            return Finding(SEAL, "missing", "is not there: the manifest is not signed")
        try:
            finished = parse_run_file(self._read(RUN) or b"").last_round
        except chain.NOT_JSON:
            finished = None
        if finished is not None:
            return Finding(
                "", "not_sealed", "the run is finished and not sealed, or its seal and its manifest were removed"
            )
        return Finding("", "not_sealed", "the run is not sealed: it is still at work, or was interrupted")

    def _read(self, path: str) -> bytes | None:
        """Return the content; None if there is no such file, or, with a finding, if it cannot be read."""
        if path not in self.listing.files:
            return None
        try:
            return read_file(self.source, path, MOST_BYTES)
        except (Unreadable, OSError) as exc:
            self.checked.problems.append(Finding(path, "unreadable", f"cannot be read: {exc}"))
            return None

    # --- the files

    def _files(self, made: RunManifest) -> None:
        checked, files = self.checked, self.listing.files
        links = [*made.samples, *([made.discovery] if made.discovery is not None else [])]
        words = read_manifests(self.source, files, [link.sample_id for link in links])
        actual = {f"{one.sample_id}/{MANIFEST}": Digest(one.sha256, 0) for one in words.values() if one.sha256}
        misplaced = [link.sample_id for link in links if words[link.sample_id].sha256 != link.manifest_sha256]
        folders, problems = match_manifests(links, words, self._results(misplaced), made.run_id)
        own = check_samples(self.source, files, folders)
        checked.problems += problems + own.problems
        actual |= own.digests
        actual |= hash_files(self.source, {path: lies for path, lies in files.items() if path not in actual})
        checked.sealed = _sealed_files(made, links, folders)
        reviewed, stamped = self._review(made, actual), self._timestamps(made, actual)
        self._compare(made, actual, {f"{link.sample_id}/{MANIFEST}" for link in links})
        more, checked.notes = check_rounds(
            self.source, files, actual, made, checked.seal.fingerprint if checked.seal else ""
        )
        checked.notes = [*made.remarks, *checked.notes, *reviewed.notes, *stamped]
        checked.problems += more + self._population(made) + self._reconciliation(made)

    def _review(self, made: RunManifest, actual: Mapping[str, Digest]) -> ReviewCheck:
        """Check the decisions of the review. Those that came since the seal are no part of it: their own seals, and the
        chain, say that they belong there."""
        paths = sorted(path for path in actual if layout.is_review(path))
        if not paths:
            return ReviewCheck()
        with suppress(*chain.NOT_JSON):
            record = parse_run_file(self._read(RUN) or b"").record
            found = check_review(self._read, paths, made.run_id, record, self.checked.seal, self.checked.sealed)
            self.checked.problems += found.problems
            self.checked.sealed |= {path: self._as_it_is(path, actual[path]) for path in found.since_sealed}
            return found
        return ReviewCheck()

    def _timestamps(self, made: RunManifest, actual: Mapping[str, Digest]) -> list[str]:
        """Check the timestamp tokens, which came after the seals that they are of. Return notes for people."""
        paths = [path for path in actual if path.startswith(f"{layout.TIMESTAMPS}/")]
        found = check_timestamps(self._read, paths, made.round, self.authority)
        self.checked.problems += found.problems
        self.checked.timestamps = found.found
        self.checked.sealed |= {path: self._as_it_is(path, actual[path]) for path in found.paths}
        return found.notes

    @staticmethod
    def _as_it_is(path: str, digest: Digest) -> FileEntry:
        return FileEntry(path=path, sha256=digest.sha256, size_bytes=digest.size_bytes)

    def _results(self, sample_ids: list[str]) -> dict[str, str]:
        read_now = {one: self._read(f"{one}/{RESULT}") for one in sample_ids}
        return {one: chain.sha256(data) for one, data in read_now.items() if data is not None}

    def _compare(self, made: RunManifest, actual: dict[str, Digest], manifests: set[str]) -> None:
        checked = self.checked
        objects = {path for path in actual if path.startswith(f"{layout.OBJECTS}/")}
        own = {MANIFEST, SEAL, *manifests, *objects}
        rest = {path: digest for path, digest in actual.items() if path not in own}
        apart = {path: rest.pop(path) for path in (layout.PUBLIC_KEY, layout.VERIFY) if path in rest}
        sealed = {path: entry for path, entry in checked.sealed.items() if path not in own}
        found = differences(sealed, rest)
        checked.problems += found + self._objects(made, actual) + self._beside(apart)
        checked.files = len(rest.keys() & sealed.keys()) + len(manifests & actual.keys())
        checked.size_bytes = sum(rest[path].size_bytes for path in rest.keys() & sealed.keys())
        if any(problem.path == layout.COMBINED and problem.code != "missing" for problem in found):
            self._rows({sample.sample_id for sample in made.samples})

    def _objects(self, made: RunManifest, actual: Mapping[str, Digest]) -> list[Finding]:
        """Compare the folder ``objects/``, where captured bytes have their hash as name, with its sealed list.

        In a bucket these bytes were read already under their other names.
        """
        if self.listing.objects is None:
            return []
        names = {path.rpartition("/")[2]: path for path in self.listing.objects if _is_in_its_place(path)}
        strays = [path for path in self.listing.objects if not _is_in_its_place(path)]
        problems = [Finding(path, "added", "is not where an object lies") for path in strays]
        problems += [
            Finding(path, "changed", f"holds other bytes than its name says{_why(actual[path])}")
            for name, path in names.items()
            if path in actual and actual[path].sha256 != name
        ]
        if objects_of(names) != made.objects:
            problems += _lost_objects(names, made, self.checked.sealed)
        return problems

    def _beside(self, apart: Mapping[str, Digest]) -> list[Finding]:
        """Compare the files that an export adds; they follow from the seal."""
        seal = self.checked.seal
        accepted = accepted_files(self.checked.run_id, seal) if seal is not None else {}
        return [
            Finding(path, "changed", "is not what is handed over with this run")
            for path, digest in apart.items()
            if digest.sha256 not in map(chain.sha256, accepted.get(path, ()))
        ]

    def _rows(self, samples: set[str]) -> None:
        words = row_problems(self._read(layout.COMBINED) or b"", samples, self._task, self._facts)
        self.checked.problems += [Finding(layout.COMBINED, "row", one) for one in words]

    @cached_property
    def _task(self) -> TaskFacts:
        """The task; without fields if run.json cannot be read, so that only the common columns are compared."""
        with suppress(*chain.NOT_JSON):
            return TaskFacts.of(parse_run_file(self._read(RUN) or b"").record.spec)
        return TaskFacts.of({})

    def _facts(self, sample_id: str) -> ResultFacts | None:
        sample, result = (self._read(f"{sample_id}/{name}") for name in (SAMPLE, RESULT))
        with suppress(*chain.NOT_JSON):
            known = msgspec.json.decode(sample, type=SampleFile) if sample is not None else None
            return ResultFacts(self._task, sample_id, known, parse_result(result or b""))
        return None

    def _population(self, made: RunManifest) -> list[Finding]:
        """Compare the samples of the manifest with the population file that was written before the work began."""
        problems: list[Finding] = []
        for path in layout.POPULATIONS:
            written = self._read(path)
            if written is not None:
                listed = _sample_ids(written)
                lost = sorted(listed ^ {sample.sample_id for sample in made.samples})
                message = f"and the manifest of the run name different samples: {', '.join(lost[:5])}"
                problems += [Finding(path, "inconsistent", message)] if lost else []
        return problems

    def _reconciliation(self, made: RunManifest) -> list[Finding]:
        """Compare what the comparison with a register says of itself with the register and the samples."""
        written = self._read(layout.RECONCILED)
        if written is None:
            return []
        sealed = {path: entry.sha256 for path, entry in self.checked.sealed.items()}
        ids = [sample.sample_id for sample in made.samples]
        told = find_reconciliation_problems(io.BytesIO(written), ids, sealed)
        return [Finding(layout.RECONCILED, "inconsistent", message) for message in told]


def _sample_ids(table: bytes) -> set[str]:
    """Return the sample ids of a population file; none if it cannot be parsed, which means that it was changed."""
    text = io.StringIO(table.decode(errors="replace"), newline="")
    longest = csv.field_size_limit(max(len(table), csv.field_size_limit()))
    try:
        return {str(row.get("sample_id")) for row in csv.DictReader(text)}
    except csv.Error:
        return set()
    finally:
        csv.field_size_limit(longest)


def _name_problems(place: str, run_id: str) -> list[Finding]:
    """Return a finding if folder or zip has the name of another run: exchanged folders would both be intact."""
    name = place.rstrip("/").rpartition("/")[2].removesuffix(".zip")
    if not name.startswith("run_") or (name.startswith(run_id) and not _OTHER_ID.match(name[len(run_id) :])):
        return []  # a second download is called "run_1 (1)", a copy "run_1 - Copy"
    return [Finding("", "other_run", f"this is called {name}, and the run in it is {run_id}")]


def _lost_objects(names: Mapping[str, str], made: RunManifest, sealed: Mapping[str, FileEntry]) -> list[Finding]:
    """Return the objects that were lost or added, by name where they are known: only captured bytes have an object."""
    known = {entry.sha256 for entry in sealed.values()}
    problems = [Finding(path, "added", "is of no file of the run") for name, path in names.items() if name not in known]
    captured = {entry.sha256: path for path, entry in sealed.items() if "/" in path and not layout.is_ours(path)}
    problems += [
        Finding(
            f"{layout.OBJECTS}/{name[:2]}/{name}", "missing", f"is not there any more; its bytes have the name {path}"
        )
        for name, path in captured.items()
        if name not in names
    ]
    message = f"{made.objects.count} files were sealed there, {len(names)} are there, or other ones"
    return problems or [Finding(layout.OBJECTS, "missing", message)]


def _is_in_its_place(path: str) -> bool:
    name = path.rpartition("/")[2]
    return path == f"{layout.OBJECTS}/{name[:2]}/{name}"


def _why(digest: Digest) -> str:
    return f": {digest.unreadable}" if digest.unreadable else ""


def _sealed_files(
    made: RunManifest, links: list[SampleLink], folders: Mapping[str, SampleManifest]
) -> dict[str, FileEntry]:
    """Return all files that the seal covers, by path from the run's folder. The size of a manifest is not sealed."""
    sealed = {entry.path: entry for entry in made.files}
    for link in links:
        path = f"{link.sample_id}/{MANIFEST}"
        sealed[path] = FileEntry(path=path, sha256=link.manifest_sha256, size_bytes=0)
        if link.sample_id in folders:
            for entry in folders[link.sample_id].files:
                sealed[f"{link.sample_id}/{entry.path}"] = entry
    return sealed
