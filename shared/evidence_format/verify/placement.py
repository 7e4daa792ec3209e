"""Decides which sealed manifest the files of a folder are compared with, also where folders were exchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shared.evidence_format.files.manifest import SampleLink, SampleManifest
from shared.evidence_format.layout import MANIFEST
from shared.evidence_format.sources.base import Finding
from shared.evidence_format.verify.manifest import check_link
from shared.evidence_format.verify.samples import FolderManifest


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
