"""Trials of widgets: tasks, which must end as wanted, and probes, of which only a true account is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from shared.contracts.actions import (
    BrowserAction,
    Click,
    DoubleClick,
    DragBy,
    Hover,
    PickOption,
    Press,
    SetDate,
    TypeText,
)
from shared.contracts.browser_pool import Element
from tests.real.kits.checked import CheckedHand, Told
from tests.real.kits.truth import untrue
from tests.real.player import Player, Stuck, squeezed

Verb = Literal["click", "double_click", "hover", "press", "pick", "type", "set_date", "drag_by"]
ROLES: dict[Verb, tuple[str, ...]] = {
    "pick": ("combobox", "textbox", "searchbox", "listbox", "radiogroup", "tree", "button", "group"),
    "type": ("textbox", "searchbox", "combobox", "spinbutton", "slider"),
    "set_date": ("textbox", "combobox", "group", "button", "application", "text"),
    "drag_by": ("slider",),
}
"""What an action is meant for, the likeliest first; other verbs take what has the name."""
PRESSED = (
    "button",
    "checkbox",
    "switch",
    "radio",
    "tab",
    "option",
    "menuitem",
    "treeitem",
    "row",
    "link",
    "columnheader",
)


@dataclass(frozen=True)
class Step:
    """One action on what has this name. ``argument``: the option, text, date, keys, or pixels to the right.

    ``nth``: of several with the name. ``at_once``: right before the next one, without a look at the page in between; it
    is not judged.
    """

    verb: Verb
    name: str
    argument: str = ""
    roles: tuple[str, ...] = ()
    nth: int = 0
    at_once: bool = False

    def find(self, p: Player) -> Element:
        """Return what has the name: exactly, else within its own; the likeliest of several. Raises Stuck."""
        wanted = self.roles or ROLES.get(self.verb, PRESSED)
        inside = [one for one in p.elements if self.name in squeezed(one.name)]
        for found in ([one for one in inside if squeezed(one.name) == self.name], inside):
            if fits := sorted((one for one in found if one.role in wanted), key=lambda one: wanted.index(one.role)):
                return fits[self.nth]
        seen = ", ".join(f"{one.role} {one.name!r}" for one in inside)
        raise Stuck(f"no {'/'.join(wanted)} is named {self.name!r}; with that name: {seen or 'nothing'}")

    def action(self, p: Player) -> BrowserAction:
        if self.verb == "press" and not self.name and not self.roles:
            return Press(keys=self.argument)
        target = p.at(self.find(p))
        match self.verb:
            case "click":
                return Click(target=target)
            case "double_click":
                return DoubleClick(target=target)
            case "hover":
                return Hover(target=target)
            case "press":
                return Press(keys=self.argument, target=target)
            case "pick":
                return PickOption(target=target, option=self.argument)
            case "type":
                return TypeText(target=target, text=self.argument)
            case "set_date":
                return SetDate(target=target, date=self.argument)
            case "drag_by":
                return DragBy(target=target, right_px=float(self.argument))


@dataclass(frozen=True)
class Trial:
    """Steps on one widget.

    ``wanted``: what it must hold in the end; None for a probe. ``also``: other widgets that may change.
    """

    kit: str
    key: str
    steps: tuple[Step, ...]
    wanted: Any = None
    also: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return f"{self.kit} {self.key}: " + ", ".join(
            f"{one.verb} {one.name!r} {one.argument}".strip() for one in self.steps
        )

    @property
    def is_task(self) -> bool:
        return self.wanted is not None


def _on(verb: Verb) -> Callable[..., Step]:
    """Return what makes a step of the name and the roles of its target."""
    return lambda name, *roles: Step(verb, name, roles=roles)


def _with(verb: Verb) -> Callable[..., Step]:
    """Return what makes a step of the name of its target, an argument, and the roles of its target."""
    return lambda name, argument, *roles: Step(verb, name, argument, roles)


click, double_click, hover = _on("click"), _on("double_click"), _on("hover")
press, pick, type_, set_date = _with("press"), _with("pick"), _with("type"), _with("set_date")


def drag(name: str, right_px: float) -> Step:
    return Step("drag_by", name, f"{right_px:g}")


def nth(step: Step, place: int) -> Step:
    """Return the step on one of several with its name: the first has place 0."""
    return replace(step, nth=place)


def at_once(step: Step) -> Step:
    return replace(step, at_once=True)


@dataclass(frozen=True)
class Tried:
    """``told``: its actions. ``wrong``: what was untrue of their results. ``why``: a task did not end as wanted."""

    trial: Trial
    told: tuple[Told, ...]
    wrong: tuple[str, ...]
    why: str = ""


@dataclass
class Trier:
    """Tries trials on the pages at ``url``, one after the other in one session."""

    hand: CheckedHand
    url: str
    player: Player = field(init=False)

    def __post_init__(self) -> None:
        self.player = Player(self.hand)

    async def play(self, trial: Trial) -> Tried:
        self.hand.told.clear()
        why = ""
        await self.player.goto(f"{self.url}/kits/{trial.kit}.html")
        try:
            await self._steps(trial)
        except Stuck as stuck:
            why = str(stuck)
        told = tuple(self.hand.told)
        wrong = [
            f"{squeezed(one.result.message)[:160]}: {fault}"
            for one in told
            for fault in untrue(one, trial.key, trial.also)
        ]
        holds = (await self.hand.read()).state[trial.key]
        if trial.is_task and holds != trial.wanted:
            why = f"{why or 'it seemed done'}; it holds {holds!r}"
        return Tried(trial, told, tuple(wrong), why)

    async def _steps(self, trial: Trial) -> None:
        """A task goes on only as long as its actions succeed; a probe takes every step that it can."""
        for step in trial.steps:
            if step.at_once:
                await self.hand.timed(step.action(self.player))
            elif trial.is_task:
                await self.player.act(step.action(self.player))
            else:
                action = step.action(self.player)
                with suppress(Stuck):
                    await self.player.act(action)


def report_trials(tried: Iterable[Tried]) -> str:
    """Return one line for each trial that is not as it should be, and the counts."""
    every = list(tried)
    lines: list[str] = []
    for one in every:
        faults = [*(f"UNTRUE {wrong}" for wrong in one.wrong), *([f"NOT DONE {one.why}"] if one.why else [])]
        lines += [one.trial.title, *(f"    {fault}"[:400] for fault in faults)] if faults else []
    for kit in dict.fromkeys(one.trial.kit for one in every):
        mine = [one for one in every if one.trial.kit == kit]
        tasks, probes = [one for one in mine if one.trial.is_task], [one for one in mine if not one.trial.is_task]
        done = sum(not one.why for one in tasks)
        lines.append(
            f"{kit}: tasks done {done} of {len(tasks)}, probes {len(probes)}, untrue results {untrue_results(mine)}"
        )
    return "\n".join(lines)


def untrue_results(tried: Sequence[Tried]) -> int:
    return sum(len(one.wrong) for one in tried)
