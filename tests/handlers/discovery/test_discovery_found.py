"""Discovery by navigation: invalid requests, items of a page, duplicate messages."""

from __future__ import annotations

import msgspec
import pytest

from services.discovery.handlers import add_samples, close_population, submit_run
from shared.contracts.discovery import PopulationClosed, RunAccepted, RunRecord, RunStarted, SampleFound, SubmitRun
from shared.contracts.planner import SampleFinished, SamplesListed, WorkSample
from shared.errors import Unavailable
from shared.streams import INBOX, RUNS
from shared.subjects import WORK_SAMPLE, message_id
from shared.testing.bus import MemoryBus
from shared.text.names import DISCOVERY
from tests.handlers.discovery.discovery_bench import (
    NOW,
    SPEC,
    deps_on,
    evidence,
    knowing_nothing,
    loaded,
    nothing_started,
    where,
)

SEARCH = {
    "task_id": "list",
    "phase": "discovery",
    "goal": "find them",
    "start_url": "http://x/{org}/list",
    "input_schema": {"org": "string"},
    "output_schema": {"number": "string", "url": "string"},
    "required_fields": ["number", "url"],
}
REQUEST = SubmitRun(spec=SPEC, discovery=SEARCH, discovery_row={"org": "acme"}, concurrency=3)
RUN = "run_2026-11-21_080102"


@pytest.fixture
def bus() -> MemoryBus:
    return knowing_nothing(MemoryBus())


def items(*numbers: int) -> tuple[dict, ...]:
    return tuple({"number": f"T-{n}", "url": f"http://x/acme/{n}"} for n in numbers)


def listed(*numbers: int, step: int = 2, attempt: int = 1) -> SamplesListed:
    return SamplesListed(
        run_id=RUN, sample_id=DISCOVERY, attempt=attempt, step=step, url="http://x/acme/list", items=items(*numbers)
    )


def ended(bus: MemoryBus, attempt: int = 1, **changes) -> SampleFinished:
    sample = bus.events(WorkSample)[0].sample
    given = {"status": "done", "sample": sample, "started_at": NOW, "finished_at": NOW, **changes}
    return SampleFinished(run_id=RUN, sample_id=DISCOVERY, attempt=attempt, **given)


def worked_on(bus: MemoryBus) -> list[str]:
    return [work.sample_id for work in bus.events(WorkSample) if not work.discover]


async def begun(bus: MemoryBus, request: SubmitRun = REQUEST):
    deps = deps_on(bus)
    assert isinstance(await submit_run(request, deps), RunAccepted)
    return deps


async def test_a_run_begins_with_the_sample_that_finds_the_others(bus):
    reply = await submit_run(REQUEST, deps_on(bus))
    assert reply == RunAccepted(run_id=RUN, samples=0, discovering=True)
    assert [type(message) for _, message in bus.published] == [RunStarted, WorkSample]
    [work] = bus.events(WorkSample)
    assert (work.sample_id, work.discover, work.sample.fields) == (DISCOVERY, True, {"org": "acme"})
    assert bus.events(RunStarted)[0].discovering


async def test_each_item_becomes_a_sample_at_once_and_each_once(bus):
    deps = await begun(bus)
    await add_samples(listed(1, 2), deps, 1)
    await add_samples(listed(2, 3, step=4), deps, 1)
    await add_samples(listed(1, 2, 3, step=2, attempt=2), deps, 1)
    found = bus.events(SampleFound)
    assert [one.sample_id for one in found] == worked_on(bus) == ["T-1", "T-2", "T-3"]
    assert [one.sample.row for one in found] == [1, 2, 3]
    assert found[0].sample.fields == {"org": "acme", "number": "T-1", "url": "http://x/acme/1"}
    closed = await close_population(ended(bus, attempt=2), deps, 1)
    assert closed == PopulationClosed(run_id=RUN, samples=3)


class Stumbling(MemoryBus):
    """Publishes no samples to be worked on while ``stumbles``."""

    stumbles = True

    async def publish(self, subject, message) -> None:
        if self.stumbles and isinstance(message, WorkSample) and not message.discover:
            raise Unavailable("gone")
        await super().publish(subject, message)


async def test_a_crash_between_writing_down_and_publishing_loses_nothing():
    bus = knowing_nothing(Stumbling())
    deps = await begun(bus)
    with pytest.raises(Unavailable):
        await add_samples(listed(1, 2), deps, 1)
    assert isinstance(bus, Stumbling)
    bus.stumbles = False
    await add_samples(listed(1, 2), deps, 2)
    await add_samples(listed(3, step=4), deps, 1)
    assert worked_on(bus) == ["T-1", "T-2", "T-3"]
    assert [one.sample.row for one in bus.events(SampleFound)] == [1, 2, 3]


