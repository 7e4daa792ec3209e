"""The beginning of a file's text, read in a process of its own."""

from __future__ import annotations

from pathlib import Path


async def text_preview(path: Path, name: str) -> str | None:
    return None
