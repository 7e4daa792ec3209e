"""Writes the source of a flow from its plan: small, in sections, and as a person would have written it."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from shared.actions.table import facts_of_call
from shared.contracts.workflows.flows import ChooseOption, ClickElement, FlowCall, SetChecked
from shared.flows.compiling.plan import (
    Condition,
    FlowPlan,
    Item,
    PlannedCall,
    PlannedProof,
    PlannedReading,
    Section,
    Variable,
)
from shared.flows.compiling.source_layout import (
    INDENT,
    WIDTH,
    import_of,
    indented,
    module_docstring,
    quoted_literal,
    signature_of,
    wrapped,
)
from shared.flows.compiling.steps import TEMPLATED, identifiers_in
from shared.pages.locate.selectors import Selector, parse_selector, placeholders_of

_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
MOST_BY_POSITION = 3
"""Arguments that a call has without their names."""


def write_source(plan: FlowPlan) -> str:
    """Return flow.py. It has no value of a variable: where one stood in a sample, the variable stands."""
    writer = _Writer(plan)
    sections = [writer.section(one) for one in plan.sections]
    run = writer.run()
    body = "\n\n\n".join([*sections, run, _MAIN])
    head = [*module_docstring(plan.title), "", "import asyncio"]
    if writer.quotes:
        head.append("from urllib.parse import quote")
    names = sorted(writer.names | {"run_flow"} | ({"section"} if plan.sections else set[str]()))
    return "\n".join([*head, "", import_of("exhibit.flow", names), "", "", body]) + "\n"


_MAIN = '''async def main() -> None:
    """Run it with the values of data/variables.json."""
    await run_flow(run)


if __name__ == "__main__":
    asyncio.run(main())'''


class _Writer:
    def __init__(self, plan: FlowPlan) -> None:
        self._plan = plan
        self._variables = {one.identifier: one for one in plan.variables}
        self.names: set[str] = set()
        self.quotes = False

    # --- sections

    def section(self, section: Section) -> str:
        used = self._used_by(section)
        given = ", ".join(f"{one.identifier}: {one.hint}" for one in used)
        reads = [one for one in section.items if isinstance(one, PlannedReading)]
        result = "dict[str, object]" if reads else "None"
        lines = list(self._lines(section.items, returns=bool(reads)))
        return "\n".join(["@section", *signature_of(f"async def {section.name}", given, result), *indented(lines)])

    def _lines(self, items: Sequence[Item], *, returns: bool) -> Iterator[str]:
        last = len(items) - 1
        only = sum(isinstance(one, PlannedReading) for one in items) == 1 and isinstance(items[last], PlannedReading)
        if any(isinstance(one, PlannedCall) and one.mapping for one in items):
            self.names.add("load_mappings")
            yield "mappings = load_mappings()"
        started = False
        for item in items:
            if isinstance(item, PlannedReading):
                start = "return" if only else "found |=" if started else "found ="
                yield from wrapped(f"{start} {self._reading(item)}")
                started = True
            elif isinstance(item, PlannedProof):
                self.names.add("prove_record")
                given = ", ".join(f"{name}={self._text(text)}" for name, text in item.expected.items())
                yield from wrapped(f"await prove_record({given})")
            else:
                yield from self._call_lines(item)
        if returns and not only:
            yield "return found"

    def _call_lines(self, item: PlannedCall) -> Iterator[str]:
        lines = wrapped(self._call(item))
        yield from lines

    def _reading(self, item: PlannedReading) -> str:
        if item.rows:
            self.names.add("read_list")
            [name] = map(quoted_literal, item.fields)
            return f"{{{name}: await read_list({name})}}"
        name = "read_with_model" if item.with_model else "read"
        self.names.add(name)
        return f"await {name}({', '.join(quoted_literal(one) for one in item.fields)})"

    def _used_by(self, section: Section) -> list[Variable]:
        names: set[str] = set()
        for item in section.items:
            if isinstance(item, PlannedCall):
                names |= identifiers_in(item.call)
                if item.condition is not None and item.condition.kind == "variable":
                    names.add(item.condition.text)
            elif isinstance(item, PlannedProof):
                names |= {name for text in item.expected.values() for name in placeholders_of(text)}
        return [one for one in self._plan.variables if one.identifier in names]

    # --- run

    def run(self) -> str:
        given = ", ".join(f"{one.identifier}: {one.hint}" for one in self._plan.variables)
        head = signature_of("async def run", given, "dict[str, object]")
        return "\n".join([*head, *indented([*self._docstring(), *self._steps()])])

    def _docstring(self) -> Iterator[str]:
        yield '"""Work on one sample.'
        if self._plan.variables:
            yield from ("", "Args:")
            yield from (f"    {one.identifier}: {self._told(one)}" for one in self._plan.variables)
        outputs = ", ".join(self._plan.files.outputs)
        yield ""
        yield "Returns:"
        yield from textwrap.wrap(f"    {outputs}", WIDTH - len(INDENT), subsequent_indent="    ")
        yield ""
        yield "Raises:"
        yield "    FlowStopped: the page is not what it was, or does not say for certain what is asked"
        yield '"""'

    def _told(self, variable: Variable) -> str:
        schema = self._plan.files.variables.get(f"{variable.name}!")
        if schema is not None and schema.enum_values:
            return "all recorded samples had the same; another value is refused"
        if variable.hint == "bool":
            return "whether the box is ticked"
        return f"the column {variable.name!r}" if variable.name != variable.identifier else "the column of this name"

    def _steps(self) -> Iterator[str]:
        if len(self._plan.sections) == 1 and self._plan.sections[0].condition is None:
            only = self._plan.sections[0]
            given = ", ".join(one.identifier for one in self._used_by(only))
            if any(isinstance(one, PlannedReading) for one in only.items):
                yield from wrapped(f"return await {only.name}({given})")
                return
        yield "found: dict[str, object] = {}"
        condition: Condition | None = None
        for section in self._plan.sections:
            if section.condition != condition:
                condition = section.condition
                if condition is not None:
                    self.names.add("is_shown")
                    yield from wrapped(f"if await is_shown({self._selector(condition.text)}):")
            used = [one.identifier for one in self._used_by(section)]
            given = ", ".join(used if len(used) <= MOST_BY_POSITION else (f"{name}={name}" for name in used))
            reads = any(isinstance(one, PlannedReading) for one in section.items)
            line = f"{'found |= ' if reads else ''}await {section.name}({given})"
            lines = wrapped(line)
            yield from indented(lines) if condition is not None else lines
        yield "return found"

    # --- calls

    def _call(self, item: PlannedCall) -> str:
        call = item.call
        name, arguments = self._parts(call, item.mapping)
        if isinstance(call, SetChecked):
            told = item.condition.text if item.condition is not None and item.condition.kind == "variable" else ""
            arguments += [told] if told else [] if call.checked else ["checked=False"]
        self.names.add(name)
        return f"await {name}({', '.join(arguments)})"

    def _parts(self, call: FlowCall, mapping: str) -> tuple[str, list[str]]:
        """Return the function and its arguments. Raises TypeError for a call that a compiler does not write."""
        facts = facts_of_call(call)
        if facts.arguments is None:
            raise TypeError(f"{type(call).__name__} is no call that a compiler writes")
        name = "try_click" if isinstance(call, ClickElement) and call.if_shown else facts.function
        if isinstance(call, ChooseOption) and mapping:
            return name, self._option_of_mapping(call, mapping)
        return name, [text for one in facts.arguments if (text := self._argument(call, one))]

    def _argument(self, call: FlowCall, written: str) -> str:
        """Return an argument as `CallFacts.arguments` says; empty: it has its default."""
        parameter, by_name, field = written.partition("=")
        value: object = getattr(call, field or parameter)
        is_default = value == default_of(call, field or parameter)
        if is_default and (by_name or parameter == "selector"):
            return ""
        text = self._expression(field or parameter, value)
        return f"{parameter}={text}" if by_name else text

    def _expression(self, field: str, value: object) -> str:
        if not isinstance(value, str):
            return repr(value)
        if field == "selector":
            return self._selector(value)
        if field == "url":
            return self._address(value)
        return self._text(value) if field in TEMPLATED else quoted_literal(value)

    def _option_of_mapping(self, call: ChooseOption, mapping: str) -> list[str]:
        option, entry = self._text(call.option), f"mappings[{quoted_literal(mapping)}]"
        container = f'selector={entry}["container"]'
        if call.search:
            return [container, f"label={option}", f"search={self._text(call.search)}"]
        self.names.add("option_of")
        return [container, f"label=option_of({entry}, {option})"]

    def _selector(self, text: str) -> str:
        selector = parse_selector(text)
        found = self._base_selector(selector)
        for key, name in (("header", "beside"), ("region", "in_region"), ("after", "after")):
            if getattr(selector, key):
                self.names.add(name)
                found = f"{name}({found}, {self._text(getattr(selector, key))})"
        if selector.row:
            self.names.add("in_row")
            found = f"in_row({found}, {', '.join(map(self._text, selector.row))})"
        return found

    def _base_selector(self, selector: Selector) -> str:
        own = [self._text(selector.value)] + ([] if selector.name is None else [self._text(selector.name)])
        if selector.kind == "css" and selector.name is None:
            return own[0]
        name = {"role": "by_role", "label": "by_label", "text": "by_text", "css": "with_text"}[selector.kind]
        self.names.add(name)
        return f"{name}({', '.join(own)})"

    # --- texts

    def _text(self, template: str) -> str:
        """Return the expression of a template: a literal, a variable, or an f-string."""
        names = [name for name in _PLACEHOLDER.findall(template) if name in self._variables]
        if not names:
            return quoted_literal(template)
        if template == f"{{{names[0]}}}":
            return names[0]
        return self._f_string(template, lambda name: f"{{{name}}}")

    def _address(self, template: str) -> str:
        """Return the expression of an address: values are URL-encoded, but for `url`, which is a whole address."""
        names = [name for name in _PLACEHOLDER.findall(template) if name in self._variables]
        if all(name == "url" for name in names):
            return self._text(template)
        self.quotes = True
        return self._f_string(template, lambda name: f"{{{name}}}" if name == "url" else f"{{quote({name}, safe='')}}")

    def _f_string(self, template: str, placeholder: Callable[[str], str]) -> str:
        parts: list[str] = []
        for at, part in enumerate(_PLACEHOLDER.split(template)):
            if at % 2 == 0:
                parts.append(quoted_literal(part)[1:-1].replace("{", "{{").replace("}", "}}"))
            elif part in self._variables:
                parts.append(placeholder(part))
            else:
                parts.append(f"{{{{{part}}}}}")
        return f'f"{"".join(parts)}"'


def default_of(call: FlowCall, field: str) -> object:
    """Return the default of a field of the call; msgspec's `NODEFAULT` where it has none."""
    return next(one.default for one in msgspec.structs.fields(call) if one.name == field)


def find_values_in(source: str, variables: Mapping[str, object], *, min_chars: int = 3) -> list[str]:
    """Return the variables whose values stand in the source as whole words. A flow must have none.

    Values with fewer characters than ``min_chars`` would be found by chance.
    """
    found: list[str] = []
    for name, value in variables.items():
        text = str(value)
        if len(text) < min_chars or isinstance(value, bool):
            continue
        before = r"(?<!\w)" if text[:1].isalnum() else ""
        after = r"(?!\w)" if text[-1:].isalnum() else ""
        for form in {text, json.dumps(text, ensure_ascii=False)[1:-1]}:
            if re.search(f"{before}{re.escape(form)}{after}", source):
                found.append(name)
                break
    return found
