"""The recipes of ``tools.browser``: one for each action of the pool, made of its type, and four of its own."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from services.workflows.tools.declared.call_forms import CallForm
from services.workflows.tools.declared.declarations import ArgumentType, ToolParameter
from shared.actions.table import ACTIONS as TABLE
from shared.contracts.actions import BrowserAction, ByRef, Target, parse_target
from shared.contracts.workflows.invocations import JsonValue

ACTIONS: Mapping[str, type[BrowserAction]] = {
    str(one.__struct_config__.tag): one for one in get_args(BrowserAction) if TABLE[one].offered != "never"
}
_TYPES: dict[type, ArgumentType] = {
    msgspec.inspect.StrType: "string",
    msgspec.inspect.BoolType: "boolean",
    msgspec.inspect.IntType: "integer",
    msgspec.inspect.FloatType: "number",
}
_TARGETS = frozenset(get_args(Target))
_TARGET_WORDS = "An element: its ref of the last observe(), its visible text, or css=SELECTOR."
_PASSED_OVER = frozenset({"reason"})
"""Fields for drivers."""

_TEXT, _WHOLE = ToolParameter(), ToolParameter(type="integer", required=False)
_FILE = ToolParameter(description="The SHA-256 of a file that an action or capture() has named.")
OWN_FORMS: Mapping[str, CallForm] = {
    "observe": CallForm(
        "browser.observe",
        "Reads the page: address, title, text, and its elements with the refs that actions take.",
        {
            "keywords": ToolParameter(type="array", default=[], description="Elements with these words are included."),
            "max_tokens": ToolParameter(type="integer", default=6000),
        },
    ),
    "capture": CallForm(
        "browser.capture",
        "Stores the page as it is now, with all its elements; names the files.",
        {"label": ToolParameter(default="page")},
    ),
    "read_file": CallForm("browser.read_file", "Returns a small captured or downloaded file.", {"file": _FILE}),
    "save_file": CallForm(
        "browser.save_file",
        "Saves a captured or downloaded file, of any size, as an artifact.",
        {"file": _FILE, "name": _TEXT, "description": ToolParameter(default="")},
    ),
}


def action_forms() -> dict[str, CallForm]:
    """Return the form of each action, by its name."""
    return {name: _form(name, one) for name, one in ACTIONS.items()}


def _form(name: str, action: type[BrowserAction]) -> CallForm:
    info = msgspec.inspect.type_info(action)
    assert isinstance(info, msgspec.inspect.StructType)
    parameters = {one.name: _parameter(one) for one in info.fields if one.name not in _PASSED_OVER}
    return CallForm(f"browser.{name}", " ".join((inspect.getdoc(action) or "").split()), parameters)


def _parameter(field: msgspec.inspect.Field) -> ToolParameter:
    default = None if field.required else field.default
    if _is_target(field.type):
        return ToolParameter(type="any", required=field.required, description=_TARGET_WORDS)
    if isinstance(field.type, msgspec.inspect.LiteralType):
        return ToolParameter(enum=list(field.type.values), required=field.required or None, default=default)
    return ToolParameter(type=_TYPES[type(field.type)], required=field.required or None, default=default)


def _is_target(kind: msgspec.inspect.Type) -> bool:
    if isinstance(kind, msgspec.inspect.UnionType):
        return any(_is_target(one) for one in kind.types)
    return isinstance(kind, msgspec.inspect.StructType) and kind.cls in _TARGETS


def action_of(name: str, values: Mapping[str, JsonValue], snapshot_id: str) -> BrowserAction:
    """Return the action. ``snapshot_id``: the last observation, which refs belong to; empty: there was none.

    Raises ValueError for what is no target, and for a ref without an observation.
    """
    info = msgspec.inspect.type_info(ACTIONS[name])
    assert isinstance(info, msgspec.inspect.StructType)
    targets = {one.name for one in info.fields if _is_target(one.type)}
    filled = {key: _target(key, one, snapshot_id) if key in targets else one for key, one in values.items()}
    try:
        return msgspec.convert({"action": name, **msgspec.to_builtins(filled)}, type=ACTIONS[name])
    except msgspec.ValidationError as exc:
        raise ValueError(str(exc)) from exc


def _target(name: str, value: Any, snapshot_id: str) -> Target:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(f"argument {name!r} must be a ref, a text or css=SELECTOR, not {type(value).__name__}")
    target = parse_target(str(value), snapshot_id)
    if isinstance(target, ByRef) and not snapshot_id:
        raise ValueError(f"argument {name!r} is a ref, and nothing was observed yet: call browser.observe() first")
    return target
