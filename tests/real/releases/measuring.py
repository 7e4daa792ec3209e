"""Compile a flow on one site, run it on others with the same records, and score every sample against the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from practice.comparing import rows_of
from practice.drift import Drift
from shared.host.services import run_embedded
from shared.testing.settings import library_settings
from tests.drift.flows import Subject, compile_on_plain_site, keep_as_compiled, run
from tests.drift.outcomes import Expectation, Outcome, outcomes_of

Served = Callable[[], AbstractAsyncContextManager[Subject]]
"""Serves the records in one form. The subject's rows have the addresses of this site."""
PLAIN = "(plain)"
"""The way that is no change."""
MAX_WHY = 300


@dataclass(frozen=True)
class WayOutcome:
    """What became of all samples of a family in one way that its pages have changed."""

    family: str
    way: str
    outcomes: tuple[Outcome, ...]

    @property
    def counts(self) -> Counter[str]:
        """By verdict; ``healed``: those that are right by a heal."""
        counts = Counter[str](one.verdict for one in self.outcomes)
        counts["healed"] = sum(one.verdict == "right" and one.healed > 0 for one in self.outcomes)
        return counts


async def measure_ways(folder: Path, learned: Served, ways: Mapping[str, Served]) -> list[WayOutcome]:
    """Return what becomes of every sample, way by way, by a flow for which only ``learned`` was seen."""
    settings = library_settings(folder, planner="rules")
    found: list[WayOutcome] = []
    async with run_embedded(settings) as client:
        async with learned() as subject:
            flow = await compile_on_plain_site(client, subject)
        await keep_as_compiled(client, flow)
        for way, served in ways.items():
            async with served() as subject:
                evidence = await run(client, subject.spec, subject.rows)
            found.append(WayOutcome(subject.name, way, tuple(_scored(subject, evidence))))
    return found


def _scored(subject: Subject, evidence: Path) -> list[Outcome]:
    rows = rows_of(evidence / "combined.csv")
    expected = {
        row["sample_id"]: Expectation(subject.truth[int(row["row"]) - 1], subject.ended, subject.same) for row in rows
    }
    return outcomes_of(subject.name, Drift(), evidence, expected)


def told(found: Iterable[WayOutcome]) -> str:
    """Return why flows stopped or were wrong, a line a sample, and the table."""
    why = [
        f"{one.family}, {one.way}, {o.sample_id} {o.verdict}: {o.why}" for one in found for o in one.outcomes if o.why
    ]
    head = "| family | change | samples | right | of them healed | failed closed | false heal |"
    return "\n".join([*(line[:MAX_WHY] for line in why), "", head, "|---|---|--:|--:|--:|--:|--:|", *map(_line, found)])


def _line(one: WayOutcome) -> str:
    numbers = (len(one.outcomes), *(one.counts[key] for key in ("right", "healed", "closed", "false")))
    return f"| {one.family} | {one.way} | {' | '.join(map(str, numbers))} |"


def assert_nothing_wrong(found: list[WayOutcome]) -> None:
    """Print the table, and why flows stopped. Fails on a sample that is done and wrong, or is not right unchanged."""
    print(f"\n{told(found)}")
    for one in found:
        assert one.counts["false"] == 0, (one.family, one.way)
        assert one.counts["right"] + one.counts["closed"] == len(one.outcomes)
        assert one.way != PLAIN or one.counts["right"] == len(one.outcomes), one.family
