"""What the planner must know of each action: the one table of such facts, with a row for each action.

There is no default. An action without a row is a `KeyError` where a fact is asked for, so no rule that protects a site
passes a new action silently. A test compares the table with the union `AnyAction`.
"""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from shared.contracts.actions import (
    Action,
    AnswerDialog,
    AskApi,
    AskPicture,
    Back,
    BrowserAction,
    Click,
    CloseTab,
    Done,
    DoubleClick,
    Download,
    Drag,
    DragBy,
    Expect,
    Extract,
    Fail,
    Goto,
    Hover,
    PickOption,
    Press,
    ReportItems,
    SaveProgress,
    Screenshot,
    ScreenshotElement,
    ScreenshotViews,
    Scroll,
    SelectOption,
    SetDate,
    SwitchTab,
    TypeSecret,
    TypeText,
    Upload,
    UseWorkflow,
    Wait,
)

ActionEffect = Literal["reads_only", "repeated_freely", "depends_on_step", "may_change_site"]
"""What an action may change.

- ``reads_only``: nothing, not even the page.
- ``repeated_freely``: the page. A replay repeats it.
- ``depends_on_step``: possibly the site. A replay decides by the step's arguments and its element.
- ``may_change_site``: the site. A replay repeats it only where effects are allowed.
"""


class ActionFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about one action. All are required."""

    presses: bool
    """Whether it may press its ``target``, which may be a button whose press is irreversible."""
    effect: ActionEffect
    ends_answer: bool
    """Whether no further call of the same answer is carried out after it."""
    reports_page: bool
    """Whether it reports something of a page, so that it is valid only for the page that was observed."""
    importance: int
    """How much of it must be known later, from 0 to 3: it decides which old steps a model is shown."""


ACTION_FACTS: dict[type[Action], ActionFacts] = {
    Goto: ActionFacts(presses=False, effect="repeated_freely", ends_answer=True, reports_page=False, importance=1),
    Click: ActionFacts(presses=True, effect="depends_on_step", ends_answer=False, reports_page=False, importance=1),
    DoubleClick: ActionFacts(
        presses=True, effect="may_change_site", ends_answer=False, reports_page=False, importance=1
    ),
    TypeText: ActionFacts(presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1),
    TypeSecret: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1
    ),
    Press: ActionFacts(presses=True, effect="depends_on_step", ends_answer=False, reports_page=False, importance=1),
    Hover: ActionFacts(presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1),
    SelectOption: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1
    ),
    PickOption: ActionFacts(
        presses=True, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1
    ),
    SetDate: ActionFacts(presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1),
    Upload: ActionFacts(presses=False, effect="may_change_site", ends_answer=False, reports_page=False, importance=1),
    Drag: ActionFacts(presses=True, effect="may_change_site", ends_answer=False, reports_page=False, importance=1),
    DragBy: ActionFacts(presses=False, effect="may_change_site", ends_answer=False, reports_page=False, importance=1),
    Scroll: ActionFacts(presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=0),
    Wait: ActionFacts(presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=0),
    Back: ActionFacts(presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1),
    SwitchTab: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1
    ),
    CloseTab: ActionFacts(presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1),
    AnswerDialog: ActionFacts(
        presses=False, effect="depends_on_step", ends_answer=False, reports_page=False, importance=1
    ),
    Screenshot: ActionFacts(presses=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2),
    ScreenshotElement: ActionFacts(
        presses=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2
    ),
    ScreenshotViews: ActionFacts(
        presses=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2
    ),
    Extract: ActionFacts(presses=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2),
    Download: ActionFacts(presses=True, effect="repeated_freely", ends_answer=False, reports_page=False, importance=2),
    AskApi: ActionFacts(presses=False, effect="reads_only", ends_answer=True, reports_page=False, importance=2),
    Expect: ActionFacts(presses=False, effect="reads_only", ends_answer=True, reports_page=False, importance=2),
    SaveProgress: ActionFacts(presses=False, effect="reads_only", ends_answer=True, reports_page=True, importance=3),
    ReportItems: ActionFacts(presses=False, effect="reads_only", ends_answer=True, reports_page=True, importance=2),
    AskPicture: ActionFacts(presses=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2),
    UseWorkflow: ActionFacts(
        presses=False, effect="may_change_site", ends_answer=True, reports_page=False, importance=2
    ),
    Done: ActionFacts(presses=False, effect="reads_only", ends_answer=True, reports_page=True, importance=3),
    Fail: ActionFacts(presses=False, effect="reads_only", ends_answer=True, reports_page=True, importance=3),
}
_BROWSER_ACTIONS = frozenset(get_args(BrowserAction))


def facts_of_action(action: Action) -> ActionFacts:
    """Return the facts about the action's type."""
    return ACTION_FACTS[type(action)]


def is_browser_action(action: Action) -> bool:
    """Return whether the action is executed in the browser."""
    return type(action) in _BROWSER_ACTIONS


def changes_page(action: Action) -> bool:
    """Return whether the action may change the page: False for pictures, reads, and actions that end in the planner."""
    return facts_of_action(action).effect != "reads_only"
