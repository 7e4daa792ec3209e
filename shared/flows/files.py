"""The files of a flow, beside its source: what it acts on, how its fields are read, its options and its schemas.

workspace/flow.py                      the source; the one file that production runs
workspace/locators.json                the elements it acts on, by their selector
workspace/fields.json                  the rules of each field that it reads
workspace/dropdown_mappings.json       the options of selects that are whole when the page opens
data/variables_schema.json             names, types and defaults of the variables
data/start_page.json                   the address at which a program without `open_page` begins
data/variables.json                    their values; of one sample, never of a library
data/structured_output_schema.json     names and types of the outputs
data/structured_outputs.json           what a run has found; written by it
data/task.json                         marks of the task that it was made for (`shared.task.task_fingerprint`)
"""

from __future__ import annotations

import ast
from collections.abc import Container, Mapping
from typing import Any, Literal

import msgspec

from shared.contracts.base import Part
from shared.extraction.field_rules import FieldRules
from shared.extraction.lists import ListRules
from shared.extraction.task_values import FlowTask, problem_of
from shared.extraction.values import FieldType
from shared.pages.locate.element_facts import ElementFacts
from shared.workflow_source.syntax_trees import parse_source

SOURCE_FILE = "workspace/flow.py"
LOCATORS_FILE = "workspace/locators.json"
FIELDS_FILE = "workspace/fields.json"
MAPPINGS_FILE = "workspace/dropdown_mappings.json"
VARIABLES_SCHEMA_FILE = "data/variables_schema.json"
VARIABLES_FILE = "data/variables.json"
START_PAGE_FILE = "data/start_page.json"
OUTPUT_SCHEMA_FILE = "data/structured_output_schema.json"
OUTPUTS_FILE = "data/structured_outputs.json"
TASK_FILE = "data/task.json"


class FieldsFile(Part, frozen=True, kw_only=True, omit_defaults=True):
    """``constants``: texts that stand on every page that the rules were learned from, folded; of all fields at once.

    ``rows``: fields that are read in one row of a table, to the identifier of the variable that has a cell there.
    ``proofs``: rules of the fields that prove the record, on the page where they do. ``optional``: fields that records
    may be done without; ``given_up``: fields of which a person has accepted that they are lost
    (:mod:`shared.flows.lacking`). ``task``: what of the task its pages are read by, for rules that go by it.
    """

    fields: dict[str, FieldRules] = {}
    rows: dict[str, str] = {}
    proofs: dict[str, FieldRules] = {}
    types: dict[str, FieldType] = {}
    lists: dict[str, ListRules] = {}
    constants: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    given_up: tuple[str, ...] = ()
    task: FlowTask | None = None


class DropdownMapping(Part, frozen=True, kw_only=True, omit_defaults=True):
    """``type``: ``native_select``, ``custom``, or a word of whoever wrote it, which changes nothing. ``options``:
    lower-cased text to the exact label. ``option_selector``: of one option, where the options are not all known when
    the page opens."""

    type: str
    container: str = ""
    options: dict[str, str] = {}
    option_selector: str = ""


ValueType = Literal["string", "number", "boolean", "array", "object", "enum"]


class ValueSchema(Part, frozen=True, kw_only=True, omit_defaults=True, rename={"enum_values": "enumValues"}):
    """The type of a variable or an output. ``required`` is written as ``!`` after the name of a variable."""

    type: ValueType
    description: str = ""
    enum_values: tuple[str, ...] = ()
    default: Any = None


class FlowFiles(Part, frozen=True, kw_only=True):
    """The files of a flow, decoded."""

    locators: dict[str, ElementFacts] = {}
    fields: FieldsFile = FieldsFile()
    mappings: dict[str, DropdownMapping] = {}
    variables: dict[str, ValueSchema] = {}
    """By their names as written, with ``!`` after a required one."""
    outputs: dict[str, ValueSchema] = {}
    task: dict[str, str] = {}
    """Marks of the task; empty in a flow that was written by hand."""


_TYPES: dict[str, tuple[str, Any]] = {
    LOCATORS_FILE: ("locators", dict[str, ElementFacts]),
    FIELDS_FILE: ("fields", FieldsFile),
    MAPPINGS_FILE: ("mappings", dict[str, DropdownMapping]),
    VARIABLES_SCHEMA_FILE: ("variables", dict[str, ValueSchema]),
    OUTPUT_SCHEMA_FILE: ("outputs", dict[str, ValueSchema]),
    TASK_FILE: ("task", dict[str, str]),
}


def parse_files(files: Mapping[str, str]) -> FlowFiles:
    """Return the files of a flow; those that are missing are empty.

    Raises ValueError with every file that is not what it should be."""
    found: dict[str, Any] = {}
    problems: list[str] = []
    for name, (key, kind) in _TYPES.items():
        if name in files:
            try:
                found[key] = msgspec.json.decode(files[name], type=kind)
            except (msgspec.DecodeError, RecursionError) as exc:
                problems.append(f"{name}: {exc}")
    task = getattr(found.get("fields"), "task", None)
    if task is not None and (problem := problem_of(task)):
        problems.append(f"{FIELDS_FILE}: task: {problem}")
    if problems:
        raise ValueError("; ".join(problems))
    return FlowFiles(**found)


def write_files(files: FlowFiles) -> dict[str, str]:
    """Return the texts of the files, by their names; empty ones are left out, but for the two schemas."""
    written: dict[str, str] = {}
    for name, (key, _) in _TYPES.items():
        value = getattr(files, key)
        if value or name in (VARIABLES_SCHEMA_FILE, OUTPUT_SCHEMA_FILE):
            data = msgspec.json.format(msgspec.json.encode(value, order="deterministic"), indent=1)
            written[name] = data.decode() + "\n"
    return written


def fields_without_rules(files: FlowFiles) -> tuple[str, ...]:
    """Return the outputs that no rule of the flow reads."""
    return tuple(name for name in files.outputs if name not in files.fields.fields and name not in files.fields.lists)


FLOW_MODULES = ("exhibit.flow", "servers.browser_tools")


def has_flow_files(files: Container[str]) -> bool:
    """Return whether a workflow with files of these names has locators or rules of fields, as compiled flows have."""
    return LOCATORS_FILE in files or FIELDS_FILE in files


def is_flow(source: str, files: Container[str]) -> bool:
    """Return whether a workflow is a flow: it has files of a flow, or imports the calls of flows.

    A source that cannot be parsed is none.
    """
    if has_flow_files(files):
        return True
    try:
        nodes = list(ast.walk(parse_source(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    imported = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    imported |= {f"{node.module}.{one.name}" for node in froms for one in node.names}
    return any(name == module or name.startswith(f"{module}.") for name in imported for module in FLOW_MODULES)
