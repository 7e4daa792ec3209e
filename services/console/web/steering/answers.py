"""The answers to questions of a run or a build session, as a form sends them. Options travel by their numbers. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shared.contracts.questions import Question, QuestionAnswer, answers_problem


def read_answers(questions: Sequence[Question], form: Mapping[str, str]) -> tuple[QuestionAnswer, ...] | str:
    """Return an answer to each question, or what is wrong with them, for people.

    Args:
        questions: all of one key, in their order.
        form: ``chosen.Q`` or ``chosen.Q.O``: numbers of options, from 0; ``text.Q``: what was written instead.
    """
    answers: list[QuestionAnswer] = []
    for at, question in enumerate(questions):
        text = form.get(f"text.{at}", "").strip()
        names = [f"chosen.{at}", *(f"chosen.{at}.{one}" for one in range(len(question.options)))]
        numbers = [form[name] for name in names if form.get(name, "")]
        known = {str(number): option for number, option in enumerate(question.options)}
        if not set(numbers) <= set(known):
            return "The form names an option that is none. Load the page again."
        chosen = tuple(option for number, option in known.items() if number in numbers)
        answers.append(QuestionAnswer(question=question.text, chosen=() if text else chosen, text=text))
    missing = [one.question for one in answers if not one.chosen and not one.text]
    if missing:
        return f"Answer every question of it; this one has no answer: {missing[0]}"
    return answers_problem(tuple(questions), tuple(answers)) or tuple(answers)