async def test_what_is_told_again_long_after_is_not_worked_on_again(bus):
    """The stream forgets what was published; the queue and the record of what was done do not."""
    deps = await begun(bus)
    await add_samples(listed(1, 2), deps, 1)
    done, waiting = (work for work in bus.events(WorkSample) if not work.discover)
    bus.published = [(at, message) for at, message in bus.published if message != done]
    bus._ids.clear()
    await bus.create(INBOX, message_id(WORK_SAMPLE, done), True)
    await add_samples(listed(1, 2), deps, 2)
    assert worked_on(bus) == [waiting.sample_id]


async def test_two_things_with_one_last_part_in_their_address_are_two_samples(bus):
    spec = {key: value for key, value in SPEC.items() if key != "sample_id"}
    deps = await begun(bus, SubmitRun(spec=spec, discovery=SEARCH, discovery_row={"org": "acme"}))
    pages = [{"number": "1", "url": f"http://x/{org}/readme"} for org in ("a", "b", "a")]
    event = SamplesListed(run_id=RUN, sample_id=DISCOVERY, attempt=1, step=2, url="http://x", items=tuple(pages))
    await add_samples(event, deps, 1)
    assert [one.sample.url for one in bus.events(SampleFound)] == ["http://x/a/readme", "http://x/b/readme"]
    assert len({one.sample_id for one in bus.events(SampleFound)}) == 2


async def test_two_things_whose_names_differ_in_capitals_alone_are_two_samples(bus):
    deps = await begun(bus)
    pages = [{"number": number, "url": f"http://x/{number}"} for number in ("dQw4", "DQW4", "dQw4", "DQW4")]
    for step, attempt in ((2, 1), (4, 1), (2, 2)):
        event = SamplesListed(
            run_id=RUN, sample_id=DISCOVERY, attempt=attempt, step=step, url="http://x", items=tuple(pages)
        )
        await add_samples(event, deps, 1)
    found = [one.sample for one in bus.events(SampleFound)]
    assert [one.key for one in found] == ["dQw4", "DQW4"]
    assert [one.row for one in found] == [1, 2]
    assert len({one.sample_id.lower() for one in found}) == 2


async def test_a_search_that_failed_closes_the_population_and_says_why(bus):
    deps = await begun(bus)
    failed = ended(bus, status="auth_required", reason="login_required", message="asks for a password")
    closed = await close_population(failed, deps, 1)
    assert isinstance(closed, PopulationClosed)
    assert (closed.complete, closed.samples) == (False, 0)
    assert "login_required" in closed.note
    assert "asks for a password" in closed.note


async def test_an_empty_list_is_complete_and_said(bus):
    deps = await begun(bus)
    closed = await close_population(ended(bus), deps, 1)
    assert isinstance(closed, PopulationClosed)
    assert (closed.complete, closed.samples) == (True, 0)
    assert "empty" in closed.note


async def test_the_end_of_any_other_sample_is_nothing_to_discovery(bus):
    deps = await begun(bus)
    other = msgspec.structs.replace(ended(bus), sample_id="T-1")
    assert await close_population(other, deps, 1) is None


async def test_a_run_that_only_lists_puts_nothing_to_work(bus):
    deps = await begun(bus, SubmitRun(spec=SEARCH, discovery_row={"org": "acme"}))
    await add_samples(listed(1, 2), deps, 1)
    assert worked_on(bus) == []
    assert len(bus.events(SampleFound)) == 2


@pytest.mark.parametrize(
    ("changes", "places"),
    [
        ({"discovery_row": {}}, {"discovery_row.org"}),
        ({"discovery": {**SEARCH, "phase": "execution"}}, {"discovery.phase"}),
        ({"discovery": {**SEARCH, "goal": 1}}, {"discovery.goal"}),
        ({"spec": SEARCH}, {"spec.phase"}),
        ({"spec": {**SPEC, "start_url": "http://x/{sha}"}}, {"discovery.output_schema"}),
        ({"spec": {**SPEC, "sample_id": "{org}"}}, {"spec.sample_id"}),
        (
            {"discovery": {**SEARCH, "output_schema": {"number": "string | null", "url": "string"}}},
            {"discovery.output_schema.number"},
        ),
        ({"samples": ({"number": "T-1", "url": "http://x"},)}, {"request"}),
        ({"discovery": None}, {"request", "discovery_row"}),
    ],
)
async def test_what_does_not_fit_is_said_before_anything_runs(bus, changes, places):
    given = {name: getattr(REQUEST, name) for name in ("spec", "discovery", "discovery_row")}
    reply = await submit_run(SubmitRun(**{**given, **changes}), deps_on(bus))
    assert set(where(reply)) == places
    assert nothing_started(bus)


