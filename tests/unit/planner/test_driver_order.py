"""Which drivers work on a sample, by mode, planner and what the library has."""

from __future__ import annotations

from typing import Any

import pytest

from services.planner.drivers.order import driver_of, drivers_in_order, uses_library


@pytest.mark.parametrize(
    ("mode", "planner", "library", "drivers"),
    [
        ("agent", "model", "flow", ("model",)),
        ("auto", "model", "nothing", ("model",)),
        ("auto", "rules", "flow", ("flow", "rules")),
        ("auto", "rules", "workflow", ("workflow", "rules")),
        ("auto", "model", "workflow", ("workflow", "model")),
        ("auto", "person", "flow", ("person",)),
        ("auto", "recording", "flow", ("recording",)),
        ("flow", "rules", "nothing", ()),
        ("flow", "rules", "workflow", ()),
    ],
)
def test_each_driver_works_in_its_turn(mode: Any, planner: Any, library: Any, drivers: Any):
    assert drivers_in_order(mode, planner, library) == drivers


@pytest.mark.parametrize("mode", ["auto", "agent", "flow"])
def test_the_search_for_samples_has_one_driver(mode: Any):
    assert drivers_in_order(mode, "rules", "flow", discovers=True) == ("rules",)
    assert not uses_library(mode, "rules", discovers=True)


@pytest.mark.parametrize(
    ("mode", "planner", "matters"),
    [("auto", "model", True), ("flow", "rules", True), ("agent", "rules", False), ("auto", "person", False)],
)
def test_the_library_is_asked_only_where_it_matters(mode: Any, planner: Any, matters: bool):
    assert uses_library(mode, planner) is matters


def test_every_planner_that_asks_a_model_is_one_driver():
    assert [driver_of(one, asks_model=False) for one in ("rules", "operator", "replay")] == [
        "rules",
        "person",
        "recording",
    ]
    assert driver_of("claude-sonnet-5-5", asks_model=True) == "model"
