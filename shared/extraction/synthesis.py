"""Rules from examples: those that give the right value on every example page, in different ways.

Several rules that found the same value in different ways are what tells later whether a page is still understood
(:mod:`shared.extraction.agreement`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product

from msgspec.structs import replace

from shared.contracts.base import Part
from shared.contracts.browser_pool import Element
from shared.extraction.absence import common_shape, learn_left_out
from shared.extraction.certainty import TELLING
from shared.extraction.field_rules import FieldRules
from shared.extraction.labels.moved import learn_beside
from shared.extraction.labels.own_word import rules_by_own_word
from shared.extraction.pages import ObservedPage, constant_at, is_drawn, part_of, text_of
from shared.extraction.places import names_value, places_of
from shared.extraction.rules import (
    AfterText,
    AtHeading,
    AtPlace,
    AtSelector,
    Attribute,
    BesideOwnWord,
    Between,
    ByName,
    ByTask,
    ExtractionRule,
    InGroup,
    InLabelledRow,
    InRegion,
    Kind,
    PageItself,
    TextRule,
    UnderHeader,
    Where,
    Whole,
    kind_of,
)
from shared.extraction.values import TEXT_TYPES, FieldType, Span, find_spans, is_absent, may_be_absent, value_key
from shared.field_types import base_type, nullable
from shared.pages.elements import is_filter
from shared.text.normal import fold, label_form

MAX_RULES = 8
"""Of a field, of as many kinds as there are."""
MAX_OCCURRENCES = 40
"""Of a value on one page."""
MAX_CONSTANTS = 400
MAX_VARIED = 6
"""Examples among which kinds of pages are told apart."""
MAX_CHOICES = 16
"""Of the places in each example's text where the value stands more than once."""
MIN_EXAMPLES = 2

Aspect = tuple[Attribute, int, int]
"""A text of an element: which, and of several its number (from 0) and their count."""


@dataclass(frozen=True)
class Example:
    """A page, and the value as a person wrote it, in any form of its type. None: the page shows that there is none.
    ``ref``: of the element that a person or a model has pointed at; 0: none is known."""

    page: ObservedPage
    value: str | None
    ref: int = 0


def learn_field(
    examples: Sequence[Example],
    labels: Iterable[str] = (),
    form: FieldType | None = None,
    *,
    others: Collection[str] = (),
    task_field: str = "",
) -> FieldRules:
    """Return rules that give exactly the right value on all examples. None: the examples have nothing in common. They
    begin with the one whose place is cited, see `_in_order`.

    ``task_field``: the field's name in what the pages of the examples tell by the task; empty: they tell nothing of it.

    ``others``: values of other fields on these pages, folded. They tell no place, even where they are equal by chance.

    ``labels``: what the field is called, as the task says it. A rule that finds a value on an example that has none is
    not kept.

    Raises ValueError with fewer than two examples that have a value: one page does not tell a label from a value.
    """
    form = form or FieldType()
    shown = [one for one in examples if one.value]
    if len(shown) < MIN_EXAMPLES:
        raise ValueError(f"{len(shown)} example; {MIN_EXAMPLES} or more are needed")
    if any(value_key(form, one.value or "") is None for one in shown):
        form = replace(form, type=f"string{' | null' if nullable(form.type) else ''}")  # only its page can type it
    called = tuple(sorted({label_form(label) for label in labels} - {""}))
    without = [one for one in examples if not one.value]
    by_task = _rule_of_task(task_field, shown, without, form)
    rules = _in_order(_learn_rules(shown, without, called, form, others, by_task), shown)
    return FieldRules(
        rules=rules,
        labels=called,
        shape=common_shape(one.value or "" for one in shown) if base_type(form.type) in TEXT_TYPES else "",
        form=form,
        homes=_homes(rules, shown[0].page),
        left_out=learn_left_out([one.page for one in shown], [one.page for one in without], rules, form)
        if may_be_absent(form)
        else None,
        variants=()
        if rules
        else tuple(_in_order(some, shown) for some in _variants(shown, without, called, form, others)),
        beside=learn_beside(rules, called, [one.page for one in shown]),
        joined=any(one.page.is_joined(rule) for rule in rules for one in shown),
        over_page=all(one.page.over for one in shown),
    )


