"""Which function performs which action: each says so itself, by `performs`."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from services.browser_pool.adapters.outcome import PerformOutcome
from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import Action

ActionT = TypeVar("ActionT", bound=Action)
Implementation = Callable[[PageSession, ActionT], Coroutine[Any, Any, PerformOutcome]]

IMPLEMENTATIONS: dict[type[Action], Implementation[Any]] = {}
"""The implementation of each action whose module was imported; `actions.perform` imports them all."""


def performs(kind: type[ActionT]) -> Callable[[Implementation[ActionT]], Implementation[ActionT]]:
    """Decorate the function that performs this action. Raises TypeError if another one does."""

    def added(function: Implementation[ActionT]) -> Implementation[ActionT]:
        if kind in IMPLEMENTATIONS:
            raise TypeError(f"{kind.__name__} is performed by {IMPLEMENTATIONS[kind].__module__} already")
        IMPLEMENTATIONS[kind] = function
        return function

    return added
