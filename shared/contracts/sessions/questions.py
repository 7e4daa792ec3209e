"""Questions to a person, and their answers."""

from __future__ import annotations

from shared.contracts.base import Part

MIN_OPTIONS, MAX_OPTIONS, MAX_QUESTIONS = 2, 4, 4


class Question(Part, frozen=True, kw_only=True, omit_defaults=True):
    """A question to the user. ``options``: 2 to 4; a free text may be given instead. ``multi_select``: several may be
    chosen. ``about``: what in the flow it is about, as a compiler names it."""

    text: str
    options: tuple[str, ...]
    multi_select: bool = False
    about: str = ""


class QuestionAnswer(Part, frozen=True, kw_only=True, omit_defaults=True):
    """``chosen``: of the options. ``text``: what was written instead."""

    question: str
    chosen: tuple[str, ...] = ()
    text: str = ""
