"""What the rules of a field say about a new page: a value where they agree, else what a person must look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from msgspec.structs import replace

from shared.contracts.base import Part
from shared.extraction.certainty import Claims, FieldReading, FoundValue, Structure, reading_of
from shared.extraction.field_rules import FieldRules
from shared.extraction.labels.alternation import LabelText, label_text_of, paired_text_of
from shared.extraction.labels.moved import contradicted_rules, element_beside_label, outweighed_rules, restyled_rules
from shared.extraction.pages import ObservedPage
from shared.extraction.rules import ExtractionRule
from shared.extraction.synthesis import MIN_EXAMPLES, Example, common_texts, learn_field
from shared.extraction.values import FieldType, find_spans, is_absent, value_key
from shared.text.normal import fold, label_form, tidy


def read_field(
    field: FieldRules, page: ObservedPage, constants: Collection[str], structure: Structure = "page"
) -> FieldReading:
    """Return what the rules say. Rules that differ are never outvoted.

    ``constants``: texts that stand on every page that was learned from, folded; none of them is a value.
    ``structure``: what the page is.
    """
    if not field.variants:
        return _read_rules(field, field.rules, page, constants, structure)
    readings = [_read_rules(field, rules, page, constants, structure) for rules in field.variants]
    saying = [one for one in readings if one.certainty != "missing"]
    if len(saying) == 1:
        return saying[0]
    if not saying:
        return replace(readings[0], lost=tuple(rule for one in readings for rule in one.lost), empty=())
    values = {one.value and value_key(field.form, one.value) for one in saying}
    if len(values) == 1 and None not in values:
        return saying[0]
    found = tuple(found for one in saying for found in one.candidates)
    return FieldReading(certainty="ambiguous", candidates=found, doubt="several_values")


def _read_rules(
    field: FieldRules,
    rules: tuple[ExtractionRule, ...],
    page: ObservedPage,
    constants: Collection[str],
    structure: Structure,
) -> FieldReading:
    return reading_of(claims_of(field, rules, page, constants, structure))


def claims_of(
    field: FieldRules,
    rules: tuple[ExtractionRule, ...],
    page: ObservedPage,
    constants: Collection[str],
    structure: Structure = "page",
) -> Claims:
    """Return what these rules of the field find on the page; where they find nothing, what its label is followed by."""
    found: dict[str, FoundValue] = {}
    contradicted = contradicted_rules(rules, field.homes, field.labels, field.beside, page)
    lost: list[ExtractionRule] = list(contradicted)
    empty: list[ExtractionRule] = []
    for rule, text in texts_of(rules, field, page, contradicted).items():
        if rule in contradicted:
            continue
        if _says_none(field, page, rule, text):
            empty.append(rule)
        elif text is None or page.is_constant(rule, text, constants) or label_form(text) in field.labels:
            lost.append(rule)
        else:
            key = value_key(field.form, text) or text
            known = found.get(key, FoundValue(value=text, rules=()))
            found[key] = FoundValue(value=known.value, rules=(*known.rules, rule))
    weak = outweighed_rules(rules, field.homes, field.labels, page)
    if weak and (len(found) + bool(empty)) > 1:
        for key, one in list(found.items()):
            if set(one.rules) <= weak:
                contradicted |= set(one.rules)
                lost += found.pop(key).rules
        lost += [rule for rule in empty if rule in weak]
        empty = [rule for rule in empty if rule not in weak]
    if not found and not empty:
        for rule in restyled_rules(rules, field.labels, field.beside, page):
            text = page.extract(rule)
            if text is not None and label_form(text) not in field.labels:
                found.setdefault(text, FoundValue(value=text, rules=(rule,)))
    label = None if found or empty else _text_of_label(field, rules, page)
    text = None if label is None or label.is_blank else page.extract(label.rule)
    if label is not None and (label.is_blank or (text is not None and is_absent(field.form, text))):
        empty.append(label.rule)
    elif label is not None and text is not None:
        found[text] = FoundValue(value=text, rules=(label.rule,))
    return Claims(
        field=field, rules=rules, page=page, structure=structure, found=tuple(found.values()), empty=tuple(empty),
        lost=tuple(lost), contradicted=contradicted, label=label,
    )  # fmt: skip


def texts_of(
    rules: Sequence[ExtractionRule], field: FieldRules, page: ObservedPage, contradicted: Collection[ExtractionRule]
) -> dict[ExtractionRule, str | None]:
    """Return the text that each rule gives. Where values have changed places, or no rule finds anything, the field's
    own label tells it, even if another part of the page has the same label: by the address of the page, or by the tag
    path of the examples."""
    texts = {rule: None if rule in contradicted else page.extract(rule) for rule in rules}
    if not contradicted and any(text is not None for text in texts.values()):
        return texts
    for rule in rules:
        if rule in field.rules and texts[rule] is None and page.find(rule.where) is None:
            element = element_beside_label(rule, field.rules, field.homes, page, field.address)
            texts[rule] = None if element is None else page.extract_from(element, rule)
    return texts


def _text_of_label(field: FieldRules, rules: Sequence[ExtractionRule], page: ObservedPage) -> LabelText | None:
    """Return the text that is the field's label where labels are followed by their values."""
    alternating = label_text_of(rules, field.labels, field.beside, page)
    return alternating or paired_text_of(rules, field.labels, field.beside, page)


