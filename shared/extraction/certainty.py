"""When a value that rules found is certain: unless a row of `DOUBTS` applies. Each row has its reason. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from shared.contracts.base import Part
from shared.extraction.absence import is_left_out, shape_of
from shared.extraction.field_rules import FieldRules
from shared.extraction.labels.alternation import LabelText, paired_text_of
from shared.extraction.labels.beside import columns_to_label, is_own_label, label_of
from shared.extraction.labels.moved import (
    displaced_rules,
    is_close_and_shaped,
    is_labelled_elsewhere,
    is_of_another_label,
    is_one_of_several,
    unique_place,
)
from shared.extraction.pages import ObservedPage, beyond, part_of, text_of
from shared.extraction.rules import (
    AtPlace,
    AtSelector,
    Between,
    ByTask,
    ExtractionRule,
    Kind,
    PageItself,
    is_called,
    kind_of,
)
from shared.extraction.values import may_be_absent, value_key

Certainty = Literal["certain", "healed", "ambiguous", "unsure", "missing"]
"""``certain``: every rule found this value, and one of them says what it is: it goes by a label or a name, or by the
form of a group; or the page shows that there is none. ``healed``: some rules found nothing, and the others agree, among
them one whose label or name belongs to the value. ``ambiguous``: rules found different values. ``unsure``: what was
found has another shape than every example or is not of the type, or too little speaks for it. ``missing``: no rule
found anything."""
Structure = Literal["page", "record", "row"]
"""What a page is: the records of a list have one template, so that an element that is alone with its tag path in a
record says what it is; of a table's row the number of its cell does, among as many cells."""
TELLING: frozenset[Kind] = frozenset({"labelled", "named", "near", "grouped"})
BELONGING: frozenset[Kind] = frozenset({"labelled", "named"})
WITNESSES: frozenset[Kind] = frozenset({"near", "grouped"})
"""Together they tell a value that some rules have lost: a group of the page, and a label or the page's title."""


class FoundValue(Part, frozen=True, kw_only=True):
    """A value with the rules that found it."""

    value: str
    rules: tuple[ExtractionRule, ...]


class FieldReading(Part, frozen=True, kw_only=True):
    """``value``: as the page shows it; None unless it is certain or healed. ``absent``: the page shows that there is
    none; it is certain then, without a value. ``left_out``: it shows nothing at all of the field, not even its label,
    as the examples without a value did. ``empty``: rules whose place is there and says that there is none. ``lost``:
    rules that found nothing. ``moved``: rules by order that lead to the values of other labels now; they count as
    lost. ``doubt``: the code of the row of `DOUBTS` for which it is not certain; see `words_of_doubt`."""

    certainty: Certainty
    value: str | None = None
    absent: bool = False
    left_out: bool = False
    candidates: tuple[FoundValue, ...] = ()
    empty: tuple[ExtractionRule, ...] = ()
    lost: tuple[ExtractionRule, ...] = ()
    moved: tuple[ExtractionRule, ...] = ()
    doubt: str = ""


@dataclass(frozen=True)
class Claims:
    """What the rules of a field claim of one page.

    ``rules``: of the field or of one of its variants. ``found``: different values, each with its rules. ``empty`` and
    ``lost``: as of `FieldReading`. ``contradicted``: rules by order that lead to the values of other labels now.
    ``label``: the text that is the field's label, where what follows it was read because no rule found anything."""

    field: FieldRules
    rules: tuple[ExtractionRule, ...]
    page: ObservedPage
    structure: Structure
    found: tuple[FoundValue, ...]
    empty: tuple[ExtractionRule, ...]
    lost: tuple[ExtractionRule, ...]
    contradicted: frozenset[ExtractionRule]
    label: LabelText | None

    @cached_property
    def nothing(self) -> tuple[ExtractionRule, ...]:
        """The rules that have no value."""
        return (*self.lost, *self.empty)

    @cached_property
    def displaced(self) -> frozenset[ExtractionRule]:
        return displaced_rules(self.rules, self.field.homes, self.field.labels, self.page)

    @cached_property
    def says_none(self) -> bool:
        """Whether rules that say what they find say that there is no value."""
        if any(kind_of(rule, self.field.labels) in BELONGING for rule in self.empty if rule not in self.displaced):
            return True
        narrowed = unique_place(self.rules, self.field.homes, self.field.labels, self.page)
        return bool(self.empty) and (set(self.empty) <= narrowed or self.label is not None)

    @cached_property
    def leaves_out(self) -> bool:
        """Whether the page has nothing of the field, as the examples without a value had."""
        learned = self.field.left_out
        return not self.found and not self.empty and learned is not None and is_left_out(learned, self.page)


@dataclass(frozen=True)
class DoubtRow:
    """A reason for which a person looks at a value that rules found. ``says``: the reason as the end of a sentence."""

    code: str
    certainty: Certainty
    applies: Callable[[Claims], bool]
    says: str


