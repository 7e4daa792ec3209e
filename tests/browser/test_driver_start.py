"""The start of a browser's driver that is cut off."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CUT_OFF = """
import asyncio, sys
from pathlib import Path
from services.browser_pool.adapters.browser.launch import start

async def main():
    starting = asyncio.create_task(start(None))
    await asyncio.to_thread(Path(sys.argv[1]).read_text)
    starting.cancel()
    await asyncio.wait([starting])
    assert starting.cancelled()

asyncio.run(main())
"""


def test_a_driver_that_is_slow_to_start_ends_without_an_error_that_nobody_has_read(tmp_path: Path) -> None:
    driver, started = tmp_path / "driver", tmp_path / "started"
    driver.write_text(f"#!/bin/sh\necho started > {started}\nexec sleep 600\n")
    driver.chmod(0o755)
    os.mkfifo(started)
    ended = subprocess.run(
        [sys.executable, "-c", CUT_OFF, str(started)],
        env={**os.environ, "PLAYWRIGHT_NODEJS_PATH": str(driver)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
