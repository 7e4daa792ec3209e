"""The actions as tools for a model, generated from the action types; equal for every step of a run."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from shared.actions.table import ACTIONS, tag_of
from shared.contracts.actions import Action, AnyAction, Done, Fail, SaveProgress, Target
from shared.contracts.codes import FAIL_CODES_FOR_MODELS
from shared.field_types import base_type, is_rows, nullable
from shared.task.judgments import answers_of
from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec
from shared.task.typed_values import field_schema

TARGET = 'A ref ("12"), visible text that only one element has, or css=SELECTOR.'
REASON = "One sentence."
REFLECTION = {
    "evaluation_previous_step": "Whether the step before did what it was to do, and by what this shows.",
    "memory_update": "What of this page later steps have to know; empty: nothing.",
    "next_goal": "What the next step is to bring.",
}
"""Arguments that every tool has where the task asks for reflection, each one sentence."""
NOT_TOLD = ("reason", "keep", "addresses")
"""Arguments that stand apart (``reason``), or that only a route or the rules set."""
JSON_TYPES: dict[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
FIELD_TYPES = {"number": ["number", "string"], "boolean": ["boolean", "string"], "array": ["array"]}
MOST_NAMED_FIELDS = 40
"""With more fields a tool does not name each of them: the output schema lists them."""

TOOLS: dict[str, type[Action]] = {tag_of(kind): kind for kind in get_args(AnyAction)}
ALSO_REQUIRED: dict[type[Action], tuple[str, ...]] = {Done: ("refs",), SaveProgress: ("refs",), Fail: ("code",)}
"""Arguments that a model must give although the contract has a default for them."""
PER_FIELD = {
    "values": "Field to value, each as the page shows it. Leave out what was not found; never guess.",
    "not_present": "Fields of which the page itself says that there is nothing, mapped to its words ('' if empty); "
    "they are not in values.",
    "refs": "Every field in values to the ref of the element on this page that shows its value (not its label; of an "
    "array, its first item here), and in not_present to the one with these words. Only a value saved before, "
    "unchanged, needs none, and one that a picture told, and a derived one.",
}
Tool = dict[str, Any]
_KINDS = {"refs": "integer", "not_present": "string"}


def tools_for(spec: TaskSpec) -> list[Tool]:
    """Return the tools of a run. The cached part of a prompt begins with them."""
    return [_tool(name, kind, spec) for name, kind in TOOLS.items() if is_offered(kind, spec)]


def is_offered(kind: type[Action], spec: TaskSpec) -> bool:
    """Return whether the task offers this action to a model."""
    match ACTIONS[kind].offered:
        case "always":
            return True
        case "in_discovery":
            return spec.phase == "discovery"
        case "with_vision":
            return spec.vision != "off"
        case "never":
            return False


def _tool(name: str, kind: type[Action], spec: TaskSpec) -> Tool:
    properties = {"reason": {"type": "string", "description": REASON}}
    properties |= {key: _property(key, hint, kind, spec) for key, hint in _hints(kind, spec).items()}
    also = (*ALSO_REQUIRED.get(kind, ()), *(("judgment",) if kind is Done and spec.judgment_required else ()))
    required = ["reason", *(f.name for f in argument_fields(kind) if f.required), *also]
    if spec.reflection == "full":
        properties |= {name: {"type": "string", "description": about} for name, about in REFLECTION.items()}
        required += REFLECTION
    others: bool | Tool = {"type": "string"} if spec.reflection == "light" else False
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": others}
    return {"name": name, "description": ACTIONS[kind].tool, "input_schema": schema}


@cache
def _all_hints(kind: type[Action]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in argument_fields(kind)}


@cache
def argument_fields(kind: type[Action]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """Return the fields of an action type; cached, because it is slow and needed at every step."""
    return msgspec.structs.fields(kind)


def _hints(kind: type[Action], spec: TaskSpec) -> dict[str, Any]:
    left_out = {*NOT_TOLD} if spec.judgment_required else {*NOT_TOLD, "judgment"}
    return {name: hint for name, hint in _all_hints(kind).items() if name not in left_out}


def _property(key: str, hint: Any, kind: type[Action], spec: TaskSpec) -> Tool:
    if hint in (Target, Target | None):
        return {"type": "string", "description": TARGET}
    if get_origin(hint) is Literal:
        return {"type": "string", "enum": list(get_args(hint)), **_default(key, kind)}
    if kind is Fail and key == "code":
        return {"type": "string", "enum": list(FAIL_CODES_FOR_MODELS)}
    if key in PER_FIELD:
        return _per_field(key, spec)
    if kind is Fail and key == "note":
        return {"type": "string", "description": "What the page says, and what was tried."}
    if key == "judgment":
        return _judgment(spec)
    if key == "items":
        return _items(spec)
    return {"type": JSON_TYPES[hint], **_default(key, kind)}


def _judgment(spec: TaskSpec) -> Tool:
    properties = {
        "answer": {"type": "string", "enum": list(answers_of(spec.judgment_output_schema))},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "reasoning": {"type": "string", "description": "What was seen, and why it leads to the answer."},
        "evidence_refs": {
            "type": "array",
            "items": {"type": "string"},
            "description": "File names, or labels, of the artifacts of this sample that show it.",
        },
    }
    return {
        "type": "object",
        "description": spec.judgment_question or "",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _items(spec: TaskSpec) -> Tool:
    fields = {name: {"type": "string"} for name in spec.output_schema}
    one = {"type": "object", "properties": fields, "additionalProperties": False}
    return {"type": "array", "items": one, "description": "Every item of the list that this page shows."}


def _default(key: str, kind: type[Action]) -> Tool:
    default = next(f.default for f in argument_fields(kind) if f.name == key)
    return {"default": default} if isinstance(default, str | int | float) and default != "" else {}


def _per_field(key: str, spec: TaskSpec) -> Tool:
    exempt = " Rows need none." if key == "refs" and any(is_rows(f.type) for f in spec.output_schema.values()) else ""
    about = {"type": "object", "description": PER_FIELD[key] + exempt}
    named = {n: f for n, f in spec.output_schema.items() if key != "not_present" or nullable(f.type)}
    fields = {n: f for n, f in named.items() if key != "refs" or not is_rows(f.type)}
    if len(fields) > MOST_NAMED_FIELDS:
        kinds: Tool = {} if key == "values" else {"type": _KINDS[key]}
        return {**about, "additionalProperties": kinds}
    each = {name: _one_field(key, field) for name, field in fields.items()}
    return {**about, "properties": each, "additionalProperties": False}


def _rows(field: OutputField) -> Tool:
    """Return the schema of rows as they are reported: each cell as the page shows it. Rows of other pages stay."""
    cells = {
        name: {"type": ["string", "null"] if nullable(of.type) else "string"} for name, of in field.columns.items()
    }
    row = {"type": "object", "properties": cells, "required": list(cells), "additionalProperties": False}
    return {"type": "array", "items": row, "description": "The rows that this page shows; those of others are kept."}


def _one_field(key: str, field: OutputField) -> Tool:
    """Return the schema of one field's argument: its type only, because the output schema describes it.

    A value is written as the page shows it. Derived values and values of an enum are written as in the result.
    """
    if key != "values":
        return {"type": _KINDS[key]}
    if is_rows(field.type):
        return _rows(field)
    if field.derived or field.values:
        schema = field_schema(field)
        return {name: said for name, said in schema.items() if name != "description"}
    kind = FIELD_TYPES.get(base_type(field.type), ["string"])
    return {"type": kind[0] if len(kind) == 1 else kind, **({"items": {"type": "string"}} if "array" in kind else {})}
