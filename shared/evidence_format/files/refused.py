"""The record of an event that evidence has refused: in ``.quarantine/RUN/`` beside the runs, and in no seal."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from shared.contracts.base import Part
from shared.contracts.codes import OpenCode
from shared.contracts.error_codes import SignatureCode

RefusalCode = Literal[
    SignatureCode,
    "unknown_sample",
    "other_sample",
    "other_run",
    "other_round",
    "other_content",
    "out_of_order",
    "sample_ended",
    "run_sealed",
    "steps_differ",
    "not_filed",
    "not_logged",
    "population_closed",
    "population_differs",
    "settled_late",
    "other_planner",
]
"""Why an event is refused:

- ``not_signed``, ``bad_signature``, ``unknown_signer``, ``other_signer``: it is not signed by a service that may send
  it; see `shared.contracts.error_codes`.
- ``unknown_sample``: the run has no such sample.
- ``other_sample``: it tells of the sample otherwise than the population does.
- ``other_run``: the run was started with another task.
- ``other_round``: its attempt, or its round, is none of the round at work.
- ``other_content``: what is filed under its number says something else.
- ``out_of_order``: it is not the next step of its attempt.
- ``sample_ended``: the sample has its result in this round.
- ``run_sealed``: the run is finished; only a resume opens it.
- ``steps_differ``: a result counts other steps than are filed.
- ``not_filed``: a result names a file that no step has filed.
- ``not_logged``: a result is done with a value that no step has logged.
- ``population_closed``: the number of samples is known, and all of them are.
- ``population_differs``: it counts fewer samples than there are, or others than were counted before.
- ``settled_late``: a settlement of a sample that has gone on, or was settled before.
- ``other_planner``: another planner process has begun the attempt that it is of.
"""


class RefusedEvent(Part, frozen=True, kw_only=True):
    """An event that is not in the run, and why.

    ``event``: the name of its type. ``attempt`` and ``step``: 0 where it has none. ``sha256`` and ``size_bytes``: of
    the event as JSON. ``content``: the event itself; None where it is large.
    """

    version: int = 1
    run_id: str
    sample_id: str = ""
    event: str
    attempt: int = 0
    step: int = 0
    code: OpenCode[RefusalCode]
    text: str
    refused_at: datetime
    sha256: str
    size_bytes: int
    content: Any = None
