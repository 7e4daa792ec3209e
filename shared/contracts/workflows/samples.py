"""Recorded samples of a flow, which are kept with its version so that it can be checked again."""

from __future__ import annotations

from typing import Any, Literal

from shared.contracts.base import Part

SampleUse = Literal["compiled_from", "held_out"]
"""``compiled_from``: the flow was made of it. ``held_out``: the flow was only checked with it."""


class KeptSample(Part, frozen=True, kw_only=True):
    """One recorded sample. ``sha256`` and ``size_bytes``: of its bytes, as
    `shared.recordings.packing.pack_recording` returns them. ``blob``: where they lie on the bus while they travel;
    empty: the library has them."""

    sample_id: str
    use: SampleUse
    sha256: str
    size_bytes: int
    blob: str = ""


class SampleSet(Part, frozen=True, kw_only=True):
    """The recorded samples of a version, in the order of their rows. ``spec``: of the task that was recorded."""

    spec: dict[str, Any]
    samples: tuple[KeptSample, ...]
