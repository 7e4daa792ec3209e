"""Makes a product of a large run in a child process.

Two products are made in parallel, the memory of a database is freed with its process, and the event loop stays
responsive. A child process that dies costs its product alone. A frame between the two processes is one byte for its
kind, then the data. The child process runs `subprocess_child`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, Protocol, cast

import msgspec

from services.evidence.facts import RunFacts
from services.evidence.outputs.products import MakeProduct, NotMadeError, OpenFile, OutputFile, Product
from shared.child_process.parent import ChildProcess
from shared.contracts.codes import OpenCode
from shared.contracts.error_codes import ErrorCode, TransientCode
from shared.errors import Unavailable
from shared.evidence_view.sample_facts import SampleFacts

# --- the frames

Kind = Literal[b"o", b"s", b"f", b"g", b"e", b"d", b"w", b"t"]
OPEN: Kind = b"o"
"""To the child, first: `ProductRequest`."""
SAMPLE: Kind = b"s"
"""To the child: the files of a sample, `SampleFiles` as MessagePack, because they are bytes."""
FILE: Kind = b"f"
"""To the child: the bytes of the file that it requested."""
NO_FILE: Kind = b"g"
"""To the child: the requested file does not exist."""
END: Kind = b"e"
"""To the child: there are no more samples."""
DONE: Kind = b"d"
"""From the child: it has finished one more sample."""
FILE_WANTED: Kind = b"w"
"""From the child: a request for a file of its current sample, by name."""
RESULT: Kind = b"t"
"""From the child, last: `ProductReply`."""


class ProductRequest(msgspec.Struct, frozen=True):
    """``product``: its class, as ``module:name``. ``folder``: an empty folder for this product alone."""

    product: str
    run: RunFacts
    folder: str


class ProductReply(msgspec.Struct, frozen=True):
    """``made``: names and paths of the files. ``failure``: why the product was not made, for people; with ``errno`` or
    ``code`` the error may be transient."""

    made: list[tuple[str, str]] = []
    failure: str = ""
    errno: int = 0
    code: OpenCode[ErrorCode | Literal[""]] = ""


def parse_frame(frame: bytes) -> tuple[bytes, bytes]:
    """Return the kind and the data of a frame."""
    return frame[:1], frame[1:]


# --- the product in this process

PROGRAM = "services.evidence.outputs.subprocess_child"
LARGE_RUN_SAMPLES = 500
"""For a run with fewer samples, starting a process takes as long as it saves."""
LARGE_REGISTER_BYTES = 1_000_000
"""A register of this size takes much memory while it is read."""
MAX_UNFINISHED = 16
"""Samples that are sent before the child has finished the first of them."""


class ProductClass(Protocol):
    """A class that the child process can import by its name."""

    __module__: str
    __qualname__: str

    def __call__(self, run: RunFacts, folder: Path, /) -> Product: ...


def in_subprocess_if_large(product: ProductClass, makes: str, *, reads_logs: bool = True) -> MakeProduct:
    """Return a maker of ``product``: in this process for a small run, in a child process for a large one.

    ``makes`` names the product's files, for people. ``reads_logs``: whether it needs step logs, which are many times
    larger than results.
    """

    def make(run: RunFacts, folder: Path) -> Product:
        register = run.record.register
        large = run.finished.samples >= LARGE_RUN_SAMPLES
        large = large or (register is not None and register.file.size_bytes >= LARGE_REGISTER_BYTES)
        if not large:
            return product(run, folder)
        return SubprocessProduct(product, makes, run, folder, reads_logs=reads_logs)

    return make


class SubprocessProduct:
    """A :class:`services.evidence.outputs.products.Product` that a child process makes.

    Raises OSError and Unavailable as the product does, and NotMadeError when it could not be made. An error may be
    raised later than its cause: when a further sample is added, or by `finish`.
    """

    def __init__(
        self, product: ProductClass, makes: str, run: RunFacts, folder: Path, *, reads_logs: bool = True
    ) -> None:
        self.makes, self._reads_logs = makes, reads_logs
        self._process = ChildProcess(PROGRAM)
        self._open_files: deque[OpenFile] = deque()
        request = ProductRequest(f"{product.__module__}:{product.__qualname__}", run, str(folder))
        self._send(OPEN, msgspec.json.encode(request))

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        self._open_files.append(open_file)
        files = sample.files_read if self._reads_logs else msgspec.structs.replace(sample.files_read, log=None)
        self._send(SAMPLE, msgspec.msgpack.encode(files))
        while len(self._open_files) > MAX_UNFINISHED:
            self._receive()

    def finish(self) -> Iterable[OutputFile]:
        self._send(END)
        while (reply := self._receive()) is None:
            pass
        return [OutputFile(name, Path(path)) for name, path in reply.made]

    def close(self) -> None:
        self._process.close()

    def _receive(self) -> ProductReply | None:
        """Handle the child's next frame; return its result, or None for any other frame."""
        frame = self._process.receive()
        if frame is None:
            raise NotMadeError(f"{self.makes} could not be made: its process ended with {self._process.wait()}")
        kind, data = parse_frame(frame)
        if kind == DONE:
            self._open_files.popleft()
        elif kind == FILE_WANTED:
            found = self._open_files[0](data.decode())
            self._send(NO_FILE if found is None else FILE, found or b"")
        else:
            assert kind == RESULT
            return _raise_error(msgspec.json.decode(data, type=ProductReply))
        return None

    def _send(self, kind: Kind, data: bytes = b"") -> None:
        with self._explain_broken_pipe():
            self._process.send(kind, data)

    @contextmanager
    def _explain_broken_pipe(self) -> Generator[None]:
        """Raise the child's own error in place of BrokenPipeError, if it has sent one."""
        try:
            yield
        except BrokenPipeError:
            while self._receive() is None:
                pass
            raise


def _raise_error(reply: ProductReply) -> ProductReply:
    """Return the reply, or raise the error that it reports."""
    if reply.errno:
        raise OSError(reply.errno, reply.failure)
    if reply.code:
        raise Unavailable(reply.failure, code=cast("TransientCode", reply.code))
    if reply.failure:
        raise NotMadeError(reply.failure)
    return reply
