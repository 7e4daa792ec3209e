"""How far the pages have moved away from what a flow knows: per element and field, over the samples of a run. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from shared.contracts.base import Part
from shared.contracts.workflows.heals import HealedKind
from shared.flows.healing.proposals import Heals
from shared.recordings.recording import Recording


class DriftedSubject(Part, frozen=True, kw_only=True):
    """An element or a field that some samples found in another way than all that is known of it.

    ``samples``: how many found it so, of ``of`` that used the flow. ``lost`` and ``matched``: ways with the number of
    samples on which they led to nothing (or to something else), and to what was used. ``witnesses``: what spoke for
    that together, such as ``label, record``, with the number of samples."""

    kind: HealedKind
    subject: str
    samples: int
    of: int
    rungs: tuple[str, ...]
    lost: tuple[tuple[str, int], ...]
    matched: tuple[tuple[str, int], ...]
    witnesses: tuple[tuple[str, int], ...] = ()


def drift_of(heals: Heals) -> tuple[DriftedSubject, ...]:
    """Return every subject with a heal, those that drifted on most samples first."""
    subjects: set[tuple[HealedKind, str]] = {(heal.kind, heal.subject) for found in heals.values() for heal in found}
    rows = [_subject(kind, subject, heals) for kind, subject in sorted(subjects)]
    return tuple(sorted(rows, key=lambda row: (-row.samples, row.kind, row.subject)))


def versions_used(samples: Sequence[Recording]) -> dict[tuple[str, str], int]:
    """Return the flows that samples used, by name and hash, with the number of samples."""
    used = Counter[tuple[str, str]]()
    for one in samples:
        used.update({(step.flow.name, step.flow.hash) for step in one.steps if step.flow is not None})
    return dict(used)


def most_used(samples: Sequence[Recording], named: str = "") -> tuple[str, str] | None:
    """Return name and hash of the version that most samples used; of the flow that is named, where one is."""
    used = {key: count for key, count in versions_used(samples).items() if not named or key[0] == named}
    return max(sorted(used), key=lambda key: used[key]) if used else None


def _subject(kind: HealedKind, subject: str, heals: Heals) -> DriftedSubject:
    own = {sample: [h for h in found if (h.kind, h.subject) == (kind, subject)] for sample, found in heals.items()}
    each = [found for found in own.values() if found]
    return DriftedSubject(
        kind=kind,
        subject=subject,
        samples=len(each),
        of=len(heals),
        rungs=tuple(sorted({str(heal.rung) for found in each for heal in found})),
        lost=_counted([way.text for heal in found for way in (*heal.lost, *heal.moved)] for found in each),
        matched=_counted([way.text for heal in found for way in heal.matched] for found in each),
        witnesses=_counted([", ".join(heal.witnesses) for heal in found if heal.witnesses] for found in each),
    )


def _counted(samples: Iterable[list[str]]) -> tuple[tuple[str, int], ...]:
    """Return each text with the number of samples that have it, most first."""
    counts = Counter[str]()
    for texts in samples:
        counts.update(set(texts))
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
