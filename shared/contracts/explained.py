"""Why a field of a result is not certain: what nearly matched, and which keys of the spec would settle it.

Codes are closed for writers and open for readers, like those of :mod:`shared.contracts.codes`; each has its words here.
"""

from __future__ import annotations

import json
from typing import Any, Literal

from shared.contracts.base import Part
from shared.contracts.codes import OpenCode
from shared.contracts.results import Box

NearCode = Literal[
    "other_label",
    "rival",
    "past",
    "other_record",
    "of_the_site",
    "elsewhere",
    "to_come",
    "not_of_pattern",
    "inside_word",
    "around",
    "not_of_type",
    "unsure",
    "second_label",
    "under_heading",
    "next_item",
    "like_label",
    "next_box",
    "shared_label",
    "more_hidden",
    "struck_out",
    "control",
    "heading",
    "icon",
]
NEAR_WORDS: dict[NearCode, str] = {
    "other_label": "it stands under another label",
    "rival": "the page says this too",
    "past": "it tells of a change, or of the past",
    "other_record": "it belongs to another record",
    "of_the_site": "it stands in the header, navigation or footer of the site, and belongs to no record",
    "elsewhere": "it stands outside of the part of the page that `under` names",
    "to_come": "it stands there until the value comes",
    "not_of_pattern": "it does not fit the pattern of the field",
    "inside_word": "what fits the pattern begins or ends within a word",
    "around": "what stands before or after it is not as the field asks for",
    "not_of_type": "it cannot be read as the type of the field",
    "unsure": "it may be a label itself, or belong to another one",
    "second_label": "a second label stands in the same text",
    "under_heading": "it stands under a heading of this name, and another text of the page has the label and a value",
    "next_item": "it may be the next label with a value of its own",
    "like_label": "it stands as the label does, and may be a label itself",
    "next_box": "its label is the last text of a box, and it stands in the next one",
    "shared_label": "it stands behind several labels, and may belong to the last one alone",
    "more_hidden": "the page says beside it that it does not show all",
    "struck_out": "it is struck out",
    "control": "it is a control of a search or a filter",
    "heading": "it is a heading, which a step `headline` of the `route` reads",
    "icon": "a picture stands there instead of a text",
}
KeyCode = Literal[
    "label_alike",
    "label_free",
    "one_label",
    "part_of_page",
    "form_of_text",
    "order_of_dates",
    "words_for_none",
    "may_be_empty",
    "one_more_value",
    "wider_pattern",
    "no_pattern",
    "rest_of_word",
    "whole_word",
    "stands_around",
    "other_type",
    "without_label",
]
KEY_WORDS: dict[KeyCode, str] = {
    "label_alike": "the page has this label, which is like the name of the field",
    "label_free": "the page has this label, and no field of the task asks for it",
    "one_label": "under this label alone stands one value",
    "part_of_page": "in this part of the page stands one value",
    "form_of_text": "one of the texts has this form",
    "order_of_dates": "the page leaves open which number is the day and which the month",
    "words_for_none": "if these words say that there is none",
    "may_be_empty": "the page says that there is none, and the type does not allow that",
    "one_more_value": "if this is one of the values allowed",
    "wider_pattern": "the text says more than the pattern allows",
    "no_pattern": "the text does not fit the pattern",
    "rest_of_word": "the value stands within a word, and this says what else is in it",
    "whole_word": "the whole word fits",
    "stands_around": "this is what stands before or after it",
    "other_type": "the text can be read as this type",
    "without_label": "it stands there without a label",
}


class NearValue(Part, frozen=True, kw_only=True, omit_defaults=True):
    """A text that nearly was the value of a field, and why it is not. ``section``: the part of the page it is in."""

    shown: str
    why: OpenCode[NearCode]
    label: str = ""
    role: str = ""
    section: str = ""
    box: Box | None = None
    frame: str = "main"


class SettlingKey(Part, frozen=True, kw_only=True):
    """A change of the spec with which the same page, read again, gives exactly one certain value of the field.

    Where several are named, they give different values: which one is meant is a person's decision.
    """

    keys: dict[str, Any]
    """What is new in the field's entry of ``output_schema``; None for a key that is left out."""
    entry: dict[str, Any]
    """The whole entry with it, to be put in the place of the one in the spec."""
    why: OpenCode[KeyCode]
    state: Literal["value", "not_present"]
    value: Any = None
    """What the field is then; None where it is not present."""
    shown: str = ""
    box: Box | None = None
    """Where that stands on the page."""


class FieldExplained(Part, frozen=True, kw_only=True, omit_defaults=True):
    """What is told of a field beside its value. ``label``, ``section``: of the value, as the page writes them."""

    field: str
    label: str = ""
    section: str = ""
    near: tuple[NearValue, ...] = ()
    settled_by: tuple[SettlingKey, ...] = ()


def paste_text(field: str, key: SettlingKey) -> str:
    """Return the entry of the field as it is pasted into ``output_schema``, on one line."""
    return f"{_json(field)}: {_json(key.entry)}"


def paste_lines(field: str, key: SettlingKey, width: int) -> list[str]:
    """Return the same on one line, or with each key on a line of its own where that is longer than the width."""
    whole = paste_text(field, key)
    if len(whole) <= width:
        return [whole]
    keys = [f"  {_json(name)}: {_json(value)}" for name, value in key.entry.items()]
    return [f"{_json(field)}: {{", *(f"{line}," for line in keys[:-1]), keys[-1], "}"]


def keys_text(keys: dict[str, Any]) -> str:
    """Return the new keys as a spec writes them."""
    return ", ".join(
        f"no {_json(name)}" if value is None else f"{_json(name)}: {_json(value)}" for name, value in keys.items()
    )


def _json(value: Any) -> str:
    """Return a value as JSON, with what cannot be seen as its code: it is printed, and pasted."""
    written = json.dumps(value, ensure_ascii=False)
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in written)


def near_words(code: str) -> str:
    """Return why a text is not the value, for people; the code itself where it is of another version."""
    return _NEAR.get(code, code)


def key_words(code: str) -> str:
    """Return why a key settles a field, for people; the code itself where it is of another version."""
    return _KEYS.get(code, code)


_NEAR: dict[str, str] = {**NEAR_WORDS}
_KEYS: dict[str, str] = {**KEY_WORDS}
