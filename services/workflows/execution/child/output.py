"""Standard output of workflow code: sent line by line, up to a limit."""

from __future__ import annotations

import io
from collections.abc import Callable

BUFFER_CHARS = 8_000


class OutputWriter(io.TextIOBase):
    """A text stream that hands on what is written: at the end of each line, and before ``BUFFER_CHARS`` are kept.

    After ``most`` characters it drops everything, and ``send`` gets the last line, which says so.
    """

    def __init__(self, send: Callable[[str], None]) -> None:
        self._send = send
        self._kept: list[str] = []
        self._kept_chars = 0
        self._left = 0

    def begin(self, most: int) -> None:
        self._left = most
        self._kept.clear()
        self._kept_chars = 0

    @property
    def encoding(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return "utf-8"

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]  workflow code may pass anything
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self._left >= 0:
            part = text[: self._left + 1]
            self._left -= len(part)
            self._kept.append(part)
            self._kept_chars += len(part)
            if "\n" in part or self._kept_chars > BUFFER_CHARS or self._left < 0:
                self.flush()
        return len(text)

    def flush(self) -> None:
        if self._kept:
            text = "".join(self._kept)
            self._kept.clear()
            self._kept_chars = 0
            self._send(text.encode(errors="backslashreplace").decode())
