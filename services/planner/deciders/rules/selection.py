"""Pure: a field that offers a list as one types. The one option that says what is wanted is pressed, and the field must
say it afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass

from services.planner.deciders.rules.route_context import Scene
from services.planner.page.targets import controls
from services.planner.page.text import mentions
from services.planner.state.common_decisions import MAX_TRIES, look_again
from services.planner.state.sample_state import Act, Look
from shared.contracts.actions import Click, TypeText
from shared.contracts.browser_pool import Element
from shared.text.normal import fold, quoted


@dataclass(frozen=True)
class Wish:
    """``part`` numbers the field in its step."""

    part: str
    labels: tuple[str, ...]
    search: str
    wanted: str


def choose(scene: Scene, wish: Wish) -> Act | Look | None:
    """The next action for the field; None once it says what was chosen."""
    control = only_control(scene, wish.labels)
    called = " or ".join(map(quoted, wish.labels))
    pressed = scene.entries(wish.part)
    if control is None:
        gone = any(entry.ok for entry in pressed)
        return None if gone else scene.missing(f"single field called {called}")
    if pressed and _says(control.value or "", wish.wanted):
        return None
    if len(pressed) >= MAX_TRIES or len(scene.entries(f"{wish.part}s")) > MAX_TRIES:
        return scene.fail("invalid_input", f"{called} does not take {quoted(wish.wanted)}: it holds {control.value!r}")
    if fold(control.value or "") != fold(wish.search):
        action = TypeText(target=scene.ref(control), text=wish.search)
        return scene.act(action, f"{called} is searched for {quoted(wish.search)}.", f"{wish.part}s")
    return _press(scene, wish, called)


def only_control(scene: Scene, labels: tuple[str, ...]) -> Element | None:
    found = controls(scene.page, labels)
    return found[0] if len(found) == 1 else None


def _press(scene: Scene, wish: Wish, called: str) -> Act | Look:
    options = [e for e in scene.page.elements if e.role == "option"]
    exact = [e for e in options if fold(e.name) == fold(wish.wanted)]
    fitting = exact or [e for e in options if _says(e.name, wish.wanted)]
    if len(fitting) == 1:
        why = f"{quoted(fitting[0].name)} is the one option that says {quoted(wish.wanted)}."
        return scene.act(Click(target=scene.ref(fitting[0])), why, wish.part)
    later = look_again(scene.view, looks=3 if not fitting else 1)
    if later is not None:
        return later
    offered = ", ".join(quoted(e.name) for e in options[:8]) or "nothing"
    if fitting:
        return scene.fail("ambiguous_record", f"{called} offers {quoted(wish.wanted)} more than once: {offered}")
    return scene.fail("invalid_input", f"{called} does not offer {quoted(wish.wanted)}: it offers {offered}")


def _says(text: str, wanted: str) -> bool:
    """``mentions`` wants a word of its own, and a bracket is none."""
    return fold(text) == fold(wanted) or mentions(text, wanted) is not None
