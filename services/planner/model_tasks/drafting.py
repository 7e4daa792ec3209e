"""A task spec from a sentence: what the model is asked, and the checks of its draft.

A draft counts only once it validates, and a person sees it before anything runs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from shared.contracts.discovery import Problem
from shared.hosts import host_of, is_private, literal_address, parse_host_rule, split_port
from shared.task.spec import PLACEHOLDER, TaskSpec, check_spec, json_schema, placeholders
from shared.text.normal import tidy

MAX_REQUEST_CHARS = 4000
MAX_TRIES = 3
MAX_SAMPLES = 1000
TOOL = "task"
INSIDE = (".local", ".localhost", ".internal", ".lan", ".home", ".corp", ".intranet")
"""Endings of host names inside of a network."""
NEVER_DRAFTED = ("secrets", "auth_profile", "integration", "$schema")
"""Keys that give a run more rights than a sentence should; a person adds them."""

INSTRUCTIONS = """\
You turn one request into a task for Exhibit, which opens web pages in a browser and brings back fields, screenshots and
files as audit evidence. You answer by calling the tool `task`.

A task spec is JSON; its JSON Schema follows. What matters most:
- start_url is where a sample begins; {column} in it is filled from the sample's row.
- output_schema names what to bring back, with types; "| null" where a record may lack it; not_present lists the words
  by which such sites usually say that there is none. required_fields are those without which a sample is not done.
- identity binds a field that the page shows to a column of the row, so that the right record is proven. Use it wherever
  the page shows what the row names.
- required_artifacts: at least "screenshot:<label>".
- allowed_hosts: the host of start_url, and others only where the request needs them.
- goal and system_prompt say in plain words what to do, what counts, and never to guess.
- A request to list things ("all members", "the last 60 commits") needs a discovery task (phase "discovery", pagination
  true): its output_schema describes one item of the list. If nothing is asked about each item, it is all there is.
- A question that needs judgment: judgment_required, judgment_question, answers yes, no or inconclusive.
- Nothing is submitted, sent, bought or deleted unless the request says so in so many words.
- If the request leaves open what you must know (which site, which list), put it into open_questions and draft the best
  task all the same.

