"""The action that a call of a flow comes to, and the call that a recorded action is repeated by."""

from __future__ import annotations

from typing import Any

from shared.actions.table import ACTIONS, CALLS
from shared.contracts.actions import Action, AnswerDialog, BrowserAction, Target
from shared.contracts.workflows.flows import AnswerQuestion, FlowCall


def to_action(call: FlowCall, target: Target | None = None) -> BrowserAction:
    """Return the action of a call on this element: fields that both have by the same name are the same.

    Raises ValueError for a call that comes to no action, or whose action takes no target where one is given.
    """
    kind = CALLS[type(call)].action
    if kind is None or (target is not None and "target" not in kind.__struct_fields__):
        raise ValueError(f"{type(call).__name__} does not act on an element")
    fields = _common_fields(call, kind)
    if isinstance(call, AnswerQuestion):
        fields["answer"] = "accept" if call.accept else "dismiss"
    if target is not None:
        fields["target"] = target
    action: Any = kind(**fields)
    return action


def to_call(action: Action) -> FlowCall | None:
    """Return the call that repeats a recorded action, without its selector; None: it is not repeated."""
    facts = ACTIONS[type(action)]
    if facts.call is None or facts.compiled != "as_call":
        return None
    fields = _common_fields(action, facts.call)
    if isinstance(action, AnswerDialog):
        fields["accept"] = action.answer == "accept"
    if "selector" in facts.call.__struct_fields__:
        fields["selector"] = ""
    call: Any = facts.call(**fields)
    return call


def _common_fields(one: Action | FlowCall, kind: type[Any]) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__struct_fields__ if name in kind.__struct_fields__}
