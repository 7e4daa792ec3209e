"""The console in the browser as a command serves it, for the benchmarks of its pages."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Browser, Page

BOUND_S = 300.0


@dataclass(frozen=True)
class Served:
    """``enter``: the address that opens a session of the console. ``pid``: of `exhibit up`."""

    bus: str
    enter: str
    pid: int

    @property
    def console(self) -> str:
        return self.enter.partition("/enter")[0]


@contextmanager
def everything(folder: Path) -> Generator[Served]:
    with served(folder, "up", "--port", "-1") as up:
        yield up


@contextmanager
def served(folder: Path, *command: str) -> Generator[Served]:
    """Start a command of Exhibit that serves the console."""
    env = {
        **os.environ,
        "EXHIBIT_STATE_DIR": str(folder / "state"),
        "EXHIBIT_EVIDENCE_DIR": str(folder / "evidence"),
        "EXHIBIT_WORKFLOWS_DIR": str(folder / "workflows"),
    }
    whole = [sys.executable, "-m", "services.console", *command, "--web-port", "0"]
    with (folder / "log").open("w") as log:
        up = subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=log, text=True, env=env)
        assert up.stdout is not None
        try:
            said = ""
            while "/enter?" not in said:
                line = up.stdout.readline()
                if not line:
                    told = (folder / "log").read_text()[-2000:]
                    raise SystemExit(f"`exhibit {command[0]}` did not start: {told}")
                said += line
            threading.Thread(target=up.stdout.read, daemon=True).start()  # what it says later must not block it
            found = re.search(r"(nats://[^\s,]+)", said), re.search(r"(http://\S+/enter\?\S+)", said)
            bus, enter = (one.group(1) if one else "" for one in found)
            yield Served(bus, enter, up.pid)
        finally:
            up.send_signal(signal.SIGTERM)
            up.wait(BOUND_S)


@asynccontextmanager
async def session(browser: Browser, enter: str) -> AsyncGenerator[Page]:
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(enter)
    yield page
    await context.close()
