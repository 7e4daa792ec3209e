"""A Python process of ours that helps with one thing, spoken to through its standard input and output."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress


def started(program: str) -> subprocess.Popen[bytes]:
    """``program``: the module that it runs. Both ends are pipes; what it says on standard error goes to ours."""
    return subprocess.Popen(  # noqa: S603  ourselves
        [sys.executable, "-I", "-m", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C in a terminal is ours to answer
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """It is gone afterwards, whatever it was at; calling it twice is no error."""
    if process.poll() is None:
        process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            if pipe is not None:
                pipe.close()
