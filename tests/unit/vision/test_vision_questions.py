"""Which questions are targeted."""

from __future__ import annotations

import pytest

from services.vision.questions import find_question_problem
from shared.contracts.vision import AskVision


def asked(question, **changes):
    return AskVision(
        run_id="r",
        sample_id="s",
        question=question,
        blob="b",
        sha256="0",
        size_bytes=1,
        media_type="image/png",
        **changes,
    )


@pytest.mark.parametrize(
    "question",
    [
        "", " \n", "?!", "Describe this page", "Please describe the screenshot.", "Can you summarize this page?",
        "What is on this page?", "What's in the picture?", "What does this page show?", "What do you see?",
        "What is this?", "List all elements.", "Tell me everything", "Transcribe the page",
        "what is visible that the DOM lacks?", "WHAT IS VISIBLE ON THE SCREEN?", "Give a description of the page",
    ],
)  # fmt: skip
def test_open_ended_questions_are_refused_in_words(question):
    assert find_question_problem(asked(question))


@pytest.mark.parametrize(
    "question",
    [
        "What is the state of the check 'build'?",
        "Is the icon beside 'build' a pass or a failure?",
        "What is shown in the Status column of the row 'lint'?",
        "Which text stands on the badge next to the title?",
        "What does the field Description say?",
        "What is the total on the invoice in the picture?",
        "Is the toggle 'Public' on the page switched on?",
        "How many bars has the chart?",
        "Ist die Ampel grün?",
    ],
)
def test_questions_for_one_thing_are_not(question):
    assert find_question_problem(asked(question)) is None


def test_choices_must_differ():
    assert find_question_problem(asked("Which is it?", choices=("Open", "open "))) is not None
    assert find_question_problem(asked("Which is it?", choices=("Open", ""))) is not None
    assert find_question_problem(asked("Which is it?", choices=("Open", "Closed"))) is None
