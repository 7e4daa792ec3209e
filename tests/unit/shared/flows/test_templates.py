"""Literals of recorded steps as templates."""

from __future__ import annotations

import pytest

from shared.flows.compiling.templates import common_template

ROWS = ({"number": "CS-1042", "project": "Harbour"}, {"number": "CS-1043", "project": "Orchard Hill"})


@pytest.mark.parametrize(
    ("texts", "template"),
    [
        (("/s?q=CS-1042%20Harbour", "/s?q=CS-1043%20Orchard%20Hill"), "/s?q={number}%20{project}"),
        (("/s?q=CS-1042%3AHarbour", "/s?q=CS-1043%3AOrchard%20Hill"), "/s?q={number}%3A{project}"),
        (("/XHarbour/CS-1042", "/XOrchard%20Hill/CS-1043"), None),
    ],
    ids=["after a blank", "after a mark", "within a word"],
)
def test_values_are_found_after_escapes_of_an_address_and_not_in_words(texts: tuple[str, str], template: str | None):
    assert common_template(texts, ROWS, in_address=True) == template
