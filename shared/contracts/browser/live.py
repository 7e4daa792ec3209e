"""Messages by which a sample at work is looked at: its page as it is drawn now."""

from __future__ import annotations

from datetime import datetime

from shared.contracts.base import Message

MOST_WAIT_S = 15.0
"""For a page that draws nothing new."""
LOOKING_GAP_S, ACTING_GAP_S = 0.5, 0.2
"""Between two pictures, for who looks on, and for who acts."""


class WatchSample(Message, frozen=True, kw_only=True):
    """Request to see the page that a sample is worked on with. The asks of whoever looks are its lease: a pool draws
    while it is asked, and stops once it is not.

    ``after``: number of the last picture that was seen; 0: none was. ``wait_s``: how long to wait for a later one,
    `MOST_WAIT_S` at most. ``gap_s``: the least time between two pictures, for each costs the browser some 50 ms.
    ``by``: who looks."""

    run_id: str
    sample_id: str
    after: int = 0
    wait_s: float = MOST_WAIT_S
    gap_s: float = LOOKING_GAP_S
    by: str = ""


class PageShown(Message, frozen=True, kw_only=True):
    """What the page looks like. Pictures that nobody has asked for are never made, and none is kept but the last.

    ``number``: grows with each picture of the session. ``picture``: a JPEG of the view, without secrets. ``width`` and
    ``height``: of the view in CSS px, ``scroll_x`` and ``scroll_y``: where it is in the document. ``covered``: parts
    that were made black. ``session_id``: of the browser session, another one for each attempt."""

    session_id: str
    number: int
    picture: bytes
    width: float
    height: float
    scroll_x: float = 0.0
    scroll_y: float = 0.0
    url: str = ""
    taken_at: datetime
    covered: int = 0


class NothingNew(Message, frozen=True, kw_only=True):
    """The sample is at work, and nothing new was drawn within the time. ``why``: why nothing can be shown; empty: the
    page stands still."""

    session_id: str
    why: str = ""


WatchReply = PageShown | NothingNew
