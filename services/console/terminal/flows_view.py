"""Flows on a terminal: what was compiled, how it was checked, and what one consists of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from shared.extraction.rules import describe_rule
from shared.flows.checking.recorded_answers import SampleCheck
from shared.flows.compiling.compiler import CompiledFlow
from shared.flows.compiling.sample_choice import FieldSupport
from shared.flows.files import FlowFiles
from shared.flows.healing.drift import DriftedSubject
from shared.text.normal import printable

MOST_RULES = 6


def compiled_lines(flow: CompiledFlow, folder: Path) -> list[str]:
    """Return what was compiled, from what, and where it is."""
    fields = flow.files.fields.fields
    lines = [
        f"{flow.name}: compiled from {', '.join(map(printable, flow.samples))}",
        f"  {folder}/workspace/flow.py, {len(flow.source.splitlines())} lines",
        f"  {len(flow.files.variables)} variables, {len(flow.files.locators)} elements, "
        f"{len(fields)} fields with {sum(len(one.rules) for one in fields.values())} rules",
    ]
    if flow.with_model:
        lines.append(f"  left to a model: {', '.join(flow.with_model)}")
        lines += [f"    {printable(one)}" for one in flow.remarks]
    return lines


def support_lines(support: Sequence[FieldSupport]) -> list[str]:
    """Return for each field on how many samples of the run it stands, and which row is missing."""
    lines: list[str] = []
    for one in support:
        asks = f": {one.asks_for}" if one.asks_for else ""
        lines.append(f"  {printable(one.field)}: {len(one.shown)} of {one.of} samples{asks}")
    return lines


def unvaried_lines(fields: Sequence[str]) -> list[str]:
    """Return what is not proven of fields of which all samples have one value; none where there are none."""
    if not fields:
        return []
    names = ", ".join(map(printable, fields))
    return [f"All samples have one value of {names}: a row with another value would show that it is read there."]


def checks_table(
    checks: Sequence[SampleCheck], title: str = "held-out sample", *, live: SampleCheck | None = None
) -> Table:
    """``live``: the check on the site, as the last row."""
    table = Table(title, "the flow", "values", box=None, pad_edge=False)
    for one in checks:
        state = "does and finds the same" if not one.problems else "; ".join(map(printable, one.problems))
        table.add_row(escape(printable(one.sample_id)), escape(state), str(len(one.values)))
    if live is not None:
        state = "finds the same on the site" if not live.problems else "; ".join(map(printable, live.problems))
        table.add_row(f"live: {escape(printable(live.sample_id))}", escape(state), str(len(live.values)))
    return table


def variables_table(files: FlowFiles) -> Table:
    table = Table("variable", "type", "required", "note", box=None, pad_edge=False)
    for name, one in files.variables.items():
        note = ", ".join(one.enum_values) if one.enum_values else one.description
        table.add_row(*map(_cell, (name.rstrip("!"), one.type, "yes" if name.endswith("!") else "no", note)))
    return table


def elements_table(files: FlowFiles) -> Table:
    table = Table("element", "role", "what acting on it does", "also found by", box=None, pad_edge=False)
    for selector, facts in files.locators.items():
        table.add_row(*map(_cell, (selector, facts.role, ", ".join(facts.effects), "\n".join(facts.selectors))))
    return table


def fields_table(files: FlowFiles) -> Table:
    table = Table("field", "type", "rules", box=None, pad_edge=False)
    for name, rules in files.fields.fields.items():
        output = files.outputs[name].type if name in files.outputs else ""
        kind = files.fields.types[name].type if name in files.fields.types else output
        told = [describe_rule(rule) for rule in rules.rules]
        if name in files.fields.rows:
            told.insert(0, f"in the row of the variable {files.fields.rows[name]}:")
        more = [f"and {len(told) - MOST_RULES} more"] if len(told) > MOST_RULES else []
        if rules.left_out is not None:
            more.append("none, where the page leaves it out with its label")
        if name in files.fields.optional:
            more.append("none, where nothing of it is on the page and all else is as recorded")
        if name in files.fields.given_up:
            more.append("given up: where it is not certain the flow goes on without it")
        table.add_row(*map(_cell, (name, kind, "\n".join([*told[:MOST_RULES], *more]))))
    return table


def drift_table(rows: Sequence[DriftedSubject]) -> Table:
    """Return what was found in another way, on how many samples, what led there and speaks for it, and what does not
    any more."""
    table = Table("what", "samples", "how", "witnesses", "found by", "not any more", box=None, pad_edge=False)
    for one in rows:
        told = (one.witnesses, one.matched, one.lost)
        ways = [[f"{text} ({count})" for text, count in found[:MOST_RULES]] for found in told]
        cells = (f"{one.kind} {one.subject}", f"{one.samples} of {one.of}", ", ".join(one.rungs))
        table.add_row(*map(_cell, (*cells, *("\n".join(found) for found in ways))))
    return table


def _cell(text: str) -> str:
    return escape(printable(text, keep="\n"))
