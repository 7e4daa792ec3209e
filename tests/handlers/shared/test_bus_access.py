"""Who may use a server that was started here, on a real nats-server."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import msgspec
import psutil
import pytest

from shared.bus.access.contexts import BusContext, context_folders, find_context, remove_context, write_context
from shared.bus.nats_bus import connect_bus
from shared.errors import PermanentError, Unavailable
from shared.host.nats_server import nats_server
from shared.streams import RUNS
from tests.bus_with_users import is_refused
from tests.raising import raises_code
from tests.typed import expect

pytestmark = pytest.mark.system
NOBODY_UID = 65534
ROOT = Path(__file__).parents[3]


@pytest.fixture
async def own(tmp_path: Path) -> AsyncIterator[BusContext]:
    """The context of a server that only this test uses."""
    async with nats_server(tmp_path / "jetstream") as url:
        yield expect(find_context(url), BusContext)


def file_of(context: BusContext) -> Path:
    """The one file that has the context."""
    (found,) = [
        path
        for folder in context_folders()
        for path in folder.glob("*.json")
        if context.token in path.read_text(encoding="utf-8")
    ]
    return found


@pytest.mark.parametrize("options", [{}, {"token": "guessed"}, {"user": "exhibit", "password": "exhibit"}])
async def test_a_client_without_the_key_is_refused(nats_url: str, options: dict):
    assert await is_refused(nats_url, **options)
    assert not await is_refused(nats_url, token=expect(find_context(nats_url), BusContext).token)


async def test_each_start_has_a_key_of_its_own(own: BusContext, nats_url: str):
    shared = expect(find_context(nats_url), BusContext)
    assert shared.token != own.token
    assert len(own.token) >= 43  # 256 bits
    assert await is_refused(nats_url, token=own.token)


async def test_only_the_user_can_read_the_key_and_it_goes_with_the_server(tmp_path: Path):
    async with nats_server(tmp_path / "jetstream") as url:
        file = file_of(expect(find_context(url), BusContext))
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        assert [path.name for path in file.parent.iterdir() if path.suffix == ".part"] == []
    assert not file.exists()
    assert find_context(url) is None


async def test_the_key_is_told_nowhere_else(
    own: BusContext, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
):
    """Not in a command line, an environment, the streams, a log, a `repr` or an error."""
    server = psutil.Process(own.server_pid)
    assert own.token not in " ".join(server.cmdline()) + str(server.environ())
    with caplog.at_level(logging.DEBUG):
        async with connect_bus(own.url, name="one") as bus:
            await bus.create(RUNS, "a", "b")
            said = repr(bus.nc.options) + repr(bus) + repr(own) + str(own)
    write_context(replace(own, token=own.token[::-1]))
    with pytest.raises(PermanentError, match=f"{own.url} does not take the key of this process") as caught:
        async with connect_bus(own.url, name="two"):
            pass
    out, err = capfd.readouterr()
    assert own.token not in said + caplog.text + out + err
    assert own.token[::-1] not in repr(caught.value) + str(caught.value) + caplog.text + out + err
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert all(own.token.encode() not in path.read_bytes() for path in files)


async def test_a_client_that_has_no_key_is_told_so(own: BusContext):
    remove_context(file_of(own), own)
    with raises_code(PermanentError, "bus_refused", match=f"{own.url} takes only who has a key.*exhibit up"):
        async with connect_bus(own.url, name="stranger"):
            pass


async def test_the_key_of_a_server_that_has_ended_is_told_to_be_stale(tmp_path: Path):
    program = (
        "import asyncio, sys\nfrom pathlib import Path\nfrom shared.host.nats_server import nats_server\n"
        "async def main():\n  async with nats_server(Path(sys.argv[1])) as url:\n"
        "    print(url, flush=True)\n    await asyncio.Event().wait()\nasyncio.run(main())"
    )
    started = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program, str(tmp_path / "jetstream")), stdout=subprocess.PIPE, cwd=ROOT
    )
    assert started.stdout is not None
    url = (await started.stdout.readline()).decode().strip()
    context = expect(find_context(url), BusContext)
    server, file = psutil.Process(context.server_pid), file_of(context)
    started.kill()
    await started.wait()
    psutil.wait_procs([server], timeout=60)
    assert file.exists()
    with raises_code(Unavailable, "no_bus", match=f"{url} has ended and left {file} behind"):
        async with connect_bus(url, name="late"):
            pass
    async with nats_server(tmp_path / "next"):
        assert not file.exists()  # the next start clears up


async def test_a_file_that_others_can_read_is_refused(own: BusContext):
    file = file_of(own)
    file.chmod(0o644)
    with raises_code(PermanentError, "bus_refused", match=f"{file} is open to others") as caught:
        find_context(own.url)
    assert own.token not in str(caught.value)


async def test_a_link_in_place_of_the_file_is_not_followed(own: BusContext, tmp_path: Path):
    file = file_of(own)
    elsewhere = tmp_path / "planted.json"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    with pytest.raises(PermanentError, match="cannot be read"):
        find_context(own.url)


def test_a_file_that_is_no_context_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    context = BusContext(url="nats://127.0.0.1:4222", token="t", server_pid=1)
    file = write_context(context)
    file.write_bytes(msgspec.json.encode({"url": "nats://127.0.0.1:4222"}))
    with pytest.raises(PermanentError, match="is not the context of a bus"):
        find_context(context.url)


def test_where_the_users_folder_cannot_be_written_the_temporary_one_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    (tmp_path / "state").write_text("a file in the way")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    file = write_context(BusContext(url="nats://127.0.0.1:4222", token="t", server_pid=1))
    assert file.is_relative_to(tmp_path / "tmp")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another user")
def test_a_folder_that_another_user_has_planted_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "state").write_text("a file in the way")
    planted = tmp_path / "tmp" / f"exhibit-{os.geteuid()}"
    planted.mkdir(parents=True)
    os.chown(planted, NOBODY_UID, NOBODY_UID)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    with pytest.raises(Unavailable, match="is not a folder of this user"):
        write_context(BusContext(url="nats://127.0.0.1:4222", token="t", server_pid=1))
    assert list(planted.iterdir()) == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_a_server_that_is_started_again_is_found_with_its_new_key(tmp_path: Path):
    """A process that scales `exhibit up` goes on when that is restarted at its port.

    A connection that is refused while nats-py reconnects is left by it to the garbage collector, which is called here.
    """
    async with nats_server(tmp_path / "jetstream") as url:
        port = int(url.rpartition(":")[2])
        first = expect(find_context(url), BusContext)
        manager = connect_bus(url, name="worker")
        bus = await manager.__aenter__()
        bus.nc.options["reconnect_time_wait"] = 0.05
    try:
        async with nats_server(tmp_path / "jetstream", port=port) as again:
            assert again == url
            assert expect(find_context(url), BusContext).token != first.token
            await bus.create(RUNS, "after-the-restart", "x")
            assert await bus.read(RUNS, "after-the-restart", str) == "x"
    finally:
        await manager.__aexit__(None, None, None)
        gc.collect()
