"""A file of 199 MB through browser, bus and evidence: complete, hashed twice, stored once, never held in memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from shared.client import connect
from shared.contracts.operator import DecisionGiven
from shared.host.nats_server import nats_server
from shared.subjects import DECIDE
from tests.end_to_end.conftest import Cli
from tests.end_to_end.small_site import Answers, SmallSite

PIECE, PIECES = bytes(range(256)) * 4096, 190
SIZE_BYTES = len(PIECE) * PIECES
MOST_MB = 200
"""Of a process that never holds the file: its own code takes half of it, and the file would take as much again."""
SERVICES = ("evidence", "browser_pool", "planner", "discovery")


class Archive(Answers):
    def do_GET(self) -> None:
        if self.path != "/file.bin":
            self.answer("<!doctype html><title>Archive</title><h1>Box B-1</h1><a href=/file.bin>Everything</a>")
            return
        self.send_response(200)
        self.send_header("content-type", "application/octet-stream")
        self.send_header("content-length", str(SIZE_BYTES))
        self.end_headers()
        for _ in range(PIECES):
            self.wfile.write(PIECE)


@pytest.fixture
def archive() -> Iterator[str]:
    with SmallSite(Archive) as site:
        yield site.url


def spec(url: str) -> dict[str, Any]:
    return {
        "task_id": "archive",
        "goal": "the file of the box",
        "start_url": f"{url}/",
        "input_schema": {"box": "string"},
        "sample_id": "{box}",
        "output_schema": {"box": "string"},
        "identity": {"box": "{box}"},
    }


async def decide(message: Any) -> None:
    question = json.loads(message.data)
    loaded = any("download" in line for line in question["history"])
    action = {"action": "done", "values": {"box": "B-1"}} if loaded else {"action": "download", "target": "css=a"}
    await message.respond(msgspec.json.encode(DecisionGiven(action={**action, "reason": "asked"}, decided_by="test")))


def highest_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


@pytest.mark.long
async def test_a_large_file_passes_through_without_being_held(cli: Cli, archive: str, tmp_path: Path):
    async with nats_server(tmp_path / "streams") as url, connect(url) as client:
        running = {}
        for name in SERVICES:
            process = cli.start("serve", name, "--nats", url, "--evidence", str(tmp_path / "evidence"))
            assert process.stdout is not None
            assert process.stdout.readline() == f"{name} serves on {url}\n"
            running[name] = process
        await client.bus.nc.subscribe(DECIDE.pattern, queue="operators", cb=decide)
        accepted = await client.submit(spec(archive), rows=[{"box": "B-1"}], planner="operator")
        finished = await client.result(accepted.run_id)
        highest = {name: highest_mb(process.pid) for name, process in running.items()}
    sample = Path(finished.location) / "B-1"
    [artifact] = [a for a in json.loads((sample / "result.json").read_text())["artifacts"] if a["kind"] == "download"]
    kept = sample / artifact["filename"]
    digest = hashlib.sha256()
    for _ in range(PIECES):
        digest.update(PIECE)
    with kept.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == digest.hexdigest() == artifact["sha256"]
    assert (kept.stat().st_size, artifact["size_bytes"]) == (SIZE_BYTES, SIZE_BYTES)
    assert max(highest["evidence"], highest["browser_pool"]) < MOST_MB, highest
    assert sum(path.stat().st_size for path in (tmp_path / "streams").rglob("*") if path.is_file()) < 50_000_000
