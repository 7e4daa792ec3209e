"""Extracting the values of a sample again from its stored pages, without any network. Answered by planner."""

from __future__ import annotations

from typing import Any, Literal

from shared.contracts.base import Message, Part
from shared.contracts.codes import OpenCode, Status
from shared.contracts.error_codes import EndCode


class Reperform(Message, frozen=True, kw_only=True):
    """Extract every value of a sample again from its stored pages, without any network."""

    run_id: str
    sample_id: str


Verdict = Literal[
    "same",
    "same_in_observation",
    "differs",
    "not_found",
    "ambiguous",
    "altered",
    "unreadable",
    "not_stored",
    "not_bound",
    "read_by_model",
    "nothing_recorded",
]
"""Of one value:

- ``same``: the element stands in the stored page, shows the recorded text, and that reads as the recorded value.
- ``same_in_observation``: so says the stored observation alone; the page is not stored, or is none that could show it
  (what is typed into a form is not in it).
- ``differs``: the element is there and shows something else, or what it shows does not read as the recorded value.
- ``not_found``, ``ambiguous``: none, or several, may be the recorded element.
- ``altered``: the stored page, or the observation beside it, is not there or not what its recorded hash says.
- ``unreadable``: the stored page is as recorded and cannot be opened.
- ``not_stored``: nothing is kept of the page it was read from.
- ``not_bound``: it is bound to no element: it follows from another value, or a model named no element that shows it.
- ``read_by_model``: worked out, or read from a picture; there is no element to read again.
- ``nothing_recorded``: the field was not found then, so there is nothing to find again.
"""
FAULTS: frozenset[Verdict] = frozenset({"differs", "not_found", "ambiguous", "altered", "unreadable"})
"""What stands against a value."""


class ValueReperformed(Part, frozen=True, kw_only=True):
    """``recorded`` and ``found`` are texts as shown; the values are what they read as. ``found`` is None where nothing
    was read again. ``found_by``: what led to the element: fingerprint, label, box, and kinds of locators."""

    field: str
    verdict: Verdict
    state: Literal["value", "not_present", "not_found"]
    recorded: str | None = None
    recorded_value: Any = None
    found: str | None = None
    found_value: Any = None
    found_by: tuple[str, ...] = ()
    page: str = ""
    """File name of the stored page."""
    page_sha256: str = ""
    observation: str = ""
    """What the stored observation says of it: a verdict as well; empty where it was not asked."""
    read_by: str = ""
    message: str = ""


class PageReperformed(Part, frozen=True, kw_only=True):
    """A stored page that values come from. ``proof``: whether it still shows the record that the sample asks for;
    ``observed``: whether its observation does. ``unread`` where it was not opened, with the reason."""

    filename: str
    sha256: str
    url: str = ""
    proof: Literal["proven", "mismatch", "unproven", "unread"] = "unread"
    observed: Literal["proven", "mismatch", "unproven", "unread"] = "unread"
    message: str = ""


Identity = Literal["proven", "proven_in_observation", "mismatch", "unproven", "not_stored", "not_asked"]


class SampleReperformed(Message, frozen=True, kw_only=True):
    """``status`` and ``reason``: how the sample had ended. ``identity``: whether its stored pages prove the record:
    ``proven``, ``proven_in_observation``, ``mismatch``, ``unproven``, ``not_stored``, or ``not_asked``. ``problem``:
    why nothing of it could be done."""

    run_id: str
    sample_id: str
    status: OpenCode[Status | Literal[""]] = ""
    reason: OpenCode[EndCode] = ""
    identity: Identity = "not_asked"
    values: tuple[ValueReperformed, ...] = ()
    pages: tuple[PageReperformed, ...] = ()
    problem: str = ""
