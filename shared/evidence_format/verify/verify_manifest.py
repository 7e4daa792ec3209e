"""Checks that manifests are consistent, and decides which of them the files of each folder are compared with.

Consistency is that of a manifest in itself and with the others, whoever signed them. Where folders were exchanged, the
manifest of a folder is not the one that was sealed for its name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from shared.evidence_format import layout
from shared.evidence_format.files.manifest import (
    RUN_FORMAT,
    RunManifest,
    SampleLink,
    SampleManifest,
    chain_samples,
    count_population,
    samples_start_hash,
)
from shared.evidence_format.layout import MANIFEST
from shared.evidence_format.sources.source import Finding
from shared.evidence_format.verify.samples import FolderManifest


def check_manifest(manifest: RunManifest) -> list[Finding]:
    problems = [
        *_chain_problems(manifest),
        *_population_problems(manifest),
        *_repeated_names("sample", [sample.sample_id for sample in manifest.samples]),
    ]
    problems += _repeated_names("file", [file.path for file in manifest.files])
    if manifest.format != RUN_FORMAT:
        problems.append(f"is of a kind that is not known here: {manifest.format}")
    return [Finding(MANIFEST, "inconsistent", problem) for problem in problems]


def _chain_problems(manifest: RunManifest) -> list[str]:
    samples, head = chain_samples(manifest.samples, samples_start_hash(manifest.run_id, manifest.round))
    broken = [mine.sample_id for mine, given in zip(samples, manifest.samples, strict=True) if mine != given]
    if broken:
        return [f"the chain of its samples is broken at {broken[0]}"]
    return [] if head == manifest.chain_sha256 else ["the chain of its samples does not end where it says"]


def _population_problems(manifest: RunManifest) -> list[str]:
    stated = manifest.population
    counted = count_population(manifest.samples, stated.announced, complete=stated.complete, note=stated.note)
    problems = [
        f"its population does not add up: it says {getattr(stated, name)} {name}, "
        f"its samples make {getattr(counted, name)}"
        for name in ("found", "attempted", "done", "review", "failed", "excepted")
        if getattr(stated, name) != getattr(counted, name)
    ]
    if stated.reasons != counted.reasons:
        problems.append("its population does not add up: the reasons it counts are not those of its samples")
    if stated.announced > counted.found:
        problems.append(
            f"its population does not add up: {stated.announced} samples were announced, {counted.found} are in it"
        )
    return problems


def _repeated_names(what: str, names: list[str]) -> list[str]:
    return [f"it names the {what} {name} {count} times" for name, count in Counter(names).items() if count > 1]


def check_link(link: SampleLink, manifest: SampleManifest, run_id: str) -> list[Finding]:
    """Whether the sample's own manifest says what the run's says of it. Its hash is counted."""
    path = f"{link.sample_id}/{MANIFEST}"
    problems: list[str] = []
    if (manifest.run_id, manifest.sample_id) != (run_id, link.sample_id):
        problems.append(f"is of {manifest.run_id}/{manifest.sample_id}")
    if (manifest.status, manifest.reason, manifest.attempted) != (link.status, link.reason, link.attempted):
        problems.append(
            f"says {_words(manifest.status, manifest.reason)}, the run's manifest {_words(link.status, link.reason)}"
        )
    results = [file.sha256 for file in manifest.files if file.path == layout.RESULT]
    if results != [manifest.result_sha256]:
        problems.append("does not name the one result that it is about")
    problems += _repeated_names("file", [file.path for file in manifest.files])
    return [Finding(path, "inconsistent", problem) for problem in problems]


def _words(status: str, reason: str) -> str:
    return f"{status} ({reason})" if reason else status


def match_manifests(
    links: Sequence[SampleLink], words: Mapping[str, FolderManifest], results: Mapping[str, str], run_id: str
) -> tuple[dict[str, SampleManifest], list[Finding]]:
    """Return by folder the manifest to compare its files with, and the findings about manifests.

    It is the manifest that was sealed for this sample, or, if whole folders were exchanged, the one in the folder.
    ``results`` are the hashes of the results in the folders whose manifest is not the sealed one.
    """
    sealed_for = {link.manifest_sha256: link for link in links}
    by_hash = {one.sha256: one.manifest for one in words.values() if one.manifest is not None}
    folders: dict[str, SampleManifest] = {}
    problems: list[Finding] = []
    for link in links:
        own = words[link.sample_id]
        if own.problem is not None:
            problems.append(own.problem)
        elif own.sha256 == link.manifest_sha256:
            if own.manifest is None:
                problems.append(Finding(f"{link.sample_id}/{MANIFEST}", "inconsistent", "is no manifest of a sample"))
                continue
            folders[link.sample_id] = own.manifest
            problems += check_link(link, own.manifest, run_id)
        else:
            problems += _placement_problems(link, own, sealed_for, words, results, run_id)
            held = _expected_manifest(link, own, by_hash, results)
            if held is not None:
                folders[link.sample_id] = held
    return folders, problems


def _expected_manifest(
    link: SampleLink, own: FolderManifest, by_hash: Mapping[str, SampleManifest | None], results: Mapping[str, str]
) -> SampleManifest | None:
    """Return the folder's own manifest if it matches the result beside it: the folder is intact, if another's."""
    if own.manifest is not None and results.get(link.sample_id) == own.manifest.result_sha256:
        return own.manifest
    return by_hash.get(link.manifest_sha256) or own.manifest


def _placement_problems(
    link: SampleLink,
    own: FolderManifest,
    sealed_for: Mapping[str, SampleLink],
    words: Mapping[str, FolderManifest],
    results: Mapping[str, str],
    run_id: str,
) -> list[Finding]:
    path, manifest = f"{link.sample_id}/{MANIFEST}", own.manifest
    if manifest is None:
        return [Finding(path, "changed", "was changed, and is no manifest any more: its files cannot be checked")]
    other = sealed_for.get(own.sha256)
    if other is not None:
        whole = results.get(link.sample_id) == manifest.result_sha256
        back = words[other.sample_id].sha256 == link.manifest_sha256
        if back and link.sample_id > other.sample_id:
            return []  # reported at the other one
        if whole:
            words_ = f"and the folder {other.sample_id} were exchanged" if back else f"is the folder {other.sample_id}"
            return [Finding(link.sample_id, "exchanged", words_)]
        message = f"and {other.sample_id}/{MANIFEST} were exchanged" if back else f"is that of {other.sample_id}"
        return [Finding(path, "exchanged", message)]
    return [Finding(path, "changed", _mismatch_words(link, manifest, run_id))]


def _mismatch_words(link: SampleLink, manifest: SampleManifest, run_id: str) -> str:
    if manifest.run_id != run_id:
        return f"is the manifest of another run, {manifest.run_id}"
    if manifest.sample_id != link.sample_id:
        return f"is a manifest of another sample, {manifest.sample_id}"
    return f"is not the one that was sealed: it was changed, or is of another attempt or round ({manifest.attempt})"
