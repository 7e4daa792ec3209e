"""Messages by which a sample at work is followed, and taken over by a person between two of its steps.

What a person does then is a step of the sample like any other: a typed action, whose step names the person.
"""

from __future__ import annotations

from typing import Literal

from shared.contracts.actions import BrowserAction
from shared.contracts.base import Message, Part
from shared.contracts.results import Box

HOLD_S = 60.0
"""A sample that is taken over goes on by itself when its holder was not heard for so long."""
MOST_WAIT_S = 15.0
"""For news of a sample."""
ElementUse = Literal["press", "fill", "choose", "none"]
"""What a person does with an element: it is pressed, takes a text, or offers choices; or it is only there."""


class ShownElement(Part, frozen=True, kw_only=True):
    """An element of the page as it was observed last. ``ref``: in the snapshot that is told beside it. ``secret``: a
    field for a secret."""

    ref: int
    role: str
    name: str
    use: ElementUse
    box: Box
    secret: bool = False


class StepNow(Part, frozen=True, kw_only=True):
    """A step that was taken. ``on``: what was acted on, in words; empty: nothing."""

    step: int
    action: str
    on: str
    message: str
    ok: bool
    decided_by: str


class FollowSample(Message, frozen=True, kw_only=True):
    """Request for what is done at a sample now. ``known``: the ``version`` that is known; the answer comes when there
    is a later one, or after ``wait_s``. ``key``: of whoever may hold it; empty: of nobody."""

    run_id: str
    sample_id: str
    known: int = 0
    wait_s: float = 0.0
    key: str = ""


class SampleAtWork(Message, frozen=True, kw_only=True):
    """What is done at a sample. ``decides``: who decides its steps. ``held_by``: who has taken it over; empty: nobody.
    ``ready``: its holder can act, for no step is on its way. ``mine``: the asker is its holder. ``elements`` are those
    of the snapshot, of a page at ``url``, for its holder alone; ``secrets``: names of those that may be typed."""

    version: int
    attempt: int
    steps: int
    decides: str
    last: StepNow | None = None
    held_by: str = ""
    mine: bool = False
    ready: bool = False
    snapshot_id: str = ""
    url: str = ""
    dialog: str = ""
    elements: tuple[ShownElement, ...] = ()
    secrets: tuple[str, ...] = ()


class Steer(Part, frozen=True, kw_only=True, tag_field="steer", tag=True):
    """Base of what a person asks of a sample at work."""


class TakeOver(Steer, frozen=True, kw_only=True, tag="take"):
    """Hold the sample, from the end of the step that is on its way."""


class KeepHold(Steer, frozen=True, kw_only=True, tag="keep"):
    """Hold it longer."""


class HandBack(Steer, frozen=True, kw_only=True, tag="back"):
    """End the hold. ``note``: for whoever decides next."""

    note: str = ""


class ActOn(Steer, frozen=True, kw_only=True, tag="act"):
    """Carry out an action. A ref in it is one of the snapshot that was told last."""

    action: BrowserAction


class PressAt(Steer, frozen=True, kw_only=True, tag="press_at"):
    """Press what stands at a point of the document, in CSS px. The page is observed anew, and the element there is
    clicked; where no element is observed there, the point itself."""

    x: float
    y: float


AnySteer = TakeOver | KeepHold | HandBack | ActOn | PressAt


class SteerSample(Message, frozen=True, kw_only=True):
    """Request of a person. ``by``: who asks; ``key``: made by whoever asks, and known to nobody else: a hold is ended
    and used with the key by which it was taken."""

    run_id: str
    sample_id: str
    by: str
    key: str
    command: AnySteer


class SampleSteered(Message, frozen=True, kw_only=True):
    """It was done. ``step``: the number of the step that it became; 0: it is none. ``element``: what was acted on, as
    the page shows it now."""

    message: str = ""
    step: int = 0
    ok: bool = True
    element: ShownElement | None = None


class SteerRefused(Message, frozen=True, kw_only=True):
    """Nothing was done. ``held``: another one holds it; ``not_held``: the asker does not, or not any more;
    ``not_ready``: a step is on its way; ``not_possible``: it is no action for a person, or of a replay."""

    code: Literal["held", "not_held", "not_ready", "not_possible"]
    message: str


SteerReply = SampleSteered | SteerRefused
