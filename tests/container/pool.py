"""A browser pool in the jail, on a bus with users, as the compose file has them."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from PIL import Image

from shared.bus.access.credentials import BusAccess
from shared.bus.access.server_config import USERS_CONF
from shared.bus.nats_bus import connect_bus
from shared.contracts.actions import Goto, Screenshot
from shared.host.connections import ManualSessionTerms, open_pool_session
from shared.host.nats_server import run_server
from shared.settings import Settings
from shared.streams import ARTIFACTS
from tests.end_to_end.small_site import Answers, SmallSite
from tests.processes import command

COLOUR = (12, 200, 90)
END_S = 60
SEED = "services/browser_pool.seed"


class ColouredPage(Answers):
    def do_GET(self) -> None:
        self.answer(f"<title>Page</title><body style='background:rgb{COLOUR}'>")


@dataclass(frozen=True)
class JailedPool:
    """``pid``: of the process that the container would start."""

    settings: Settings
    pid: int


@dataclass(frozen=True)
class Shown:
    """What a pool has made of a page. ``own`` and ``renderers``: what the kernel says of the pool's process, and of
    those that show pages; ``namespaces``: the user namespaces of these; ``words``: of all command lines below it."""

    colour: tuple[int, ...]
    own: Mapping[str, str]
    renderers: tuple[Mapping[str, str], ...]
    namespaces: frozenset[str]
    words: frozenset[str]


@asynccontextmanager
async def pool_in_jail(
    keys: Path, folder: Path, start: Callable[[str, Path], tuple[list[str], dict[str, str]]]
) -> AsyncGenerator[JailedPool]:
    """Start a bus and a pool. ``start``: command and environment, by the address of the bus and the pool's seed."""
    users = (keys / USERS_CONF).read_text(encoding="utf-8")
    async with run_server(folder / "jetstream", users) as (url, _):
        async with connect_bus(url, name="evidence", access=BusAccess(seeds=keys), makes_streams=True):
            pass  # the streams of a new bus are made by evidence
        words, env = start(url, keys / SEED)
        pool = await asyncio.create_subprocess_exec(*words, env=env, stdout=asyncio.subprocess.PIPE)
        try:
            assert pool.stdout is not None
            assert (await pool.stdout.readline()).startswith(b"browser_pool serves")
            client = Settings(nats_url=url, nats_seed=keys / "operator.seed", state_dir=folder / "state")
            yield JailedPool(client, pool.pid)
        finally:
            if pool.returncode is None:
                pool.terminate()
            await asyncio.wait_for(pool.communicate(), END_S)


async def show_a_page(pool: JailedPool) -> Shown:
    """Have it open a page and take a picture."""
    with SmallSite(ColouredPage) as site:
        async with open_pool_session(pool.settings, ManualSessionTerms(site.url)) as session:
            went = await session.act(Goto(url=site.url))
            assert went.ok, went.message
            taken = await session.act(Screenshot(label="page"))
            assert taken.ok, taken.message
            (picture,) = (one for one in taken.artifacts if one.media_type == "image/png")
            image = Image.open(io.BytesIO(await session.bus.get(ARTIFACTS, picture.blob)))
            family = psutil.Process(pool.pid).children(recursive=True)
            renderers = [one.pid for one in family if "--type=renderer" in command(one)]
            return Shown(
                colour=tuple(image.convert("RGB").crop((5, 5, 6, 6)).tobytes()),
                own=status(pool.pid),
                renderers=tuple(map(status, renderers)),
                namespaces=frozenset(map(user_namespace, renderers)),
                words=frozenset(word for one in family for word in command(one)),
            )


def assert_sandboxed(shown: Shown) -> None:
    """Fail unless the page was shown as in a container, and with the browser's sandbox."""
    own = shown.own
    assert shown.colour == COLOUR
    # No capability is left, none is to be had, and one filter stands before all system calls.
    assert (own["CapEff"], own["CapBnd"], own["NoNewPrivs"], own["Seccomp_filters"]) == ("0" * 16, "0" * 16, "1", "1")
    assert shown.renderers
    assert not {"--no-sandbox", "--disable-namespace-sandbox"} & shown.words
    # A page's process has a PID namespace and a user namespace that are not ours, and the browser's filter beside ours;
    # one that waits for a page has no filter yet.
    assert all(len(one["NSpid"].split()) > len(own["NSpid"].split()) for one in shown.renderers)
    assert any(int(one["Seccomp_filters"]) > 1 for one in shown.renderers)
    assert user_namespace("self") not in shown.namespaces


def status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def user_namespace(pid: int | str) -> str:
    return str(Path(f"/proc/{pid}/ns/user").readlink())
