"""The names that programs and flows import are the same everywhere."""

from __future__ import annotations

import exhibit
import exhibit.flow
import servers.browser_tools
from shared.flows.code import functions
from shared.flows.identifiers import FLOW_NAMES


def test_every_public_name_can_be_loaded():
    for name in exhibit.__all__:
        assert getattr(exhibit, name).__name__ == name
    assert {name for names in exhibit._HOMES.values() for name in names} == set(exhibit.__all__)


def test_flows_find_the_same_functions_under_both_names_and_in_the_sandbox():
    for module in (exhibit.flow, servers.browser_tools):
        assert module.__all__ == functions.__all__
        for name in functions.__all__:
            assert getattr(module, name) is getattr(functions, name)


def test_no_variable_has_the_name_of_a_function():
    assert set(functions.__all__) - {"FlowStopped"} <= FLOW_NAMES