def _says_none(field: FieldRules, page: ObservedPage, rule: ExtractionRule, text: str | None) -> bool:
    """Return whether the rule's place is there, and empty, or has a word that means none."""
    if text is not None:
        return is_absent(field.form, text)
    if page.is_empty_at(rule):
        return True
    other = page.text_beside(rule)
    return bool(other) and is_absent(field.form, other or "")


class Confidence(Part, frozen=True, kw_only=True):
    """How the rules of all examples but one read that one: right, wrong, or for a person."""

    right: int
    wrong: int
    to_review: int


Verdict = Literal["right", "wrong", "to_review"]


def verdicts_of_others(
    examples: Sequence[Example],
    labels: Iterable[str] = (),
    form: FieldType | None = None,
    task_field: str = "",
    of_all: FieldRules | None = None,
) -> list[Verdict | None]:
    """Return for each example how it is read by what the others teach; None where these are too few to teach anything.
    At least three examples are needed for that, of pages that are built in one way. ``task_field``: as of
    `learn_field`. ``of_all``: what all examples teach, which tells the ways apart; None: there is only one."""
    labels = tuple(labels)
    verdicts: list[Verdict | None] = []
    for at, one in enumerate(examples):
        others = [*examples[:at], *examples[at + 1 :]]
        if sum(bool(other.value) for other in others) < MIN_EXAMPLES:
            verdicts.append(None)
            continue
        rules = learn_field(others, labels, form, task_field=task_field)
        constants = common_texts([other.page for other in others], {fold(other.value or "") for other in others})
        verdict = verdict_on(read_field(rules, one.page, constants), one.value, rules.form)
        is_untaught = verdict == "to_review" and of_all is not None and _is_rare(one, examples, of_all)
        verdicts.append(None if is_untaught else verdict)
    return verdicts


def _is_rare(one: Example, examples: Sequence[Example], of_all: FieldRules) -> bool:
    """Return whether the example's page is built in a way of which too few others are left to teach it."""
    if not of_all.variants or not one.value:
        return False
    kinds = [rules for rules in of_all.variants if _shows_value(rules, one, of_all.form)]
    return all(sum(_shows_value(rules, other, of_all.form) for other in examples) <= MIN_EXAMPLES for rules in kinds)


def _shows_value(rules: Sequence[ExtractionRule], one: Example, form: FieldType) -> bool:
    texts = [one.page.extract(rule) for rule in rules]
    return bool(one.value) and all(text is not None and is_same_value(form, text, one.value or "") for text in texts)


def confidence_of(verdicts: Iterable[Verdict | None]) -> Confidence:
    """Return the verdicts as counts. What nothing is taught of is for a person."""
    counts = Counter(one or "to_review" for one in verdicts)
    return Confidence(right=counts["right"], wrong=counts["wrong"], to_review=counts["to_review"])


def verdict_on(reading: FieldReading, written: str | None, form: FieldType) -> Verdict:
    """Return whether a reading is what a person wrote; None and empty: that there is no value."""
    if reading.certainty not in ("certain", "healed"):
        return "to_review"
    if reading.value is None or not written:
        return "right" if reading.value is None and not written else "wrong"
    return "right" if is_same_value(form, reading.value, written) else "wrong"


def is_same_value(form: FieldType, shown: str, written: str) -> bool:
    return find_spans(form, tidy(shown), written) == [(0, len(tidy(shown)))]
