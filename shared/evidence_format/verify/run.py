"""Checks a run that was handed over: every byte of it against its seal, and the seal against a key. Needs no bus."""

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
from shared.evidence_format.files.manifest import FileEntry, RunManifest, SampleLink, SampleManifest, Seal, objects_of
from shared.evidence_format.files.run import parse_run_file
from shared.evidence_format.files.sample import SampleFile, parse_result
from shared.evidence_format.handover import accepted_files
from shared.evidence_format.layout import MANIFEST, RESULT, RUN, SAMPLE, SEAL
from shared.evidence_format.result_facts import ResultFacts
from shared.evidence_format.signing import PublicKey
from shared.evidence_format.sources.base import Finding, Medium, NoRun, RunListing, Unreadable
from shared.evidence_format.sources.digests import Digest, digests, read
from shared.evidence_format.task_facts import TaskFacts
from shared.evidence_format.verify.compare import differences
from shared.evidence_format.verify.manifest import check_manifest
from shared.evidence_format.verify.placement import placed
from shared.evidence_format.verify.rounds import check_rounds
from shared.evidence_format.verify.samples import MOST_BYTES, own_words, told
from shared.evidence_format.verify.seal import Signed, check_seal, read_manifest
from shared.evidence_format.verify.table import rows_that_differ

_ANOTHER = re.compile(r"[^\W_]|_[0-9]")
"""What behind the id of a run makes it that of another: of those that began in one second the next is ``..._2``."""
_RUNS = {RUN, MANIFEST, SEAL}
"""One of them is in whatever is left of a run."""


@dataclass
class RunCheck:
    """What came of it. ``sealed``: all that the seal covers, by path; ``files`` and ``size_bytes``: what is there.
    ``lying``: all files that are there. ``notes`` are no problems."""

    place: str
    run_id: str = ""
    manifest_sha256: str = ""
    seal: Seal | None = None
    made: RunManifest | None = None
    signed: Signed = "no"
    problems: list[Finding] = field(default_factory=list[Finding])
    notes: list[str] = field(default_factory=list[str])
    sealed: dict[str, FileEntry] = field(default_factory=dict[str, FileEntry])
    lying: tuple[str, ...] = ()
    files: int = 0
    size_bytes: int = 0

    @property
    def whole(self) -> bool:
        """Nothing is wrong; by whom it was sealed is another question."""
        return not self.problems

    @property
    def stands(self) -> bool:
        return self.whole and self.signed == "by_known_key"


def check_run(medium: Medium, key: PublicKey | None, noted: str = "") -> RunCheck:
    """All that is wrong with the run, not just the first of it. ``key``: who must have sealed it; None: nobody is
    known. ``noted``: the hash that its manifest was noted to have. Raises NoRun where there is none."""
    listing = medium.listed()
    if not _RUNS & listing.files.keys() and not any(one.path in {"", *_RUNS} for one in listing.problems):
        raise NoRun(f"{medium.place} holds no run: neither {RUN} nor {MANIFEST} is there")
    checked = RunCheck(medium.place, problems=list(listing.problems), lying=tuple(listing.files))
    return _Check(medium, listing, checked).done(key, noted) if _RUNS & listing.files.keys() else checked


