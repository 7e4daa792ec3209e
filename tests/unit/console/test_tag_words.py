"""`exhibit runs list` and `runs tag`: the words that are typed, the query that is asked, the lines that are shown."""

from __future__ import annotations

from typer.testing import CliRunner

from services.console.cli import app
from services.console.text.tag_words import listing_query, parse_tag_words, run_lines


def test_a_sign_says_what_becomes_of_a_tag():
    words = parse_tag_words(["+q3", "-draft", "-2025", "+-x", "q4"])
    assert (words.add, words.remove) == (("q3", "-x"), ("draft", "2025"))
    assert [one.message for one in words.problems] == ["'q4': +q4 sets the tag, -q4 removes it"]


def test_a_word_with_a_minus_is_no_option():
    ended = CliRunner().invoke(app, ["runs", "tag", "run_1", "+q3", "-old", "-e", "--x", "bad"])
    assert ended.exit_code == 2
    assert "1 problem" in ended.stderr
    assert "'bad'" in ended.stderr


def test_only_tags_come_into_the_query():
    query = listing_query(["Q3", "a.b-c_d"])
    assert isinstance(query, str)
    assert query.endswith(
        " from runs where list_contains(tags, 'q3') and list_contains(tags, 'a.b-c_d') "
        "order by created_at desc, run_id desc"
    )
    problems = listing_query(["q3", "x') or true --", ""])
    assert [one.where for one in problems if not isinstance(one, str)] == ["--tag", "--tag"]


def test_a_run_is_a_line_with_its_tags():
    one = {"run_id": "run_1", "state": "finished", "done": 2, "samples": 5, "task_id": "tickets", "tags": ["a", "q3"]}
    other = {"run_id": "run_10", "state": "unfinished", "done": None, "samples": None, "task_id": None, "tags": []}
    assert [line.split() for line in run_lines([one, other])] == [
        ["run_1", "ended", "2", "of", "5", "done", "tickets", "[a", "q3]"],
        ["run_10", "at", "work", "0", "of", "0", "done"],
    ]
