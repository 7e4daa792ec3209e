"""What is embedded of a workflow."""

from __future__ import annotations

import pytest

from services.workflows.search.texts import (
    MAX_CHARS,
    MAX_WORDS,
    code_text,
    content_key,
    description_text,
    name_words,
)

SOURCE = '''
import json

def run(ticket_key: str, *, maxRows: int = 3) -> dict:
    """Return the changelog."""
    response = tools.tracker.get(path=f"/ticket/{ticket_key}/changelog")  # not a word of it
    return json.loads(response)
'''


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("get_repo_metadata", "get repo metadata"),
        ("getRepoMetadata", "get repo metadata"),
        ("report_2", "report 2"),
        ("straße_prüfen", "straße prüfen"),
        ("__", ""),
    ],
)
def test_names_become_words(name, words):
    assert name_words(name) == words


def test_of_code_the_names_and_strings_are_taken_once():
    words = code_text(SOURCE).split()
    assert len(set(words)) == len(words)
    assert set(words) == {
        *("ticket", "key", "str", "max", "rows", "int", "dict", "return", "the", "changelog"),
        *("response", "tools", "tracker", "get", "path", "json", "loads"),
    }


@pytest.mark.parametrize("source", ["def run(:", "\0", "(" * 50_000, "", "1" * 5_000])
def test_code_that_does_not_parse_gives_the_words_that_it_has(source):
    assert set(code_text(source).split()) <= {"def", "run"}


def test_texts_are_bounded():
    assert (
        len(code_text(f"names = {[f'w{chr(97 + n % 26) * (n // 26 + 1)}' for n in range(9_000)]}").split()) == MAX_WORDS
    )
    assert len(description_text("n", "d" * 100_000)) == MAX_CHARS


def test_without_a_description_the_name_stands_for_it():
    assert description_text("get_repo_metadata", " \n") == "get repo metadata"
    assert description_text("get_repo_metadata", " Get it. ") == "Get it."


def test_a_key_depends_on_description_and_source_only():
    assert content_key("d", "s") == content_key("d", "s")
    assert len({content_key("d", "s"), content_key("d", "t"), content_key("e", "s")}) == 3
    assert len(content_key("\ud800", "s")) == 64
