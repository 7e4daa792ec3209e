"""Learning from a few written rows of third-party pages, without a model, beside the library `autoscraper`.

make bench-learn
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchmarks.learn_autoscraper import score_peer
from benchmarks.report import Row, at_most, least, report, under
from shared.contracts.browser_pool import PageObserved
from shared.extraction.agreement import read_field
from shared.extraction.pages import ObservedPage
from shared.flows.learning.flow import learned_flow
from shared.flows.learning.learned_fields import WrittenRow, learn_fields
from shared.settings import Settings
from shared.task.spec import TaskSpec, check_spec
from tests.real.learn_cases import SeenCase, see_cases
from tests.real.learn_score import LearnScore, chosen_pages, learn_records, score_case

FIELDS = 10
LEARN_S, RIGHT, SAMPLES_S, RULES = 2.0, 0.95, 50.0, 8.0
READ_AGAIN = 5
TIMED = "contract row"


def main() -> None:
    setup: dict[str, object] = {"processors": os.cpu_count(), "load before": f"{os.getloadavg()[0]:.1f}"}
    with tempfile.TemporaryDirectory(prefix="exhibit-learn-") as folder:
        seen = asyncio.run(see_cases(Path(folder), Settings(state_dir=Path(folder) / "state")))
    own, peer = [score_case(one) for one in seen], [score_peer(one) for one in seen]
    for one, other in zip(own, peer, strict=True):
        print(f"{one.line}\n{'  autoscraper':<20} {other.line[21:]}")
        setup[one.name] = (
            f"{'labelled' if one.labelled else 'no labels'}; {dict(one.counts)}; peer {dict(other.counts)}"
        )
    report("learn", "Learned from 2 or 3 written rows, without a model", rows(seen, own, peer), setup)


def rows(seen: Sequence[SeenCase], own: Sequence[LearnScore], peer: Sequence[LearnScore]) -> list[Row]:
    timed = next(one for one in seen if one.case.name == TIMED)
    kept = [count for one in own for count in one.rules]
    return [
        at_most(0, "values read wrongly", "values", _count(own, "wrong"), _count(peer, "wrong")),
        least(RIGHT, "values read right", "share", _share(own, "right"), _share(peer, "right")),
        Row("values left for a person", "share", _share(own, "to_review"), _share(peer, "to_review")),
        least(
            RIGHT,
            "values read right where pages have no labels",
            "share",
            _share([one for one in own if not one.labelled], "right"),
            _share([one for one in peer if not one.labelled], "right"),
        ),
        under(LEARN_S, f"learning {FIELDS} fields of 3 samples, and writing the flow", "s", learning_s(timed)),
        at_most(RULES, "rules kept a field, on average", "rules", sum(kept) / max(len(kept), 1)),
        least(SAMPLES_S, "stored pages read with all fields", "samples/s", samples_per_s(timed)),
    ]


def _count(scores: Sequence[LearnScore], verdict: str) -> int:
    return sum(count for one in scores for name, count in one.counts.items() if name == verdict)


def _share(scores: Sequence[LearnScore], verdict: str) -> float:
    return _count(scores, verdict) / max(sum(one.counts.total() for one in scores), 1)


def learning_s(seen: SeenCase) -> float:
    """Return how long it takes to learn ten fields of three pages, with leaving each out once, and to write the flow.

    Fields of the page stand under second names until there are ten."""
    names = list(seen.case.fields)
    named = {f"{name}_{turn}" if turn else name: name for turn in range(2) for name in names}
    fields = dict(list(named.items())[:FIELDS])
    chosen = chosen_pages(seen.pages, names)
    written = [
        WrittenRow(f"row {at}", {"url": one.observed.url}, {key: one.values[name] for key, name in fields.items()},
                   one.observed)
        for at, one in enumerate(chosen)
    ]  # fmt: skip
    spec = _spec(seen, fields)
    begin_s = time.perf_counter()
    flow = learned_flow(spec, learn_fields(spec, written), written).flow
    elapsed_s = time.perf_counter() - begin_s
    assert "async def run(" in flow.source
    return elapsed_s


def _spec(seen: SeenCase, fields: dict[str, str]) -> TaskSpec:
    schema = {key: {"type": f"{seen.case.fields[name].type.split(' ')[0]} | null"} for key, name in fields.items()}
    spec, problems = check_spec({"task_id": "learned", "goal": "Read the record.", "input_schema": {"url": "string"},
                                 "output_schema": schema})  # fmt: skip
    assert spec is not None, problems
    return spec


def samples_per_s(seen: SeenCase) -> float:
    """Return how many stored observations are decoded and read with all fields in a second."""
    rules, constants, others = learn_records(seen)
    stored = [msgspec.json.encode(one.observed) for one in others] * READ_AGAIN
    begin_s = time.perf_counter()
    for data in stored:
        page = ObservedPage.of(msgspec.json.decode(data, type=PageObserved))
        for one in rules.values():
            read_field(one, page, constants)
    return len(stored) / (time.perf_counter() - begin_s)


if __name__ == "__main__":
    main()
