"""prompt_NNN.json.zst: what a model was asked at a step, and its answer, word for word (the key ``keep_prompts``)."""

from __future__ import annotations

from typing import Any

import msgspec

from shared.contracts.base import Part, Usage
from shared.zstd import unpack_zstd

MOST_PROMPT_BYTES = 20_000_000
"""Unpacked. A prompt has as many tokens as a model takes."""


class PromptCall(Part, frozen=True, kw_only=True, gc=False):
    """A call of the answer, as the model has written it: neither part was checked."""

    name: str
    arguments: Any = None


class PromptFile(Part, frozen=True, kw_only=True, gc=False):
    """``instructions``: the same for each step of the run. ``task``: for each step of the sample. ``page``: the page as
    it was observed, and the steps before. ``tools``: names of those that could be called. ``text``: what the model has
    said beside its ``calls``."""

    version: int = 1
    model: str
    instructions: str
    task: str
    page: str
    tools: tuple[str, ...] = ()
    text: str = ""
    calls: tuple[PromptCall, ...] = ()
    stop_reason: str = ""
    usage: Usage = Usage()


def parse_prompt_file(packed: bytes) -> PromptFile | None:
    """Return the file; None if it is none."""
    try:
        return msgspec.json.decode(unpack_zstd(packed, MOST_PROMPT_BYTES), type=PromptFile)
    except (msgspec.DecodeError, ValueError):
        return None