The JSON Schema of a task spec:
"""


@dataclass(frozen=True)
class Draft:
    """A task that validates. `spec` may be a discovery task; `discovery` finds the samples of `spec`."""

    spec: dict[str, Any]
    discovery: dict[str, Any] | None
    discovery_row: dict[str, str]
    samples: tuple[dict[str, str], ...]
    explanation: str
    open_questions: tuple[str, ...]


def drafting_instructions() -> str:
    """Return the instructions with the JSON Schema of a task spec."""
    return INSTRUCTIONS + json.dumps(_drafted_schema(), ensure_ascii=False)


def drafting_request(request: str, problems: tuple[Problem, ...] = (), before: Any = None) -> str:
    """Return the request, with the problems of the last draft."""
    if not problems:
        return f"The request:\n{request.strip()}"
    found = "\n".join(f"- {problem.where}: {problem.message}" for problem in problems[:30])
    earlier = json.dumps(before, ensure_ascii=False)[:12_000]
    return (
        f"The request:\n{request.strip()}\n\nYour last draft:\n{earlier}\n\nis not valid:\n{found}\nCall `task` again."
    )


def drafting_tool() -> dict[str, Any]:
    """Return the tool that hands in a draft."""
    spec = {"type": "object", "description": "A task spec, as its JSON Schema says."}
    row = {"type": "object", "additionalProperties": {"type": "string"}}
    properties = {
        "spec": spec,
        "discovery": {
            **spec,
            "description": "Where the samples of `spec` must be found first: the task that lists them.",
        },
        "discovery_row": {**row, "description": "Values for the {columns} of the discovery task's start_url."},
        "samples": {
            "type": "array",
            "items": row,
            "description": "Rows that the request itself names, with the columns of input_schema.",
        },
        "explanation": {"type": "string", "description": "Two or three sentences: what will be done."},
        "open_questions": {"type": "array", "items": {"type": "string"}},
    }
    schema = {
        "type": "object",
        "properties": properties,
        "required": ["spec", "explanation"],
        "additionalProperties": False,
    }
    return {"name": TOOL, "description": "Hands in the drafted task.", "input_schema": schema}


def request_problem(request: str) -> str:
    """Return why a request is rejected without asking a model; empty: it is not."""
    if len(request.split()) < 3:
        return 'say in a sentence what to collect and where, such as "Go to https://... and get ..."'
    if len(request) > MAX_REQUEST_CHARS:
        return f"the request has {len(request)} characters; at most {MAX_REQUEST_CHARS} are read"
    return ""


def parse_draft(arguments: object, request: str = "") -> tuple[Draft | None, tuple[Problem, ...]]:
    """Return the draft, or all of its problems. A private address must be named in the request itself."""
    if not isinstance(arguments, Mapping):
        return None, (Problem(where="task", message="the arguments must be an object"),)
    given = cast("Mapping[str, Any]", arguments)
    spec, problems = _checked_spec(given.get("spec"), "spec")
    discovery, more = (
        (None, ()) if given.get("discovery") in (None, {}) else _checked_spec(given["discovery"], "discovery")
    )
    rows, wrong = _rows(given.get("samples"))
    row, odd = _rows([given["discovery_row"]] if given.get("discovery_row") else [])
    inside = (*_private(spec, "spec", request), *_private(discovery, "discovery", request))
    found = (*problems, *more, *wrong, *odd, *_fit(spec, discovery), *inside)
    if found or spec is None:
        return None, found
    draft = Draft(
        spec=_written(spec),
        discovery=None if discovery is None else _written(discovery),
        discovery_row=row[0] if row else {},
        samples=rows,
        explanation=_text(given.get("explanation")),
        open_questions=tuple(_text(one) for one in _list(given.get("open_questions"))[:10]),
    )
    return draft, ()


def _checked_spec(written: object, where: str) -> tuple[TaskSpec | None, tuple[Problem, ...]]:
    if not isinstance(written, Mapping):
        return None, (Problem(where=where, message="must be a task spec, a JSON object"),)
    data = dict(cast("Mapping[str, Any]", written))
    never = tuple(
        Problem(where=f"{where}.{key}", message="is not drafted: a person adds it to the file")
        for key in NEVER_DRAFTED
        if data.get(key)
    )
    spec, problems = check_spec(data, where)
    hosts = () if spec is None or _has_host(spec) else (
        Problem(where=f"{where}.start_url", message="must be a whole address, or {url} with a column url in the input"),
    )  # fmt: skip
    return (spec if not never and not hosts else None), (*never, *problems, *hosts)


def _has_host(spec: TaskSpec) -> bool:
    if re.match(r"https?://[^/{]+", spec.start_url):
        return True
    return set(placeholders(spec.start_url)) <= set(spec.input_schema) and bool(spec.allowed_hosts)


def _private(spec: TaskSpec | None, where: str, request: str) -> tuple[Problem, ...]:
    if spec is None:
        return ()
    hosts = [*spec.allowed_hosts, host_of(PLACEHOLDER.sub("x", spec.start_url))]
    names = dict.fromkeys(split_port(host)[0] for host in hosts)
    unasked = [name for name in names if _is_inside(name) and name.lower() not in request.lower()]
    message = "is an address inside of a network that the request does not name; leave it out"
    return tuple(Problem(where=f"{where}.allowed_hosts", message=f"{name} {message}") for name in unasked)


def _is_inside(host: str) -> bool:
    rule = parse_host_rule(host)
    if rule is None:
        return False
    address = literal_address(rule.host)
    return is_private(address) if address is not None else "." not in rule.host or rule.host.endswith(INSIDE)


def _fit(spec: TaskSpec | None, discovery: TaskSpec | None) -> tuple[Problem, ...]:
    if discovery is None or spec is None:
        return ()
    problems: list[Problem] = []
    if discovery.phase != "discovery":
        problems.append(Problem(where="discovery.phase", message='must be "discovery"'))
    if spec.phase != "execution":
        problems.append(
            Problem(where="spec.phase", message="one discovery task is enough: spec works on what it finds")
        )
    if discovery.task_id == spec.task_id:
        message = "must be another than the task_id of spec: each task has a file of its own"
        problems.append(Problem(where="discovery.task_id", message=message))
    lacking = [name for name in placeholders(spec.start_url) if name not in discovery.output_schema]
    problems += [
        Problem(where="discovery.output_schema", message=f"lacks {name}, which the start_url of spec is filled from")
        for name in lacking
    ]
    return tuple(problems)


def _rows(written: object) -> tuple[tuple[dict[str, str], ...], tuple[Problem, ...]]:
    rows: list[dict[str, str]] = []
    for at, one in enumerate(_list(written)[:MAX_SAMPLES], 1):
        if not isinstance(one, Mapping):
            return (), (Problem(where=f"samples, row {at}", message="must be an object of texts"),)
        rows.append({str(key): str(value) for key, value in cast("Mapping[object, object]", one).items()})
    return tuple(rows), ()


def _written(spec: TaskSpec) -> dict[str, Any]:
    """Return the spec as it is written to a file, without defaults."""
    return spec.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def _drafted_schema() -> dict[str, Any]:
    schema = json_schema()
    properties = {key: value for key, value in schema["properties"].items() if key not in NEVER_DRAFTED}
    return {**schema, "properties": properties, "$defs": _named_in(properties, schema.get("$defs", {}))}


def _named_in(properties: object, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the definitions that these properties name, and those that they name in turn."""
    named: dict[str, Any] = {}
    text = json.dumps(properties)
    while more := {name: one for name, one in known.items() if name not in named and f'"#/$defs/{name}"' in text}:
        named |= more
        text += json.dumps(more)
    return named


def _list(written: object) -> list[object]:
    return list(cast("list[object]", written)) if isinstance(written, list | tuple) else []


def _text(written: object) -> str:
    return tidy(written)[:1000] if isinstance(written, str) else ""
