"""Pure: whether a run's manifest agrees with itself, whoever signed it."""

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


def check_manifest(made: RunManifest) -> list[Finding]:
    told = [*_chain(made), *_population(made), *_twice("sample", [one.sample_id for one in made.samples])]
    told += _twice("file", [file.path for file in made.files])
    if made.format != RUN_FORMAT:
        told.append(f"is of a kind that is not known here: {made.format}")
    return [Finding(MANIFEST, "inconsistent", one) for one in told]


def _chain(made: RunManifest) -> list[str]:
    samples, head = chain_samples(made.samples, samples_start_hash(made.run_id, made.round))
    broken = [mine.sample_id for mine, given in zip(samples, made.samples, strict=True) if mine != given]
    if broken:
        return [f"the chain of its samples is broken at {broken[0]}"]
    return [] if head == made.chain_sha256 else ["the chain of its samples does not end where it says"]


def _population(made: RunManifest) -> list[str]:
    said = made.population
    right = count_population(made.samples, said.announced, complete=said.complete, note=said.note)
    told = [
        f"its population does not add up: it says {getattr(said, name)} {name}, its samples make {getattr(right, name)}"
        for name in ("found", "attempted", "done", "review", "failed", "excepted")
        if getattr(said, name) != getattr(right, name)
    ]
    if said.reasons != right.reasons:
        told.append("its population does not add up: the reasons it counts are not those of its samples")
    if said.announced > right.found:
        told.append(f"its population does not add up: {said.announced} samples were announced, {right.found} are in it")
    return told


def _twice(what: str, names: list[str]) -> list[str]:
    return [f"it names the {what} {name} {count} times" for name, count in Counter(names).items() if count > 1]


def check_link(link: SampleLink, made: SampleManifest, run_id: str) -> list[Finding]:
    """Whether the sample's own manifest says what the run's says of it. Its hash is right."""
    path = f"{link.sample_id}/{MANIFEST}"
    told: list[str] = []
    if (made.run_id, made.sample_id) != (run_id, link.sample_id):
        told.append(f"is of {made.run_id}/{made.sample_id}")
    if (made.status, made.reason, made.attempted) != (link.status, link.reason, link.attempted):
        told.append(f"says {_words(made.status, made.reason)}, the run's manifest {_words(link.status, link.reason)}")
    results = [file.sha256 for file in made.files if file.path == layout.RESULT]
    if results != [made.result_sha256]:
        told.append("does not name the one result that it is about")
    told += _twice("file", [file.path for file in made.files])
    return [Finding(path, "inconsistent", one) for one in told]


def _words(status: str, reason: str) -> str:
    return f"{status} ({reason})" if reason else status
