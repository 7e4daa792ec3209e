"""How the samples of a run were decided in a review that is signed off: what lists, grid and population show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException

from services.console.web.desk import Desk, ask_rows
from shared.errors import ExhibitError
from shared.evidence_format.review.amounts import act_words

MOST_DECIDED = 20_000
"""Samples of a run whose decisions are asked for; of more the pages tell that all is decided, and not how."""
DECIDED_QUERY = (
    "select sample_id, status, reason, decision from samples "
    "where decision is not null and signed_off_at is not null order by row nulls last, sample_id"
)


@dataclass(frozen=True)
class DecidedSamples:
    """``acts``: what was decided, by sample id. ``ended``: the same for all that ended alike, by status and reason."""

    acts: Mapping[str, str] = field(default_factory=dict[str, str])
    ended: Mapping[tuple[str, str], Counter[str]] = field(default_factory=dict[tuple[str, str], Counter[str]])

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, str | None]]) -> DecidedSamples:
        """Return rows of `DECIDED_QUERY`."""
        acts: dict[str, str] = {}
        ended: dict[tuple[str, str], Counter[str]] = {}
        for row in rows:
            act = row["decision"] or ""
            acts[row["sample_id"] or ""] = act
            ended.setdefault((row["status"] or "", row["reason"] or ""), Counter())[act] += 1
        return cls(acts, ended)

    def words_of(self, status: str, reason: str, samples: int) -> str:
        """Return how all samples that ended so were decided, as in "9 corrected, 2 accepted"; empty: not all were, or
        that is not known."""
        counts = self.ended.get((status, reason), Counter[str]())
        if counts.total() != samples:
            return ""
        return ", ".join(f"{number} {act_words(act)}" for act, number in counts.most_common())


async def decided_samples(desk: Desk, run_id: str) -> DecidedSamples:
    """Return how the samples of a run were decided; nothing where that cannot be asked."""
    try:
        rows = await ask_rows(desk, DECIDED_QUERY, run_id, max_rows=MOST_DECIDED)
    except (HTTPException, ExhibitError):
        return DecidedSamples()
    return DecidedSamples.of(rows) if len(rows) < MOST_DECIDED else DecidedSamples()