class _Check:
    def __init__(self, medium: Medium, listing: RunListing, so_far: RunCheck) -> None:
        self.medium, self.listing, self.checked = medium, listing, so_far

    def done(self, key: PublicKey | None, noted: str) -> RunCheck:
        made = self._sealed(key, noted)
        if made is not None:
            self.checked.problems += [*check_manifest(made), *_called(self.medium.place, made.run_id)]
            self._files(made)
        self.checked.problems = sorted(set(self.checked.problems))
        return self.checked

    # --- the seal

    def _sealed(self, key: PublicKey | None, noted: str) -> RunManifest | None:
        checked, written, sealed = self.checked, self._read(MANIFEST), self._read(SEAL)
        if sealed is None and SEAL not in self.listing.files:
            checked.problems.append(self._unsealed(written))
        if sealed is not None:
            checked.seal, checked.signed, problems = check_seal(sealed, written, key)
            checked.problems += problems
        if written is None:
            return None
        checked.manifest_sha256 = chain.sha256(written)
        if noted and noted.lower() != checked.manifest_sha256:
            told = f"has the hash {checked.manifest_sha256}, and not the one that was noted"
            checked.problems.append(Finding(MANIFEST, "not_as_noted", told))
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
        """None where it is not there or cannot be read; the latter is told."""
        if path not in self.listing.files:
            return None
        try:
            return read(self.medium, path, MOST_BYTES)
        except (Unreadable, OSError) as exc:
            self.checked.problems.append(Finding(path, "unreadable", f"cannot be read: {exc}"))
            return None

    # --- the files

    def _files(self, made: RunManifest) -> None:
        checked, files = self.checked, self.listing.files
        links = [*made.samples, *([made.discovery] if made.discovery is not None else [])]
        words = own_words(self.medium, files, [link.sample_id for link in links])
        lying = {f"{one.sample_id}/{MANIFEST}": Digest(one.sha256, 0) for one in words.values() if one.sha256}
        misplaced = [link.sample_id for link in links if words[link.sample_id].sha256 != link.manifest_sha256]
        folders, problems = placed(links, words, self._results(misplaced), made.run_id)
        own = told(self.medium, files, folders)
        checked.problems += problems + own.problems
        lying |= own.digests
        lying |= digests(self.medium, {path: lies for path, lies in files.items() if path not in lying})
        checked.sealed = _sealed_files(made, links, folders)
        self._compare(made, lying, {f"{link.sample_id}/{MANIFEST}" for link in links})
        more, checked.notes = check_rounds(
            self.medium, files, lying, made, checked.seal.fingerprint if checked.seal else ""
        )
        checked.notes = [*made.remarks, *checked.notes]
        checked.problems += more + self._population(made)

    def _results(self, sample_ids: list[str]) -> dict[str, str]:
        read_now = {one: self._read(f"{one}/{RESULT}") for one in sample_ids}
        return {one: chain.sha256(data) for one, data in read_now.items() if data is not None}

    def _compare(self, made: RunManifest, lying: dict[str, Digest], manifests: set[str]) -> None:
        checked = self.checked
        objects = {path for path in lying if path.startswith(f"{layout.OBJECTS}/")}
        own = {MANIFEST, SEAL, *manifests, *objects}
        rest = {path: digest for path, digest in lying.items() if path not in own}
        apart = {path: rest.pop(path) for path in (layout.PUBLIC_KEY, layout.VERIFY) if path in rest}
        sealed = {path: entry for path, entry in checked.sealed.items() if path not in own}
        found = differences(sealed, rest)
        checked.problems += found + self._objects(made, lying) + self._beside(apart)
        checked.files = len(rest.keys() & sealed.keys()) + len(manifests & lying.keys())
        checked.size_bytes = sum(rest[path].size_bytes for path in rest.keys() & sealed.keys())
        if any(problem.path == layout.COMBINED and problem.code != "missing" for problem in found):
            self._rows({sample.sample_id for sample in made.samples})

    def _objects(self, made: RunManifest, lying: Mapping[str, Digest]) -> list[Finding]:
        """Below ``objects/`` lie the bytes of files that have names elsewhere, each under its hash. Those in a bucket
        are read by these names."""
        if self.listing.objects is None:
            return []
        names = {path.rpartition("/")[2]: path for path in self.listing.objects if _is_in_its_place(path)}
        strays = [path for path in self.listing.objects if not _is_in_its_place(path)]
        problems = [Finding(path, "added", "is not where an object lies") for path in strays]
        problems += [
            Finding(path, "changed", f"holds other bytes than its name says{_why(lying[path])}")
            for name, path in names.items()
            if path in lying and lying[path].sha256 != name
        ]
        if objects_of(names) != made.objects:
            problems += _lost_objects(names, made, self.checked.sealed)
        return problems

    def _beside(self, apart: Mapping[str, Digest]) -> list[Finding]:
        """The files that an export adds follow from the seal."""
        seal = self.checked.seal
        accepted = accepted_files(self.checked.run_id, seal) if seal is not None else {}
        return [
            Finding(path, "changed", "is not what is handed over with this run")
            for path, digest in apart.items()
            if digest.sha256 not in map(chain.sha256, accepted.get(path, ()))
        ]

    def _rows(self, samples: set[str]) -> None:
        words = rows_that_differ(self._read(layout.COMBINED) or b"", samples, self._task, self._facts)
        self.checked.problems += [Finding(layout.COMBINED, "row", one) for one in words]

    @cached_property
    def _task(self) -> TaskFacts:
        """Without fields where run.json cannot be read: then only the columns that every table has are compared."""
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
        """The population as it was written down before anything was done is the one that is accounted for."""
        problems: list[Finding] = []
        for path in layout.POPULATIONS:
            written = self._read(path)
            if written is not None:
                listed = _ids(written)
                lost = sorted(listed ^ {sample.sample_id for sample in made.samples})
                told = f"and the manifest of the run name different samples: {', '.join(lost[:5])}"
                problems += [Finding(path, "inconsistent", told)] if lost else []
        return problems


def _ids(table: bytes) -> set[str]:
    """The samples of a population as it was written down. A table that is none any more names none: it was changed."""
    text = io.StringIO(table.decode(errors="replace"), newline="")
    longest = csv.field_size_limit(max(len(table), csv.field_size_limit()))
    try:
        return {str(row.get("sample_id")) for row in csv.DictReader(text)}
    except csv.Error:
        return set()
    finally:
        csv.field_size_limit(longest)


def _called(place: str, run_id: str) -> list[Finding]:
    """Two runs whose folders were exchanged are both whole; what bears the name of a run is to be that run."""
    name = place.rstrip("/").rpartition("/")[2].removesuffix(".zip")
    if not name.startswith("run_") or (name.startswith(run_id) and not _ANOTHER.match(name[len(run_id) :])):
        return []  # a second download is called "run_1 (1)", a copy "run_1 - Copy"
    return [Finding("", "other_run", f"this is called {name}, and the run in it is {run_id}")]


def _lost_objects(names: Mapping[str, str], made: RunManifest, sealed: Mapping[str, FileEntry]) -> list[Finding]:
    """By name as far as that can be told: captured bytes lie there, and what we write ourselves does not."""
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
    told = f"{made.objects.count} files were sealed there, {len(names)} are there, or other ones"
    return problems or [Finding(layout.OBJECTS, "missing", told)]


def _is_in_its_place(path: str) -> bool:
    name = path.rpartition("/")[2]
    return path == f"{layout.OBJECTS}/{name[:2]}/{name}"


def _why(digest: Digest) -> str:
    return f": {digest.unreadable}" if digest.unreadable else ""


def _sealed_files(
    made: RunManifest, links: list[SampleLink], folders: Mapping[str, SampleManifest]
) -> dict[str, FileEntry]:
    """All that the seal covers, by path from the run's folder; a manifest's size is not sealed with it."""
    sealed = {entry.path: entry for entry in made.files}
    for link in links:
        path = f"{link.sample_id}/{MANIFEST}"
        sealed[path] = FileEntry(path=path, sha256=link.manifest_sha256, size_bytes=0)
        if link.sample_id in folders:
            for entry in folders[link.sample_id].files:
                sealed[f"{link.sample_id}/{entry.path}"] = entry
    return sealed
