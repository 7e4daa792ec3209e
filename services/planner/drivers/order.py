"""Which drivers work on a sample, in which order. The modes and planners of a run are names of these lists. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from shared.contracts.discovery import RunMode
from shared.contracts.planner import BY_OPERATOR, BY_REPLAY, BY_RULE, DriverName

Library = Literal["flow", "workflow", "nothing"]
"""What the library has for a task."""

_PLANNERS: Mapping[str, DriverName] = {BY_RULE: "rules", BY_OPERATOR: "person", BY_REPLAY: "recording"}
_ALONE: frozenset[DriverName] = frozenset({"person", "recording"})
"""Drivers before which nobody works."""
_LISTS: Mapping[tuple[RunMode, Library], tuple[DriverName | Literal["planner"], ...]] = {
    ("agent", "nothing"): ("planner",),
    ("agent", "workflow"): ("planner",),
    ("agent", "flow"): ("planner",),
    ("auto", "nothing"): ("planner",),
    ("auto", "workflow"): ("workflow", "planner"),
    ("auto", "flow"): ("flow", "rules", "planner"),
    ("flow", "nothing"): (),
    ("flow", "workflow"): (),
    ("flow", "flow"): ("flow", "rules"),
}
"""``planner``: the driver that the run names. An empty list: such a run is refused."""


def driver_of(planner: str, *, asks_model: bool) -> DriverName:
    """Return the driver that a planner's name stands for. Every planner that asks a model is the driver ``model``."""
    return "model" if asks_model else _PLANNERS.get(planner, "model")


def drivers_in_order(
    mode: RunMode, planner: DriverName, library: Library, *, discovers: bool = False
) -> tuple[DriverName, ...]:
    """Return the drivers of a sample, the first one first; empty where the mode needs what the library has not.

    ``discovers``: the sample is the search for the others.
    """
    if discovers or planner in _ALONE:
        return (planner,)
    return tuple(dict.fromkeys(planner if one == "planner" else one for one in _LISTS[mode, library]))


def uses_library(mode: RunMode, planner: DriverName, *, discovers: bool = False) -> bool:
    """Return whether it matters what the library has."""
    plain = drivers_in_order(mode, planner, "nothing", discovers=discovers)
    return drivers_in_order(mode, planner, "flow", discovers=discovers) != plain
