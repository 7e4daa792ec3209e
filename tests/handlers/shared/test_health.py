"""Whether services are alive and ready, and their metrics: as they are told at an HTTP port."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import nats
import pytest
from nats.js.api import ConsumerInfo

from services.console.commands.health import NO_ANSWER, NO_PORT, NOT_READY, READY, ask_health
from shared.bus.access.credentials import NO_ACCESS, connect_options
from shared.bus.queue_worker import depth_of
from shared.errors import PermanentError
from shared.health.http_port import open_http_port
from shared.health.readiness import BoundCheck, Health
from shared.host.nats_server import nats_server
from shared.host.services import run_services
from shared.streams import RUNS, key_value_stream
from shared.telemetry.about import work_of_service
from shared.telemetry.exporting import export_telemetry
from shared.telemetry.metrics import QueueDepth, record_ask, record_queue, record_sessions
from shared.testing.settings import library_settings
from tests.ports import free_port

SECRET = "hunter2, as the page says"


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class Looked:
    def __init__(self, error: Exception | None = None) -> None:
        self.times, self.error = 0, error

    async def __call__(self) -> None:
        self.times += 1
        if self.error is not None:
            raise self.error


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def health(clock: Clock) -> Health:
    return Health(("vision",), clock)


@pytest.fixture
async def port(health: Health) -> AsyncIterator[int]:
    async with open_http_port("127.0.0.1", 0, health) as port:
        yield port


async def ask(port: int, request: str) -> tuple[str, str]:
    """Send a request as it stands; return the first line of the answer, and its body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request.encode())
    answer = (await reader.read()).decode()
    writer.close()
    head, _, body = answer.partition("\r\n\r\n")
    return head.split("\r\n")[0], body


async def get(port: int, path: str) -> tuple[str, str]:
    return await ask(port, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n")


async def test_a_process_is_alive_before_it_is_ready_and_ready_once_its_checks_hold(port: int, health: Health):
    assert await get(port, "/health") == ("HTTP/1.1 200 OK", "OK\n")
    first, body = await get(port, "/ready")
    assert first == "HTTP/1.1 503 Service Unavailable"
    assert [one["name"] for one in json.loads(body)["conditions"]] == ["serves"]
    health.serves("vision", (BoundCheck("bus", Looked()),))
    first, body = await get(port, "/ready?full=1")
    assert (first, json.loads(body)["ready"]) == ("HTTP/1.1 200 OK", True)
    health.stops("vision")
    assert (await get(port, "/ready"))[0] == "HTTP/1.1 503 Service Unavailable"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (PermanentError(SECRET, code="no_blob"), "the bytes that a message names are not on the bus"),
        (RuntimeError(SECRET), "RuntimeError"),
    ],
)
async def test_of_what_fails_the_code_is_told_and_no_text(port: int, health: Health, error: Exception, told: str):
    health.serves("vision", (BoundCheck("bus", Looked()), BoundCheck("store", Looked(error))))
    first, body = await get(port, "/ready")
    assert first == "HTTP/1.1 503 Service Unavailable"
    bad = [one for one in json.loads(body)["conditions"] if one["told"]]
    assert [one["name"] for one in bad] == ["store"]
    assert "hunter2" not in body
    if isinstance(error, RuntimeError):
        assert bad[0]["told"] == told


async def test_a_flood_of_questions_is_one_look_a_second(port: int, health: Health, clock: Clock):
    looked = Looked()
    health.serves("vision", (BoundCheck("bus", looked),))
    await asyncio.gather(*(get(port, "/ready") for _ in range(20)))
    assert looked.times == 1
    clock.now_s += 1.5
    await get(port, "/ready")
    assert looked.times == 2


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("GET / HTTP/1.1", "404"),
        ("GET /ready/../health HTTP/1.1", "404"),
        ("POST /ready HTTP/1.1", "405"),
        ("nonsense", "400"),
        ("GET /health FTP/1.1", "400"),
    ],
)
async def test_nothing_else_is_answered(port: int, request_line: str, status: str):
    first, _ = await ask(port, f"{request_line}\r\nContent-Length: 3\r\n\r\nabc")
    assert first.split()[1] == status


async def test_a_head_has_no_body_and_an_endless_one_is_cut_off(port: int):
    assert await ask(port, "HEAD /health HTTP/1.1\r\n\r\n") == ("HTTP/1.1 200 OK", "")
    assert await ask(port, f"GET /health HTTP/1.1\r\nX: {'x' * 100_000}") == ("", "")


