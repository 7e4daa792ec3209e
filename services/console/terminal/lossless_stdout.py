"""Standard output and error that lose nothing when their pipe is full."""

from __future__ import annotations

import io
import select
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class LosslessFile(io.FileIO):
    """A file descriptor that waits for its reader, also where it does not block.

    A child may switch a pipe that it shares with this process to non-blocking: the driver of the browser does so with
    the standard error that it inherits, and with ``2>&1`` that is our standard output too. A text stream then drops
    what exceeds the pipe's capacity, without an error.
    """

    def write(self, data: ReadableBuffer, /) -> int:
        """Write, once there is room, at least one byte. Raises BrokenPipeError when nobody reads any more."""
        while (written := super().write(data)) is None:
            waiting = select.poll()
            waiting.register(self.fileno(), select.POLLOUT)
            waiting.poll()
        return written


def lose_nothing() -> None:
    """Give this process a standard output and error that wait for their readers."""
    sys.stdout, sys.stderr = _lossless(sys.stdout), _lossless(sys.stderr)


def _lossless(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):  # closed, or a test's own
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(LosslessFile(stream.fileno(), "wb", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
