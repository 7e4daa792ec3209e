"""How the version of a flow did in the runs that used it, and whether rules did better."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from shared.contracts.base import Part

FlowEnding = Literal["done", "taken_over", "left"]
"""How a sample ended in which a flow began. ``done``: the flow did it to its end. ``taken_over``: the flow stopped, and
the rules did it to its end without a model. ``left``: it is for a model or a person."""
LEAST_COMPARED = 5
"""Samples of one run that tell whether a flow or the rules do better."""


class RunUse(Part, frozen=True, kw_only=True):
    """The samples of one run in which the version began, by how they ended. A sample that is reported twice counts
    twice. ``since``: of the first report; ``at``: of the last one."""

    run_id: str
    since: datetime
    at: datetime
    done: int = 0
    taken_over: int = 0
    left: int = 0

    @property
    def begun(self) -> int:
        return self.done + self.taken_over + self.left


class FlowUses(Part, frozen=True, kw_only=True):
    """The last runs that used one version of a flow, the latest report last."""

    runs: tuple[RunUse, ...] = ()


def does_worse(done: int, taken_over: int) -> bool:
    """Return whether a flow did worse than the rules: these finished more samples after it than it did itself."""
    return done + taken_over >= LEAST_COMPARED and taken_over > done