def _in_order(rules: Sequence[ExtractionRule], shown: Sequence[Example]) -> tuple[ExtractionRule, ...]:
    """Return the rules with those first whose place is to be cited: what the task tells; then what leads to the element
    that was pointed at; then texts that are drawn on the page, before names of pictures, addresses and tooltips. The
    others confirm."""

    def rank(rule: ExtractionRule) -> tuple[bool, bool, bool]:
        found = [(one, element) for one in shown if (element := one.page.find(rule.where)) is not None]
        pointed = [(one, element) for one, element in found if one.ref]
        is_pointed = bool(pointed) and all(element.ref == one.ref for one, element in pointed)
        return (
            not isinstance(rule.where, ByTask),
            not is_pointed,
            not all(is_drawn(element, rule.attribute) for _, element in found),
        )

    return tuple(sorted(rules, key=rank))


def _homes(rules: Sequence[ExtractionRule], page: ObservedPage) -> tuple[int, ...]:
    refs = [found.ref if (found := page.find(rule.where)) is not None else 0 for rule in rules]
    return tuple(sorted(set(refs)).index(ref) for ref in refs)


def _learn_rules(
    shown: Sequence[Example],
    rest: Sequence[Example],
    called: tuple[str, ...],
    form: FieldType,
    others: Collection[str],
    by_task: ExtractionRule | None = None,
) -> tuple[ExtractionRule, ...]:
    """Return the rules that give the right value on all that are ``shown``, and no wrong one on the rest; ``by_task``
    first."""
    values = {fold(one.value) for one in (*shown, *rest) if one.value}
    constants = common_texts([one.page for one in shown], values)
    found: dict[ExtractionRule, None] = {}
    for where, aspect in _candidates(shown, values, form, others, called):
        for rule in _rules_at(where, aspect, shown, form):
            if not any(_is_wrong_on(rule, other, form, constants) for other in rest):
                found.setdefault(rule)
    placed = _of_labelled_place(found, shown, called)
    if len({value_key(form, one.value or "") for one in shown}) == 1:
        placed = _of_meant_place(placed, shown, form, by_task)
    if by_task is not None and isinstance(by_task.where, ByTask):
        return (by_task, *_kept(_at_task_value(placed, shown, by_task.where, called), called))
    if not any(kind_of(rule, called) in TELLING for rule in placed):
        placed += _by_own_word(shown, rest, called, form, constants)
    return _kept(placed, called)


def _by_own_word(
    shown: Sequence[Example],
    rest: Sequence[Example],
    called: tuple[str, ...],
    form: FieldType,
    constants: Collection[str] = (),
) -> list[ExtractionRule]:
    """Return the rules by a form of the field's own name that give the right value on all that are ``shown``, and no
    wrong one on the rest."""
    first = shown[0]
    found = (rule for one in first.page.elements for rule in rules_by_own_word(one, first.value or "", form, called))
    return [
        rule
        for rule in dict.fromkeys(found)
        if all(_is_right_on(rule, one, form) for one in shown)
        and not any(_is_wrong_on(rule, one, form, constants) for one in rest)
    ]


def _is_right_on(rule: ExtractionRule, one: Example, form: FieldType) -> bool:
    text = one.page.extract(rule)
    return text is not None and (0, len(text)) in find_spans(form, text, one.value or "")


def _rule_of_task(
    name: str, shown: Sequence[Example], without: Sequence[Example], form: FieldType
) -> ExtractionRule | None:
    """Return the rule of what the task tells, if that is the value of every example that has one, and none of others;
    None: it is not."""
    rule = ExtractionRule(where=ByTask(field=name), attribute="name", part=Whole())
    right = all(_is_right_on(rule, one, form) for one in shown)
    wrong = any(_is_wrong_on(rule, one, form, ()) for one in without)
    return rule if name and right and not wrong else None


def _at_task_value(
    found: Collection[ExtractionRule], shown: Sequence[Example], by_task: ByTask, labels: tuple[str, ...]
) -> list[ExtractionRule]:
    """Return the rules without those that lead to the value of another label than the field's own does: that the same
    value stands there on the examples is a coincidence, as with the author and the committer of a change. Nor does
    what is counted from the page's content say anything more."""
    kept: list[ExtractionRule] = []
    for rule in found:
        counted = isinstance(rule.where, AfterText) and kind_of(rule, labels) == "structural"
        if not counted and not any(_is_of_another(rule.where, one.page, by_task, labels) for one in shown):
            kept.append(rule)
    return kept


