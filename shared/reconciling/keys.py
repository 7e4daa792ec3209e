"""The keys by which a sample and a row of the register are the same record."""

from __future__ import annotations

import unicodedata

from shared.evidence_format.facts import ResultFacts
from shared.task.row_values import expected_identity
from shared.task.spec import TaskSpec
from shared.task.typed_values import as_shown
from shared.text.normal import bare_key, fold, plain, tidy

_GUARDED = "=+-@\t\r"


def key_of_sample(spec: TaskSpec, key: str, facts: ResultFacts) -> str:
    """Return the key of a sample; empty if nothing says it.

    Of a done sample it is the value of the field. Else it is what the field must show for the record to be the right
    one, else the cell of the input that has the field's name: a sample that is not done is in the population too.
    """
    stored = facts.fields.get(key)
    if facts.status == "done" and stored is not None and stored.state == "value":
        return as_shown(stored.value).strip()
    if facts.sample is None:
        return ""
    expected = {name: template for name, template in spec.identity.items() if name == key}
    try:
        identity = expected_identity(spec.model_copy(update={"identity": expected}), facts.sample.to_sample())
    except KeyError:  # a column that the input lacks
        identity = {}
    return (identity.get(key) or facts.sample.fields.get(key, "")).strip()


def key_form(key: str) -> str:
    """Return what keys that differ only in form have in common: without case, blanks that count for nothing, invisible
    characters, the compatibility forms of Unicode, a mark before the key, and an apostrophe that guards a spreadsheet
    against a formula.

    >>> key_form("#ABC 7"), key_form("abc\\u00a07"), key_form("'@ann")
    ('abc 7', 'abc 7', 'ann')
    """
    return fold(bare_key(plain(unicodedata.normalize("NFKC", unguarded(tidy(key))))))


def unguarded(text: str) -> str:
    """Return a text without the apostrophe that spreadsheets and exports write before what looks like a formula."""
    return text[1:] if text.startswith("'") and text[1:2] and text[1] in _GUARDED else text
