"""The table of actions, and questions that it answers.

There is no default for what may harm a site. An action without a row is a `KeyError` where a fact is asked for, so no
rule that protects a site passes a new action silently. A test compares the table with the union `AnyAction`.
"""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from shared.contracts import actions as a

ActionEffect = Literal["reads_only", "repeated_freely", "depends_on_step", "may_change_site"]
"""What an action may change.

- ``reads_only``: nothing, not even the page.
- ``repeated_freely``: the page. A replay repeats it.
- ``depends_on_step``: possibly the site. A replay decides by the step's arguments and its element.
- ``may_change_site``: the site. A replay repeats it only where effects are allowed.
"""


class ActionFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about one action."""

    presses: bool
    """Whether it may press its ``target``, which may be a button whose press is irreversible."""
    effect: ActionEffect
    ends_answer: bool
    """Whether no further call of the same answer is carried out after it."""
    reports_page: bool
    """Whether it reports something of a page, so that it is valid only for the page that was observed."""
    importance: int
    """How much of it must be known later, from 0 to 3: it decides which old steps a model is shown."""


ACTIONS: dict[type[a.Action], ActionFacts] = {
    a.Goto: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=True, reports_page=False, importance=1,
    ),
    a.Click: ActionFacts(
        presses=True, effect="depends_on_step", ends_answer=False, reports_page=False, importance=1,
    ),
    a.DoubleClick: ActionFacts(
        presses=True, effect="may_change_site", ends_answer=False, reports_page=False, importance=1,
    ),
    a.Hover: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
    ),
    a.TypeText: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
    ),
    a.TypeSecret: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
    ),
    a.PickOption: ActionFacts(
        presses=True, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
    ),
    a.SelectOption: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
    ),
    a.SetDate: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
    ),
    a.Upload: ActionFacts(
        presses=False, effect="may_change_site", ends_answer=False, reports_page=False, importance=1,
    ),
    a.Press: ActionFacts(
        presses=True, effect="depends_on_step", ends_answer=False, reports_page=False, importance=1,
    ),
    a.Drag: ActionFacts(
        presses=True, effect="may_change_site", ends_answer=False, reports_page=False, importance=1,
    ),
    a.DragBy: ActionFacts(
        presses=False, effect="may_change_site", ends_answer=False, reports_page=False, importance=1,
    ),
    a.Screenshot: ActionFacts(
        presses=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2,
    ),
    a.ScreenshotElement: ActionFacts(
        presses=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2,
    ),
    a.ScreenshotViews: ActionFacts(
        presses=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2,
    ),
    a.Extract: ActionFacts(
        presses=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2,
    ),
    a.Download: ActionFacts(
        presses=True, effect="repeated_freely", ends_answer=False, reports_page=False, importance=2,
    ),
    a.AnswerDialog: ActionFacts(
        presses=False, effect="depends_on_step", ends_answer=False, reports_page=False, importance=1,
    ),
    a.Back: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
    ),
    a.SwitchTab: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
    ),
    a.CloseTab: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
    ),
    a.Wait: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=0,
    ),
    a.Scroll: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=0,
    ),
    a.AskApi: ActionFacts(
        presses=False, effect="reads_only", ends_answer=True, reports_page=False, importance=2,
    ),
    a.Expect: ActionFacts(
        presses=False, effect="reads_only", ends_answer=True, reports_page=False, importance=2,
    ),
    a.SaveProgress: ActionFacts(
        presses=False, effect="reads_only", ends_answer=True, reports_page=True, importance=3,
    ),
    a.ReportItems: ActionFacts(
        presses=False, effect="reads_only", ends_answer=True, reports_page=True, importance=2,
    ),
    a.AskPicture: ActionFacts(
        presses=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2,
    ),
    a.UseWorkflow: ActionFacts(
        presses=False, effect="may_change_site", ends_answer=True, reports_page=False, importance=2,
    ),
    a.Done: ActionFacts(
        presses=False, effect="reads_only", ends_answer=True, reports_page=True, importance=3,
    ),
    a.Fail: ActionFacts(
        presses=False, effect="reads_only", ends_answer=True, reports_page=True, importance=3,
    ),
}  # fmt: skip
"""One row for each action. People are shown the actions in this order."""
_BROWSER_ACTIONS = frozenset(get_args(a.BrowserAction))


def facts_of_action(action: a.Action) -> ActionFacts:
    """Return the facts about the action's type."""
    return ACTIONS[type(action)]


def tag_of(kind: type[a.Action]) -> str:
    """Return the name that an action has on the wire and for models, such as ``click``."""
    return str(kind.__struct_config__.tag)


def is_browser_action(action: a.Action) -> bool:
    """Return whether the action is executed in the browser."""
    return type(action) in _BROWSER_ACTIONS


def changes_page(action: a.Action) -> bool:
    """Return whether the action may change the page: False for pictures, reads, and actions that end in the planner."""
    return facts_of_action(action).effect != "reads_only"
