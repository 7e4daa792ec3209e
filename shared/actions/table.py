"""The table of actions and of the calls of flows, and questions that it answers.

There is no default for what may harm a site. An action without a row is a `KeyError` where a fact is asked for, so no
rule that protects a site passes a new action silently. Tests compare the tables with the unions `AnyAction`
and `FlowCall`.
"""

from __future__ import annotations

from typing import get_args

from shared.actions.facts import ActionEffect, ActionFacts, CallFacts
from shared.contracts import actions as a
from shared.contracts.workflows import flows as c

ACTIONS: dict[type[a.Action], ActionFacts] = {
    a.Goto: ActionFacts(
        presses=False, clicks=False, effect="repeated_freely", ends_answer=True, reports_page=False, importance=1,
        call=c.OpenAddress, compiled="as_call",
        tool="Opens a URL: of the site the task is about, or one that the page links to.",
    ),
    a.Click: ActionFacts(
        presses=True, clicks=True, effect="depends_on_step", ends_answer=False, reports_page=False, importance=1,
        call=c.ClickElement, compiled="as_call",
        tool="Clicks one element.",
    ),
    a.DoubleClick: ActionFacts(
        presses=True, clicks=True, effect="may_change_site", ends_answer=False, reports_page=False, importance=1,
        compiled="not_possible",
        tool="Clicks one element twice at once: a cell that is edited so, an item that opens so.",
    ),
    a.ClickAt: ActionFacts(
        presses=True, clicks=False, effect="may_change_site", ends_answer=False, reports_page=False, importance=1,
        compiled="not_possible", offered="never",
        tool="Clicks a point of the page where no element is observed.",
    ),
    a.Hover: ActionFacts(
        presses=False, clicks=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
        call=c.HoverOver, compiled="as_call",
        tool="Moves the mouse over one element, for menus and hints that open so.",
    ),
    a.TypeText: ActionFacts(
        presses=False, clicks=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
        call=c.TypeInto, compiled="as_call",
        tool="Replaces what a field holds by a text; sets a slider or spin button to a number.",
    ),
    a.TypeSecret: ActionFacts(
        presses=False, clicks=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
        call=c.TypeSecretInto, compiled="as_call",
        tool="Types a secret of the task, by its name; you never see its value.",
    ),
    a.PickOption: ActionFacts(
        presses=True, clicks=True, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
        call=c.ChooseOption, compiled="as_call",
        tool="Picks an option of any control that offers choices: a dropdown that is no select, a box that searches.",
    ),
    a.SelectOption: ActionFacts(
        presses=False, clicks=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
        call=c.ChooseOption, compiled="as_call",
        tool="Picks an option of a select by its visible label.",
    ),
    a.SetDate: ActionFacts(
        presses=False, clicks=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
        call=c.ChooseDate, compiled="as_call",
        tool="Sets a date field or date picker; the date is ISO 8601, such as 2026-11-21 or 2026-11-21T14:30.",
    ),
    a.Upload: ActionFacts(
        presses=False, clicks=False, effect="may_change_site", ends_answer=False, reports_page=False, importance=1,
        call=c.UploadFile, compiled="as_call",
        tool="Gives a file field a file, by its name.",
    ),
    a.Press: ActionFacts(
        presses=True, clicks=False, effect="depends_on_step", ends_answer=False, reports_page=False, importance=1,
        call=c.PressKeys, compiled="as_call",
        tool='Presses a key or a chord, such as "Enter" or "Control+A", on the target or where the focus is.',
    ),
    a.Drag: ActionFacts(
        presses=True, clicks=False, effect="may_change_site", ends_answer=False, reports_page=False, importance=1,
        compiled="not_possible",
        tool="Drags one element onto another.",
    ),
    a.DragBy: ActionFacts(
        presses=False, clicks=False, effect="may_change_site", ends_answer=False, reports_page=False, importance=1,
        compiled="not_possible",
        tool="Drags one element by so many pixels, such as the handle of a slider.",
    ),
    a.Screenshot: ActionFacts(
        presses=False, clicks=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2,
        call=c.TakeScreenshot, compiled="as_call",
        tool="Takes a picture of the page and files it under the label.",
    ),
    a.ScreenshotElement: ActionFacts(
        presses=False, clicks=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2,
        call=c.TakeScreenshot, compiled="as_call",
        tool="Takes a picture of one element and files it under the label.",
    ),
    a.ScreenshotViews: ActionFacts(
        presses=False, clicks=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2,
        call=c.TakeScreenshot, compiled="as_call",
        tool="Takes a picture of every screenful from top to bottom: for pages that load as one scrolls.",
    ),
    a.Extract: ActionFacts(
        presses=False, clicks=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2,
        compiled="left_out",
        tool="Reads the whole text, or the value, of one element.",
    ),
    a.Download: ActionFacts(
        presses=True, clicks=True, effect="repeated_freely", ends_answer=False, reports_page=False, importance=2,
        call=c.DownloadFile, compiled="as_call",
        tool="Clicks the target and keeps the file that comes down.",
    ),
    a.AnswerDialog: ActionFacts(
        presses=False, clicks=False, effect="depends_on_step", ends_answer=False, reports_page=False, importance=1,
        call=c.AnswerQuestion, compiled="as_call",
        tool="Answers the dialog of the browser that is open.",
    ),
    a.Back: ActionFacts(
        presses=False, clicks=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
        call=c.GoToPrevious, compiled="as_call",
        tool="Goes one page back.",
    ),
    a.SwitchTab: ActionFacts(
        presses=False, clicks=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
        call=c.ActivateTab, compiled="as_call",
        tool="Looks at another tab, by its number.",
    ),
    a.CloseTab: ActionFacts(
        presses=False, clicks=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=1,
        call=c.CloseActiveTab, compiled="as_call",
        tool="Closes the tab that is looked at.",
    ),
    a.Wait: ActionFacts(
        presses=False, clicks=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=0,
        call=c.AwaitElement, compiled="as_call",
        tool="Waits until the target is visible, or, without one, until the page is quiet.",
    ),
    a.Scroll: ActionFacts(
        presses=False, clicks=False, effect="repeated_freely", ends_answer=False, reports_page=False, importance=0,
        call=c.ScrollPage, compiled="left_out",
        tool="Scrolls the page, or the part of it in which a target stands.",
    ),
    a.AskApi: ActionFacts(
        presses=False, clicks=False, effect="reads_only", ends_answer=True, reports_page=False, importance=2,
        compiled="not_possible", offered="never",
        tool="Asks the API of the task for the record.",
    ),
    a.Expect: ActionFacts(
        presses=False, clicks=False, effect="reads_only", ends_answer=True, reports_page=False, importance=2,
        compiled="left_out", offered="never",
        tool="Writes down what must hold after the next step.",
    ),
    a.SaveProgress: ActionFacts(
        presses=False, clicks=False, effect="reads_only", ends_answer=True, reports_page=True, importance=3,
        compiled="left_out",
        tool="Keeps field values that this page shows; the work goes on. Call it before the page is left.",
    ),
    a.ReportItems: ActionFacts(
        presses=False, clicks=False, effect="reads_only", ends_answer=True, reports_page=True, importance=2,
        compiled="left_out", offered="in_discovery",
        tool="Reports every item of the list that this page shows, each once; the work goes on.",
    ),
    a.AskPicture: ActionFacts(
        presses=False, clicks=False, effect="reads_only", ends_answer=False, reports_page=False, importance=2,
        compiled="left_out", offered="with_vision",
        tool="Asks one question about a picture of the target, or of what is in view, such as what an icon says. "
        "field: the output field that the answer is for.",
    ),
    a.UseWorkflow: ActionFacts(
        presses=False, clicks=False, effect="may_change_site", ends_answer=True, reports_page=False, importance=2,
        compiled="left_out", offered="never",
        tool="Runs a workflow of the library.",
    ),
    a.Done: ActionFacts(
        presses=False, clicks=False, effect="reads_only", ends_answer=True, reports_page=True, importance=3,
        compiled="left_out",
        tool="Ends the work with the values of all fields, each as the page shows it. What was saved counts, so it "
        "may be left out.",
    ),
    a.Fail: ActionFacts(
        presses=False, clicks=False, effect="reads_only", ends_answer=True, reports_page=True, importance=3,
        compiled="left_out",
        tool="Ends the work because it cannot be done; the code says why.",
    ),
}  # fmt: skip
"""One row for each action. People are shown the actions in this order."""
CALLS: dict[type[c.Call], CallFacts] = {
    c.OpenAddress: CallFacts(
        function="open_page", arguments=("url", "keep="), action=a.Goto,
        may_leave_page=True, outcome_checked="never", needs_page=False,
    ),
    c.ClickElement: CallFacts(
        function="click", arguments=("selector", "irreversible="), action=a.Click,
        may_leave_page=True, outcome_checked="first_page", element_choice="by_text",
    ),
    c.SetChecked: CallFacts(
        function="set_checked", arguments=("selector",), action=a.Click,
        may_leave_page=False, outcome_checked="never", fills="value", element_choice="by_effect",
    ),
    c.TypeInto: CallFacts(
        function="type_text", arguments=("selector=", "text="), action=a.TypeText,
        may_leave_page=False, outcome_checked="never", fills="value", element_choice="by_effect",
    ),
    c.TypeSecretInto: CallFacts(
        function="type_secret", arguments=("selector=", "secret="), action=a.TypeSecret,
        may_leave_page=False, outcome_checked="never", fills="secret", element_choice="by_effect",
    ),
    c.ChooseOption: CallFacts(
        function="select_option", arguments=("selector=", "label=option", "search="), action=a.PickOption,
        may_leave_page=False, outcome_checked="never", fills="value", element_choice="by_effect",
    ),
    c.ChooseDate: CallFacts(
        function="set_date", arguments=("selector", "date"), action=a.SetDate,
        may_leave_page=False, outcome_checked="never", fills="value", element_choice="by_effect",
    ),
    c.PressKeys: CallFacts(
        function="press", arguments=("keys", "selector="), action=a.Press,
        may_leave_page=True, outcome_checked="never",
    ),
    c.HoverOver: CallFacts(
        function="hover", arguments=("selector",), action=a.Hover,
        may_leave_page=False, outcome_checked="never", element_choice="by_text",
    ),
    c.UploadFile: CallFacts(
        function="upload", arguments=("selector", "file"), action=a.Upload,
        may_leave_page=False, outcome_checked="never", fills="file", element_choice="by_effect",
    ),
    c.ScrollPage: CallFacts(
        function="scroll", arguments=("direction", "amount_px"), action=a.Scroll,
        may_leave_page=False, outcome_checked="never",
    ),
    c.GoToPrevious: CallFacts(
        function="go_back", arguments=(), action=a.Back,
        may_leave_page=True, outcome_checked="never",
    ),
    c.ActivateTab: CallFacts(
        function="switch_tab", arguments=("tab",), action=a.SwitchTab,
        may_leave_page=True, outcome_checked="never",
    ),
    c.CloseActiveTab: CallFacts(
        function="close_tab", arguments=(), action=a.CloseTab,
        may_leave_page=True, outcome_checked="never",
    ),
    c.AnswerQuestion: CallFacts(
        function="answer_dialog", arguments=("accept=", "text="), action=a.AnswerDialog,
        may_leave_page=False, outcome_checked="never",
    ),
    c.AwaitElement: CallFacts(
        function="wait_for", arguments=("selector", "timeout_s="), action=a.Wait,
        may_leave_page=False, outcome_checked="never",
    ),
    c.TakeScreenshot: CallFacts(
        function="screenshot", arguments=("label", "selector=", "full_page="), action=a.Screenshot,
        may_leave_page=False, outcome_checked="first_page",
    ),
    c.DownloadFile: CallFacts(
        function="download", arguments=("selector", "label"), action=a.Download,
        may_leave_page=False, outcome_checked="first_page", element_choice="by_effect",
    ),
    c.DownloadAll: CallFacts(
        function="download_all", arguments=("selector", "label"), action=a.Download,
        may_leave_page=False, outcome_checked="first_page",
    ),
    c.ProveRecord: CallFacts(
        function="prove_record", arguments=None, action=None,
        may_leave_page=False, outcome_checked="any_page",
    ),
    c.ReadFields: CallFacts(
        function="read", arguments=None, action=None,
        may_leave_page=False, outcome_checked="any_page",
    ),
    c.ReadList: CallFacts(
        function="read_list", arguments=("name",), action=None,
        may_leave_page=False, outcome_checked="any_page",
    ),
    c.ReadWithModel: CallFacts(
        function="read_with_model", arguments=None, action=None,
        may_leave_page=False, outcome_checked="never",
    ),
    c.CheckShown: CallFacts(
        function="is_shown", arguments=None, action=None,
        may_leave_page=False, outcome_checked="never",
    ),
    c.CountElements: CallFacts(
        function="count", arguments=("selector",), action=None,
        may_leave_page=False, outcome_checked="never",
    ),
    c.SetOutput: CallFacts(
        function="set_structured_output", arguments=None, action=None,
        may_leave_page=False, outcome_checked="never", needs_page=False,
    ),
    c.EnterSection: CallFacts(
        function="section", arguments=None, action=None,
        may_leave_page=False, outcome_checked="never", needs_page=False,
    ),
}  # fmt: skip
"""One row for each call of a flow."""
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


def facts_of_call(call: c.Call) -> CallFacts:
    """Return the facts about the call's type."""
    return CALLS[type(call)]


def takes_selector(call: c.Call) -> bool:
    """Return whether the call may name an element."""
    return "selector" in call.__struct_fields__


def effect_of_call(call: c.Call) -> ActionEffect:
    """Return what the call may change: what its action may, and nothing without one."""
    action = facts_of_call(call).action
    return "reads_only" if action is None else ACTIONS[action].effect
