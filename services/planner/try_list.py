"""Reads the list of a discovery task outside of any run: the same loop, drivers and gates, and nothing is left behind.

No item becomes a sample, no step is published and no evidence is stored. Only so many items are read, in so much time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from services.planner.deps import PlannerDeps
from services.planner.state.attempt_state import SampleView
from services.planner.tried_work import tried_work
from shared.contracts.actions import Done
from shared.contracts.discovery import Sample
from shared.contracts.planner import SampleFinished, SamplesListed
from shared.contracts.tried import ListTried, TriedPage, TryList, TryListReply, TryRefused
from shared.pages.lists.counts import read_counts
from shared.subjects import MsgT, Stored
from shared.submission.trial import find_list_try_problems
from shared.task.spec import TaskSpec, check_spec
from shared.text.names import DISCOVERY

MOST_S = 240.0
"""Of one try, whatever the task allows: somebody waits for it."""
OUT_OF_TIME = "time_exceeded"


@dataclass
class _KeptPages:
    """Takes the place of the bus for what a run would publish, and keeps the items."""

    pages: list[TriedPage] = field(default_factory=list[TriedPage])

    async def publish(self, subject: Stored[MsgT], message: MsgT) -> None:
        if isinstance(message, SamplesListed):
            self.pages.append(TriedPage(url=message.url, items=message.items, addresses=message.addresses))


async def try_list(request: TryList, deps: PlannerDeps) -> TryListReply:
    """Read the first items of the list, and say whether it is proven complete with them."""
    spec, problems = check_spec(request.spec)
    problems = problems if spec is None else find_list_try_problems(spec)
    if spec is None or problems:
        return TryRefused(problems=problems)
    kept, bounded, row = _KeptPages(), bounded_spec(spec, request.most_items), request.row
    sample = Sample(sample_id=DISCOVERY, key=DISCOVERY, row=0, url=row.get("url") or None, fields=dict(row))
    async with tried_work(bounded, sample, request.planner, replace(deps, publishes=kept)) as tried:
        if isinstance(tried, SampleFinished):
            return ListTried(finished=tried)
    return _told(spec, bounded, tried.finished, tried.view, tuple(kept.pages))


def bounded_spec(spec: TaskSpec, most_items: int) -> TaskSpec:
    """Return the task with no more items and time than a try has, and without pictures: no evidence would keep them."""
    limit = most_items if spec.limit is None else min(spec.limit, most_items)
    time_s = min(spec.max_time_s, MOST_S) if spec.max_time_s else MOST_S
    return spec.model_copy(update={"limit": limit, "max_time_s": time_s, "required_artifacts": []})


def _told(
    spec: TaskSpec, bounded: TaskSpec, finished: SampleFinished, view: SampleView, pages: tuple[TriedPage, ...]
) -> ListTried:
    found = len(view.state.listed)
    out_of_time = finished.reason == OUT_OF_TIME and bounded.max_time_s != spec.max_time_s
    is_full = bounded.limit is not None and bounded.limit != spec.limit and found >= bounded.limit
    cut = out_of_time or (is_full and found != spec.expected_items)
    last = view.state.last.action if view.state.last is not None else None
    why = last.reason if isinstance(last, Done) and finished.status == "done" and not cut else ""
    counts = read_counts(view.page) if view.page is not None else ()
    return ListTried(finished=finished, pages=pages, why=why, counts=counts or view.state.counts, cut=cut)
