"""A heal becomes the next version where recorded samples have confirmed it, and only over the version that it heals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shared.contracts.workflows.flows import OpenAddress, ReadFields, TakeScreenshot
from shared.contracts.workflows.heals import Heal, HealWay
from shared.contracts.workflows.samples import SampleSet
from shared.extraction.rules import UnderHeader
from shared.flows.changed.records import rule_key
from shared.flows.compiling.compiler import compile_flow
from shared.flows.files import parse_files, write_files
from shared.flows.healing.publishing import HealOutcome, HealPublished, HealRefused, HealTaken, publish_heal
from shared.recordings.recording import Recording
from shared.testing.bus import MemoryBus
from tests.handlers.planner.scripted_flows import ScriptedFlows, flows
from tests.handlers.planner.scripted_library import HASH, ScriptedLibrary, library, version
from tests.typed import expect
from tests.unit.shared.flows.recorded_world import Recorder, element, spec_of

SPEC = spec_of(task_id="a_task", input_schema={"number": "string"}, start_url="http://site/{number}")


def recorded(number: str, status: str) -> Recording:
    one = Recorder(number, {"number": number})
    page = (element(1, "heading", "A ticket", level=1), element(2, "term", "Status"))
    one.open(f"http://site/{number}", *page, element(3, "definition", status, header="Status"))
    one.screenshot("ticket")
    one.read("status", 3)
    return one.sample


SAMPLES = (recorded("T-100", "open"), recorded("T-207", "closed"))
COMPILED = compile_flow(SPEC, SAMPLES)
RULES = COMPILED.files.fields.fields["status"].rules


def way(at: int) -> HealWay:
    return HealWay(key=rule_key(RULES[at]), text=str(at))


LABEL = next(at for at, rule in enumerate(RULES) if isinstance(rule.where, UnderHeader))
LOST = next(at for at in range(len(RULES)) if at != LABEL)
HEAL = Heal(kind="field", subject="status", rung="agreeing", lost=(way(LOST),), matched=(way(LABEL),))


def read_ticket(number: str):
    yield OpenAddress(url=f"http://site/{number}")
    yield TakeScreenshot(label="ticket")
    return (yield ReadFields(fields=("status",)))


async def published(flow: Any = read_ticket, used: str = HASH) -> tuple[HealOutcome, ScriptedLibrary]:
    files = dict(write_files(COMPILED.files))
    bus, known = MemoryBus(), ScriptedLibrary({"a_task": version("a_task")}, files=files, source=COMPILED.source)
    bus.host(library, known)
    bus.host(flows, ScriptedFlows(flow))

    async def samples_of(name: str, hash: str) -> tuple[Sequence[Recording], SampleSet | None]:
        assert (name, hash) == ("a_task", used)
        return SAMPLES, None

    heals = {one.sample_id: [HEAL] for one in SAMPLES}
    return await publish_heal(bus, SPEC, "a_task", used, heals, samples_of, author="test", run_id="run_2"), known


async def test_what_all_samples_have_found_is_published_over_the_version_that_it_heals():
    outcome, known = await published()
    assert expect(outcome, HealPublished).canary == ("T-100", "T-207")
    (made,) = known.created
    assert (made.replace, made.source_run) == (HASH, "run_2")
    rules = parse_files(made.files).fields.fields["status"].rules
    assert rules == tuple(rule for at, rule in enumerate(RULES) if at != LOST)


async def test_what_recorded_samples_do_not_confirm_is_not_published():
    def other(number: str):
        yield OpenAddress(url=f"http://site/{number}")
        return {"status": "something else"}

    outcome, known = await published(other)
    assert expect(outcome, HealRefused).problems[0].startswith("T-100: ")
    assert known.created == []


async def test_a_version_that_another_worker_has_published_meanwhile_is_taken():
    outcome, known = await published(used="cd" * 32)
    assert (outcome, known.created) == (HealTaken(HASH), [])