def reading_of(claims: Claims) -> FieldReading:
    """Return what the claims come to."""
    if not claims.found and (claims.leaves_out or (may_be_absent(claims.field.form) and _is_emptiness_told(claims))):
        lost = claims.nothing if claims.leaves_out else claims.lost
        return FieldReading(
            certainty="certain", absent=True, left_out=claims.leaves_out, empty=claims.empty, lost=lost
        )  # fmt: skip
    doubt = next((one for one in DOUBTS if one.applies(claims)), None)
    if doubt is not None:
        empty = () if claims.found else claims.empty
        return FieldReading(
            certainty=doubt.certainty, candidates=claims.found, empty=empty, lost=claims.nothing, doubt=doubt.code
        )  # fmt: skip
    return FieldReading(
        certainty="healed" if claims.nothing else "certain",
        value=claims.found[0].value,
        candidates=claims.found,
        lost=claims.nothing,
        moved=tuple(rule for rule in claims.rules if rule in claims.contradicted),
    )


def words_of_doubt(code: str) -> str:
    """Return why a reading with this doubt is for a person, as the end of a sentence; empty where it has none."""
    return _WORDS.get(code, "")


# --- what a row of the table looks at


def _is_place_lost(claims: Claims) -> bool:
    """Then the value may have been shown here by chance, unless this place goes by what the field is called."""
    field, found = claims.field, claims.found[0].rules
    places = {home for rule, home in zip(field.rules, field.homes, strict=False) if rule in found}
    return places < set(field.homes) and not any(is_called(rule, field.labels) for rule in found)


def _is_apart(claims: Claims) -> bool:
    return is_labelled_elsewhere(claims.rules, claims.field.homes, claims.field.labels, claims.page)


def _has_another_label(claims: Claims) -> bool:
    field = claims.field
    return is_of_another_label(claims.found[0].rules, claims.rules, field.labels, field.beside, claims.page)


def _is_one_of_several(claims: Claims) -> bool:
    return is_one_of_several(claims.found[0].rules, claims.field.labels, claims.page)


def _is_joined(claims: Claims) -> bool:
    return not claims.field.joined and any(map(claims.page.is_joined, claims.found[0].rules))


def _is_built_otherwise(claims: Claims) -> bool:
    """Then the words around the value may stand within it."""
    return all(_has_other_texts(rule, claims) or _has_another_rest(rule, claims.page) for rule in claims.found[0].rules)


def _has_other_texts(rule: ExtractionRule, claims: Claims) -> bool:
    """Return whether the value is cut out of the text of an element, of which it was one of several texts."""
    of = [one.of for one in claims.rules if one.where == rule.where and one.attribute == "part"]
    element = claims.page.find(rule.where) if of and isinstance(rule.part, Between) else None
    return element is not None and rule.attribute == "name" and len(element.parts) not in of


def _has_another_rest(rule: ExtractionRule, page: ObservedPage) -> bool:
    """Return whether what stands beyond the words around the value has another shape than on the examples."""
    part = rule.part
    element = page.find(rule.where) if isinstance(part, Between) and part.left + part.right else None
    text = None if element is None else text_of(element, rule.attribute, rule.nth, rule.of)
    if text is None or not isinstance(part, Between) or part_of(text, part) is None:
        return False
    left, right = beyond(text, part)
    return bool(part.left and shape_of(left) != part.left) or bool(part.right and shape_of(right) != part.right)


def _is_marked_alone(claims: Claims) -> bool:
    return is_marked_alone(claims.found[0].rules, claims.lost, claims.field, claims.page)


def _is_emptiness_told(claims: Claims) -> bool:
    """Return whether the page says that there is no value, and not of another record or beside another label."""
    told = tuple(rule for rule in claims.empty if not is_unproven((rule,), claims.page))
    marked = bool(told) and is_marked_alone(told, claims.lost, claims.field, claims.page)
    return not marked and replace(claims, empty=told).says_none


def _is_untold(claims: Claims) -> bool:
    field, found = claims.field, claims.found[0].rules
    kinds = _kinds(field, [rule for rule in found if rule not in claims.displaced], claims.structure)
    told_in_part, told_wholly = kinds & BELONGING or kinds >= WITNESSES, kinds & TELLING or field.trusted
    told = told_in_part if claims.nothing else told_wholly
    return not (told or claims.label is not None or is_told_by_label(field, found, claims.lost, claims.page))


def _is_unproven(claims: Claims) -> bool:
    return is_unproven(claims.found[0].rules, claims.page)


def _is_misshapen(claims: Claims) -> bool:
    field, value = claims.field, claims.found[0].value
    is_told = any(isinstance(rule.where, ByTask) for rule in claims.found[0].rules)
    other_shape = field.shape != "" and shape_of(value) != field.shape and not is_told
    return other_shape or value_key(field.form, value) is None


