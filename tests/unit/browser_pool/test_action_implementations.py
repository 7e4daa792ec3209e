"""Every browser action has one implementation."""

from __future__ import annotations

from typing import get_args

import pytest

from services.browser_pool.adapters.actions.perform import MODULES
from services.browser_pool.adapters.implementations import IMPLEMENTATIONS, performs
from shared.contracts.actions import BrowserAction, Click


def test_every_browser_action_has_an_implementation_of_its_own() -> None:
    assert set(IMPLEMENTATIONS) == set(get_args(BrowserAction))
    assert len(set(IMPLEMENTATIONS.values())) == len(IMPLEMENTATIONS)


def test_each_module_performs_something() -> None:
    assert {one.__module__ for one in IMPLEMENTATIONS.values()} == {one.__name__ for one in MODULES}


def test_a_second_implementation_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Click is performed by .*click already"):
        performs(Click)(IMPLEMENTATIONS[Click])
