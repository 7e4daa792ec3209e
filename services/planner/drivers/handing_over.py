"""What a driver leaves to the next one. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from services.planner.state.attempt_state import NO_USAGE, Act, Decision, ObserveAgain, UnusableAnswer
from shared.contracts.base import Usage, add_usage
from shared.contracts.steps import FieldValue, Note
from shared.contracts.workflows.heals import Heal


@dataclass(frozen=True)
class Carried:
    """What was read, noted, found in another way and spent since the last step. The next step records it."""

    seen: tuple[FieldValue, ...] = ()
    notes: tuple[Note, ...] = ()
    heals: tuple[Heal, ...] = ()
    usage: Usage = NO_USAGE

    def with_more(
        self,
        seen: tuple[FieldValue, ...] = (),
        notes: tuple[Note, ...] = (),
        heals: tuple[Heal, ...] = (),
        usage: Usage = NO_USAGE,
    ) -> Carried:
        return Carried((*self.seen, *seen), (*self.notes, *notes), (*self.heals, *heals), add_usage(self.usage, usage))

    def attach(self, decision: Decision) -> tuple[Decision, Carried]:
        """Return the decision with what it can take along, and what is left for a later one."""
        if isinstance(decision, ObserveAgain):
            return replace(decision, seen=(*self.seen, *decision.seen)), replace(self, seen=())
        usage, notes = add_usage(self.usage, decision.usage), (*self.notes, *decision.notes)
        if isinstance(decision, UnusableAnswer):
            return replace(decision, usage=usage, notes=notes), Carried(seen=self.seen, heals=self.heals)
        seen, heals = (*self.seen, *decision.seen), (*self.heals, *decision.heals)
        return replace(decision, usage=usage, notes=notes, seen=seen, heals=heals), NOTHING


NOTHING = Carried()


@dataclass(frozen=True)
class HandedOver:
    """The next driver works on from the page as it is. ``note``: why; None: there was nothing to do for this one.

    ``anew``: the way back to the start page, for a driver that follows the route of the task from its beginning."""

    note: Note | None = None
    carried: Carried = NOTHING
    anew: Act | None = None
