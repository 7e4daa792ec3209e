from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from services.console.commands.bus_config import write_bus_config
from tests.container.jail import UID
from tests.container.jailed import jailed
from tests.container.pool import SEED

BOUND_S = 60


@pytest.fixture(scope="session")
def namespaces(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A kernel that gives the jail's user a namespace where nothing filters; a test is skipped without one."""
    if sys.platform != "linux":
        pytest.skip("containers run on Linux")
    unfiltered = tmp_path_factory.mktemp("jail") / "unfiltered.json"
    unfiltered.write_text(json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "defaultErrnoRet": 1, "syscalls": []}))
    tried = subprocess.run(
        jailed(unfiltered, ["unshare", "--user", "true"]), capture_output=True, text=True, timeout=BOUND_S, check=False
    )
    if tried.returncode != 0:
        assert tried.stderr.startswith("unshare: "), tried.stderr  # the jail itself is at fault
        pytest.skip(f"this machine gives the user of a container no user namespace: {tried.stderr.strip()[-300:]}")


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `exhibit bus-config` makes."""
    folder = tmp_path_factory.mktemp("keys")
    write_bus_config(folder)
    if os.geteuid() == 0:
        os.chown(folder / SEED, UID, UID)  # as the compose file says
    return folder


@pytest.fixture
def profile_file(tmp_path: Path):
    def write(profile: dict) -> Path:
        path = tmp_path / "profile.json"
        path.write_text(json.dumps(profile), encoding="utf-8")
        return path

    return write
