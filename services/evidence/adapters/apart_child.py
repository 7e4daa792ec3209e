"""The process that makes one product of a large run: `apart` says why. Run as ``python -I -m`` with frames on its
standard input and output. Where its input ends before the run does, nobody waits for it any more, and it ends."""

from __future__ import annotations

import sys
from collections import deque
from importlib import import_module
from pathlib import Path
from typing import BinaryIO

import msgspec

from services.evidence.adapters.apart_frames import (
    DONE,
    END,
    FILE,
    OPEN,
    SAMPLE,
    TOLD,
    WANTED,
    Asked,
    Told,
    parse_frame,
)
from services.evidence.closing.watched import Watched
from services.evidence.outputs.products import Closing, MakeProduct
from services.evidence.outputs.sample_files import SampleFiles
from shared.child_process.child import read_frame, take_stdout, write_frame
from shared.errors import ExhibitError


class _Nobody(Exception):
    """Nobody waits any more."""


class Work:
    """One product, from its opening to its end."""

    def __init__(self, given: BinaryIO, replies: BinaryIO) -> None:
        self._given, self._replies = given, replies
        self._ahead: deque[tuple[bytes, bytes]] = deque()
        self._files = msgspec.msgpack.Decoder(SampleFiles)

    def do(self) -> Told:
        kind, data = self._next()
        assert kind == OPEN
        asked = msgspec.json.decode(data, type=Asked)
        try:
            product = Watched(_maker(asked.product)(asked.closing, Path(asked.folder)))
            try:
                return self._made(product, asked.closing)
            finally:
                product.close()
        except OSError as exc:
            return Told(failure=str(exc), errno=exc.errno or 0, code="table_unavailable")
        except ExhibitError as exc:
            return Told(failure=str(exc), code=exc.code)

    def _made(self, product: Watched, closing: Closing) -> Told:
        while True:
            kind, data = self._ahead.popleft() if self._ahead else self._next()
            if kind == END:
                made = [(one.name, str(one.path)) for one in product.finish()]
                return Told(made=made, failure=product.failure)
            assert kind == SAMPLE
            product.add(closing.facts_of(self._files.decode(data)), self._open_file)
            write_frame(self._replies, DONE)
            self._replies.flush()

    def _open_file(self, name: str) -> bytes | None:
        """Samples that are sent meanwhile wait their turn: they are a few."""
        write_frame(self._replies, WANTED, name.encode())
        self._replies.flush()
        while (frame := self._next())[0] in (SAMPLE, END):
            self._ahead.append(frame)
        return frame[1] if frame[0] == FILE else None

    def _next(self) -> tuple[bytes, bytes]:
        frame = read_frame(self._given)
        if frame is None:
            raise _Nobody
        return parse_frame(frame)


def _maker(named: str) -> MakeProduct:
    module, _, name = named.partition(":")
    return getattr(import_module(module), name)


def main() -> None:
    replies = take_stdout()
    try:
        told = Work(sys.stdin.buffer, replies).do()
    except _Nobody:
        return
    write_frame(replies, TOLD, msgspec.json.encode(told))
    replies.flush()


if __name__ == "__main__":
    main()
