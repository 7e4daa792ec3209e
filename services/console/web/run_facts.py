"""What the pages about runs show, made of what evidence answers. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from shared.contracts.evidence import WAITING, LoadedSample
from shared.contracts.sessions.status import RunStatus
from shared.evidence_format.review.amounts import amount_words, decided_words
from shared.statuses import GROUPS, STYLES, Group, group_of

MOST_RUNS = 2000
RUNS_QUERY = (
    "select run_id, task_id, goal, phase, state, requested_by, created_at, started_at, finished_at, expected, samples, "
    "done, partial_success, needs_review, auth_required, failed, not_ended, flagged, cost_usd, population_complete, "
    "tags from runs order by created_at desc, run_id desc"
)
_SIGNED = (
    "with signed as (select run_id, list(distinct signed_by order by signed_by) as people, max(signed_off_at) as at "
    "from sign_offs where counts group by run_id), decided as (select distinct run_id, kind, sample_id, field, "
    "record_key, decision from reviews where counts and number is not null and kind is not null), counted as ("
    "select run_id, kind, decision, count(*) as amount from decided group by all), told as ("
    "select run_id, list(kind order by kind, decision) as kinds, list(decision order by kind, decision) as decisions, "
    "list(amount order by kind, decision) as amounts from counted group by run_id), off as ("
    "select s.run_id, s.people, s.at, t.kinds, t.decisions, t.amounts "
    "from signed s left join told t using (run_id)) "
)
SIGNED_QUERY = " ".join((_SIGNED, "select * from off order by run_id"))
"""Reviews that were signed off: by whom, when, and what counts of what they have decided."""
LISTED_QUERY = " ".join((
    _SIGNED, "select listed.*, off.people, off.at, off.kinds, off.decisions, off.amounts from (",
    RUNS_QUERY, ") listed left join off using (run_id) order by created_at desc, run_id desc",
))  # fmt: skip
"""The runs with their sign-offs, in one query: evidence paces them."""
PAGE_ROWS = 100
REVIEWED = "reviewed"
"""What was for review, once its review is signed off."""
_COUNTED: Mapping[str, str] = {
    "done": "done",
    "partial_success": "partial_success",
    "needs_review": "needs_review",
    "auth_required": "auth_required",
    "failed": "failed",
}


@dataclass(frozen=True)
class PopulationTerm:
    """A term of the population. ``share``: of all samples, 0 to 100; ``before``: the sum of the shares before it.
    ``settled``: people have decided what was for review."""

    group: str
    words: str
    icon: str
    samples: int
    share: float
    before: float
    settled: bool = False


@dataclass(frozen=True)
class SignedOff:
    """Who has signed the review of a run, when it was signed off, and how much was decided: by what, and how."""

    people: tuple[str, ...]
    at: datetime
    decided: Mapping[tuple[str, str], int]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> SignedOff:
        """Return a row of `SIGNED_QUERY`."""
        rows = zip(*(row[name] or () for name in ("kinds", "decisions", "amounts")), strict=True)
        decided = {(kind, act): amount for kind, act, amount in rows}
        return cls(tuple(row["people"]), datetime.fromisoformat(row["at"]), decided)

    @property
    def counts(self) -> str:
        return decided_words(self.decided)


@dataclass(frozen=True)
class RunLine:
    """A run in the list of runs."""

    run_id: str
    task_id: str
    goal: str
    at_work: bool
    requested_by: str
    created_at: datetime
    cost_usd: float
    samples: int
    terms: tuple[PopulationTerm, ...]
    waiting: int
    review: int
    complete: bool
    without: int = 0
    """Samples that ended without what was asked for: people decide on them too."""
    tags: tuple[str, ...] = ()
    signed: SignedOff | None = None
    """Its review is signed off: nothing of it is to be decided."""

    @property
    def to_decide(self) -> str:
        """What people decide of it, as far as its counts tell: every sample that is not done, and a population that is
        not complete. Empty: nothing."""
        return amount_words({"sample": self.review + self.without, "population": int(not self.complete)})


@dataclass(frozen=True)
class RunFilters:
    """What the address of the list of runs asks for. ``state``: ``at_work``, ``ended``, ``review``, or empty.
    ``tag``: one that the runs have, or empty."""

    text: str = ""
    state: str = ""
    tag: str = ""

    @property
    def narrowed(self) -> bool:
        return bool(self.text or self.state or self.tag)


def run_line(row: Mapping[str, Any], signed: SignedOff | None = None) -> RunLine:
    """Return a row of `RUNS_QUERY` as it is shown."""
    counts: Counter[Group] = Counter()
    for status, column in _COUNTED.items():
        counts[group_of(status)] += row[column] or 0
    samples = max(row["samples"] or 0, row["expected"] or 0)
    return RunLine(
        run_id=row["run_id"],
        task_id=row["task_id"] or "",
        goal=row["goal"] or "",
        at_work=row["state"] != "finished",
        requested_by=row["requested_by"] or "",
        created_at=datetime.fromisoformat(row["created_at"]),
        cost_usd=float(row["cost_usd"] or 0),
        samples=samples,
        terms=terms_of(counts, samples, settled=signed is not None and row["state"] == "finished"),
        waiting=samples - counts.total(),
        review=counts["review"],
        complete=row["population_complete"] is not False,
        without=counts["failed"] + counts["excepted"],
        tags=tuple(row.get("tags") or ()),
        signed=signed,
    )


def terms_of(counts: Mapping[Group, int], samples: int, *, settled: bool = False) -> tuple[PopulationTerm, ...]:
    """Return the terms of a population of so many samples, in the order in which it is accounted for. ``settled``: its
    review is signed off, so that what was for review is not so any more."""
    terms: list[PopulationTerm] = []
    before = 0.0
    for group, style in GROUPS.items():
        share = 100 * counts.get(group, 0) / samples if samples else 0.0
        done = settled and group == "review"
        words = REVIEWED if done else style.words
        terms.append(PopulationTerm(group, words, style.icon, counts.get(group, 0), share, before, done))
        before += share
    return tuple(terms)


def counts_of(status: RunStatus) -> dict[Group, int]:
    """Return how many samples of a run have ended as what."""
    counts: Counter[Group] = Counter()
    for one in status.outcomes:
        counts[group_of(one.status)] += one.samples
    return dict(counts)


def fitting(lines: Iterable[RunLine], filters: RunFilters) -> list[RunLine]:
    """Return the runs that the filters leave."""
    wanted = filters.text.casefold().split()

    def fits(line: RunLine) -> bool:
        hay = f"{line.run_id} {line.task_id} {line.goal} {line.requested_by}".casefold()
        states = {
            "at_work": line.at_work,
            "ended": not line.at_work,
            "review": bool(line.to_decide) and line.signed is None,
        }
        tagged = not filters.tag or filters.tag in line.tags
        return tagged and all(word in hay for word in wanted) and states.get(filters.state, True)

    return [line for line in lines if fits(line)]


@dataclass(frozen=True)
class EndedAlike:
    """Samples that ended alike, without being done. ``decided``: how people have decided all of them; empty: they have
    not."""

    status: str
    reason: str
    samples: int
    decided: str = ""

    @property
    def query(self) -> str:
        """The query of the address that lists them."""
        return urlencode({"q": self.reason.replace("_", " "), "status": self.status})


def outcomes_of(status: RunStatus, decided: Callable[[str, str, int], str]) -> list[EndedAlike]:
    """Return why samples of a run are not done, the most frequent first. ``decided``: returns how people have decided
    all that ended so, by status, reason and number."""
    others = [one for one in status.outcomes if one.status != "done" and one.samples]
    return [
        EndedAlike(one.status, one.reason, one.samples, decided(one.status, one.reason, one.samples))
        for one in sorted(others, key=lambda one: -one.samples)
    ]


def pace(ended: int, samples: int | None, started_at: datetime, now: datetime) -> str:
    """Return throughput and time left in words, for a run at work; empty before anything has ended. ``samples``: None
    while they are not all known, and so is the time left."""
    seconds = (now - started_at).total_seconds()
    if ended <= 0 or seconds <= 0:
        return ""
    rate = ended / seconds
    left = max((samples or 0) - ended, 0) / rate
    return f"{60 * rate:.1f} a minute, {about(left)} left" if left else f"{60 * rate:.1f} a minute"


def about(seconds: float) -> str:
    """Return a duration in words for people."""
    if seconds < 60:
        return f"about {max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    return f"about {minutes} min" if minutes < 60 else f"about {minutes // 60} h {minutes % 60} min"


def what_stops(status: RunStatus) -> str:
    """Return in one sentence what a run waits for; empty if it waits for nothing."""
    if status.outage is not None:
        where = f" at {status.outage.where}" if status.outage.where else ""
        return f"Paused by the run itself{where}: {status.outage.message} It goes on by itself, or with Resume."
    return "Paused by a person. No sample goes on before Resume." if status.paused else ""


@dataclass(frozen=True)
class SampleFilters:
    """Which samples of a run the address asks for. ``status``: a status, or ``waiting``."""

    text: str = ""
    status: str = ""
    page: int = 1


def status_of(sample: LoadedSample) -> str:
    return sample.status or WAITING


def status_words(status: str) -> str:
    """Return the words of a status of a sample, also of one that has not ended."""
    styles = {str(name): style.words for name, style in STYLES.items()}
    return "Waiting" if status == WAITING else styles.get(status, status.replace("_", " "))
