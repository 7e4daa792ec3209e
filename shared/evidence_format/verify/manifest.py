"""Checks that manifests are consistent in themselves and with each other, whoever signed them."""

from __future__ import annotations

from collections import Counter

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
from shared.evidence_format.sources.base import Finding


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
