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

ActionOffer = Literal["always", "in_discovery", "with_vision", "never"]
"""Where a model is offered it: in every task, in one that lists records, in one that may ask about pictures; or never,
since it is chosen for a whole run, or written down for a flow."""


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
    tool: str
    """What it does, for the model that is offered it as a tool."""
    offered: ActionOffer = "always"
    line: tuple[str, ...] | None = None
    """The arguments that follow its name on a line that a person types, in order; None: it has no such form."""


ACTIONS: dict[type[a.Action], ActionFacts] = {
    a.Goto: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=True, reports_page=False, importance=1,
        line=("url",),
        tool="Opens a URL: of the site the task is about, or one that the page links to.",
    ),
    a.Click: ActionFacts(
        presses=True, effect="depends_on_step", ends_answer=False, reports_page=False, importance=1,
        line=("target",),
        tool="Clicks one element.",
    ),
    a.DoubleClick: ActionFacts(
        presses=True, effect="may_change_site", ends_answer=False, reports_page=False, importance=1,
        tool="Clicks one element twice at once: a cell that is edited so, an item that opens so.",
    ),
    a.Hover: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
        line=("target",),
        tool="Moves the mouse over one element, for menus and hints that open so.",
    ),
    a.TypeText: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
        line=("target", "text"),
        tool="Replaces what a field holds by a text; sets a slider or spin button to a number.",
    ),
    a.TypeSecret: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
        line=("target", "secret"),
        tool="Types a secret of the task, by its name; you never see its value.",
    ),
    a.PickOption: ActionFacts(
        presses=True, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
        line=("target", "option"),
        tool="Picks an option of any control that offers choices: a dropdown that is no select, a box that searches.",
    ),
    a.SelectOption: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
        line=("target", "option"),
        tool="Picks an option of a select by its visible label.",
    ),
    a.SetDate: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
        line=("target", "date"),
        tool="Sets a date field or date picker; the date is ISO 8601, such as 2026-11-21 or 2026-11-21T14:30.",
    ),
    a.Upload: ActionFacts(
        presses=False, effect="may_change_site", ends_answer=False, reports_page=False, importance=1,
        line=("target", "file"),
        tool="Gives a file field a file, by its name.",
    ),
    a.Press: ActionFacts(
        presses=True, effect="depends_on_step", ends_answer=False, reports_page=False, importance=1,
        line=("keys",),
        tool='Presses a key or a chord, such as "Enter" or "Control+A", on the target or where the focus is.',
    ),
    a.Drag: ActionFacts(
        presses=True, effect="may_change_site", ends_answer=False, reports_page=False, importance=1,
        tool="Drags one element onto another.",
    ),
    a.DragBy: ActionFacts(
        presses=False, effect="may_change_site", ends_answer=False, reports_page=False, importance=1,
        tool="Drags one element by so many pixels, such as the handle of a slider.",
    ),
    a.Screenshot: ActionFacts(
        presses=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2,
        line=("label",),
        tool="Takes a picture of the page and files it under the label.",
    ),
    a.ScreenshotElement: ActionFacts(
        presses=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2,
        line=("target", "label"),
        tool="Takes a picture of one element and files it under the label.",
    ),
    a.ScreenshotViews: ActionFacts(
        presses=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2,
        line=("label",),
        tool="Takes a picture of every screenful from top to bottom: for pages that load as one scrolls.",
    ),
    a.Extract: ActionFacts(
        presses=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2,
        tool="Reads the whole text, or the value, of one element.",
    ),
    a.Download: ActionFacts(
        presses=True, effect="repeated_freely", ends_answer=False, reports_page=False, importance=2,
        line=("target", "label"),
        tool="Clicks the target and keeps the file that comes down.",
    ),
    a.AnswerDialog: ActionFacts(
        presses=False, effect="depends_on_step", ends_answer=False, reports_page=False, importance=1,
        line=("answer", "text"),
        tool="Answers the dialog of the browser that is open.",
    ),
    a.Back: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
        line=(),
        tool="Goes one page back.",
    ),
    a.SwitchTab: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
        tool="Looks at another tab, by its number.",
    ),
    a.CloseTab: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
        line=(),
        tool="Closes the tab that is looked at.",
    ),
    a.Wait: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=0,
        line=(),
        tool="Waits until the target is visible, or, without one, until the page is quiet.",
    ),
    a.Scroll: ActionFacts(
        presses=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=0,
        line=("direction",),
        tool="Scrolls the page, or the part of it in which a target stands.",
    ),
    a.AskApi: ActionFacts(
        presses=False, effect="reads_only", ends_answer=True, reports_page=False, importance=2,
        offered="never",
        tool="Asks the API of the task for the record.",
    ),
    a.Expect: ActionFacts(
        presses=False, effect="reads_only", ends_answer=True, reports_page=False, importance=2,
        offered="never",
        tool="Writes down what must hold after the next step.",
    ),
    a.SaveProgress: ActionFacts(
        presses=False, effect="reads_only", ends_answer=True, reports_page=True, importance=3,
        tool="Keeps field values that this page shows; the work goes on. Call it before the page is left.",
    ),
    a.ReportItems: ActionFacts(
        presses=False, effect="reads_only", ends_answer=True, reports_page=True, importance=2,
        offered="in_discovery",
        tool="Reports every item of the list that this page shows, each once; the work goes on.",
    ),
    a.AskPicture: ActionFacts(
        presses=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2,
        offered="with_vision",
        tool="Asks one question about a picture of the target, or of what is in view, such as what an icon says. "
        "field: the output field that the answer is for.",
    ),
    a.UseWorkflow: ActionFacts(
        presses=False, effect="may_change_site", ends_answer=True, reports_page=False, importance=2,
        offered="never",
        tool="Runs a workflow of the library.",
    ),
    a.Done: ActionFacts(
        presses=False, effect="reads_only", ends_answer=True, reports_page=True, importance=3,
        tool="Ends the work with the values of all fields, each as the page shows it. What was saved counts, so it "
        "may be left out.",
    ),
    a.Fail: ActionFacts(
        presses=False, effect="reads_only", ends_answer=True, reports_page=True, importance=3,
        tool="Ends the work because it cannot be done; the code says why.",
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
