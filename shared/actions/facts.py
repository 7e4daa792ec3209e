"""What is said of each action, and of each call of a flow: the columns of the table."""

from __future__ import annotations

from typing import Literal

import msgspec

from shared.contracts import actions as a
from shared.contracts.workflows import flows as c

ActionEffect = Literal["reads_only", "repeated_freely", "depends_on_step", "may_change_site"]
"""What an action may change.

- ``reads_only``: nothing, not even the page.
- ``repeated_freely``: the page. A replay repeats it.
- ``depends_on_step``: possibly the site. A replay decides by the step's arguments and its element.
- ``may_change_site``: the site. A replay repeats it only where effects are allowed.
"""
ActionOffer = Literal["always", "in_discovery", "with_vision", "never"]
"""Where a model is offered it: in every task, in one that lists records, in one that may ask about pictures; or never,
since it is chosen for a whole run, or written down for a flow."""
CompiledAs = Literal["as_call", "left_out", "not_possible"]
"""What a recorded action becomes when a flow is compiled: its call; nothing, since it leaves nothing to repeat (whoever
runs a flow scrolls, and values are read by rules); or nothing, and it is told, since no call does it."""
Filled = Literal["", "value", "secret", "file"]
"""What a call fills into an element of a form."""
ElementChoice = Literal["never", "by_effect", "by_text"]
"""Whether a planner may choose the element of a call that finds none: only where it is then checked what the call leads
to, by its effect, or also by a text that the page shows afterwards and did not before."""
OutcomeChecked = Literal["never", "first_page", "any_page"]
"""On which pages after a press that cannot be undone a call fails, if the page contradicts what was sent."""


class ActionFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about one action."""

    presses: bool
    """Whether it may press its ``target``, which may be a button whose press is irreversible."""
    clicks: bool
    """Whether the mouse clicks its ``target``: the browser pool withholds it then, where it may change the site."""
    effect: ActionEffect
    ends_answer: bool
    """Whether no further call of the same answer is carried out after it."""
    reports_page: bool
    """Whether it reports something of a page, so that it is valid only for the page that was observed."""
    importance: int
    """How much of it must be known later, from 0 to 3: it decides which old steps a model is shown."""
    tool: str
    """What it does, for the model that is offered it as a tool."""
    compiled: CompiledAs
    call: type[c.Call] | None = None
    """The call by which a flow does it; None: a flow may not."""
    offered: ActionOffer = "always"


class CallFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about one call of a flow."""

    function: str
    """The function of ``exhibit.flow`` that a compiler writes for it."""
    arguments: tuple[str, ...] | None
    """Its arguments in order, by the fields of the call. ``text=``: by its name; ``label=option``: the
    field ``option`` by the name ``label``. None: a compiler writes no such call by itself."""
    action: type[a.Action] | None
    """The action that it comes to; None: it reads, or does nothing on the page."""
    may_leave_page: bool
    """Whether another page may be shown after it, so that it is no longer the first one after a press."""
    outcome_checked: OutcomeChecked
    fills: Filled = ""
    element_choice: ElementChoice = "never"
    needs_page: bool = True
    """Whether an address must have been opened before."""
