from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from exhibit.demo import practice_site
from tests.s3_servers import program


@pytest.fixture(scope="session")
def tickets_url() -> Iterator[str]:
    with practice_site() as url:
        yield url


@pytest.fixture(scope="session")
def programs() -> dict[str, Path]:
    """What the images have on their PATH, by the name it has there."""
    browser = subprocess.check_output([sys.executable, "scripts/find_browser.py"], text=True).strip()
    return {
        "nats-server": Path(sys.executable).parent / "nats-server",
        "versitygw": program("versitygw"),
        "chromium-headless-shell": Path(browser),
    }
