"""The flow that a run compiles of its own first samples, as a record that planners and the workflow library share."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from shared.contracts.base import Part

LEARNERS = 2
"""Samples that a flow is compiled from. The planner works them out; the others wait for the flow."""
MOST_LEARNERS = 4
"""Samples that are taken where the first ones do not show every field."""
MAX_LOST = 4
"""Learners that may end otherwise than done, before no flow is compiled any more."""
HOLD_S = 300.0
"""How long samples of a run wait for its flow, from its first learner on. Then the planner works on them."""


class RunFlow(Part, frozen=True, kw_only=True):
    """How far the flow of a run has come. Planners add ``learners``, the workflow library writes the rest.

    ``learning``: its learners are worked on, or it is compiled. ``compiled``: ``name`` and ``hash`` are its version in
    the library. ``failed``: no flow comes of this run, for this ``reason``. The last two are final.
    """

    state: Literal["learning", "compiled", "failed"] = "learning"
    since: datetime
    """When its first learner began."""
    learners: tuple[str, ...] = ()
    """Ids of samples."""
    wanted: int = LEARNERS
    """How many learners the flow needs."""
    lacking: tuple[str, ...] = ()
    """Fields for which more learners are wanted than the first ones: these did not show them."""
    done: tuple[str, ...] = ()
    """Learners that can be compiled from, in the order in which they ended."""
    lost: tuple[str, ...] = ()
    """Learners that ended otherwise; other samples take their places."""
    tries: int = 0
    """Compilations that were begun."""
    name: str = ""
    hash: str = ""
    reason: str = ""
