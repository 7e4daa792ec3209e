"""A planner whose result evidence refuses: its run ends all the same, and says so."""

from __future__ import annotations

from shared.bus.nats_bus import connect_bus
from shared.bus.signing.service_keys import KeysInMemory
from shared.client import connect
from shared.contracts.planner import SampleFinished
from shared.host.nats_server import nats_server
from shared.host.services import run_services, service_user
from shared.subjects import POPULATION_CLOSED, RUN_STARTED, SAMPLE_FINISHED, SAMPLE_FOUND, work_id
from tests.handlers.evidence.evidence_desk import closed, ended, found, outcomes, sample, started

ONE = sample("A-1")


async def test_a_run_of_which_the_only_result_is_refused_ends(settings, tmp_path):
    keys = KeysInMemory()
    async with (
        nats_server(tmp_path / "jetstream") as url,
        run_services(settings, url, ["evidence"], keys),
        connect(url) as client,
        connect_bus(url, name="discovery", signing=keys.signing_of(service_user("discovery"))) as discovery,
        connect_bus(url, name="planner", signing=keys.signing_of(service_user("planner"))) as planner,
    ):
        await discovery.publish(RUN_STARTED, started())
        await discovery.publish(SAMPLE_FOUND, found(ONE))
        await discovery.publish(POPULATION_CLOSED, closed(1))
        await planner.publish(SAMPLE_FINISHED, ended(ONE, steps=3))
        await planner.mark_handled(work_id("run_1", ONE, 0))
        finished = await client.result("run_1")
        told = [one async for one in _results(client)]
    assert outcomes(finished) == {("failed", "result_refused"): 1}
    assert [one.reason for one in told] == ["", "result_refused"]
    assert "it counts 3 steps, and 0 are filed" in told[-1].message


async def _results(client):
    async for event in client.watch("run_1"):
        if isinstance(event, SampleFinished):
            yield event
            if event.status == "failed":
                return
