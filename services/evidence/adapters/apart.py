"""A product of a large run, made by a process of its own.

Two of them are made side by side, the memory that a database takes on the way is given back, and evidence goes on
answering meanwhile. A process that dies over a product costs nothing but that product.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, cast

import msgspec

from services.evidence.adapters.apart_frames import (
    DONE,
    END,
    FILE,
    GONE,
    OPEN,
    SAMPLE,
    TOLD,
    WANTED,
    Asked,
    Kind,
    Told,
    parse_frame,
)
from services.evidence.closing.watched import NotMadeError
from services.evidence.outputs.products import Closing, Made, MakeProduct, OpenFile, Product
from services.evidence.outputs.sample_facts import SampleFacts
from shared.child_process.parent import ChildProcess
from shared.contracts.error_codes import TransientCode
from shared.errors import Unavailable

PROGRAM = "services.evidence.adapters.apart_child"
MANY = 500
"""Samples from which on a run is large: starting a process takes as long as it saves before."""
AHEAD = 16
"""Samples that are sent before the first of them is dealt with."""


class ProductClass(Protocol):
    """One that another process can find by its name."""

    __module__: str
    __qualname__: str

    def __call__(self, closing: Closing, folder: Path, /) -> Product: ...


def apart_if_large(product: ProductClass, makes: str) -> MakeProduct:
    """``product``, which ``makes`` this: made here for a small run, by a process of its own for a large one."""

    def make(closing: Closing, folder: Path) -> Product:
        large = closing.finished.samples >= MANY
        return Apart(product, makes, closing, folder) if large else product(closing, folder)

    return make


class Apart:
    """See :class:`services.evidence.outputs.products.Product`. Raises OSError and Unavailable as the product does, and
    NotMadeError where it could not be made; some of it later, when a further sample is added or at its end."""

    def __init__(self, product: ProductClass, makes: str, closing: Closing, folder: Path) -> None:
        self.makes = makes
        self._process = ChildProcess(PROGRAM)
        self._opening: deque[OpenFile] = deque()
        asked = Asked(f"{product.__module__}:{product.__qualname__}", closing, str(folder))
        self._say(OPEN, msgspec.json.encode(asked))

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        self._opening.append(open_file)
        self._say(SAMPLE, msgspec.msgpack.encode(sample.files_read))
        while len(self._opening) > AHEAD:
            self._hear()

    def finish(self) -> Iterable[Made]:
        self._say(END)
        while (told := self._hear()) is None:
            pass
        return [Made(name, Path(path)) for name, path in told.made]

    def close(self) -> None:
        self._process.close()

    def _hear(self) -> Told | None:
        """Its last word, unless that is that the product could not be made; None where it said another one."""
        frame = self._process.receive()
        if frame is None:
            raise NotMadeError(f"{self.makes} could not be made: its process ended with {self._process.wait()}")
        kind, data = parse_frame(frame)
        if kind == DONE:
            self._opening.popleft()
        elif kind == WANTED:
            found = self._opening[0](data.decode())
            self._say(GONE if found is None else FILE, found or b"")
        else:
            assert kind == TOLD
            return _checked(msgspec.json.decode(data, type=Told))
        return None

    def _say(self, kind: Kind, data: bytes = b"") -> None:
        with self._heard():
            self._process.send(kind, data)

    @contextmanager
    def _heard(self) -> Generator[None]:
        """A process that takes nothing any more has said why, which tells more than that it is gone."""
        try:
            yield
        except BrokenPipeError:
            while self._hear() is None:
                pass
            raise


def _checked(told: Told) -> Told:
    if told.errno:
        raise OSError(told.errno, told.failure)
    if told.code:
        raise Unavailable(told.failure, code=cast("TransientCode", told.code))
    if told.failure:
        raise NotMadeError(told.failure)
    return told
