"""Pure: what follows from the manifests of a run: the chain of its samples, its population, its objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from shared.evidence_format import chain
from shared.evidence_format.files.manifest import Objects, Population, ReasonCount, SampleLink
from shared.statuses import group_of


def link(previous: str, row: int, sample_id: str, manifest_sha256: str) -> str:
    """A link of the samples' chain."""
    return chain.start(previous=previous, row=row, sample_id=sample_id, manifest_sha256=manifest_sha256)


def samples_start(run_id: str, number: int) -> str:
    return chain.start(run_id=run_id, round=number)


def chained(links: Iterable[SampleLink], first: str) -> tuple[tuple[SampleLink, ...], str]:
    """The samples with their links, and the head."""
    done: list[SampleLink] = []
    head = first
    for one in links:
        head = link(head, one.row, one.sample_id, one.manifest_sha256)
        done.append(msgspec.structs.replace(one, chain_sha256=head))
    return tuple(done), head


def population(samples: Sequence[SampleLink], announced: int, *, complete: bool, note: str) -> Population:
    groups = Counter(group_of(sample.status) for sample in samples)
    counted = Counter((sample.status, sample.reason) for sample in samples)
    return Population(
        announced=announced,
        found=len(samples),
        attempted=sum(sample.attempted for sample in samples),
        done=groups["done"],
        review=groups["review"],
        failed=groups["failed"],
        excepted=groups["excepted"],
        reasons=tuple(ReasonCount(status=s, reason=r, samples=n) for (s, r), n in sorted(counted.items())),
        complete=complete,
        note=note,
    )


def objects(names: Iterable[str]) -> Objects:
    ordered = sorted(names)
    return Objects(count=len(ordered), names_sha256=chain.sha256("".join(f"{name}\n" for name in ordered).encode()))
