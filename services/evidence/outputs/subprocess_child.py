"""The child process that makes one product of a large run (see `subprocess_product`).

It runs as ``python -I -m``, with frames on its standard input and output. When its input ends before the run is
complete, its parent is gone, and it ends too.
"""

from __future__ import annotations

import sys
from collections import deque
from importlib import import_module
from pathlib import Path
from typing import BinaryIO

import msgspec

from services.evidence.facts import RunFacts
from services.evidence.outputs.products import IsolatedProduct, MakeProduct
from services.evidence.outputs.subprocess_product import (
    DONE,
    END,
    FILE,
    FILE_WANTED,
    OPEN,
    RESULT,
    SAMPLE,
    ProductReply,
    ProductRequest,
    parse_frame,
)
from shared.child_process.child import read_frame, take_stdout, write_frame
from shared.errors import ExhibitError
from shared.evidence_view.sample_facts import SampleFiles


class _ParentGone(Exception):
    """Raised when the input ends before the last sample."""


class ProductWorker:
    """Makes one product of the frames that the parent sends."""

    def __init__(self, requests: BinaryIO, replies: BinaryIO) -> None:
        self._requests, self._replies = requests, replies
        self._queued: deque[tuple[bytes, bytes]] = deque()
        self._files = msgspec.msgpack.Decoder(SampleFiles)

    def run(self) -> ProductReply:
        kind, data = self._next()
        assert kind == OPEN
        request = msgspec.json.decode(data, type=ProductRequest)
        try:
            product = IsolatedProduct(_find_maker(request.product)(request.run, Path(request.folder)))
            try:
                return self._make(product, request.run)
            finally:
                product.close()
        except OSError as exc:
            return ProductReply(failure=str(exc), errno=exc.errno or 0, code="table_unavailable")
        except ExhibitError as exc:
            return ProductReply(failure=str(exc), code=exc.code)

    def _make(self, product: IsolatedProduct, run: RunFacts) -> ProductReply:
        while True:
            kind, data = self._queued.popleft() if self._queued else self._next()
            if kind == END:
                made = [(file.name, str(file.path)) for file in product.finish()]
                return ProductReply(made=made, failure=product.failure)
            assert kind == SAMPLE
            product.add(run.facts_of(self._files.decode(data)), self._open_file)
            write_frame(self._replies, DONE)
            self._replies.flush()

    def _open_file(self, name: str) -> bytes | None:
        """Ask the parent for a file. Samples that it sends meanwhile are few, and are queued."""
        write_frame(self._replies, FILE_WANTED, name.encode())
        self._replies.flush()
        while (frame := self._next())[0] in (SAMPLE, END):
            self._queued.append(frame)
        return frame[1] if frame[0] == FILE else None

    def _next(self) -> tuple[bytes, bytes]:
        frame = read_frame(self._requests)
        if frame is None:
            raise _ParentGone
        return parse_frame(frame)


def _find_maker(named: str) -> MakeProduct:
    module, _, name = named.partition(":")
    return getattr(import_module(module), name)


def main() -> None:
    replies = take_stdout()
    try:
        reply = ProductWorker(sys.stdin.buffer, replies).run()
    except _ParentGone:
        return
    write_frame(replies, RESULT, msgspec.json.encode(reply))
    replies.flush()


if __name__ == "__main__":
    main()
