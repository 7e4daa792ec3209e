"""The child programs of test_child_process.py: `python -I child_modules.py NAME`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from shared.child_process.child import die_with_parent, limit_resources, read_frame, take_stdout, write_frame


def echo() -> None:
    """Echo each frame; "hang" never answers, "half" stops in the middle of a frame."""
    replies = take_stdout()
    print("a library prints this")
    while (data := read_frame(sys.stdin.buffer)) is not None:
        if data == b"hang":
            time.sleep(600)  # clock: it does not end by itself
        if data == b"half":
            replies.write(b"\0\0\0\x09half")
            break
        write_frame(replies, data)
        replies.flush()


def environment() -> None:
    """Tell the names of the environment, once asked: who ends before he is asked breaks the pipe of who asks."""
    replies = take_stdout()
    read_frame(sys.stdin.buffer)
    write_frame(replies, "\n".join(sorted(os.environ)).encode())
    replies.flush()


def limited() -> None:
    """Exceed the limits, once asked: memory, file size, CPU time."""
    replies = take_stdout()
    read_frame(sys.stdin.buffer)
    limit_resources(memory_bytes=1 << 30, file_bytes=1000, wall_s=600)
    told = []
    try:
        bytearray(2 << 30)
    except MemoryError:
        told.append("memory")
    try:
        Path(sys.argv[2]).write_bytes(b"x" * 2000)
    except OSError:
        told.append("file")
    write_frame(replies, " ".join(told).encode())
    replies.flush()
    limit_resources(memory_bytes=1 << 30, file_bytes=1000, wall_s=1)
    time.sleep(600)  # clock: it does not end by itself


def parent() -> None:
    """Start a child that ends with this process, print its pid, and wait to be killed."""
    child = subprocess.Popen(
        [sys.executable, "-I", __file__, "orphan"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL
    )
    assert child.stdout is not None
    child.stdout.readline()
    print(child.pid, flush=True)
    signal.pause()


def orphan() -> None:
    die_with_parent()
    print("ready", flush=True)
    signal.pause()


if __name__ == "__main__":
    {"echo": echo, "environment": environment, "limited": limited, "parent": parent, "orphan": orphan}[sys.argv[1]]()
