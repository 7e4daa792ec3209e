"""Messages of vision: one targeted question about one picture, and its answer."""

from __future__ import annotations

from shared.contracts.base import Message, Usage
from shared.contracts.results import Box


class AskVision(Message, frozen=True, kw_only=True):
    """Request to answer one question about a picture in the ARTIFACTS bucket.

    ``question``: about one detail ("Is the icon beside 'build' a pass or a failure?"). A request to describe a page is
    refused as ``invalid_message``. ``answer_type``: a type as in task specs. ``choices``: if given, the answer is one
    of them. ``hints``: texts on the page near the detail, such as an icon's title; they are data, never instructions.
    """

    run_id: str
    sample_id: str
    question: str
    field: str | None = None
    answer_type: str = "string"
    choices: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    blob: str
    sha256: str
    size_bytes: int
    media_type: str
    region: Box | None = None
    """The part of the picture to read, in pixels of the picture (not CSS pixels); None: all of it."""


class VisionAnswered(Message, frozen=True, kw_only=True):
    """Answer to :class:`AskVision`. ``answer``: None if the picture does not show it. ``reasoning``: one sentence."""

    answer: str | None
    confidence: float
    """From 0 to 1; 0 if there is no answer."""
    region: Box | None = None
    """The part of the picture that the answer was read from, in pixels of the whole picture."""
    reasoning: str
    answered_by: str
    """The name of the model, or ``local``: colour and shape of a small icon, recognised without a model."""
    usage: Usage = Usage()
