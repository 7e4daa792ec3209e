"""The browser pool under the restrictions of its container: its seccomp profile, no capability, no new privileges."""

from __future__ import annotations

import asyncio
import io
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from PIL import Image

from services.browser_pool.adapters.browser.launch import NO_SANDBOX
from services.console.commands.bus_config.command import write_bus_config
from shared.bus.access.server_config import USERS_CONF
from shared.contracts.actions import Goto, Screenshot
from shared.host.connections import ManualSession, ManualSessionTerms, open_pool_session
from shared.host.nats_server import run_server
from shared.settings import Settings
from shared.streams import ARTIFACTS
from tests.container.jail import UID
from tests.container.jailed import POOL, PYTHON, Profile, as_docker_has_it, in_image, jailed, pool_profile, read_profile
from tests.end_to_end.small_site import Answers, SmallSite
from tests.processes import command

COLOUR = (12, 200, 90)
END_S = 60
CHECK = """
import asyncio
from services.browser_pool.setup_checks import check_browser
from shared.settings import Settings
print(asyncio.run(check_browser(Settings())))
"""
SEED = "services/browser_pool.seed"


class ColouredPage(Answers):
    def do_GET(self) -> None:
        self.answer(f"<title>Page</title><body style='background:rgb{COLOUR}'>")


@dataclass(frozen=True)
class JailedPool:
    """``pid``: of the process that the container would start."""

    settings: Settings
    pid: int


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `exhibit bus-config` makes."""
    folder = tmp_path_factory.mktemp("keys")
    write_bus_config(folder)
    if os.geteuid() == 0:
        os.chown(folder / SEED, UID, UID)  # as the compose file says
    return folder


@pytest.fixture(scope="module")
def browser() -> Path:
    return Path(subprocess.check_output([sys.executable, "scripts/find_browser.py"], text=True).strip())


@asynccontextmanager
async def pool_in_jail(profile: Path, keys: Path, browser: Path, folder: Path) -> AsyncGenerator[JailedPool]:
    """Start what the compose file starts in the pool's container."""
    users = (keys / USERS_CONF).read_text(encoding="utf-8")
    async with run_server(folder / "jetstream", users) as (url, _):
        seed = keys / SEED
        env = in_image(os.environ, EXHIBIT_NATS_URL=url, EXHIBIT_NATS_SEED=str(seed), EXHIBIT_CHROMIUM=str(browser))
        command_line = [PYTHON, "-m", "services.console", *POOL["command"]]
        pool = await asyncio.create_subprocess_exec(
            *jailed(profile, command_line, [seed, browser.resolve().parent]),
            env=env,
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            assert pool.stdout is not None
            assert (await pool.stdout.readline()).startswith(b"browser_pool serves")
            client = Settings(nats_url=url, nats_seed=keys / "operator.seed", state_dir=folder / "state")
            yield JailedPool(client, pool.pid)
        finally:
            pool.terminate()
            await asyncio.wait_for(pool.communicate(), END_S)


async def picture_of(session: ManualSession, url: str) -> Image.Image:
    went = await session.act(Goto(url=url))
    assert went.ok, went.message
    taken = await session.act(Screenshot(label="page"))
    assert taken.ok, taken.message
    (picture,) = (one for one in taken.artifacts if one.media_type == "image/png")
    return Image.open(io.BytesIO(await session.bus.get(ARTIFACTS, picture.blob)))


def status(process: psutil.Process) -> dict[str, str]:
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def user_namespace(pid: int) -> str:
    return str(Path(f"/proc/{pid}/ns/user").readlink())


@pytest.mark.usefixtures("namespaces")
async def test_the_browser_starts_with_its_sandbox_and_takes_a_picture(
    tmp_path: Path, keys: Path, browser: Path
) -> None:
    async with pool_in_jail(pool_profile(), keys, browser, tmp_path) as pool:
        with SmallSite(ColouredPage) as site:
            async with open_pool_session(pool.settings, ManualSessionTerms(site.url)) as session:
                picture = await picture_of(session, site.url)
                family = psutil.Process(pool.pid).children(recursive=True)
                renderers = [status(one) for one in family if "--type=renderer" in command(one)]
                namespaces = {user_namespace(one.pid) for one in family if "--type=renderer" in command(one)}
                own = status(psutil.Process(pool.pid))
                told = [word for one in family for word in command(one)]
    assert picture.convert("RGB").getpixel((5, 5)) == COLOUR
    # As in the container: no capability is left, none is to be had, and one filter stands before all system calls.
    assert (own["CapEff"], own["CapBnd"], own["NoNewPrivs"], own["Seccomp_filters"]) == ("0" * 16, "0" * 16, "1", "1")
    assert renderers
    assert not {"--no-sandbox", "--disable-namespace-sandbox"} & {*told}
    # A page's process has a PID namespace and a user namespace that are not ours, and the browser's filter beside ours;
    # one that waits for a page has no filter yet.
    assert all(len(one["NSpid"].split()) > len(own["NSpid"].split()) for one in renderers)
    assert any(int(one["Seccomp_filters"]) > 1 for one in renderers)
    assert user_namespace(os.getpid()) not in namespaces


@pytest.mark.usefixtures("namespaces")
def test_by_dockers_default_it_does_not_start_and_says_why(
    browser: Path, profile_file: Callable[[Profile], Path]
) -> None:
    """By the check of `exhibit doctor`, which starts a browser as the pool does."""
    default = profile_file(as_docker_has_it(read_profile(pool_profile())))
    env = in_image(os.environ, EXHIBIT_CHROMIUM=str(browser))
    for profile, code in ((default, 1), (pool_profile(), 0)):
        checked = subprocess.run(
            jailed(profile, [PYTHON, "-c", CHECK], [browser.resolve().parent]),
            env=env, capture_output=True, text=True, timeout=END_S, check=False,
        )  # fmt: skip
        assert checked.returncode == code, checked.stderr
        assert (NO_SANDBOX in checked.stderr) == (code == 1)
