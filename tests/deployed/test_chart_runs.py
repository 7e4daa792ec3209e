"""The commands of the rendered chart as processes, on a bus of three servers: forty samples through them.

One of the servers is killed on the way: with each stream on three of them, nothing is lost or doubled.
"""

from __future__ import annotations

import asyncio
import urllib.request
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import nats
import pytest
import yaml

from services.console.commands.bus_config import write_bus_config
from shared.bus.access.credentials import BusAccess, connect_options
from shared.bus.access.server_config import USERS_CONF
from shared.bus.signing.seed_keys import SIGNERS
from shared.streams import RUN_CONTROL, key_value_stream
from tests.deployed.chart import CHART, container_of, copied_chart, nats_config, of_kind, rendered, workloads
from tests.deployed.containers import Container, Machine, Mount, machine
from tests.deployed.work import CONCURRENCY, collect
from tests.ports import free_port
from tests.s3_servers import S3Server, s3_server
from tests.waiting import until

pytestmark = [pytest.mark.system, pytest.mark.long]
SERVERS = 3
VALUES = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))


class Cluster:
    """The servers of the bus, as the NATS project's chart would start them."""

    def __init__(self, folder: Path, keys: Path) -> None:
        kinds = ("client", "cluster", "monitor")
        self._ports = {kind: [free_port() for _ in range(SERVERS)] for kind in kinds}
        self.address = f"127.0.0.1:{self._ports['client'][0]}"
        self.containers: list[Container] = []
        users = (keys / USERS_CONF).read_text(encoding="utf-8")
        for number in range(SERVERS):
            made, data = folder / f"config-{number}", folder / f"data-{number}"
            for one in (made, data):
                one.mkdir(parents=True)
            (made / "nats.conf").write_text(nats_config(VALUES, number, self._ports, data))
            (made / USERS_CONF).write_text(users)
            health = f"http://127.0.0.1:{self._ports['monitor'][number]}/healthz"
            self.containers.append(
                Container(
                    name=f"nats-{number}",
                    command=["nats-server", "--config", "/etc/nats-config/nats.conf"],
                    mounts=[Mount("/etc/nats-config", made), Mount("/data", data, True)],
                    health=["wget", "-q", "-O", "/dev/null", health],
                )
            )


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    write_bus_config(tmp_path / "bus")
    return tmp_path / "bus"


def secrets_of(keys: Path, s3: S3Server) -> Mapping[str, Mapping[str, bytes]]:
    """What the commands of docs/deployment.md put into Secrets."""
    files = {path.name: path.read_bytes() for path in (*(keys / "services").iterdir(), keys / SIGNERS)}
    return {
        "exhibit-bus": files,
        "exhibit-s3": {"access-key": s3.access_key.encode(), "secret-key": s3.secret_key.encode()},
    }


def metric(port: str, name: str) -> float | None:
    """Return a metric as KEDA reads it: the first of this name with these labels."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        lines = answer.read().decode().splitlines()
    start, _, wanted = name.partition("{")
    found = [
        line for line in lines if line.startswith(f"{start}{{") and all(one in line for one in wanted[:-1].split(","))
    ]
    return float(found[0].rpartition(" ")[2]) if found else None


async def test_forty_samples_go_through_the_pods_while_a_server_of_the_bus_is_killed(
    keys: Path, programs: dict[str, Path], tmp_path: Path, tickets_url: str, capsys: pytest.CaptureFixture[str]
):
    async with AsyncExitStack() as stack:
        (tmp_path / "s3").mkdir()
        s3 = stack.enter_context(s3_server("versitygw", tmp_path / "s3"))
        cluster = Cluster(tmp_path / "cluster", keys)
        chart = copied_chart(tmp_path / "chart", (keys / USERS_CONF).read_text(encoding="utf-8"))
        manifests = rendered(chart, "--set", f"s3.endpoint={s3.url}", "--set", "keda.enabled=true")
        running = stack.enter_context(machine(tmp_path / "roots", {"exhibit-nats:4222": cluster.address}, programs))
        for server in cluster.containers:
            running.start(server)
        for server in cluster.containers:
            running.wait_until_ready(server)
        pods = start_pods(running, workloads(manifests), secrets_of(keys, s3), tmp_path / "volumes")
        for pod in pods.values():
            running.wait_until_ready(pod)
        assert await replicas_of(key_value_stream(RUN_CONTROL.name), cluster, keys) == SERVERS
        demand = of_kind(manifests, "ScaledObject")["exhibit-planner"]["spec"]["triggers"][0]["metadata"][
            "valueLocation"
        ]
        work = asyncio.create_task(
            collect(
                f"nats://{cluster.address}",
                BusAccess(seeds=keys / "client.seed"),
                tickets_url,
                s3.settings("s3://evidence"),
                tmp_path,
            )
        )
        port = pods["planner"].environment["EXHIBIT_HTTP_PORT"]
        await asyncio.to_thread(until, lambda: metric(port, demand) == CONCURRENCY, "the demand of the run")
        running.kill(cluster.containers[-1].name)
        took_s = await work
        told = {name: running.said(name) for name in pods}
        running.stop()
    with capsys.disabled():
        print(f"\n40 samples through the pods of the chart, one of three NATS servers killed: {took_s:.1f} s")
    assert [line for text in told.values() for line in text.splitlines() if '"level":"ERROR"' in line] == []


def start_pods(
    running: Machine, specs: Mapping[str, dict], secrets: Mapping[str, Mapping[str, bytes]], volumes: Path
) -> dict[str, Container]:
    """Start each pod, and two of those of which KEDA may start more."""
    pods: dict[str, Container] = {}
    for service, spec in specs.items():
        for number in range(2 if service in ("planner", "browser_pool") else 1):
            made = container_of(spec, secrets, volumes / str(number))
            # Each pod has a network of its own; here they share the loopback.
            network = {"EXHIBIT_HTTP_PORT": str(free_port()), "EXHIBIT_HTTP_HOST": "127.0.0.1"}
            name = made.name if number == 0 else f"{made.name}-{number}"
            pods[name] = replace(made, name=name, environment={**made.environment, **network})
            running.start(pods[name])
    return pods


async def replicas_of(stream: str, cluster: Cluster, keys: Path) -> int:
    """Return how many servers hold a stream, as the services have made it."""
    url, access = f"nats://{cluster.address}", BusAccess(seeds=keys)
    nc = await nats.connect(url, **connect_options(url, "evidence", access).named)
    info = await nc.jetstream().stream_info(stream)
    await nc.close()
    assert info.cluster is not None
    return 1 + len(info.cluster.replicas or ())
