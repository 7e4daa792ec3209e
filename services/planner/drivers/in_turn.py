"""The drivers of one sample, each in its turn: one decides until it hands over, and then the next one does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from services.planner.drivers.flow.ending import unfinished_sample
from services.planner.drivers.flow.flow_driver import FlowDriver
from services.planner.drivers.handing_over import NOTHING, Carried, HandedOver
from services.planner.state.attempt_state import NO_USAGE, Act, Decision, SampleView
from services.planner.state.transitions import with_readings
from shared.contracts.base import Usage
from shared.contracts.planner import DriverName
from shared.contracts.steps import note_text, plain_note


class TurnDriver(Protocol):
    """A driver that may hand over."""

    @property
    def name(self) -> str: ...
    @property
    def asks_model(self) -> bool: ...
    def check(self) -> None: ...
    async def decide(self, view: SampleView) -> Decision | HandedOver: ...


class Drivers:
    """Gives a sample to its drivers in turn. The first that has something to do decides; whoever hands over is asked no
    more. Where the last one hands over, the sample ends as what the page says, or is for a person.

    ``usage``: what their choice has cost. ``no_flow``: why no flow is among them, where one could have been.
    ``asks_pictures``: a model may be asked about pictures, once the run's own planner works.
    """

    def __init__(
        self,
        listed: Sequence[tuple[DriverName, TurnDriver]],
        *,
        usage: Usage = NO_USAGE,
        no_flow: str = "",
        asks_pictures: bool = True,
    ) -> None:
        self._listed = tuple(listed)
        self._at = 0
        self._worked: list[DriverName] = []
        self._carried: Carried = NOTHING
        self._asks_pictures = asks_pictures
        self._whys: list[str] = []
        """Why each of them has handed over."""
        self._no_flow = no_flow
        self.usage = usage
        self.flow = next((one for _, one in self._listed if isinstance(one, FlowDriver)), None)

    @property
    def name(self) -> str:
        return self._told.name

    @property
    def asks_model(self) -> bool:
        return self._told.asks_model

    @property
    def _told(self) -> TurnDriver:
        """Who works now, as results name it. What a workflow of the library does counts as the next driver's."""
        if self._at == len(self._listed):
            return next((one for kind, one in reversed(self._listed) if kind in self._worked), self._listed[0][1])
        kind, now = self._listed[self._at]
        return self._listed[-1][1] if kind == "workflow" else now

    @property
    def may_ask(self) -> bool:
        """Whether a model may be asked about pictures: in the turn of the last driver, or for what a flow has left."""
        if self.flow is None:
            return True
        is_last = self._at > 0 and self._at >= len(self._listed) - 1
        return self._asks_pictures and (is_last or self.flow.has_left_fields)

    @property
    def filed_as(self) -> bytes:
        return b"" if self.flow is None else self.flow.filed_as

    @property
    def why_no_flow(self) -> str:
        """Why no flow has worked to the end."""
        return self._no_flow if self.flow is None else next(iter(self._whys), "")

    def worked(self, usage: Usage) -> tuple[DriverName, ...]:
        """Return who has decided anything, in order.

        ``usage``: of the sample. While a flow works, a model is asked only about elements that it has lost."""
        own = tuple(self._worked)
        return (*own, "model") if own == ("flow",) and usage.llm_calls else own

    def check(self) -> None:
        for _, one in self._listed:
            one.check()

    def note_person(self, by: str) -> None:
        """A person has done steps by hand. A flow, or a workflow of the library, is not asked again: it does not know
        what was done. Those after it go on from the page as it is, or the sample is for a person."""
        if "person" not in self._worked:
            self._worked.append("person")
        if self._at < len(self._listed) and self._listed[self._at][0] in ("flow", "workflow"):
            self._hand_over(HandedOver(note=plain_note(f"{by} has taken the sample over")))

    async def decide(self, view: SampleView) -> Decision:
        while self._at < len(self._listed):
            kind, driver = self._listed[self._at]
            known = replace(view, state=with_readings(view.state, self._carried.seen))
            decided = self._reviewed(known, await driver.decide(known))
            if not isinstance(decided, HandedOver):
                return self._taken(kind, decided)
            anew = self._hand_over(decided)
            if anew is not None:
                return self._taken(self._listed[self._at][0], anew)
        return self._attached(unfinished_sample(view, "; ".join(self._whys)))

    def _hand_over(self, handed: HandedOver) -> Act | None:
        """Go on to the next driver. Returns its first step, where it is to begin anew."""
        self._at += 1
        is_last = self._at == len(self._listed)
        notes = () if handed.note is None or is_last else (handed.note,)
        if handed.note is not None:
            self._whys.append(note_text(handed.note))
        carried = handed.carried
        self._carried = self._carried.with_more(carried.seen, (*carried.notes, *notes), carried.heals, carried.usage)
        return None if is_last or self._listed[self._at][0] != "rules" else handed.anew

    def _taken(self, kind: DriverName, decision: Decision) -> Decision:
        if kind not in self._worked:
            self._worked.append(kind)
        return self._attached(decision)

    def _reviewed(self, view: SampleView, decided: Decision | HandedOver) -> Decision | HandedOver:
        """Return what was decided, without what a flow that has handed over knows better."""
        return decided if self.flow is None or self._at == 0 else self.flow.reviewed(view, decided)

    def _attached(self, decision: Decision) -> Decision:
        decision, self._carried = self._carried.attach(decision)
        return decision

    async def aclose(self) -> None:
        """End the flow if it still waits. The others are closed by `DriverRegistry`."""
        if self.flow is not None:
            await self.flow.aclose()