async def test_a_search_that_was_cut_short_is_taken_up_again_above_all_attempts(bus):
    deps = await begun(bus)
    await add_samples(listed(1), deps, 1)
    await close_population(ended(bus, status="failed", reason="max_steps_exceeded"), deps, 1)
    record = await deps.records.read(RUNS, RUN, RunRecord)
    assert record is not None
    run = loaded(record=record, expected=1, population_complete=False, discovery_attempt=2)
    bus.host(evidence(run), None)
    reply = await submit_run(SubmitRun(resume_run_id=RUN), deps)
    assert isinstance(reply, RunAccepted)
    assert (reply.discovering, reply.attempt_base) == (True, 2)
    await add_samples(listed(1, 2, attempt=3), deps, 1)
    assert [one.sample_id for one in bus.events(SampleFound)] == ["T-1", "T-2"]


@pytest.mark.parametrize(("counted", "complete"), [(None, False), (3, False), (2, True)])
async def test_a_list_whose_items_became_one_sample_is_not_complete_unless_the_site_counts_as_many(
    bus, counted, complete
):
    deps = await begun(bus)
    same = tuple({"number": f"T-{min(n, 2)}", "url": f"http://x/acme/{n}"} for n in (1, 2, 3))
    message = msgspec.structs.replace(listed(), items=same)
    for _ in range(2):  # a redelivered event is no other item
        await add_samples(message, deps, 1)
    closed = await close_population(ended(bus, counted=counted), deps, 1)
    assert isinstance(closed, PopulationClosed)
    assert (closed.samples, closed.complete, closed.counted) == (2, complete, counted)
    assert closed.reason == ("" if complete else "uncertain_list")
    assert ("`list.link`" in closed.note) is not complete


async def test_a_list_with_an_item_that_nothing_names_is_not_complete_and_loses_no_other(bus):
    deps = await begun(bus)
    nameless = {"number": "", "url": ""}
    told = msgspec.structs.replace(listed(1, 2), items=(*items(1), nameless, *items(2)))
    for _ in range(2):
        await add_samples(told, deps, 1)
    closed = await close_population(ended(bus, listed_pages=1), deps, 1)
    assert isinstance(closed, PopulationClosed)
    assert (closed.samples, closed.complete, closed.reason) == (2, False, "uncertain_list")
    assert "nothing names 1 of the items" in closed.note


@pytest.mark.parametrize(("pages", "complete"), [(2, True), (3, False)])
async def test_a_list_of_which_a_page_was_not_added_is_not_complete(bus, pages, complete):
    deps = await begun(bus)
    for step in (2, 4, 4):
        await add_samples(listed(step, step=step), deps, 1)
    closed = await close_population(ended(bus, listed_pages=pages), deps, 1)
    assert isinstance(closed, PopulationClosed)
    assert (closed.samples, closed.complete) == (2, complete)
    assert ("1 of 3 pages" in closed.note) is not complete


async def test_the_own_address_of_an_item_is_a_column_and_no_part_of_its_name(bus):
    fields = {"output_schema": {"number": "string", "title": "string"}, "required_fields": ["number"]}
    deps = await begun(bus, SubmitRun(spec={**SEARCH, **fields}, discovery_row={"org": "acme"}))
    rows = ({"number": "T-1", "title": "One"}, {"number": "T-2", "title": "Two"})
    seen = SamplesListed(
        run_id=RUN, sample_id=DISCOVERY, attempt=1, step=2, url="http://x/acme/list", items=rows,
        addresses=("http://x/acme/1?filter=all", ""),
    )  # fmt: skip
    await add_samples(seen, deps, 1)
    again = msgspec.structs.replace(seen, step=4, addresses=("http://x/acme/1?filter=open", "http://x/acme/2"))
    await add_samples(again, deps, 1)
    found = bus.events(SampleFound)
    assert [(one.sample.key, one.sample.url) for one in found] == [
        ("T-1 One", "http://x/acme/1?filter=all"),
        ("T-2 Two", None),
    ]
    assert found[0].sample.fields == {"org": "acme", "number": "T-1", "title": "One"}