DOUBTS: tuple[DoubtRow, ...] = (
    DoubtRow(
        "not_found", "missing", lambda claims: not claims.found,
        "the page shows no value where the examples showed one, and does not say that there is none",
    ),
    DoubtRow(
        "several_values", "ambiguous", lambda claims: len(claims.found) > 1,
        "places that showed one value on the examples show different ones",
    ),
    DoubtRow(
        "value_and_none", "ambiguous", lambda claims: claims.says_none,
        "one place of the examples shows a value, and another one says that there is none",
    ),
    DoubtRow(
        "place_lost", "unsure", _is_place_lost,
        "the examples showed the value in another place as well, which is gone",
    ),
    DoubtRow(
        "label_elsewhere", "unsure", _is_apart,
        "its label stands in another part of the page, and its own part is there with other labels",
    ),
    DoubtRow(
        "other_label", "unsure", _has_another_label,
        "what stands in its place has the label of another value",
    ),
    DoubtRow(
        "one_of_several", "unsure", _is_one_of_several,
        "another text stands beside the same label",
    ),
    DoubtRow(
        "several_texts", "unsure", _is_joined,
        "several texts stand where the examples had one",
    ),
    DoubtRow(
        "built_otherwise", "unsure", _is_built_otherwise,
        "it is a part of a text that is built in another way than those of the examples",
    ),
    DoubtRow(
        "marked_alone", "unsure", _is_marked_alone,
        "only an id in the markup tells the value, and the label that it had on the examples is gone",
    ),
    DoubtRow(
        "untold", "unsure", _is_untold,
        "only its order on the page tells the value, and no label, name or group",
    ),
    DoubtRow(
        "unproven", "unsure", _is_unproven,
        "only its label tells the value, and the page does not show whose record it is",
    ),
    DoubtRow(
        "misshapen", "unsure", _is_misshapen,
        "the value is not of the type, or has another form than those of the examples",
    ),
)  # fmt: skip
"""In this order; the first that applies is the reason."""
DOUBTS_OF_FLOWS: Mapping[str, str] = {
    "asks_to_choose": "the text may ask to choose something; where it says that there is none, "
    "`not_present` of the field has it",
    "of_other_record": "other records stand under the same labels, and it may be of one of them",
}
"""Reasons for which a flow does not take what is certain by these rows: it knows the element, and what the row of the
sample says. The words by which its task says that there is none count as a value in the rows above."""
_WORDS = {**{one.code: one.says for one in DOUBTS}, **DOUBTS_OF_FLOWS}


def is_unproven(found: Sequence[ExtractionRule], page: ObservedPage) -> bool:
    """Return whether only the labels of the task tell what these rules found, and the page does not show its record:
    then it may tell it of another one, whatever its labels are."""
    told = [page.task_values[rule.where.field] for rule in found if isinstance(rule.where, ByTask)]
    return len(told) == len(found) and not all(one.proven for one in told)


def is_marked_alone(
    found: Sequence[ExtractionRule], lost: Collection[ExtractionRule], field: FieldRules, page: ObservedPage
) -> bool:
    """Return whether only an id leads to what these rules found, of which the examples had a label too: an id may lead
    elsewhere. One that is the field's own name tells it, unless the element has another label."""
    had_label = any(is_own_label(rule, field.labels) for rule in lost)
    if not had_label or not all(isinstance(rule.where, AtSelector) for rule in found):
        return False
    columns = columns_to_label((*found, *lost), field.labels)
    elements = [one for rule in found if (one := page.find(rule.where)) is not None]
    has_other = any(label_of(one, columns, page) not in ("", *field.labels) for one in elements)
    return has_other or not any(is_called(rule, field.labels) for rule in found)


def is_told_by_label(
    field: FieldRules, found: Sequence[ExtractionRule], lost: Collection[ExtractionRule], page: ObservedPage
) -> bool:
    """Return whether the field's own label tells what these rules found, though no rule finds it beside that label.

    It is at the one of several such labels that has the place of the examples, or directly follows the label, with
    the form of an identifier, where only the tags around it are others, or as all values follow theirs."""
    paired = paired_text_of(field.rules, field.labels, field.beside, page)
    value = None if paired is None or paired.is_blank else page.find(paired.rule.where)
    if value is not None and all(page.find(rule.where) is value for rule in found):
        return True
    if set(found) <= unique_place(field.rules, field.homes, field.labels, page):
        return True
    places = {one.place for one in page.elements}
    only_tags = all(isinstance(rule.where, AtPlace) and rule.where.path not in places for rule in lost)
    return only_tags and any(is_close_and_shaped(rule, field.labels, field.shape) for rule in found)


def _kinds(field: FieldRules, rules: Iterable[ExtractionRule], structure: Structure) -> set[Kind]:
    """Return how the value was found. The page's title tells a value that the page itself shows too."""
    rules = list(rules)
    kinds: set[Kind] = {kind_of(rule, field.labels) for rule in rules}
    titled = [rule for rule in rules if isinstance(rule.where, PageItself) and rule.attribute == "name"]
    if titled and any(not isinstance(rule.where, PageItself) for rule in rules):
        kinds.add("near")
    if any(_is_told_by_structure(rule, structure) for rule in rules):
        kinds.add("grouped")
    return kinds


def _is_told_by_structure(rule: ExtractionRule, structure: Structure) -> bool:
    if not isinstance(rule.where, AtPlace):
        return False
    return structure == "row" or (structure == "record" and rule.where.of == 1)