def _is_of_another(where: Where, page: ObservedPage, by_task: ByTask, labels: tuple[str, ...]) -> bool:
    """Return whether a place is not that of the field's own label, and another label tells what stands there."""
    element = page.find(where)
    if element is None or element is page.find(by_task):
        return False
    claimed = {one.ref for name, one in page.task_values.items() if name != by_task.field}
    return element.ref in claimed or (bool(element.header) and label_form(element.header or "") not in labels)


def _of_labelled_place(
    found: Collection[ExtractionRule], shown: Sequence[Example], labels: tuple[str, ...]
) -> list[ExtractionRule]:
    """Return the rules without those that lead to another place than the field's own label does, and not by a label or
    a name themselves: that the same value stands there on the examples is a coincidence."""
    labelled = [rule.where for rule in found if isinstance(rule.where, UnderHeader)]
    own = next((where for where in labelled if label_form(where.header) in labels), None)
    if own is None:
        return list(found)
    places = [one.page.find(own) for one in shown]
    return [
        rule
        for rule in found
        if isinstance(rule.where, UnderHeader | InLabelledRow | AtSelector)
        or all(one.page.find(rule.where) is place for one, place in zip(shown, places, strict=True))
    ]


def _of_meant_place(
    found: Collection[ExtractionRule], shown: Sequence[Example], form: FieldType, by_task: ExtractionRule | None
) -> list[ExtractionRule]:
    """Return the rules that lead to the element that was pointed at, else to that of the field's label; all of them,
    where neither is known. For examples with one value: any other place has it by chance, as a name that begins so."""
    meant = [_meant_element(one, form, by_task) for one in shown]
    if any(element is None for element in meant):
        return list(found)
    there = [
        rule for rule in found if all(one.page.find(rule.where) is at for one, at in zip(shown, meant, strict=True))
    ]
    return there or list(found)


def _meant_element(one: Example, form: FieldType, by_task: ExtractionRule | None) -> Element | None:
    pointed = one.page.with_ref(one.ref) if one.ref else None
    if pointed is not None:
        texts = (text_of(pointed, "name"), text_of(pointed, "value"))
        if any(find_spans(form, text, one.value or "") for text in texts if text):
            return pointed
    return None if by_task is None else one.page.find(by_task.where)


def _variants(
    shown: Sequence[Example],
    without: Sequence[Example],
    called: tuple[str, ...],
    form: FieldType,
    others: Collection[str],
) -> Iterator[tuple[ExtractionRule, ...]]:
    left = list(shown)
    for count in range(len(shown) - 1, MIN_EXAMPLES - 1, -1):
        for some in combinations(shown, count):
            if len(shown) > MAX_VARIED or not all(one in left for one in some):
                continue
            rest = [one for one in shown if one not in some]
            rules = _learn_rules(some, [*rest, *without], called, form, others)
            if rules:
                left = [one for one in left if one not in some]
                yield rules
    for one in left if len(shown) <= MAX_VARIED else ():
        rest = [other for other in shown if other is not one]
        alone = _by_own_word([one], [*rest, *without], called, form)
        if alone:
            yield tuple(alone[:MAX_RULES])


def common_texts(pages: Sequence[ObservedPage], values: Collection[str] = ()) -> frozenset[str]:
    """Return the texts that stand in a place of one kind on every one of these pages, but for the values, folded.

    None of them is a value there, see :func:`shared.extraction.pages.constant_at`."""
    if len(pages) < MIN_EXAMPLES:
        return frozenset()
    texts = [
        {constant_at(one, one.name) for one in page.elements if one.name and fold(one.name) not in values}
        for page in pages
    ]
    return frozenset(sorted(set[str].intersection(*texts))[:MAX_CONSTANTS])


def is_shown(form: FieldType, page: ObservedPage, value: str) -> bool:
    """Return whether the page shows the value anywhere."""
    return any(True for _ in _occurrences(Example(page, value), form))


def _is_wrong_on(rule: ExtractionRule, other: Example, form: FieldType, constants: Collection[str]) -> bool:
    page = other.page
    text = page.extract(rule)
    if other.value and text is not None:
        return (0, len(text)) not in find_spans(form, text, other.value)
    return text is not None and not is_absent(form, text) and not page.is_constant(rule, text, constants)


# --- which rules are kept

