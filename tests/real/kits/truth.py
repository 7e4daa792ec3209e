"""What is untrue of the result of an action, by what the page held before and after it."""

from __future__ import annotations

from collections.abc import Sequence

from shared.contracts.actions import PickOption, Press, SetDate, TypeText
from shared.contracts.results import CheckboxSet, Navigated, NotSeen, PageChanged, ValueSet
from shared.text.normal import fold
from tests.real.kits.checked import Held, Told


def untrue(told: Told, key: str, also: Sequence[str] = ()) -> list[str]:
    """Return what is untrue of the result of an action on the widget ``key``. ``also``: widgets that may change too."""
    return [*_of_effect(told, key), *_of_outcome(told, key), *_of_others(told, key, also)]


def _of_effect(told: Told, key: str) -> list[str]:
    effect, was = told.result.effect, told.before
    if isinstance(effect, ValueSet):
        return [
            f"value_set says {effect.value!r}, and the widget {when} holds {held.state[key]!r}"
            for when, held in (("at once", told.now), ("at rest", told.later))
            if not _says(held, key, effect.value) and not _is_typed(told, held, effect.value)
        ]
    if isinstance(effect, CheckboxSet):
        name = told.result.target.name if told.result.target else ""
        marks = [(when, _is_on(held, key, name)) for when, held in (("at once", told.now), ("at rest", told.later))]
        return [f"checked says {effect.checked}, and {when} it is {on}" for when, on in marks if on != effect.checked]
    if isinstance(effect, PageChanged):
        same = was.state == told.later.state and was.state == told.now.state and was.text == told.now.text
        return ["page_changed, and nothing that is shown has changed"] if same and was.focus == told.now.focus else []
    if isinstance(effect, NotSeen):
        changed = sorted(one for one in was.state if was.state[one] != told.later.state.get(one))
        return [f"not_seen, and {changed} have changed"] if changed else []
    return ["navigated, and the page is the same"] if isinstance(effect, Navigated) else []


def _of_outcome(told: Told, key: str) -> list[str]:
    result, was, later = told.result, told.before, told.later
    asked = _is_as_asked(told, key, later)
    if result.ok:
        return [f"ok, and the widget holds {later.state[key]!r}"] if asked is False else []
    if asked and not _is_as_asked(told, key, was) and not isinstance(result.effect, ValueSet):
        return [f"{result.code}, and it was done: the widget holds {later.state[key]!r}"]
    if was.state[key] != later.state[key] and not isinstance(result.effect, ValueSet | CheckboxSet):
        return [f"{result.code} without a word of it, and the widget holds {later.state[key]!r} now"]
    return []


def _of_others(told: Told, key: str, also: Sequence[str]) -> list[str]:
    was, later = told.before.state, told.later.state
    stray = [one for one in was if one != key and one not in also and was[one] != later.get(one)]
    return [f"{one} has changed too: {was[one]!r}, then {later.get(one)!r}" for one in stray]


def _is_as_asked(told: Told, key: str, held: Held) -> bool | None:
    """Return whether the widget holds what the action asked for; None where the action names no value."""
    action = told.action
    if isinstance(action, PickOption):
        return _says(held, key, action.option) or _says(held, key, action.option.rpartition(">")[2])
    if isinstance(action, TypeText):
        return _says(held, key, action.text) or _is_typed(told, held, action.text)
    if isinstance(action, SetDate):
        # A day may be set in a field that has a time too.
        return str(held.state[key] or "").startswith(action.date)
    return None


def _says(held: Held, key: str, text: str) -> bool:
    return fold(text) in {fold(one) for one in held.says[key]}


def _is_typed(told: Told, held: Held, text: str) -> bool:
    """Return whether the field with the focus has the text: many widgets take it only when the field is left."""
    return isinstance(told.action, TypeText | Press) and held.typed is not None and fold(text) == fold(str(held.typed))


def _is_on(held: Held, key: str, name: str) -> bool | None:
    """Return whether the box is on; None: mixed. What holds a choice is on where it has the box's name."""
    value = held.state[key]
    if isinstance(value, bool):
        return value
    return None if value == "mixed" else _says(held, key, name)
