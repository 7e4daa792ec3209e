"""What a flow asks for, call by call, and the messages by which it is run: begin, resume, end.

A flow is a workflow whose code calls `exhibit.flow`. Whoever runs it (a planner, a client, a check of stored pages)
begins it, is told its first call, performs it, and resumes the flow with the answer, until it returns.

``selector`` names an element: ``role=button[name="Save"]``, ``label=Country``, ``text=Save``, or CSS. With
``row=["Ann Lee", "Acme"] >> `` before it, it is the one in the row that has these cells. It must match exactly one.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from shared.contracts.base import Message, Part
from shared.contracts.codes import OpenCode
from shared.contracts.workflows.invocations import WorkflowRan

# --- calls that act on the page


class Call(msgspec.Struct, frozen=True, kw_only=True, tag_field="call"):
    """Base of all calls."""


class OpenAddress(Call, frozen=True, kw_only=True, tag="open"):
    """Open an address. ``keep``: it is that of a file, which is stored; see :class:`shared.contracts.actions.Goto`."""

    url: str
    keep: bool = False


class ClickElement(Call, frozen=True, kw_only=True, tag="click"):
    """``if_shown``: nothing happens, and the answer is false, where the page has no such element.

    ``irreversible``: it is made once for a sample, whatever happens."""

    selector: str
    if_shown: bool = False
    irreversible: bool = False


class SetChecked(Call, frozen=True, kw_only=True, tag="set_checked"):
    """Tick a checkbox or a switch, or remove the tick. Nothing happens where it is so already."""

    selector: str
    checked: bool = True


class TypeInto(Call, frozen=True, kw_only=True, tag="type"):
    """An empty ``selector``: the element that was clicked last."""

    text: str
    selector: str = ""


class TypeSecretInto(Call, frozen=True, kw_only=True, tag="type_secret"):
    secret: str
    selector: str = ""


class ChooseOption(Call, frozen=True, kw_only=True, tag="select_option"):
    """Choose an option of a select, a custom dropdown, a combobox or a group of radio buttons, by its exact label.

    ``search``: what is typed first, in a field that offers a list as one types; empty: the option itself."""

    selector: str
    option: str
    search: str = ""


class ChooseDate(Call, frozen=True, kw_only=True, tag="set_date"):
    """``date``: ISO 8601."""

    selector: str
    date: str


class PressKeys(Call, frozen=True, kw_only=True, tag="press"):
    """An empty ``selector``: the focused element."""

    keys: str
    selector: str = ""


class HoverOver(Call, frozen=True, kw_only=True, tag="hover"):
    selector: str


class UploadFile(Call, frozen=True, kw_only=True, tag="upload"):
    selector: str
    file: str


class ScrollPage(Call, frozen=True, kw_only=True, tag="scroll"):
    direction: Literal["up", "down"] = "down"
    amount_px: int = 600


class GoToPrevious(Call, frozen=True, kw_only=True, tag="go_back"):
    """Go one step back in the history of the tab."""


class ActivateTab(Call, frozen=True, kw_only=True, tag="switch_tab"):
    """``tab``: its number, from 1."""

    tab: int


class CloseActiveTab(Call, frozen=True, kw_only=True, tag="close_tab"):
    """Close the active tab."""


class AnswerQuestion(Call, frozen=True, kw_only=True, tag="answer_dialog"):
    """Answer the JavaScript dialog that is open."""

    accept: bool
    text: str = ""


class AwaitElement(Call, frozen=True, kw_only=True, tag="wait_for"):
    """Wait until the element is there; without a selector, until the page has settled."""

    selector: str = ""
    timeout_s: float = 10.0


class TakeScreenshot(Call, frozen=True, kw_only=True, tag="screenshot"):
    """With ``selector``: of that element only."""

    label: str
    selector: str = ""
    full_page: bool = True


class DownloadFile(Call, frozen=True, kw_only=True, tag="download"):
    """Click the element, and store the file that comes."""

    selector: str
    label: str = "download"


class DownloadAll(Call, frozen=True, kw_only=True, tag="download_all"):
    """Click every element that matches, one after the other, and store each file. The answer is their number, which may
    be 0. Several files are labelled ``label_1``, ``label_2`` ..."""

    selector: str
    label: str = "download"


# --- calls that read the page


class ProveRecord(Call, frozen=True, kw_only=True, tag="prove_record"):
    """Fail unless the page shows the record whose fields have these values. ``expected``: fields to values."""

    expected: dict[str, str]


class ReadFields(Call, frozen=True, kw_only=True, tag="read"):
    """Return the values of these fields, as the page shows them, by the rules that were learned for them."""

    fields: tuple[str, ...]


class ReadList(Call, frozen=True, kw_only=True, tag="read_list"):
    """Return the rows of a list on this page."""

    name: str


class ReadWithModel(Call, frozen=True, kw_only=True, tag="read_with_model"):
    """Leave these fields to a model, since no rule expresses them. Strict runs refuse it."""

    fields: tuple[str, ...]


class CheckShown(Call, frozen=True, kw_only=True, tag="is_shown"):
    """Return whether the page has exactly one such element."""

    selector: str


class CountElements(Call, frozen=True, kw_only=True, tag="count"):
    """Return how many elements match the selector."""

    selector: str


# --- calls that neither act nor read


class SetOutput(Call, frozen=True, kw_only=True, tag="set_structured_output"):
    key: str
    value: Any


class EnterSection(Call, frozen=True, kw_only=True, tag="section"):
    """A section of the flow begins."""

    name: str


FlowCall = (
    OpenAddress
    | ClickElement
    | SetChecked
    | TypeInto
    | TypeSecretInto
    | ChooseOption
    | ChooseDate
    | PressKeys
    | HoverOver
    | UploadFile
    | ScrollPage
    | GoToPrevious
    | ActivateTab
    | CloseActiveTab
    | AnswerQuestion
    | AwaitElement
    | TakeScreenshot
    | DownloadFile
    | DownloadAll
    | ProveRecord
    | ReadFields
    | ReadList
    | ReadWithModel
    | CheckShown
    | CountElements
    | SetOutput
    | EnterSection
)

# --- answers

FlowErrorCode = Literal[
    "element_missing",
    "element_ambiguous",
    "effect_missing",
    "action_failed",
    "invalid_file",
    "wrong_record",
    "record_unproven",
    "value_missing",
    "value_uncertain",
    "needs_model",
    "form_differs",
    "clicked_before",
    "bad_call",
    "ended",
]
"""``effect_missing``: the action had another effect than when it was recorded. ``value_uncertain``: the rules of a
field differ, or too little speaks for what they found. ``form_differs``: before an irreversible click, or after
it, the page shows another value than was filled in.
``invalid_file``: a file came that is not what it is called
(see :class:`shared.contracts.results.FileContent`). ``clicked_before``: such a click was made for the same variables.
``needs_model``: a strict run has come to a `ReadWithModel`. ``ended``: whoever runs the flow has ended it."""


class FlowError(Part, frozen=True, kw_only=True):
    """Why a call failed, for people. In the flow it is raised as ``exhibit.flow.FlowStopped``."""

    code: OpenCode[FlowErrorCode]
    message: str


class FlowAnswer(Part, frozen=True, kw_only=True):
    """The value of a call, or its error."""

    value: Any = None
    error: FlowError | None = None


# --- messages


class BeginFlow(Message, frozen=True, kw_only=True):
    """Request to run a flow until its first call. ``variables``: by their names, as written or as identifiers.

    ``timeout_s``: for all of it, without the time in which its calls are performed. ``patience_s``: how long it waits
    for the answer to a call before it is ended. ``source`` and ``files``: of a draft, which is not in the library;
    empty: the library's flow of this name."""

    name: str
    source: str = ""
    files: dict[str, str] = {}
    variables: dict[str, Any] = {}
    hash: str = ""
    timeout_s: float = 60.0
    patience_s: float = 300.0
    run_id: str = ""
    sample_id: str = ""


class ResumeFlow(Message, frozen=True, kw_only=True):
    """Request to run a flow on with the answer to its last call, until the next one. ``number``: of that call."""

    flow_id: str
    instance_id: str
    number: int
    answer: FlowAnswer


class EndFlow(Message, frozen=True, kw_only=True):
    """Request to end a flow that waits for an answer."""

    flow_id: str
    instance_id: str


class FlowWaits(Message, frozen=True, kw_only=True):
    """A flow waits for the answer to a call. ``number``: from 1. ``line``: of its source. ``instance_id``: the process
    that runs it and takes the answer."""

    flow_id: str
    instance_id: str
    name: str
    hash: str
    number: int
    call: FlowCall
    line: int
    section: str = ""


class FlowEnded(Message, frozen=True, kw_only=True):
    """The reply to :class:`EndFlow`. ``existed``: whether it was waiting."""

    existed: bool


FlowReply = FlowWaits | WorkflowRan
"""What comes of a turn: the next call, or what the flow came to."""
