"""Pure: the actions as tools for a model, made from the action types, and a model's call back to an action.

What a model writes is hostile input: anything that does not fit is a :class:`BadCall` with words for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints
from urllib.parse import urljoin, urlsplit

import msgspec

from services.planner.bounds import may_open
from services.planner.judgment import answers_of
from services.planner.sample_state import View
from shared.contracts.actions import Action, Goto, Target, parse_target
from shared.contracts.planner import AnyAction, AskPicture, Done, Fail, ReportItems, SaveProgress
from shared.task_spec import TaskSpec, base_type, nullable

TARGET = 'What to act on: a ref number of the page ("12"), visible text that only one element has, or css=SELECTOR.'
TARGETS = ("target", "onto")
REASON = "One sentence: why this is the best next action."
FAIL_CODES = ("not_found", "auth_required", "blocked", "other")
JSON_TYPES: dict[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
FIELD_TYPES = {"number": ["number", "string"], "boolean": ["boolean", "string"], "array": ["array"]}

TOOLS: dict[str, type[Action]] = {str(kind.__struct_config__.tag): kind for kind in get_args(AnyAction)}
DESCRIPTIONS = {
    "goto": "Opens a URL: of the site the task is about, or one that the page links to.",
    "click": "Clicks one element.",
    "type": "Replaces what a field holds by a text.",
    "type_secret": "Types a secret of the task, by its name; you never see its value.",
    "press": 'Presses a key or a chord, such as "Enter" or "Control+A", on the target or where the focus is.',
    "hover": "Moves the mouse over one element, for menus and hints that open so.",
    "select_option": "Picks an option of a select by its visible label.",
    "pick": "Picks an option of any control that offers choices: a dropdown that is no select, a box that searches.",
    "set_date": "Sets a date field or date picker; the date is ISO 8601, such as 2026-11-21 or 2026-11-21T14:30.",
    "upload": "Gives a file field a file, by its name.",
    "drag": "Drags one element onto another.",
    "drag_by": "Drags one element by so many pixels, such as the handle of a slider.",
    "back": "Goes one page back.",
    "switch_tab": "Looks at another tab, by its number.",
    "close_tab": "Closes the tab that is looked at.",
    "dialog": "Answers the dialog of the browser that is open.",
    "screenshot_element": "Takes a picture of one element and files it under the label.",
    "screenshot_views": "Takes a picture of every screenful of the page, from top to bottom.",
    "scroll": "Scrolls the page.",
    "wait": "Waits until the target is visible, or, without one, until the page is quiet.",
    "screenshot": "Takes a picture of the page and files it under the label.",
    "ask_picture": "Asks one question about a picture of the target, or of what is in view, such as an icon.",
    "report_items": "Reports every item of the list that this page shows; the work goes on.",
    "extract": "Reads the whole text, or the value, of one element.",
    "download": "Clicks the target and keeps the file that comes down.",
    "save_progress": "Keeps field values found so far, as shown on the page; the work goes on.",
    "done": "Ends the work with the values of all fields, each as the page shows it.",
    "fail": "Ends the work because it cannot be done; the code says why.",
}
ALSO_REQUIRED: dict[type[Action], tuple[str, ...]] = {Done: ("refs",), Fail: ("code",)}
"""What a model must give although the contract has a default for it."""
Tool = dict[str, Any]


@dataclass(frozen=True)
class BadCall:
    """Why a call could not be used, as the model is told."""

    message: str


def tools_for(spec: TaskSpec) -> list[Tool]:
    """The tools of one run, the same for every step of it: what is cached of a prompt begins with them."""
    return [_tool(name, kind, spec) for name, kind in TOOLS.items() if _offered(kind, spec)]


def _offered(kind: type[Action], spec: TaskSpec) -> bool:
    if kind is ReportItems:
        return spec.phase == "discovery"
    return kind is not AskPicture or spec.vision != "off"


def parse_call(name: str, arguments: object, view: View) -> AnyAction | BadCall:
    """The action a model called, checked; refs mean elements of the page it was shown."""
    kind = TOOLS.get(name)
    if kind is None:
        return BadCall(f"There is no tool {name[:60]!r}. The tools are: {', '.join(TOOLS)}.")
    if not isinstance(arguments, Mapping):
        return BadCall(f"{name}: the arguments must be an object.")
    written: dict[str, Any] = {str(key): value for key, value in arguments.items()}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    problem = _first_problem(kind, written)
    if problem is not None:
        return BadCall(f"{name}: {problem}")
    return _checked(_convert(kind, written, view), view)


def _convert(kind: type[Action], written: dict[str, Any], view: View) -> AnyAction | BadCall:
    snapshot = view.page.snapshot_id if view.page is not None else ""
    for key in TARGETS:
        if isinstance(written.get(key), str):
            written = {**written, key: msgspec.to_builtins(parse_target(written[key], snapshot))}
    try:
        action: Any = msgspec.convert({"action": kind.__struct_config__.tag, **written}, type=AnyAction)
    except msgspec.ValidationError as exc:
        return BadCall(f"{kind.__struct_config__.tag}: {exc}")
    return action


def _first_problem(kind: type[Action], written: Mapping[str, Any]) -> str | None:
    reason = written.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        return "'reason' is missing: one sentence that says why"
    known = {field.name for field in msgspec.structs.fields(kind)}
    unknown = [key for key in written if key not in known]
    if unknown:
        return f"there is no argument {unknown[0][:60]!r}; there are: {', '.join(sorted(known))}"
    if kind is Fail and "code" not in written:
        return "'code' is missing"
    wrong = [key for key in TARGETS if key in known and key in written and not isinstance(written[key], str)]
    return f"'{wrong[0]}' must be a string. {TARGET}" if wrong else None


def _checked(action: AnyAction | BadCall, view: View) -> AnyAction | BadCall:
    """What the types cannot say."""
    if isinstance(action, Goto):
        return _allowed_goto(action, view)
    if isinstance(action, Fail) and action.code not in FAIL_CODES:
        return BadCall(f"fail: the code must be one of {', '.join(FAIL_CODES)}.")
    if isinstance(action, Done | SaveProgress):
        names = {*action.values, *((*action.not_present, *action.refs) if isinstance(action, Done) else ())}
        unknown = sorted(names - set(view.spec.output_schema))
        if unknown:
            return BadCall(
                f"There is no field {unknown[0][:60]!r}; the fields are: {', '.join(view.spec.output_schema)}."
            )
    return _with_refs(action, view) if isinstance(action, Done) else action


def _with_refs(done: Done, view: View) -> Done | BadCall:
    """Every value names its element, but for those that were saved from a page that may be gone by now."""
    seen = view.state.seen
    kept = {name for name, value in done.values.items() if name in seen and seen[name].value == value}
    lacking = [name for name, value in done.values.items() if value is not None and name not in {*done.refs, *kept}]
    if lacking:
        return BadCall(f"done: 'refs' lacks the element that shows the value of: {', '.join(lacking)}")
    return done


def _allowed_goto(action: Goto, view: View) -> Goto | BadCall:
    """A page must not be able to send us, and what we know, to an address of its own making: only hosts that the
    task may open or that were visited, and links that stand on the page, are open."""
    if view.page is None:
        return action
    url = urljoin(view.page.url, action.url.strip())
    hosts = {
        urlsplit(view.page.url).netloc,
        *(_host(e.action) for e in view.state.history if isinstance(e.action, Goto)),
    }
    linked = {element.url for element in view.page.elements if element.url}
    ours = urlsplit(url).netloc in hosts or may_open(url, view.spec, view.sample)
    if urlsplit(url).scheme in ("http", "https") and (ours or url in linked):
        return Goto(url=url, reason=action.reason)
    return BadCall(f"goto: {url[:200]!r} is neither on this site nor linked from this page.")


def _host(action: Goto) -> str:
    return urlsplit(action.url).netloc


# --- schemas


def _tool(name: str, kind: type[Action], spec: TaskSpec) -> Tool:
    properties = {"reason": {"type": "string", "description": REASON}}
    properties |= {key: _property(key, hint, kind, spec) for key, hint in _hints(kind, spec).items()}
    required = ["reason", *(f.name for f in msgspec.structs.fields(kind) if f.required), *ALSO_REQUIRED.get(kind, ())]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"name": name, "description": DESCRIPTIONS[name], "input_schema": schema}


def _hints(kind: type[Action], spec: TaskSpec) -> dict[str, Any]:
    hints = get_type_hints(kind)
    left_out = {"reason"} if spec.judgment_required else {"reason", "judgment"}
    return {f.name: hints[f.name] for f in msgspec.structs.fields(kind) if f.name not in left_out}


def _property(key: str, hint: Any, kind: type[Action], spec: TaskSpec) -> Tool:
    if hint in (Target, Target | None):
        return {"type": "string", "description": TARGET}
    if get_origin(hint) is Literal:
        return {"type": "string", "enum": list(get_args(hint)), **_default(key, kind)}
    if kind is Fail and key == "code":
        return {"type": "string", "enum": list(FAIL_CODES)}
    if key in ("values", "not_present", "refs"):
        return _per_field(key, spec)
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
            "description": "File names of the artifacts of this sample that show it.",
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
    default = next(f.default for f in msgspec.structs.fields(kind) if f.name == key)
    return {"default": default} if isinstance(default, str | int | float) and default != "" else {}


def _per_field(key: str, spec: TaskSpec) -> Tool:
    about = {
        "values": "Field to value, each as the page shows it. Leave out what was not found; never guess.",
        "not_present": "Fields of which the page itself says that there is nothing, mapped to its words ('' if empty).",
        "refs": "Every field in values to the ref of the element on this page that shows its value (not its label). "
        "Only a value saved before, unchanged, needs none.",
    }[key]
    fields = {n: f for n, f in spec.output_schema.items() if key != "not_present" or nullable(f.type)}
    each = {name: _one_field(key, field.type) for name, field in fields.items()}
    return {"type": "object", "description": about, "properties": each, "additionalProperties": False}


def _one_field(key: str, type_expression: str) -> Tool:
    """The type only: what the field is stands in the output schema of the user's turn."""
    if key != "values":
        return {"type": "integer" if key == "refs" else "string"}
    kind = FIELD_TYPES.get(base_type(type_expression), ["string"])
    schema: Tool = {"type": kind[0] if len(kind) == 1 else kind}
    if base_type(type_expression) == "array":
        schema["items"] = {"type": "string"}
    return schema
