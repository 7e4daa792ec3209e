"""The browser pool under the restrictions of its container: its seccomp profile, no capability, no new privileges."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from services.browser_pool.adapters.browser.launch import NO_SANDBOX
from tests.container.jailed import POOL, PYTHON, Profile, as_docker_has_it, in_image, jailed, pool_profile, read_profile
from tests.container.pool import END_S, assert_sandboxed, pool_in_jail, show_a_page

CHECK = """
import asyncio
from services.browser_pool.setup_checks import check_browser
from shared.settings import Settings
print(asyncio.run(check_browser(Settings())))
"""


@pytest.fixture(scope="module")
def browser() -> Path:
    return Path(subprocess.check_output([sys.executable, "scripts/find_browser.py"], text=True).strip())


@pytest.mark.usefixtures("namespaces")
async def test_the_browser_starts_with_its_sandbox_and_takes_a_picture(
    tmp_path: Path, keys: Path, browser: Path
) -> None:
    def start(url: str, seed: Path) -> tuple[list[str], dict[str, str]]:
        env = in_image(os.environ, EXHIBIT_NATS_URL=url, EXHIBIT_NATS_SEED=str(seed), EXHIBIT_CHROMIUM=str(browser))
        words = [PYTHON, "-m", "services.console", *POOL["command"]]
        return jailed(pool_profile(), words, [seed, browser.resolve().parent]), env

    async with pool_in_jail(keys, tmp_path, start) as pool:
        assert_sandboxed(await show_a_page(pool))


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
