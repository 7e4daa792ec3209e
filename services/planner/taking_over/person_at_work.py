"""A person who takes a sample over between two of its steps: what he asks for becomes steps, then the work goes on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from services.planner.taking_over.sample_hold import AskedAct, SampleHold
from services.planner.taking_over.shown_page import element_at, shown, shown_elements
from shared.actions.table import facts_of_action
from shared.contracts.actions import (
    TARGET_FIELDS,
    BrowserAction,
    ByRef,
    Click,
    ClickAt,
    Download,
    TypeText,
    Upload,
)
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.planner import BY_PERSON
from shared.contracts.sessions.taking_over import PressAt, SampleSteered, ShownElement, SteerRefused, StepNow
from shared.contracts.steps import Note, StepTaken, plain_note
from shared.pages.elements import description_of

LOOK_S = 1.0
"""How often it is looked whether the run was interrupted meanwhile."""
BY_NAME = "this is a field for a secret: it is typed by its name, which the task has under `secrets`, and never by hand"
FILES = "files are given and kept by whoever works on the sample"
STALE = "the page was looked at again: choose the element among those that are shown now"
NO_NUMBER = (
    "choose the element among those that are shown: what one is that is named by its text or by CSS is not known"
)
READS = "it changes nothing: whoever works on the sample reads its pages"


class WorkInHand(Protocol):
    """The work on a sample, as a person carries it on."""

    @property
    def observed(self) -> PageObserved | None:
        """The page as it was observed last."""
        ...

    async def look(self) -> None:
        """Observe the page anew, with all that fits."""
        ...

    async def act_for(self, action: BrowserAction, by: str) -> StepTaken:
        """Carry the action out as a step of this person, publish it, and observe what came of it."""
        ...


@dataclass
class PersonAtWork:
    """``note_person``: is told who has done something. ``acted``: who has, with the numbers of his steps."""

    hold: SampleHold
    note_person: Callable[[str], None] = lambda _: None
    acted: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    _told: tuple[str, ...] = ()

    @property
    def notices(self) -> tuple[str, ...]:
        """What whoever decides next is told once."""
        return self._told

    def mark_told(self) -> None:
        self._told = ()

    @property
    def notes(self) -> tuple[Note, ...]:
        """For reviewers: whose steps these are."""
        each = ((by, ", ".join(map(str, steps))) for by, steps in self.acted.items())
        return tuple(plain_note(f"{by} took the sample over, and did by hand: step {steps}") for by, steps in each)

    async def carry_on(self, work: WorkInHand, is_over: Callable[[], Awaitable[bool]]) -> bool:
        """Do what the holder of the sample asks for until he hands it back, is not heard any more, or ``is_over``.
        Return whether there was one."""
        by = self.hold.by
        if not by:
            return False
        before, number = len(self.acted.get(by, ())), self.hold.number
        await work.look()
        self.hold.begin()
        self.show(work.observed)
        while self.hold.by and self.hold.number == number:
            asked = await self.hold.next_act(LOOK_S)
            if asked is not None:
                await self._do(asked, work)
            elif await is_over():
                self.hold.end()
        done = len(self.acted.get(by, ())) - before
        said = f" {by} says: {self.hold.note}" if self.hold.note else ""
        how = "was not heard any more" if self.hold.expired else "has handed it back"
        notice = f"A person, {by}, had taken the browser over, did {done} steps, and {how}. Look at the page anew."
        self._told = (*self._told, notice + said)
        if done:
            self.note_person(by)
        return True

    def show(self, page: PageObserved | None, decides: str = "") -> None:
        """Tell whoever follows what the page has."""
        news: dict[str, object] = {"decides": decides} if decides else {}
        if page is not None:
            news |= {
                "snapshot_id": page.snapshot_id,
                "url": page.url[:2000],
                "dialog": page.dialog or "",
                "elements": shown_elements(page) if self.hold.by else (),
            }
        self.hold.tell(**news)

    def tell_step(self, step: StepTaken) -> None:
        """Tell whoever follows what was done."""
        target = step.result.target if step.result is not None else None
        now = StepNow(
            step=step.step,
            action=str(step.action.__struct_config__.tag) if step.action is not None else "",
            on=description_of(target) if target is not None else "",
            message=step.message[:500],
            ok=not step.refused and (step.result is None or step.result.ok),
            decided_by=step.decided_by,
        )
        self.hold.tell(last=now, steps=step.step)

    async def _do(self, asked: AskedAct, work: WorkInHand) -> None:
        try:
            asked.answer(await self._done(asked, work))
        finally:  # where the attempt ends with an error
            asked.answer(SteerRefused(code="not_held", message="the browser has ended; the sample is tried again"))

    async def _done(self, asked: AskedAct, work: WorkInHand) -> SampleSteered | SteerRefused:
        command = asked.command
        if isinstance(command, PressAt):
            await work.look()
            self.show(work.observed)
            action = press_at(work.observed, command)
        else:
            action = command.action
        why_not = why_not_chosen(work.observed, action) or why_not_by_hand(work.observed, action)
        if why_not:
            return SteerRefused(code="not_possible", message=why_not)
        step = await work.act_for(action, f"{BY_PERSON}:{asked.by}")
        self.acted.setdefault(asked.by, []).append(step.step)
        self.show(work.observed)
        ok = not step.refused and step.result is not None and step.result.ok
        return SampleSteered(message=step.message, step=step.step, ok=ok, element=_acted_on(work.observed, step))


def why_not_chosen(page: PageObserved | None, action: BrowserAction) -> str:
    """Return why an element that the action names is none of those that were shown last; empty: each is. What it is,
    and whether it takes a secret, is known of these alone."""
    targets = [one for name in TARGET_FIELDS if (one := getattr(action, name, None)) is not None]
    if not all(isinstance(one, ByRef) for one in targets):
        return NO_NUMBER
    shown = None if page is None else page.snapshot_id
    return "" if all(one.snapshot_id == shown for one in targets) else STALE


def why_not_by_hand(page: PageObserved | None, action: BrowserAction) -> str:
    """Return why a person does not do this; empty: he may. The step log has each text that is typed in full."""
    if facts_of_action(action).effect == "reads_only":
        return READS
    if isinstance(action, Upload | Download):
        return FILES
    if isinstance(action, TypeText) and isinstance(action.target, ByRef) and page is not None:
        there = _element(page, action.target.ref)
        return BY_NAME if there is not None and there.secret else ""
    return ""


def press_at(page: PageObserved | None, command: PressAt) -> BrowserAction:
    """Return the click that a press at a point means: on the element there, else on the point itself."""
    found = element_at(page, command.x, command.y) if page is not None else None
    if found is None or page is None:
        return ClickAt(x=command.x, y=command.y, reason="A person pressed there; no element is observed there.")
    return Click(target=ByRef(ref=found.ref, snapshot_id=page.snapshot_id), reason="A person pressed there.")


def _element(page: PageObserved, ref: int) -> Element | None:
    return next((one for one in page.elements if one.ref == ref), None)


def _acted_on(page: PageObserved | None, step: StepTaken) -> ShownElement | None:
    """Return the element that was acted on, as it is now; None where it is not known which it is."""
    target = step.result.target if step.result is not None else None
    if page is None or target is None:
        return None
    alike = [one for one in page.elements if (one.fingerprint, one.name) == (target.fingerprint, target.name)]
    return shown(alike[0]) if len(alike) == 1 else None
