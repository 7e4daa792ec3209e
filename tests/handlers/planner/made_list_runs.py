"""Lists that were made (`made_lists.py`), read by the rules, with what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from services.planner.drivers.registry import RulesDriver
from shared.contracts.planner import SamplesListed
from tests.handlers.planner.made_lists import START, make
from tests.handlers.planner.planner_bench import Bench
from tests.handlers.planner.scripted_pool import ScriptedPool
from tests.unit.planner.planner_pages import sample, spec

TASK: dict[str, Any] = {
    "phase": "discovery",
    "start_url": START,
    "output_schema": {"number": {"type": "string", "labels": ["Ticket"]}, "url": "string"},
    "required_fields": ["number", "url"],
    "required_artifacts": [],
    "identity": {},
    "max_steps": 60,
}


@dataclass(frozen=True)
class MadeListRead:
    """``harmless``: all of it can be read; ``clean``: no item twice, none that the list does not have; ``whole``: every
    item; ``complete``: told so, and ``why`` not."""

    kind: str
    harmless: bool
    clean: bool
    whole: bool
    complete: bool
    why: str

    @property
    def is_false(self) -> bool:
        return not self.clean or (self.complete and not self.whole)


async def read_made(seed: int) -> MadeListRead:
    made = make(seed)
    pool = ScriptedPool(made.site, parts=made.parts, turned_by="Next >")
    bench = Bench(pool, RulesDriver(), spec(**TASK).model_dump(mode="json", by_alias=True))
    ended = await bench.run(sample=sample(url=START, fields={}))
    numbers = [item["number"] for listed in bench.bus.events(SamplesListed) for item in listed.items]
    there = {f"T-{number}" for number in range(1, made.total + 1)}
    clean = len(numbers) == len(set(numbers)) and set(numbers) <= there
    why = f"{ended.reason}: {ended.message}"
    return MadeListRead(made.kind, made.harmless, clean, set(numbers) == there, ended.status == "done", why)
