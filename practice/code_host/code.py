"""Source files as functions that change one edit at a time; blame, diff and materiality of an edit. Pure."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Literal

from practice.code_host import words

Material = Literal["yes", "no", "inconclusive"]
"""Whether a change affects the result of the code. Inconclusive: the destination of the value is not visible."""


@dataclass(frozen=True)
class Function:
    """One function of a source file; every field is visible in its lines."""

    name: str
    doc: str
    amount: str
    count: str
    result: str
    shape: int
    rate: str
    limit: int
    floor: str
    compares: str
    sign: str
    digits: int
    comment: str = ""
    wrapped: bool = False
    from_settings: bool = False

    @property
    def topic(self) -> str:
        return self.name.replace("_", " ")


@dataclass(frozen=True)
class Edit:
    """One change of one function, and a commit message that describes it correctly."""

    after: Function
    kind: str
    material: Material
    message: str


def new_function(rng: random.Random, row: str) -> Function:
    name, doc, amount, count, result = row.split("|")
    yes_no = doc.startswith("Whether")
    return Function(
        name,
        doc,
        amount,
        count,
        result,
        shape=2 if yes_no else rng.randrange(2),
        rate=f"{rng.randrange(10, 990) / 1000:.3f}",
        limit=rng.randrange(5, 90),
        floor=f"{rng.randrange(1, 60)}.{rng.choice(('00', '25', '50', '90'))}",
        compares=rng.choice((">", "<")),
        sign=rng.choice("+-"),
        digits=rng.choice((2, 4)),
    )


def lines_of(path: str, functions: Sequence[Function]) -> tuple[str, ...]:
    """Return the lines of the source file."""
    settings = any(function.from_settings for function in functions)
    head = [f'"""{path.rpartition("/")[2].removesuffix(".py").capitalize()}: see docs/handbook.md."""', ""]
    head += ["from decimal import Decimal", *(["", "from platform_settings import secret_rate"] if settings else [])]
    return (*head, *(line for function in functions for line in ("", "", *_function_lines(function))))


def _function_lines(function: Function) -> list[str]:
    returns = "bool" if function.shape == 2 else "Decimal"
    head = f"def {function.name}({function.amount}: Decimal, {function.count}: int) -> {returns}:"
    comment = [f"    # {function.comment}"] if function.comment else []
    return [head, f'    """{function.doc}"""', *comment, *_SHAPES[function.shape](function)]


def _rate(function: Function) -> str:
    return f'secret_rate("{function.name}")' if function.from_settings else f'Decimal("{function.rate}")'


def _scaled(f: Function) -> list[str]:
    return [
        f"    {f.result} = {f.amount} * {_rate(f)}",
        f"    if {f.count} {f.compares} {f.limit}:",
        f'        {f.result} = {f.result} {f.sign} Decimal("{f.floor}")',
        *_returned(f, f"round({f.result}, {f.digits})"),
    ]


def _stepwise(f: Function) -> list[str]:
    return [
        f'    {f.result} = Decimal("{f.floor}")',
        f"    for step in range({f.count} {f.sign} {f.limit % 7 + 1}):",
        f"        {f.result} += ({f.amount} {f.sign} step) * {_rate(f)}",
        *_returned(f, f"round({f.result}, {f.digits})"),
    ]


def _decided(f: Function) -> list[str]:
    return [
        f"    {f.result} = {f.amount} * {_rate(f)}",
        f"    if {f.count} {f.compares} {f.limit}:",
        f'        {f.result} = {f.result} {f.sign} Decimal("{f.floor}")',
        *_returned(f, f"round({f.result}, {f.digits}) {f.compares} {f.count}"),
    ]


def _returned(function: Function, expression: str) -> list[str]:
    return ["    return (", f"        {expression}", "    )"] if function.wrapped else [f"    return {expression}"]


_SHAPES: tuple[Callable[[Function], list[str]], ...] = (_scaled, _stepwise, _decided)


# --- edits


def edited(rng: random.Random, function: Function) -> Edit:
    """Return one of the edits that this function allows."""
    return rng.choice(_EDITS)(rng, function) or _commented(rng, function)


def _new_rate(rng: random.Random, f: Function) -> Edit | None:
    if f.from_settings:
        return None
    rate = f"{rng.randrange(10, 990) / 1000:.3f}"
    if rate == f.rate:
        return None
    return Edit(replace(f, rate=rate), "formula", "yes", f"Use {rate} for {f.topic}")


def _other_comparison(_: random.Random, f: Function) -> Edit | None:
    if f.shape == 1:
        return None
    compares = f.compares.removesuffix("=") if f.compares.endswith("=") else f"{f.compares}="
    return Edit(replace(f, compares=compares), "logic", "yes", f"Count the boundary day in {f.topic}")


def _other_sign(_: random.Random, f: Function) -> Edit | None:
    sign = "-" if f.sign == "+" else "+"
    return Edit(replace(f, sign=sign), "logic", "yes", f"Turn the adjustment of {f.topic} round")


def _other_digits(_: random.Random, f: Function) -> Edit | None:
    digits = 4 if f.digits == 2 else 2
    return Edit(replace(f, digits=digits), "formula", "yes", f"Round {f.topic} to {digits} digits")


def _commented(rng: random.Random, f: Function) -> Edit:
    comment = rng.choice([text for text in words.COMMENTS if text != f.comment])
    return Edit(replace(f, comment=comment), "comment", "no", f"Explain {f.topic}")


def _renamed(_: random.Random, f: Function) -> Edit | None:
    result = f.result.removesuffix("_value") if f.result.endswith("_value") else f"{f.result}_value"
    return Edit(replace(f, result=result), "rename", "no", f"Better name in {f.topic}")


def _reformatted(_: random.Random, f: Function) -> Edit | None:
    return Edit(replace(f, wrapped=not f.wrapped), "formatting", "no", f"Format {f.topic}")


def _to_settings(_: random.Random, f: Function) -> Edit | None:
    if f.from_settings:
        return None
    return Edit(replace(f, from_settings=True), "moved", "inconclusive", f"Take the rate of {f.topic} from settings")


_EDITS: tuple[Callable[[random.Random, Function], Edit | None], ...] = (
    _new_rate, _other_comparison, _other_sign, _other_digits, _renamed, _renamed, _reformatted, _reformatted,
    _commented, _commented, _to_settings,
)  # fmt: skip


# --- history


@dataclass(frozen=True)
class BlamedLine:
    """A line, and the number in the history of the commit that changed it last."""

    text: str
    commit: int


@dataclass(frozen=True)
class DiffLine:
    """One line of a diff. ``old`` and ``new`` count from 1, None if absent; ``sign`` is "+", "-" or " "."""

    sign: str
    old: int | None
    new: int | None
    text: str


def blamed(before: Sequence[BlamedLine], after: Sequence[str], commit: int) -> tuple[BlamedLine, ...]:
    """Return the blame after a commit: unchanged lines keep their commit, all others get this one."""
    lines: list[BlamedLine] = []
    matcher = SequenceMatcher(None, [line.text for line in before], after, autojunk=False)
    for tag, old, old_end, new, new_end in matcher.get_opcodes():
        kept = before[old:old_end] if tag == "equal" else [BlamedLine(text, commit) for text in after[new:new_end]]
        lines += kept
    return tuple(lines)


def diffed(before: Sequence[str], after: Sequence[str]) -> tuple[tuple[DiffLine, ...], ...]:
    """Return the hunks of a change, with three lines of context."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return tuple(
        tuple(line for opcode in group for line in _diff_lines(opcode, before, after))
        for group in matcher.get_grouped_opcodes(3)
    )


def _diff_lines(opcode: tuple[str, int, int, int, int], before: Sequence[str], after: Sequence[str]) -> list[DiffLine]:
    tag, old, old_end, new, new_end = opcode
    if tag == "equal":
        return [DiffLine(" ", old + i + 1, new + i + 1, before[old + i]) for i in range(old_end - old)]
    gone = [DiffLine("-", number + 1, None, before[number]) for number in range(old, old_end)]
    come = [DiffLine("+", None, number + 1, after[number]) for number in range(new, new_end)]
    return [*gone, *come]
