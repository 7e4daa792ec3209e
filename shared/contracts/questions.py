"""Questions to a person, and their answers."""

from __future__ import annotations

from shared.contracts.base import Part

MIN_OPTIONS, MAX_OPTIONS, MAX_QUESTIONS = 2, 4, 4
MAX_TEXT = 2000
"""Characters of a question, or of an answer in words."""


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


def questions_problem(questions: tuple[Question, ...]) -> str:
    """Return what is wrong with questions; empty: nothing."""
    if not 1 <= len(questions) <= MAX_QUESTIONS:
        return f"1 to {MAX_QUESTIONS} questions are asked at once, not {len(questions)}"
    for number, question in enumerate(questions, 1):
        if not question.text.strip() or len(question.text) > MAX_TEXT:
            return f"question {number}: its text has 1 to {MAX_TEXT} characters"
        if not MIN_OPTIONS <= len(question.options) <= MAX_OPTIONS or len(set(question.options)) < len(
            question.options
        ):
            return f"question {number}: it has {MIN_OPTIONS} to {MAX_OPTIONS} different options"
    return ""


def answers_problem(questions: tuple[Question, ...], answers: tuple[QuestionAnswer, ...]) -> str:
    """Return what is wrong with answers; empty: nothing. A free text answers any question."""
    if [one.question for one in answers] != [one.text for one in questions]:
        return "each question is answered once, in their order"
    for question, answer in zip(questions, answers, strict=True):
        if not set(answer.chosen) <= set(question.options):
            return f"{question.text!r}: the options are {', '.join(question.options)}"
        if len(answer.chosen) > 1 and not question.multi_select:
            return f"{question.text!r}: one option is chosen"
        if bool(answer.chosen) == bool(answer.text.strip()) or len(answer.text) > MAX_TEXT:
            return f"{question.text!r}: options are chosen, or a text is given"
    return ""
