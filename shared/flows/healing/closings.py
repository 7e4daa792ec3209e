"""Popups that samples have met, written into the source of a flow: a `try_click` before the call they lay over. Pure.

A line of the source is added, and nothing of it is changed but the import of the names that the line needs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from shared.contracts.workflows.heals import Heal
from shared.flows.compiling.source_layout import import_of, quoted_literal
from shared.flows.files import FLOW_MODULES
from shared.pages.locate.selectors import Selector, write_selector
from shared.workflow_source.syntax_trees import parse_source

LEAST_MET = 2
"""Samples that have met the same popup at the same place."""
NEEDED = ("by_role", "try_click")
_SIMPLE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.If)


@dataclass(frozen=True)
class MetPopup:
    """What closes a popup, and the line of the call that it lay over. ``samples``: that have met it there."""

    line: int
    role: str
    name: str
    samples: tuple[str, ...] = field(default=(), compare=False)
    heals: tuple[Heal, ...] = field(default=(), compare=False)

    @property
    def selector(self) -> str:
        return write_selector(Selector("role", self.role, self.name))


def popups_met(heals: Mapping[str, Sequence[Heal]]) -> tuple[MetPopup, ...]:
    """Return the popups that several samples have met at one place, by line. What has no name cannot be written."""
    found: dict[MetPopup, dict[str, list[Heal]]] = {}
    for sample, all_ in heals.items():
        for heal in all_:
            if heal.kind == "popup" and heal.line > 0 and heal.role and heal.name_now:
                met = MetPopup(heal.line, heal.role, heal.name_now)
                found.setdefault(met, {}).setdefault(sample, []).append(heal)
    return tuple(
        replace(met, samples=tuple(by_sample), heals=tuple(chain.from_iterable(by_sample.values())))
        for met, by_sample in sorted(found.items(), key=lambda pair: (pair[0].line, pair[0].name))
        if len(by_sample) >= LEAST_MET
    )


def with_closings(source: str, met: Sequence[MetPopup]) -> tuple[str, tuple[MetPopup, ...]]:
    """Return the source that tries to close these popups, and those that were written; the others it does already, or
    no line can be put there without changing what the source does."""
    try:
        tree = parse_source(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source, ()
    lines = source.split("\n")
    imported = next(_imports(tree), None)
    own = {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
    if imported is None or "\r" in source or own & set(NEEDED):
        return source, ()
    wanted: dict[int, list[MetPopup]] = {}
    for one in met:
        at = _line_for(tree, lines, one)
        if at is not None and at > imported.lineno:
            wanted.setdefault(at, []).append(one)
    for at in sorted(wanted, reverse=True):
        indent = lines[at - 1][: len(lines[at - 1]) - len(lines[at - 1].lstrip())]
        lines[at - 1 : at - 1] = [indent + _call_of(one) for one in wanted[at]]
    written = tuple(one for ones in wanted.values() for one in ones)
    if not written:
        return source, ()
    names = {one.name for one in imported.names}
    if not names >= set(NEEDED):
        told = import_of(imported.module or "", sorted({*names, *NEEDED})).split("\n")
        lines[imported.lineno - 1 : imported.end_lineno] = told
    changed = "\n".join(lines)
    try:
        parse_source(changed)
    except SyntaxError:
        return source, ()
    return changed, written


def _call_of(one: MetPopup) -> str:
    return f"await try_click(by_role({quoted_literal(one.role)}, {quoted_literal(one.name)}))"


def _imports(tree: ast.Module) -> Iterator[ast.ImportFrom]:
    """Yield the imports of the calls of flows by their own names."""
    for node in tree.body:
        if not isinstance(node, ast.ImportFrom) or node.module not in FLOW_MODULES:
            continue
        if not any(one.asname or one.name == "*" for one in node.names):
            yield node


def _line_for(tree: ast.Module, lines: Sequence[str], one: MetPopup) -> int | None:
    """Return the line before which the call is put: that of the innermost statement that has the line. None: it is no
    statement of its own in an asynchronous function, or the call stands there already."""
    found: tuple[ast.stmt, ast.stmt | None] | None = None
    for function in ast.walk(tree):
        if isinstance(function, ast.AsyncFunctionDef):
            for statement, before in _statements(function):
                if statement.lineno <= one.line <= (statement.end_lineno or statement.lineno):
                    found = (statement, before)
    if found is None:
        return None
    statement, before = found
    own_line = not lines[statement.lineno - 1][: statement.col_offset].strip()
    begins = lines[statement.lineno - 1].lstrip().startswith("elif")
    if not isinstance(statement, _SIMPLE) or not own_line or begins or _has_call(before, one):
        return None
    return statement.lineno


def _statements(function: ast.AsyncFunctionDef) -> Iterator[tuple[ast.stmt, ast.stmt | None]]:
    """Yield every statement of a function with the one before it in its block, the outer ones first."""
    blocks: list[list[ast.stmt]] = [function.body]
    while blocks:
        block = blocks.pop(0)
        for at, statement in enumerate(block):
            yield statement, block[at - 1] if at else None
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            for name in ("body", "orelse", "finalbody"):
                inner: list[ast.stmt] = getattr(statement, name, [])
                if inner:
                    blocks.append(inner)


def _has_call(statement: ast.stmt | None, one: MetPopup) -> bool:
    """Return whether the statement is this very call."""
    return statement is not None and ast.dump(statement) == ast.dump(_parsed(_call_of(one)))


def _parsed(call: str) -> ast.stmt:
    [function] = ast.parse(f"async def run():\n    {call}\n").body
    assert isinstance(function, ast.AsyncFunctionDef)
    return function.body[0]