_ORDER: tuple[type[Part], ...] = (
    ByTask,
    BesideOwnWord,
    UnderHeader,
    InLabelledRow,
    ByName,
    AtSelector,
    AfterText,
    InRegion,
    PageItself,
    InGroup,
    AtHeading,
    AtPlace,
)
_KINDS: tuple[Kind, ...] = ("labelled", "named", "near", "grouped", "structural")


def _kept(found: Collection[ExtractionRule], labels: tuple[str, ...]) -> tuple[ExtractionRule, ...]:
    """Return the strongest rule of each way to find a value, then the second ones, and so on."""
    ways: dict[type[Part], list[ExtractionRule]] = defaultdict(list)
    minimal = [rule for rule in found if not _is_implied(rule, found)]
    if any(isinstance(rule.where, AfterText) and kind_of(rule, labels) == "near" for rule in minimal):
        # Beside the field's label other texts say nothing more; they are the page's content, and come and go.
        after = (one for one in minimal if isinstance(one.where, AfterText))
        by_chance = [one for one in after if kind_of(one, labels) == "structural"]
        minimal = [one for one in minimal if one not in by_chance]
    ranked = sorted(minimal, key=lambda rule: (_KINDS.index(kind_of(rule, labels)), _steps(rule)))
    for rule in ranked:
        ways[type(rule.where)].append(rule)
    turns = [(turn, _ORDER.index(way), rule) for way, rules in ways.items() for turn, rule in enumerate(rules)]
    kept = sorted(turns, key=lambda one: one[:2])[:MAX_RULES]
    return tuple(rule for _, _, rule in sorted(kept, key=lambda one: (one[1], one[0])))


def _is_implied(rule: ExtractionRule, found: Collection[ExtractionRule]) -> bool:
    """Return whether another rule says the same and more: with the role too; or on the page, not in its address."""
    if isinstance(rule.where, UnderHeader | InLabelledRow) and not rule.where.role:
        same = (other for other in found if type(other.where) is type(rule.where) and other.where != rule.where)
        return any(replace(other.where, role="") == rule.where for other in same)
    if isinstance(rule.where, PageItself) and rule.attribute == "url":
        return any(not isinstance(other.where, PageItself) or other.attribute != "url" for other in found)
    return False


def _steps(rule: ExtractionRule) -> int:
    return rule.where.steps if isinstance(rule.where, AfterText) else 0


# --- places


def _candidates(
    examples: Sequence[Example],
    values: set[str],
    form: FieldType,
    others: Collection[str],
    labels: Collection[str] = (),
) -> Iterator[tuple[Where, Aspect]]:
    """Yield the places where one example's value is shown, whose own words are no example's value.

    The example is the one that shows its value least often."""
    occurrences = [(one, list(_occurrences(one, form))) for one in examples]
    first, shown = min(occurrences, key=lambda one: len(one[1]))
    for element, aspect in shown:
        if element is first.page.itself:
            yield PageItself(), aspect
            continue
        for where in places_of(element, first.page, called=aspect[0] not in ("name", "part", "hint")):
            if not names_value(where, values, others, labels):
                yield where, aspect


def _occurrences(example: Example, form: FieldType) -> Iterator[tuple[Element, Aspect]]:
    count = 0
    for element in (example.page.itself, *example.page.elements):
        for aspect in _aspects(element):
            if aspect[0] == "url" and example.page.is_within_itself(element):
                continue  # it says what the page's address does, and that was opened because of the row
            if element.unwritten and example.ref not in (0, element.ref):
                continue  # another element was pointed at, and this one shows nothing of it: the name of a picture
            if is_filter(element):
                continue  # it says what was asked for, and not what was found
            text = text_of(element, *aspect)
            if count < MAX_OCCURRENCES and text and find_spans(form, text, example.value or ""):
                count += 1
                yield element, aspect


def _aspects(element: Element) -> Iterator[Aspect]:
    yield ("name", 0, 0)
    if element.value:
        yield ("value", 0, 0)
    if element.url:
        yield ("url", 0, 0)
    if element.title:
        yield ("title", 0, 0)
    if element.states or element.role == "checkbox":
        yield ("checked", 0, 0)
    for nth in range(len(element.parts)):
        yield ("part", nth, len(element.parts))
    for nth in range(len(element.hints)):
        yield ("hint", nth, len(element.hints))


