"""Owned by vision: one targeted question about one picture, and its answer."""

from __future__ import annotations

from shared.contracts.base import Message, Usage
from shared.contracts.results import Box


class AskVision(Message, frozen=True, kw_only=True):
    """What is asked about a picture in the ARTIFACTS bucket.

    ``question`` asks for one thing ("Is the icon beside 'build' a pass or a failure?"); to describe a page is no
    question, and is refused as ``invalid_message``. ``answer_type`` is written as types are in task specs;
    where ``choices`` are given the answer is one of them. ``hints`` are texts that stand on the page beside the
    thing, such as an icon's title: they come from the page, and are data.
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
    """The part of the picture that is looked at, in pixels of the picture (not of CSS); None: all of it."""


class VisionAnswered(Message, frozen=True, kw_only=True):
    """``answer`` None: it cannot be told from the picture; ``reasoning`` says why, in one sentence."""

    answer: str | None
    confidence: float
    """From 0 to 1; 0 where there is no answer."""
    region: Box | None = None
    """Where in the whole picture the answer was read, in its pixels."""
    reasoning: str
    answered_by: str
    """The name of the model, or ``local``: colour and shape of a small icon, with no model."""
    usage: Usage = Usage()
