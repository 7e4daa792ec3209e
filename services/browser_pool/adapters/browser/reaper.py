"""Clears what a browser leaves behind, whatever ended the process that used it.

A program of its own, `python reaper.py FOLDER`. It waits until its standard input is closed, which the system also does
for a killed parent. Every process with FOLDER as TMPDIR then gets a moment to end, is killed, and FOLDER is removed.
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
    # Ctrl-C and signals to the whole process group must not end this process first.
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
    """Return the processes of the folder, and all that they were seen to start, that still run."""
    for process in psutil.process_iter():
        if process.pid != os.getpid() and belongs(process, folder):
            with suppress(psutil.Error):
                seen.update({one.pid: one for one in (process, *process.children(recursive=True))})
    return [process for process in seen.values() if runs(process)]


def belongs(process: psutil.Process, folder: str) -> bool:
    try:
        return process.environ().get("TMPDIR") == folder
    except (psutil.Error, OSError):  # of another user, or gone
        return False


def runs(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


if __name__ == "__main__":
    main(sys.argv[1])