# --- parts of a text


def _rules_at(where: Where, aspect: Aspect, examples: Sequence[Example], form: FieldType) -> Iterator[ExtractionRule]:
    """Yield the rules of this place that hold for all examples."""
    places: list[tuple[str, list[Span]]] = []
    for one in examples:
        element = one.page.find(where)
        text = None if element is None or element.cut_chars else text_of(element, *aspect)
        spans = find_spans(form, text, one.value or "") if text else []
        if text is None or not spans:
            return
        places.append((text, spans))
    attribute, nth, of = aspect
    for chosen in islice(product(*(spans for _, spans in places)), MAX_CHOICES):
        texts = [(text, span) for (text, _), span in zip(places, chosen, strict=True)]
        for part in _parts(texts, in_address=attribute == "url"):
            if all(part_of(text, part) == text[begin:end] for text, (begin, end) in texts):
                told = replace(part, telling=_is_telling(part, aspect, examples)) if isinstance(part, Between) else part
                yield ExtractionRule(where=where, attribute=attribute, part=told, nth=nth, of=of)


def _is_telling(part: Between, aspect: Aspect, examples: Sequence[Example]) -> bool:
    """Return whether the words around the part stand around nothing else on any example page."""
    if not any(map(str.isalpha, part.before + part.after)):
        return False
    for one in examples:
        around = [one.page.itself, *one.page.elements]
        texts = {text for element in around if (text := text_of(element, *aspect)) is not None}
        page_title = text_of(one.page.itself, *aspect)
        count = sum(part_of(text, part) is not None for text in texts if text != page_title)
        if count > 1 or (count == 0 and (page_title is None or part_of(page_title, part) is None)):
            return False
    return True


def _parts(texts: Sequence[tuple[str, Span]], *, in_address: bool) -> Iterator[TextRule]:
    """Yield the parts that may give each value of its text: the whole, or what stands between common words.

    Of an address only the segments around it count, so that another host has the same rules."""
    if all(span == (0, len(text)) for text, span in texts):
        yield Whole()
        return
    lefts = [text[:begin] for text, (begin, _) in texts]
    rights = [text[end:] for text, (_, end) in texts]
    before = _whole_words(_common_start([left[::-1] for left in lefts]), [left[::-1] for left in lefts])[::-1]
    after = _whole_words(_common_start(rights), rights)
    if (not before and any(lefts)) or (not after and any(rights)):
        return
    if in_address:
        yield Between(before=_found(_LAST_SEGMENT, before), after=_found(_FIRST_SEGMENT, after))
        return
    yield _between(before, after, lefts, rights)
    shorter = _first_word(before[::-1])[::-1], _first_word(after)
    if shorter != (before, after):
        yield _between(*shorter, lefts, rights)


def _between(before: str, after: str, lefts: Sequence[str], rights: Sequence[str]) -> Between:
    """Return the part between two texts, with the shape of what the examples have beyond them."""
    beyond_left = [left[: len(left) - len(before)].strip() for left in lefts]
    beyond_right = [right[len(after) :].strip() for right in rights]
    return Between(before=before, after=after, left=_shape_of_all(beyond_left), right=_shape_of_all(beyond_right))


def _shape_of_all(texts: Sequence[str]) -> str:
    return common_shape(texts) if all(texts) else ""


def _common_start(texts: Sequence[str]) -> str:
    """Return the longest text that all of them begin with."""
    shortest = min(texts, key=len)
    at = next((at for at, letter in enumerate(shortest) if any(text[at] != letter for text in texts)), len(shortest))
    return shortest[:at]


def _whole_words(start: str, texts: Sequence[str]) -> str:
    """Return the start of the texts without a word at its end that is cut off in some of them."""
    cut = any(start[-1:].isalnum() and text[len(start) : len(start) + 1].isalnum() for text in texts)
    return re.sub(r"\w+$", "", start) if cut else start


_LAST_SEGMENT = re.compile(r"[/?&#][^/?&#]*[/?&#=]?$")
_FIRST_SEGMENT = re.compile(r"^[/?&#]?[^/?&#]*")


def _first_word(text: str) -> str:
    """Return the first word with the blanks before it."""
    blanks = len(text) - len(text.lstrip())
    return text[: blanks + len(text[blanks:].split(" ", 1)[0])]


def _found(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found[0] if found is not None else text
