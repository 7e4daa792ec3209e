"""Pure: pressing a button. One that cannot be taken back is pressed once, when all before it is proven."""

from __future__ import annotations

from services.planner.deciders.rules import filling
from services.planner.deciders.rules.collecting import on_trail
from services.planner.deciders.rules.navigation import came_through, filled, or_else, press_once, several
from services.planner.deciders.rules.route_context import Onward, Scene
from services.planner.page.targets import pressable
from services.planner.state.common_decisions import look_again
from services.planner.state.sample_state import Act, Entry, Look
from shared.contracts.actions import AnswerDialog, Click
from shared.task.route import Fill, PressButton
from shared.text.normal import fold, quoted

AGREED = "confirm"


def press(scene: Scene, step: PressButton) -> Act | Look | Onward:
    if scene.page.dialog is not None and scene.entries():
        return _answer(scene, step)
    fired = tuple(entry for entry in scene.entries() if entry.may_have_fired)
    if step.irreversible and fired:
        return _after(scene, fired)
    if came_through(scene.entries()):
        return Onward()
    names = filled(scene, step.press)
    found = pressable(scene.page, names)
    what = f"button called {or_else(names)}"
    if not found:
        return scene.missing(what)
    if len(found) > 1:
        return several(scene, what, found)
    if not step.irreversible:
        return press_once(scene, found[0], f"{quoted(found[0].name)} is what comes next.")
    return _for_good(scene, found[0].name, Click(target=scene.ref(found[0])), "disabled" in found[0].states)


def _for_good(scene: Scene, name: str, click: Click, disabled: bool) -> Act | Look:
    doubt = unproven(scene)
    if doubt:
        return look_again(scene.view, looks=2) or scene.fail("invalid_input", f"{quoted(name)} is not pressed: {doubt}")
    if disabled:
        return look_again(scene.view) or scene.lost(f"{quoted(name)} is disabled")
    if len(scene.entries()) >= 2:
        return scene.lost(f"{quoted(name)} cannot be pressed: {scene.entries()[-1].message}")
    return scene.act(click, f"{quoted(name)}, once and for good: all that was filled in has been read back.")


def unproven(scene: Scene) -> str:
    """What speaks against pressing: another record, or a field that does not hold what was filled in."""
    if scene.view.spec.identity and not on_trail(scene.view, scene.read):
        return scene.read.proof.wrong or "the page does not show whose record it is"
    steps = list(enumerate(scene.view.spec.route[: scene.at]))
    doubts = [
        doubt
        for at, step in steps
        if isinstance(step, Fill)
        for before in (Scene(scene.view, scene.page, scene.read, at),)
        for doubt in (*filling.not_held(before, step), *filling.shown_otherwise(before, step))
    ]
    return "; ".join(doubts)


def _after(scene: Scene, fired: tuple[Entry, ...]) -> Act | Look | Onward:
    """It was pressed. Where that did not plainly go well, nobody knows what has become of it."""
    if came_through(fired):
        return Onward()
    told = fired[-1].message or "nothing was seen to come of it"
    return scene.fail("unknown_outcome", f"the button was pressed, and it is not known what came of it: {told}")


def _answer(scene: Scene, step: PressButton) -> Act:
    """The browser asks; only the question that was foreseen is agreed to."""
    asked = scene.page.dialog or ""
    if step.confirm is not None and fold(scene.text(step.confirm)) in fold(asked):
        return scene.act(AnswerDialog(answer="accept"), f"{quoted(asked)} is what was to be agreed to.", AGREED)
    return scene.fail("off_route", f"the page asks {quoted(asked)}, and the route does not foresee it")
