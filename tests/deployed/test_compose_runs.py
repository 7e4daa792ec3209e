"""The commands of the compose file as processes, with the keys of `exhibit bus-config`: forty samples through them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from services.console.commands.bus_config import write_bus_config
from shared.bus.access.credentials import BusAccess
from shared.testing.settings import isolated_settings
from tests.certificates import Authority
from tests.deployed.compose import containers, read_compose
from tests.deployed.containers import address, machine
from tests.deployed.work import collect

pytestmark = [pytest.mark.system, pytest.mark.long]
FIRST = ("bus", "s3")
ACCESS_KEY, SECRET_KEY = "auditor", "a-secret-of-the-test"


@pytest.fixture
def deploy(tmp_path: Path) -> dict[str, Path]:
    """The files that the head of the compose file says how to make."""
    made = tmp_path / "deploy"
    write_bus_config(made / "bus")
    (made / "secrets").mkdir()
    (made / "secrets" / "s3_access_key").write_text(f"{ACCESS_KEY}\n")
    (made / "secrets" / "s3_secret_key").write_text(f"{SECRET_KEY}\n")
    return {f"./deploy/{name}": made / name for name in ("bus", "secrets", "tls")}


@pytest.mark.parametrize("over", [(), ("compose.tls.yml",)], ids=["plain", "tls"])
async def test_forty_samples_go_through_the_containers(
    over: tuple[str, ...],
    deploy: dict[str, Path],
    programs: dict[str, Path],
    tmp_path: Path,
    tickets_url: str,
    capsys: pytest.CaptureFixture[str],
):
    ours = Authority(deploy["./deploy/tls"])
    for name in ("bus", "s3", "service") if over else ():
        ours.issue(name)
    bus, s3 = address("bus:4222"), address("s3:9000")
    inside = {**dict([bus, s3, address("127.0.0.1:8222")]), "0.0.0.0:4222": bus[1], "127.0.0.1:9000": s3[1]}
    inside[":9000"] = f":{s3[1].partition(':')[2]}"
    made = containers(read_compose(*over), deploy, tmp_path / "volumes")
    with machine(tmp_path / "roots", inside, programs) as running:
        for name in (*FIRST, *(one for one in made if one not in FIRST)):
            made[name].environment = {**made[name].environment, **own_port(made[name].environment)}
            running.start(made[name])
            if name in FIRST:
                running.wait_until_ready(made[name])
        for container in made.values():
            running.wait_until_ready(container)
        scheme = "tls" if over else "nats"
        shown = {"ca": ours.pem, "cert": ours.pem.with_name("service.pem"), "key": ours.pem.with_name("service.key")}
        access = BusAccess(seeds=deploy["./deploy/bus"] / "client.seed", **(shown if over else {}))
        evidence = isolated_settings(
            evidence_bucket="s3://evidence", s3_endpoint=f"{'https' if over else 'http'}://{s3[1]}",
            s3_access_key=ACCESS_KEY, s3_secret_key=SECRET_KEY, s3_ca=ours.pem if over else None,
        )  # fmt: skip
        took_s = await collect(f"{scheme}://{bus[1]}", access, tickets_url, evidence, tmp_path)
        told = {name: running.said(name) for name in made if name not in FIRST}
        codes = running.stop()
    with capsys.disabled():
        print(f"\n40 samples through the containers of the compose file{' with TLS' if over else ''}: {took_s:.1f} s")
    assert {name: code for name, code in codes.items() if code not in (0, -15)} == {}
    assert [line for text in told.values() for line in text.splitlines() if " ERROR " in line] == []


def own_port(environment: Mapping[str, str]) -> dict[str, str]:
    """Each container has a loopback of its own; here they share one."""
    return {"EXHIBIT_HTTP_PORT": address("x")[1].rpartition(":")[2]} if "EXHIBIT_HTTP_PORT" in environment else {}
