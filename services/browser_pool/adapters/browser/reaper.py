"""Clears away what a browser leaves behind, whatever ended the process that used it.

A program of its own, `python reaper.py FOLDER`: it waits until its standard input is closed, which the system does
for a process that is killed too. Then whatever was started with FOLDER as its place for temporary files gets a moment
to end by itself, is killed, and FOLDER is removed.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from contextlib import suppress

import psutil

GRACE_S, BOUND_S, LOOK_EVERY_S = 2.0, 15.0, 0.05


def main(folder: str) -> None:
    # Ctrl-C in a terminal, and whoever ends a whole group, must not end this one first.
    for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, signal.SIG_IGN)
    while os.read(0, 4096):
        pass
    began_s = time.monotonic()
    seen: dict[int, psutil.Process] = {}
    while (left := living(folder, seen)) and time.monotonic() - began_s < BOUND_S:
        if time.monotonic() - began_s > GRACE_S:
            for process in left:
                with suppress(psutil.Error):
                    process.kill()
        time.sleep(LOOK_EVERY_S)
    shutil.rmtree(folder, ignore_errors=True)


def living(folder: str, seen: dict[int, psutil.Process]) -> list[psutil.Process]:
    """Of those processes, and of all that they were once seen to have started, the ones that still run."""
    for process in psutil.process_iter():
        if process.pid != os.getpid() and belongs(process, folder):
            with suppress(psutil.Error):
                seen.update({one.pid: one for one in (process, *process.children(recursive=True))})
    return [process for process in seen.values() if runs(process)]


def belongs(process: psutil.Process, folder: str) -> bool:
    try:
        return process.environ().get("TMPDIR") == folder
    except (psutil.Error, OSError):  # somebody else's, or gone
        return False


def runs(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


if __name__ == "__main__":
    main(sys.argv[1])
