"""The list of a discovery task that is being made, read by a planner as a run would read it. No evidence is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from services.console.text.trial_story import advice_of
from services.console.web.pointing.page_looks import remove_blobs
from services.console.web.pointing.trials import ANSWER_TIMEOUT_S, RULES, tried_part
from shared.contracts.steps import note_text
from shared.contracts.tried import ListTried, TryList, TryRefused
from shared.errors import RunRejectedError
from shared.host.connections import SessionBus
from shared.subjects import TRY_LIST

MOST_ITEMS = 200
SHOWN_COUNTS = 2
SETTLED_HERE = ("incomplete_list", "uncertain_list", "missing_items", "unproven_empty")
"""Reasons of which the page says itself what settles them."""


@dataclass(frozen=True)
class TriedItem:
    """``page``: the number of the page that showed it first. ``address``: its own; empty: none is certain."""

    values: Mapping[str, Any]
    address: str
    page: int


@dataclass(frozen=True)
class ListTrial:
    """What came of the list. ``spec``: what was tried, without its name and goal.

    ``state``: ``complete``: the list is proven to have no more items; ``cut``: only its beginning was read; ``open``:
    it is not proven, and ``message`` says why. ``why``: why it counts as read. ``counts``: what its pages say of its
    length. ``remarks``: what else is to be known of it.
    """

    spec: Mapping[str, Any]
    items: tuple[TriedItem, ...]
    pages: int
    state: Literal["complete", "limited", "cut", "open"]
    why: str = ""
    message: str = ""
    advice: str = ""
    counts: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


async def try_list(bus: SessionBus, spec: dict[str, Any]) -> ListTrial:
    """Have the first items of the list read by the rules, over all its pages.

    Raises:
        RunRejectedError: the task cannot be tried.
        ExhibitError: no planner answers.
    """
    request = TryList(spec=spec, planner=RULES, most_items=MOST_ITEMS)
    reply = await bus.ask(TRY_LIST, request, timeout_s=ANSWER_TIMEOUT_S)
    if isinstance(reply, TryRefused):
        raise RunRejectedError(reply.problems)
    await remove_blobs(bus, [one.artifact for one in reply.finished.artifacts])
    return list_trial(spec, reply)


def list_trial(spec: Mapping[str, Any], reply: ListTried) -> ListTrial:
    """Return what came of the list."""
    finished = reply.finished
    items = [
        TriedItem(item, address or str(item.get("url") or ""), number)
        for number, page in enumerate(reply.pages, 1)
        for item, address in zip(page.items, page.addresses or ("",) * len(page.items), strict=True)
    ]
    done = finished.status == "done"
    limited = spec.get("limit") is not None and len(items) >= spec["limit"]
    return ListTrial(
        spec=tried_part(spec),
        items=tuple(items),
        pages=len(reply.pages),
        state="cut" if reply.cut else "open" if not done else "limited" if limited else "complete",
        why=reply.why,
        message="" if done or reply.cut else finished.message,
        advice="" if reply.cut or finished.reason in SETTLED_HERE else advice_of(finished.status, finished.reason),
        counts=tuple(dict.fromkeys(one.text for one in reply.counts))[:SHOWN_COUNTS],
        remarks=tuple(map(note_text, finished.notes)),
    )
