"""Pure: which sample's manifest a folder is to be held against, and what to say where it is not its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shared.evidence_format.files.manifest import SampleLink, SampleManifest
from shared.evidence_format.layout import MANIFEST
from shared.evidence_format.sources.base import Finding
from shared.evidence_format.verify.manifest import check_link
from shared.evidence_format.verify.samples import OwnWords


def placed(
    links: Sequence[SampleLink], words: Mapping[str, OwnWords], results: Mapping[str, str], run_id: str
) -> tuple[dict[str, SampleManifest], list[Finding]]:
    """By folder, the manifest that its files are held against: what was sealed for it, or, where whole folders were
    exchanged, what was sealed for the folder. ``results``: the hash of the result in each folder, where it matters."""
    sealed_for = {link.manifest_sha256: link for link in links}
    by_hash = {one.sha256: one.made for one in words.values() if one.made is not None}
    folders: dict[str, SampleManifest] = {}
    problems: list[Finding] = []
    for link in links:
        own = words[link.sample_id]
        if own.problem is not None:
            problems.append(own.problem)
        elif own.sha256 == link.manifest_sha256:
            if own.made is None:
                problems.append(Finding(f"{link.sample_id}/{MANIFEST}", "inconsistent", "is no manifest of a sample"))
                continue
            folders[link.sample_id] = own.made
            problems += check_link(link, own.made, run_id)
        else:
            problems += _misplaced(link, own, sealed_for, words, results, run_id)
            held = _held_against(link, own, by_hash, results)
            if held is not None:
                folders[link.sample_id] = held
    return folders, problems


def _held_against(
    link: SampleLink, own: OwnWords, by_hash: Mapping[str, SampleManifest | None], results: Mapping[str, str]
) -> SampleManifest | None:
    """Where the result in the folder is that of the manifest beside it, the folder is whole, if another's."""
    if own.made is not None and results.get(link.sample_id) == own.made.result_sha256:
        return own.made
    return by_hash.get(link.manifest_sha256) or own.made


def _misplaced(
    link: SampleLink,
    own: OwnWords,
    sealed_for: Mapping[str, SampleLink],
    words: Mapping[str, OwnWords],
    results: Mapping[str, str],
    run_id: str,
) -> list[Finding]:
    path, made = f"{link.sample_id}/{MANIFEST}", own.made
    if made is None:
        return [Finding(path, "changed", "was changed, and is no manifest any more: its files cannot be checked")]
    other = sealed_for.get(own.sha256)
    if other is not None:
        whole = results.get(link.sample_id) == made.result_sha256
        back = words[other.sample_id].sha256 == link.manifest_sha256
        if back and link.sample_id > other.sample_id:
            return []  # told at the other one
        if whole:
            words_ = f"and the folder {other.sample_id} were exchanged" if back else f"is the folder {other.sample_id}"
            return [Finding(link.sample_id, "exchanged", words_)]
        told = f"and {other.sample_id}/{MANIFEST} were exchanged" if back else f"is that of {other.sample_id}"
        return [Finding(path, "exchanged", told)]
    return [Finding(path, "changed", _whose(link, made, run_id))]


def _whose(link: SampleLink, made: SampleManifest, run_id: str) -> str:
    if made.run_id != run_id:
        return f"is the manifest of another run, {made.run_id}"
    if made.sample_id != link.sample_id:
        return f"is a manifest of another sample, {made.sample_id}"
    return f"is not the one that was sealed: it was changed, or is of another attempt or round ({made.attempt})"