async def test_metrics_are_told_as_prometheus_reads_them(port: int):
    with export_telemetry("console", scraped=True):
        assert (await get(port, "/metrics"))[1] == ""
        with work_of_service("planner"):
            record_queue("SAMPLES", QueueDepth(waiting=4, at_work=3, demand=5))
            record_ask("a.b", 0.02, "")
            record_ask("a.b", 400.0, "no_browser")
        with work_of_service("browser_pool"):
            record_sessions(2, 6, full=False)
        first, body = await get(port, "/metrics")
        lines = body.splitlines()
    assert first == "HTTP/1.1 200 OK"
    asked = 'exhibit_service="planner",exhibit_subject="a.b"'
    fast, slow = (f'exhibit_code="{code}",{asked}' for code in ("", "no_browser"))
    for line in (
        "# TYPE exhibit_queue_depth gauge",
        'exhibit_queue_depth{exhibit_queue="SAMPLES",exhibit_service="planner",exhibit_state="waiting"} 4',
        'exhibit_queue_depth{exhibit_queue="SAMPLES",exhibit_service="planner",exhibit_state="at_work"} 3',
        'exhibit_queue_demand{exhibit_queue="SAMPLES",exhibit_service="planner"} 5',
        'exhibit_sessions{exhibit_service="browser_pool",exhibit_state="free"} 6',
        'exhibit_pool_full{exhibit_service="browser_pool"} 0',
        "# TYPE exhibit_failures_total counter",
        'exhibit_failures_total{exhibit_code="no_browser",exhibit_of="ask",exhibit_service="planner"} 1',
        "# TYPE exhibit_ask_duration_seconds histogram",
        f'exhibit_ask_duration_seconds_bucket{{{fast},le="0.01"}} 0',
        f'exhibit_ask_duration_seconds_bucket{{{fast},le="0.025"}} 1',
        f'exhibit_ask_duration_seconds_bucket{{{slow},le="300.0"}} 0',
        f'exhibit_ask_duration_seconds_bucket{{{slow},le="+Inf"}} 1',
        f"exhibit_ask_duration_seconds_count{{{slow}}} 1",
    ):
        assert line in lines


def queue(waiting: int, at_work: int, most: int) -> ConsumerInfo:
    info = SimpleNamespace(num_pending=waiting, num_ack_pending=at_work, config=SimpleNamespace(max_ack_pending=most))
    return cast("ConsumerInfo", cast("Any", info))


def test_what_a_run_hands_out_at_once_is_what_is_scaled_for():
    """A run of a thousand samples, eight at a time, asks for eight; the end of one that has more room for its last."""
    assert depth_of([queue(992, 8, 8), queue(2, 1, 50)]) == QueueDepth(waiting=994, at_work=9, demand=8 + 3)


async def test_the_command_of_a_container_says_what_does_not_hold(
    port: int, health: Health, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("EXHIBIT_HTTP_PORT", str(port))
    monkeypatch.setenv("EXHIBIT_HTTP_HOST", "0.0.0.0")
    assert await asyncio.to_thread(ask_health) == NOT_READY
    assert capsys.readouterr().out == "NOT vision: serves: it does not serve yet, or not any more\n"
    health.serves("vision", (BoundCheck("bus", Looked()),))
    assert await asyncio.to_thread(ask_health) == READY
    assert capsys.readouterr().out == "ok  vision: bus\n"
    monkeypatch.setenv("EXHIBIT_HTTP_PORT", str(free_port()))
    assert await asyncio.to_thread(ask_health) == NO_ANSWER
    monkeypatch.delenv("EXHIBIT_HTTP_PORT")
    assert await asyncio.to_thread(ask_health) == NO_PORT
    assert "EXHIBIT_HTTP_PORT is not set" in capsys.readouterr().err


@pytest.mark.system
async def test_a_service_is_not_ready_where_its_bucket_or_its_store_is_gone(tmp_path: Path, clock: Clock):
    names = ("evidence", "planner", "discovery")
    settings = library_settings(tmp_path)
    health = Health(names, clock)

    async def bad() -> list[tuple[str, str]]:
        clock.now_s += 1.5
        return [(one.service, one.name) for one in (await health.look()).conditions if one.told]

    async with nats_server(tmp_path / "jetstream") as url, run_services(settings, url, names, health=health):
        assert await bad() == []
        settings.evidence_dir.rename(tmp_path / "moved")
        settings.evidence_dir.write_text("no folder")
        assert await bad() == [("evidence", "store")]
        settings.evidence_dir.unlink()
        (tmp_path / "moved").rename(settings.evidence_dir)
        nc = await nats.connect(url, **connect_options(url, "test", NO_ACCESS).named)
        await nc.jetstream().delete_stream(key_value_stream(RUNS.name))
        await nc.close()
        assert {name for _, name in await bad()} == {"streams"}
    assert await bad() == [(name, "serves") for name in names]
