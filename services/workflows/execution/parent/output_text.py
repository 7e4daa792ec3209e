"""Standard output of an invocation, as it is kept."""

from __future__ import annotations


class OutputText:
    """The first ``most`` characters, and a last line where there were more."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: list[str] = []
        self._chars = 0

    def add(self, text: str) -> bool:
        """Return whether as much was sent as a child may: one character beyond the limit shows that there was more."""
        self._chars += max(1, len(text))  # a child sends no empty text: a flood of it ends like another
        self._parts.append(text)
        return self._chars <= self._most + 1

    def text(self) -> str:
        whole = "".join(self._parts)
        if self._chars <= self._most:
            return whole
        return f"{whole[: self._most]}\n[output beyond {self._most:,} characters was dropped]\n"
