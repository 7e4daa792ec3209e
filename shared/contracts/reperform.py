"""Re-performance: the values of a sample are extracted again from its stored pages. Answered by planner."""

from __future__ import annotations

from typing import Any, Literal

from shared.contracts.base import Message, Part
from shared.contracts.codes import OpenCode, Status
from shared.contracts.error_codes import EndCode
from shared.contracts.results import InkState


class Reperform(Message, frozen=True, kw_only=True):
    """Request to extract every value of a sample again from its stored pages, without network access."""

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
"""Result of the re-performance of one value. It says whether the reading can be repeated, not whether it is true:

- ``same``: the stored page has the element with the recorded text, and the text parses to the recorded value. Of a
  value that an API gave: the stored response has it at its JSON pointer.
- ``same_in_observation``: the same is true of the stored observation only. The page is not stored, or a stored page
  cannot show the value (it lacks text typed into forms), or it shows the words and, without scripts, not in which
  element they stood.
- ``differs``: the element exists, but its text or the parsed value is another one.
- ``not_found``, ``ambiguous``: no element, or several elements, match the recorded one.
- ``altered``: the stored page or its observation is missing, or does not match its recorded hash.
- ``unreadable``: the stored page matches its hash, but cannot be opened.
- ``not_stored``: neither the source page nor its observation is stored.
- ``not_bound``: the value has no source element: it follows from another value, or a model named no element.
- ``read_by_model``: the value was derived, or read from a picture; there is no element to read again.
- ``nothing_recorded``: the field was not found in the run, so there is nothing to compare.
"""
FAULTS: frozenset[Verdict] = frozenset({"differs", "not_found", "ambiguous", "altered", "unreadable"})
"""Verdicts that contradict the recorded value."""


class ValueReperformed(Part, frozen=True, kw_only=True):
    """Result for one value.

    ``recorded`` and ``found``: texts as shown; ``recorded_value`` and ``found_value``: the parsed values. ``found``:
    None if nothing was read again. ``found_by``: what identified the element: fingerprint, label, box, kinds of
    locators. ``ink``: what the picture showed then. ``ink_found``: what a picture of the stored page shows now; None
    where it could not be looked at. A stored page is drawn without scripts, so that it may look otherwise: another ink
    is for a person to look at, and no verdict.
    """

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
    """The verdict according to the stored observation; empty if the observation was not used."""
    read_by: str = ""
    message: str = ""
    ink: InkState | None = None
    ink_found: InkState | None = None

    @property
    def is_drawn_otherwise(self) -> bool:
        """Whether its text was seen then, and is not where the stored page is drawn again."""
        return self.ink == "seen" and self.ink_found not in ("seen", None)


class PageReperformed(Part, frozen=True, kw_only=True):
    """A stored page that is the source of values.

    ``proof``: whether the page proves that it shows the sample's record. ``observed``: the same for its observation.
    ``unread``: it was not opened; ``message`` has the reason.
    """

    filename: str
    sha256: str
    url: str = ""
    proof: Literal["proven", "mismatch", "unproven", "unread"] = "unread"
    observed: Literal["proven", "mismatch", "unproven", "unread"] = "unread"
    message: str = ""


Identity = Literal["proven", "proven_in_observation", "mismatch", "unproven", "not_stored", "not_asked"]


class SampleReperformed(Message, frozen=True, kw_only=True):
    """Result for one sample.

    ``status`` and ``reason``: of the recorded result. ``identity``: whether the stored pages prove that they show the
    sample's record. ``problem``: why the sample could not be re-performed; empty if it was.
    """

    run_id: str
    sample_id: str
    status: OpenCode[Status | Literal[""]] = ""
    reason: OpenCode[EndCode] = ""
    identity: Identity = "not_asked"
    values: tuple[ValueReperformed, ...] = ()
    pages: tuple[PageReperformed, ...] = ()
    problem: str = ""
