"""Random pages as trees of containers, with typed values in random forms, titles and rows of tables, that drift.

What a person writes is the normal form of a value; the page shows another one. What no person could tell either does
not happen: an unlabelled text that stands exactly where a missing one stood.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from shared.contracts.browser_pool import Element
from shared.contracts.results import Locator
from shared.extraction.agreement import read_field, verdict_on
from shared.extraction.field_rules import FieldRules
from shared.extraction.pages import ObservedPage
from shared.extraction.synthesis import Example, common_texts, learn_field
from shared.extraction.values import FieldType
from shared.text.normal import fold

PEOPLE = ("Ann Lee", "Bo Xi", "Cy Poe", "Di Orr", "Ed Ek", "Flo Gad", "Gus Ito", "Hal Jun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
PAGES = 40
TYPES = {"person": "string | null", "day": "date | null", "sum": "decimal | null"}
FORMS = ("row", "definition", "input", "byline", "sentence", "headline")
NOTHING = ("–", "", "Nobody")


@dataclass(frozen=True)
class Field:
    name: str
    kind: str
    form: str


@dataclass
class Block:
    """A container below ``main``: its tag and members (tag path, and the facts of an element)."""

    tag: str
    members: list[tuple[str, dict[str, object]]]


def value_of(kind: str, rng: random.Random) -> tuple[str, str]:
    """Return a value as a person writes it, and as a page shows it."""
    if kind == "person":
        name = rng.choice(PEOPLE)
        return name, name
    if kind == "day":
        year, month, day = rng.randint(2019, 2029), rng.randint(1, 12), rng.randint(1, 28)
        return f"{year}-{month:02d}-{day:02d}", f"{day} {MONTHS[month - 1]} {year}"
    cents = rng.randint(100, 9_999_999)
    return f"{cents // 100}.{cents % 100:02d}", f"${cents // 100:,}.{cents % 100:02d}"


def fields_of(rng: random.Random) -> list[Field]:
    names = rng.sample(("owner", "opened", "total", "buyer", "closed"), rng.randint(1, 4))
    forms = [rng.choice(FORMS) for _ in names]
    once = [form if form != "headline" or at == forms.index("headline") else "row" for at, form in enumerate(forms)]
    return [Field(name, rng.choice(list(TYPES)), form) for name, form in zip(names, once, strict=True)]


def block_of(field: Field, shown: str | None, rng: random.Random, *, drift: bool) -> list[Block]:
    """Return the block that shows a field; with None as a page does where there is no value."""
    label = f"{field.name} of it" if drift and rng.random() < 0.1 else field.name
    blank = rng.choice(NOTHING)
    text = blank if shown is None else shown
    match field.form:
        case "row":
            cells = [("tr>th", {"role": "rowheader", "name": label, "row": 1, "column": 0})]
            cells += [("tr>td", {"role": "cell", "name": text, "row": 1, "column": 1})]
            return [Block("table", cells)]
        case "definition":
            return [
                Block(
                    "dl",
                    [
                        ("dt", {"role": "term", "name": label}),
                        ("dd", {"role": "definition", "name": text, "header": label}),
                    ],
                )
            ]
        case "input":
            return [Block("form", [("input", {"role": "textbox", "name": label, "value": text})])]
        case "byline":
            if shown is None:
                return []
            iso = f"2026-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
            ago: dict[str, object] = {"role": "text", "name": f"{rng.randint(2, 30)} days ago", "title": iso}
            return [Block("div", [("b", {"role": "text", "name": shown}), ("i", ago)])]
        case "sentence":
            told = f"The {label} is {text or 'not known'} at the moment"
            return [Block("p", [("text", {"role": "text", "name": told})])]
        case _:
            return [] if shown is None else [Block("header", [("h1", {"role": "heading", "level": 1, "name": shown})])]


def page_of(
    fields: list[Field], noise: list[str], rng: random.Random, *, drift: bool
) -> tuple[ObservedPage, dict[str, str | None]]:
    truth: dict[str, str | None] = {}
    blocks: list[Block] = []
    title = "Record"
    for field in fields:
        written, shown = value_of(field.kind, rng)
        absent = drift and rng.random() < 0.15
        truth[field.name] = None if absent else written
        if field.form == "headline":
            title = "Record" if absent else shown
        blocks += block_of(field, None if absent else shown, rng, drift=drift)
    for text in noise:
        blocks.append(Block("p", [("text", {"role": "text", "name": text})]))
        blocks.append(Block("p", [("text", {"role": "text", "name": value_of("person", rng)[1]})]))
    if drift:
        if rng.random() < 0.3:
            blocks.insert(rng.randrange(len(blocks) + 1), _added(rng))
        if rng.random() < 0.2 and blocks:
            one, other = rng.randrange(len(blocks)), rng.randrange(len(blocks))
            blocks[one], blocks[other] = blocks[other], blocks[one]
        if rng.random() < 0.15 and len(blocks) > 2:
            gone = rng.randrange(len(blocks))
            if blocks[gone].tag == "p" and " is " not in str(blocks[gone].members[0][1]["name"]):
                del blocks[gone]
    return ObservedPage(elements_of(blocks), f"{title} – Register"), truth


def _added(rng: random.Random) -> Block:
    kind = rng.choice(list(TYPES))
    text = value_of(kind, rng)[1]
    return rng.choice(
        [
            Block("p", [("text", {"role": "text", "name": text})]),
            Block(
                "div", [("span", {"role": "text", "name": "News"}), ("a", {"role": "link", "name": text, "url": "/n"})]
            ),
            Block(
                "dl",
                [
                    ("dt", {"role": "term", "name": "Seen by"}),
                    ("dd", {"role": "definition", "name": text, "header": "Seen by"}),
                ],
            ),
            Block("aside", [("h2", {"role": "heading", "level": 2, "name": text})]),
        ]
    )


def elements_of(blocks: list[Block]) -> list[Element]:
    elements: list[Element] = []
    counts: Counter[str] = Counter()
    rows = 0
    for block in blocks:
        counts[block.tag] += 1
        rows += any("row" in facts for _, facts in block.members)
        for path, facts in block.members:
            css = f"main > {block.tag}:nth-of-type({counts[block.tag]})"
            if path != "text":
                css += "".join(f" > {tag}" for tag in path.split(">"))
            placed = {**facts, "row": rows} if "row" in facts else facts
            place = ">".join(["main", block.tag, *([] if path == "text" else path.split(">"))])
            locators = (Locator(kind="css", value=css, matches=1),)
            elements.append(Element(ref=len(elements) + 1, place=place, locators=locators, **placed))  # type: ignore[arg-type]
    return elements


def learned(fields: list[Field], noise: list[str], rng: random.Random) -> tuple[dict[str, FieldRules], frozenset[str]]:
    pages = [page_of(fields, noise, rng, drift=False) for _ in range(3)]
    values = {fold(value) for _, truth in pages for value in truth.values() if value}
    rules = {
        one.name: learn_field(
            [Example(page, truth[one.name]) for page, truth in pages],
            [one.name],
            FieldType(type=TYPES[one.kind], not_present=("Nobody", "not known")),
            others=values,
        )
        for one in fields
    }
    return rules, common_texts([page for page, _ in pages], values)


@given(st.integers(min_value=0, max_value=2**32))
def test_values_in_trees_are_read_right_or_left_for_a_person(seed: int):
    rng = random.Random(seed)
    fields = fields_of(rng)
    noise = [f"About {at}" for at in range(rng.randint(0, 3))]
    rules, constants = learned(fields, noise, rng)
    for _ in range(PAGES):
        page, truth = page_of(fields, noise, rng, drift=True)
        for name, one in rules.items():
            reading = read_field(one, page, constants)
            assert verdict_on(reading, truth[name], one.form) != "wrong", (name, fields, reading, truth, page.elements)


def test_most_values_in_trees_are_read_even_without_labels():
    rng = random.Random(3)
    counts: dict[str, Counter[str]] = {form: Counter() for form in FORMS}
    for _ in range(80):
        fields = fields_of(rng)
        noise = [f"About {at}" for at in range(rng.randint(0, 3))]
        rules, constants = learned(fields, noise, rng)
        for _ in range(8):
            page, truth = page_of(fields, noise, rng, drift=False)
            for one in fields:
                reading = read_field(rules[one.name], page, constants)
                counts[one.form][verdict_on(reading, truth[one.name], rules[one.name].form)] += 1
    assert all(count["wrong"] == 0 for count in counts.values()), counts
    for form, count in counts.items():
        least = 0.6 if form == "byline" else 0.9  # two bylines on a page are told apart by nothing
        assert count["right"] >= least * count.total(), (form, counts)
