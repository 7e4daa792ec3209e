"""Selectors: what is written is read again, values cannot change their structure, and mistakes are told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.pages.locate.selectors import (
    Selector,
    fill_selector,
    parse_selector,
    placeholders_of,
    selector_in_words,
    write_selector,
)
from tests.cases import cases

TEXTS = st.text(min_size=1, max_size=20).map(str.strip).filter(bool)


@cases(
    ("text", "expected"),
    [
        ('role=button[name="Save \\"all\\""]', Selector("role", "button", 'Save "all"')),
        ("role=link", Selector("role", "link")),
        ("label=Country", Selector("label", "Country")),
        ("text=Save", Selector("text", "Save")),
        ('[data-testid="save"]', Selector("css", '[data-testid="save"]')),
        ('li.option:has-text("Aetna")', Selector("css", "li.option", "Aetna")),
        ('row=["Ann ] Lee", "Ac >> me"] >> role=link', Selector("role", "link", row=("Ann ] Lee", "Ac >> me"))),
        ('region="Files" >> after="New" >> role=link', Selector("role", "link", region="Files", after="New")),
        ('header="Pull request" >> role=link', Selector("role", "link", header="Pull request")),
    ],
)
def test_a_selector_is_read_and_written(text, expected):
    assert parse_selector(text) == expected
    assert write_selector(expected) == text


@given(name=TEXTS, cells=st.lists(TEXTS, min_size=1, max_size=3), header=TEXTS)
def test_any_text_comes_back_as_it_was(name, cells, header):
    selector = Selector("role", "link", name, row=tuple(cells), header=header)
    assert parse_selector(write_selector(selector)) == selector


@given(value=TEXTS)
def test_a_value_stays_a_value(value):
    template = parse_selector('row=["{person}"] >> role=link[name="{person}"]')
    filled = fill_selector(template, {"person": value})
    assert filled == Selector("role", "link", value, row=(value,))
    assert parse_selector(write_selector(filled)) == filled


def test_what_has_no_value_is_left():
    assert fill_selector(Selector("text", "{a} {b}"), {"a": "x"}).value == "x {b}"
    assert placeholders_of("{a} {b_1} {} {2}") == {"a", "b_1"}


@cases(
    "text",
    [
        "", "role=button[name=Save]", "role=Button", 'row=["a"]', "row=[1] >> role=link",
        'header="a" >> header="b" >> #x',
    ],
)  # fmt: skip
def test_a_mistake_is_told(text):
    with pytest.raises(ValueError):
        parse_selector(text)


@cases(
    ("text", "words"),
    [
        ('region="Page Index" >> role=link[name="T-7"]', "link 'T-7' in 'Page Index'"),
        ('row=["Ann", "Acme"] >> header="Owner" >> role=link', "a link in the row of 'Ann', 'Acme' beside 'Owner'"),
        ('after="Resolves" >> text=#12', "the text '#12' after 'Resolves'"),
        ("label=Country", "the field 'Country'"),
        ('li.option:has-text("Aetna")', "li.option 'Aetna'"),
        ("main > a", "main > a"),
    ],
)
def test_a_selector_is_told_in_words(text: str, words: str):
    assert selector_in_words(text) == words
