from __future__ import annotations

import pytest

from services.console.text.action_lines import parse_action
from shared.contracts.actions import ByCss, ByRef, ByText, Click, Goto, TypeText
from shared.contracts.discovery import Problem


@pytest.mark.parametrize(
    ("line", "want"),
    [
        ('{"action":"goto","url":"http://127.0.0.1/"}', Goto(url="http://127.0.0.1/")),
        ('{"action":"click","target":"3"}', Click(target=ByRef(ref=3, snapshot_id="s1"))),
        ('{"action":"click","target":3}', Click(target=ByRef(ref=3, snapshot_id="s1"))),
        ('{"action":"click","target":"Save all"}', Click(target=ByText(text="Save all"))),
        ('{"action":"click","target":"css=#save"}', Click(target=ByCss(css="#save"))),
        ('{"action":"type","target":{"by":"text","text":"3"},"text":"x"}', TypeText(target=ByText(text="3"), text="x")),
        ('{"action":"observe"}', None),
    ],
)
def test_an_action_as_people_write_it(line, want):
    assert parse_action(line, "s1") == want


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("click 3", "not JSON"),
        ("[]", "JSON object"),
        ('{"action":"jump"}', "jump"),
        ('{"action":"click"}', "target"),
        ('{"action":"goto","url":7}', "url"),
    ],
)
def test_a_line_that_is_no_action_says_why(line, words):
    problem = parse_action(line, "s1")
    assert isinstance(problem, Problem)
    assert words in f"{problem.where} {problem.message}"
