"""A rule of extraction, as data that a person can read: where the element is, which of its texts, and which part of it.

A new kind of place is a row in `KINDS` here, is found in `pages.py`, offered in `places.py`, ranked in `synthesis.py`,
and is in `BY_ORDER` of `labels/moved.py` where it only counts.

A rule gives one text or none for a page. It gives none when its place is not there, or is there more than once: it
never chooses.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from shared.contracts.base import Part
from shared.text.normal import label_form, letters_and_digits

Attribute = Literal["name", "value", "url", "title", "checked", "part", "hint"]
"""Which text of an element: what it shows, what a field holds, where a link leads, what the markup adds, whether a box
is checked; of several texts in it one, or the title of one."""
Kind = Literal["labelled", "named", "near", "grouped", "structural"]
"""How a place is found: by a label that belongs to the value, by a name in the markup, by the field's label somewhere
before it or by words of the page's title, by the form of the small group in which it stands, or by its order alone. A
structural place says nothing of what the value is; one that is near a label, or has its place in a group, says it only
while nothing else has changed, since the value may be missing and another text follow."""


class UnderHeader(Part, frozen=True, kw_only=True, tag="header"):
    """The element beside a label: the definition of a term, the cell of a row or column head. Empty ``role``: any."""

    header: str
    role: str


class AfterText(Part, frozen=True, kw_only=True, tag="after"):
    """The element that stands ``steps`` elements after the only one with this text."""

    text: str
    steps: int
    role: str


class InRegion(Part, frozen=True, kw_only=True, tag="region"):
    """The ``nth`` element (from 0) of this role in the part of the page with this name."""

    region: str
    role: str
    nth: int


class AtSelector(Part, frozen=True, kw_only=True, tag="selector"):
    """The element with this id or test id."""

    selector: str


class AtHeading(Part, frozen=True, kw_only=True, tag="heading"):
    """The only heading of this level."""

    level: int


class AtPlace(Part, frozen=True, kw_only=True, tag="place"):
    """The ``nth`` (from 0) of exactly ``of`` elements with this tag path."""

    path: str
    nth: int
    of: int


class InLabelledRow(Part, frozen=True, kw_only=True, tag="row_label"):
    """The only element ``columns`` after the cell with this text in its row of a table. An empty ``role``: any."""

    label: str
    columns: int
    role: str


class ByName(Part, frozen=True, kw_only=True, tag="called"):
    """The only element of this role with this name: a field of a form, a link."""

    name: str
    role: str


class InGroup(Part, frozen=True, kw_only=True, tag="group"):
    """The ``nth`` (from 0) of the only group of this form; see :mod:`shared.extraction.structure`."""

    form: str
    nth: int


class PageItself(Part, frozen=True, kw_only=True, tag="page"):
    """The page itself: its title is the name, its address the url."""


class ByTask(Part, frozen=True, kw_only=True, tag="task"):
    """What the labels or the pattern of the task's ``field`` lead to, or the heading that its route names; see
    `shared.extraction.task_values`."""

    field: str


class BesideOwnWord(Part, frozen=True, kw_only=True, tag="word"):
    """The only element of the page in whose text this word stands, a form of the field's own name: "authored" for an
    author. It has this tag path, shows so many ``parts``, and so many ``hints``: texts with a title. ``beside``: the
    word stands right beside this one of them (from 0)."""

    word: str
    path: str
    parts: int = 0
    hints: int = 0
    beside: int | None = None


Where = (
    ByTask
    | BesideOwnWord
    | UnderHeader
    | InLabelledRow
    | ByName
    | AfterText
    | InRegion
    | AtSelector
    | PageItself
    | InGroup
    | AtHeading
    | AtPlace
)
KINDS: dict[type[Part], Kind] = {  # of AfterText: see `kind_of`
    ByTask: "labelled",
    BesideOwnWord: "labelled",
    UnderHeader: "labelled",
    InLabelledRow: "labelled",
    ByName: "labelled",
    InGroup: "grouped",
    PageItself: "structural",
    InRegion: "named",
    AtSelector: "named",
    AtHeading: "structural",
    AtPlace: "structural",
}


class Whole(Part, frozen=True, kw_only=True, tag="whole"):
    """The whole text."""


class Between(Part, frozen=True, kw_only=True, tag="between"):
    """What stands between two texts that each occur once around it; an empty one is the beginning or the end.

    ``telling``: on the example pages these words stand around nothing else, so that they say what the value is.
    ``left`` and ``right``: the shape of what stands beyond them in the text of every example; empty: it has none.
    """

    before: str
    after: str
    telling: bool = False
    left: str = ""
    right: str = ""


TextRule = Whole | Between


class ExtractionRule(Part, frozen=True, kw_only=True):
    """``where`` the element is, its ``attribute``, and the ``part`` of that text.

    ``nth`` (from 0) and ``of``: which of how many texts, of a `part` or `hint`."""

    where: Where
    attribute: Attribute
    part: TextRule
    nth: int = 0
    of: int = 0


def kind_of(rule: ExtractionRule, labels: Collection[str]) -> Kind:
    """Return how the rule finds its value. ``labels``: what the field is called, in the form of labels.

    Telling words around the value in its own text are a label. A text before it is one only where the field is called
    so: any other text may stand there by chance.
    """
    if isinstance(rule.part, Between) and rule.part.telling:
        return "near" if isinstance(rule.where, PageItself) else "labelled"
    if isinstance(rule.where, AfterText):
        return "near" if label_form(rule.where.text) in labels else "structural"
    return KINDS[type(rule.where)]


def words_of_place(where: Where) -> str:
    """Return the words or the selector that a place goes by; empty: it goes by none."""
    match where:
        case UnderHeader():
            return where.header
        case InLabelledRow():
            return where.label
        case ByName():
            return where.name
        case AfterText():
            return where.text
        case InRegion():
            return where.region
        case AtSelector():
            return where.selector
        case BesideOwnWord():
            return where.word
        case _:
            return ""


def is_called(rule: ExtractionRule, labels: Collection[str]) -> bool:
    """Return whether the rule goes by what the field itself is called, and not by words that stand there by chance."""
    if isinstance(rule.where, ByTask | BesideOwnWord):
        return True
    around = rule.part.before + rule.part.after if isinstance(rule.part, Between) else ""
    place, beside = letters_and_digits(words_of_place(rule.where)), letters_and_digits(around)
    return any(word and (word == place or word in beside) for word in map(letters_and_digits, labels))


def describe_rule(rule: ExtractionRule) -> str:
    """Return the rule for people, such as ``the definition beside "Assignee"``."""
    text = {
        "name": "",
        "value": "what is filled in at ",
        "url": "the address of ",
        "title": "the title of ",
        "checked": "the check of ",
        "part": f"text {rule.nth + 1} of {rule.of} in ",
        "hint": f"the title of text {rule.nth + 1} of {rule.of} in ",
    }[rule.attribute]
    if isinstance(rule.where, PageItself) and rule.attribute == "name":
        text = "the title of "
    return text + _describe_where(rule.where) + _describe_part(rule.part)


def _describe_where(where: Where) -> str:
    match where:
        case ByTask():
            return f'what the task tells of "{where.field}" by its labels, its pattern or its heading'
        case BesideOwnWord():
            return f'the text with the word "{where.word}" at {where.path}'
        case UnderHeader():
            return f'the {where.role or "element"} beside "{where.header}"'
        case InLabelledRow():
            return f'the {where.role or "cell"} {where.columns} after "{where.label}" in its row'
        case ByName():
            return f'the {where.role} "{where.name}"'
        case InGroup():
            return f"number {where.nth + 1} in the only group of the form {where.form}"
        case PageItself():
            return "the page"
        case AfterText():
            return f'the {where.role} {where.steps} after "{where.text}"'
        case InRegion():
            return f'{where.role} number {where.nth + 1} in "{where.region}"'
        case AtSelector():
            return f"the element {where.selector}"
        case AtHeading():
            return f"the heading of level {where.level}"
        case AtPlace():
            return f"number {where.nth + 1} of {where.of} at {where.path}"


def _describe_part(part: TextRule) -> str:
    if isinstance(part, Whole):
        return ""
    ends = [f'after "{part.before}"' if part.before else "", f'before "{part.after}"' if part.after else ""]
    return f", {' and '.join(end for end in ends if end)}"
