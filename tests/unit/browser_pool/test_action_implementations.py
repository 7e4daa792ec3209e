"""Every browser action has one implementation, in one table."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from typing import get_args

from services.browser_pool.adapters.actions import perform
from services.browser_pool.adapters.actions.perform import IMPLEMENTATIONS
from shared.contracts.actions import BrowserAction


def written_keys() -> list[str]:
    """The keys of the table as they are written: a dict keeps only the last of two equal ones."""
    for node in ast.walk(ast.parse(inspect.getsource(perform))):
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Dict):
            return [ast.unparse(key) for key in node.value.keys if key is not None]
    raise AssertionError("the table is gone")


def test_every_browser_action_has_exactly_one_entry() -> None:
    assert Counter(written_keys()) == Counter(action.__name__ for action in get_args(BrowserAction))
    assert set(IMPLEMENTATIONS) == set(get_args(BrowserAction))


def test_no_two_actions_share_an_implementation() -> None:
    assert len(set(IMPLEMENTATIONS.values())) == len(IMPLEMENTATIONS)
