"""What a person writes to describe a task: one JSON file, strict, with every problem reported at once.

`task_specs/schema.json` is this model as JSON Schema, for editors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from shared.contracts.discovery import Problem
from shared.contracts.workflows.heals import HealMode
from shared.evidence_format.table.columns import RESERVED_COLUMNS
from shared.field_types import is_rows
from shared.hosts import WRITTEN_RULE, browser_form, is_spec_rule
from shared.task.control_spec import MOST_CONTROLS, ControlSpec, control_problems
from shared.task.integration import IntegrationSpec, as_around, integration_problems
from shared.task.listing import ListChoice
from shared.task.output_field import BareType, Strict, WrittenField
from shared.task.review_spec import ReviewSpec, review_problems
from shared.task.route import RouteStep, Text, Words, fields_of, irreversible_steps, words
from shared.task.workflow_use import WorkflowUse

FIELD_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_DISAGREEMENT = "spec_disagreement"
"""Type of the validation error of a whole spec; its context has the ``problems``."""
_ARTIFACT = r"^(screenshot|download)(:[A-Za-z0-9_ -]+)?$"


def _known_host(rule: str) -> str:
    if not is_spec_rule(rule):
        told = '{written} names no host that a browser can ask; write "host", "host:port" or "*.domain"'
        raise PydanticCustomError("host_rule", told, {"written": repr(rule)})
    return rule


HostName = Annotated[str, Field(json_schema_extra={"pattern": WRITTEN_RULE}), AfterValidator(_known_host)]


class PolitenessSpec(Strict):
    """How gently a site is treated, by all browser pools together; what is not said is left to their settings."""

    interval_s: Annotated[float, Field(ge=0, le=600)] | None = Field(
        default=None, description="Least time between two pages asked of one registrable domain."
    )
    max_in_flight: Annotated[int, Field(ge=0, le=64)] | None = Field(
        default=None, description="Most pages that may be on their way from one domain at a time; 0 is no limit."
    )


class BudgetSpec(Strict):
    """What model calls may cost; no number, no limit. At the limit the work stops, and what was found is kept."""

    sample_usd: Annotated[float, Field(gt=0)] | None = Field(default=None, description="For one attempt at one sample.")
    sample_tokens: Annotated[int, Field(gt=0)] | None = Field(
        default=None, description="The same in tokens of all kinds."
    )
    run_usd: Annotated[float, Field(gt=0)] | None = Field(
        default=None, description="For all samples of a run together, and for a build session."
    )
    run_tokens: Annotated[int, Field(gt=0)] | None = Field(default=None, description="The same in tokens of all kinds.")


class OutageSpec(Strict):
    """When a run pauses because samples fail one after the other for one cause: the site, the login or the model."""

    samples: Annotated[int, Field(ge=0, le=1000)] = Field(
        default=5,
        description="So many different samples in a row, none of which is left failed; 0: the run never pauses.",
    )
    wait_s: Annotated[float, Field(ge=0, le=7 * 24 * 3600)] = Field(
        default=900.0,
        description="How long the run waits for the cause to be mended, and tries a sample from time to time. Then it "
        "is closed, to be resumed later.",
    )


class TaskSpec(Strict):
    """A task: where to go, what to bring back, and when it counts as done."""

    schema_: str | None = Field(default=None, alias="$schema", description="For editors; ignored.")
    task_id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    phase: Literal["discovery", "execution"] = "execution"
    start_url: Annotated[str, AfterValidator(browser_form)] = Field(
        default="{url}",
        description="Where a sample begins; {column} is filled from its row, URL-encoded except for {url}.",
    )
    system_prompt: str = ""
    goal: str
    keywords: list[str] = []
    input_schema: dict[str, BareType] = Field(
        default={}, description='Columns the input must have; "string | null" makes one optional.'
    )
    sample_id: str = Field(default="{sample_id}", description="What names a sample, filled from its row.")
    output_schema: dict[str, WrittenField]
    required_fields: list[str] = []
    required_artifacts: list[Annotated[str, Field(pattern=_ARTIFACT)]] = Field(
        default=[], description='A kind, such as "screenshot", or a kind with an exact label: "screenshot:ticket".'
    )
    identity: dict[str, str] = Field(
        default={},
        description="Output fields that must equal a value of the row before anything captured counts: "
        '{"ticket_number": "{ticket_number}"}.',
    )
    route: list[RouteStep] = Field(
        default=[],
        description="How a person would go from the start page, in words of the page: the rules driver goes exactly "
        "so, and a model is shown it as the suggested way. In a discovery task: the way to the list, such as a login "
        "form, a filter or a search.",
    )
    not_found_texts: list[str] = Field(default=[], description="What the site says when a record does not exist.")
    judgment_required: bool = False
    judgment_question: str | None = None
    judgment_output_schema: dict[str, Any] | None = None
    pagination: bool | Words | None = Field(
        default=None,
        description="In a discovery task: what leads to the next page is called, where that does not show by itself. "
        "true, and none: all pages are read; false: the list is one page.",
    )
    stop_condition: str = ""
    max_steps: Annotated[int, Field(ge=1, le=500)] = 25
    max_time_s: Annotated[float, Field(ge=0)] = Field(
        default=300.0, description="For one attempt at one sample; 0 is no limit."
    )
    max_network_failures: Annotated[int, Field(ge=1, le=100)] = Field(
        default=5, description="Tries in a row that meet no answer of the site, after which an attempt ends."
    )
    concurrency: Annotated[int, Field(ge=1, le=256)] = 5
    list_: ListChoice = Field(
        default=ListChoice(),
        alias="list",
        description="In a discovery task: which list of the page is meant, and what its columns and links are.",
    )
    limit: Annotated[int, Field(ge=1)] | None = Field(
        default=None,
        description="In a discovery task: only so many items, the first in the order of the list. The list is complete "
        "with them, or with fewer where it ends before.",
    )
    expected_items: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="In a discovery task: the list is complete once so many items were found."
    )
    max_actions_per_turn: Annotated[int, Field(ge=1, le=5)] = Field(
        default=3, description="Most calls of one answer of a model that are carried out, in order."
    )
    reflection: Literal["off", "light", "full"] = Field(
        default="off",
        description="Whether a model says beside a call how the step before went, what to remember, and what is next. "
        "light: it may; full: its tools ask for it.",
    )
    vision: Literal["auto", "off"] = Field(
        default="auto", description="Whether pictures may be asked where the structure of a page does not tell."
    )
    memory: Literal["off", "run", "task"] = Field(
        default="run",
        description="Whether what samples teach is shown to later ones: of the run, or of all runs of the task.",
    )
    outage: OutageSpec = OutageSpec()
    budget: BudgetSpec = BudgetSpec()
    auth_profile: str | None = Field(
        default=None, description="A login state recorded with `exhibit login NAME URL`, under that name."
    )
    auth_concurrency: Annotated[int, Field(ge=1, le=256)] = Field(
        default=5,
        description="Most sessions that use the login state at a time, of all runs and browser pools together. Many "
        "sites end the login of a person who seems to be in many places.",
    )
    workflow: WorkflowUse = Field(
        default="auto",
        description="The workflow of the library that does the task; its values are checked like a model's. auto: the "
        "one that has the name of the task, else one that a model finds fitting. off: none.",
    )
    heal: HealMode = Field(
        default="recorded",
        description="What a flow may do on a page that has changed: `recorded` finds elements and values by what was "
        "recorded of them besides, where that agrees, and closes what lies over the page; `planner` besides asks the "
        "run's model once for an element that is not found so, and checks what it had to lead to; `off` stops there.",
    )
    step_pictures: Literal["off", "flow", "all"] = Field(
        default="flow",
        description="Which samples have a small picture of the page at each step, for their playback in the report: "
        "those that a flow works on, all, or none.",
    )
    keep_prompts: bool = Field(
        default=False,
        description="Whether what the model that decides was asked at each step, and its answer, are kept with the "
        "evidence of the sample, word for word: with the page, the row, and what other samples have taught.",
    )
    save_workflow: bool = Field(
        default=False,
        description="Whether a model writes workflows: of the first sample that took more than five steps, and of "
        "workflows that do the task only together.",
    )
    allowed_hosts: list[HostName] = Field(
        default=[],
        description='Where the browser may navigate: "host", "host:port" or "*.domain". None: the host of the start '
        "URL. Private addresses are reached only where they are named here or in start_url.",
    )
    may_press: list[Text] = Field(
        default=[],
        description="Buttons that may be pressed although they may change the site (send, save, delete, pay) and no "
        "step of the route names them. `{column}` is filled from the row.",
    )
    background_requests: list[Text] = Field(
        default=[],
        description="Requests of the pages whose answers bring none of the values, such as those of a chat: the path, "
        'or the whole address, without what follows a "?"; "*" stands for any text. They are not waited for.',
    )
    secrets: list[Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")]] = Field(
        default=[], description="Names of secrets that may be typed; their values are known to browser pools only."
    )
    politeness: PolitenessSpec = PolitenessSpec()
    integration: IntegrationSpec | None = Field(
        default=None,
        description="An API that is asked before the browser. What it gives counts like what a page shows; where it "
        "fails, or does not give all that the task needs, the browser does the work.",
    )

    review: ReviewSpec | None = Field(
        default=None,
        description="Who reviews what a run of this task has brought, and who must sign. None: anybody may, and one "
        "signature is enough.",
    )

    controls: Annotated[list[ControlSpec], Field(max_length=MOST_CONTROLS)] = Field(
        default=[],
        description="The controls that the evidence of a run is for; workpapers, reports, SQL and OSCAL name them.",
    )

    @property
    def next_page_words(self) -> tuple[str, ...]:
        """What leads to the next page is called; empty where the task does not say."""
        return () if isinstance(self.pagination, bool) else words(self.pagination)

    @model_validator(mode="after")
    def _names_agree(self) -> TaskSpec:
        problems = tuple(_agreement_problems(self))
        if problems:
            sentences = "; ".join(f"{_path('spec', place)}: {message}" for place, message in problems)
            raise PydanticCustomError(_DISAGREEMENT, "{sentences}", {"sentences": sentences, "problems": problems})
        return self


Place = tuple[str | int, ...]
"""Keys and indexes that lead to a part of a spec, from its top."""


def _agreement_problems(spec: TaskSpec) -> Iterator[tuple[Place, str]]:
    """Yield the problems that lie in no single value, each with its place."""
    schema = spec.output_schema
    named: dict[Place, Iterable[str]] = {("required_fields",): spec.required_fields, ("identity",): spec.identity}
    named |= {("route", at): fields_of(step) for at, step in enumerate(spec.route)}
    named |= {("list", "columns"): spec.list_.columns}
    for place, names in named.items():
        for name in names:
            if name not in schema:
                yield place, f"{name!r} is not in output_schema"
    for name in schema:
        if name.lower() in RESERVED_COLUMNS:
            message = "rows of the table are found by the column of this name, so choose another"
            yield ("output_schema", name), message
    for name in schema:
        if not FIELD_NAME.fullmatch(name):
            message = "a field is named with letters, digits and _, beginning with a letter"
            yield ("output_schema", repr(name[:60])), message
    lowered = [name.lower() for name in schema]
    for name in schema:
        if lowered.count(name.lower()) > 1:
            message = "another field has this name but for capitals, and a table cannot tell them apart"
            yield ("output_schema", name), message
    yield from _rows_problems(spec)
    if spec.judgment_required and not spec.judgment_question:
        yield ("judgment_question",), "needed when judgment_required is true"
    if not schema:
        yield ("output_schema",), "name at least one field"
    yield from review_problems(spec.review)
    yield from control_problems(spec.controls)
    yield from _of_integration(spec.model_dump(by_alias=True, include=_AROUND_INTEGRATION))


def _rows_problems(spec: TaskSpec) -> Iterator[tuple[Place, str]]:
    """Yield what does not go with fields of rows. Those of the fields alone are told with the fields."""
    names = [name for name, field in spec.output_schema.items() if is_rows(field.type)]
    if names and not spec.identity and has_irreversible_step(spec):
        message = "what is pressed for good and rows need a field that proves the record: rows tell nothing of a press"
        yield ("identity",), message
    for name in names:
        if spec.phase == "discovery":
            yield ("output_schema", name), "an item of a list has one value in each field; rows are read of one record"
        if name in spec.identity:
            yield ("identity", name), "rows prove no record; name a field of one value"
        if spec.integration is not None and name in spec.integration.fields:
            yield ("integration", "fields", name), "rows are not taken from a response; they are read off the pages"
        for at, step in enumerate(spec.route):
            if name in fields_of(step):
                yield ("route", at), f"{name!r} has rows, which no step reads: they are read where the route ends"


_AROUND_INTEGRATION = {
    "integration", "output_schema", "identity", "secrets", "allowed_hosts", "start_url", "phase"
}  # fmt: skip


def _of_integration(spec: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    for place, message in integration_problems(spec.get("integration"), as_around(spec)):
        yield ("integration", *place), message


def has_irreversible_step(spec: TaskSpec) -> bool:
    """Return whether something in the route may be pressed only once."""
    return bool(irreversible_steps(spec.route))


def _path(root: str, place: Place) -> str:
    return root + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)


def placeholders(template: str) -> tuple[str, ...]:
    """The column names a template asks for."""
    return tuple(PLACEHOLDER.findall(template))


def fill(template: str, row: dict[str, str]) -> str:
    """``template`` with each ``{column}`` replaced; a missing column is a KeyError naming it."""
    return PLACEHOLDER.sub(lambda match: row[match[1]], template)


def check_spec(data: object, name: str = "spec") -> tuple[TaskSpec | None, tuple[Problem, ...]]:
    """The spec, or every problem in it with the path to each, which begins with ``name``."""
    try:
        return TaskSpec.model_validate(data), ()
    except ValidationError as exc:
        problems = _problems(exc)
        if isinstance(data, dict) and not any(error["type"] == _DISAGREEMENT for error in exc.errors()):
            # Its own problems are told together with those of single values anywhere in the spec.
            problems += _of_integration(cast("dict[str, Any]", data))
        return None, tuple(Problem(where=_path(name, place), message=message) for place, message in problems)


def invalid_keys(data: object) -> frozenset[str]:
    """The keys of a spec that have a problem."""
    try:
        TaskSpec.model_validate(data)
    except ValidationError as exc:
        return frozenset(str(place[0]) for place, _ in _problems(exc) if place)
    return frozenset()


def read_spec(path: Path) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
    """The JSON object in a file, or why it could not be read. It is not yet checked as a spec."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None, (Problem(where=str(path), message="no such file"),)
    except OSError as exc:
        return None, (Problem(where=str(path), message=f"cannot be read: {exc}"),)
    return parse_spec(data, str(path))


def parse_spec(text: bytes, name: str) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
    """As `read_spec`, of the bytes of a file. ``name``: of the file, as problems say it."""
    try:
        data = json.loads(text.decode())
    except UnicodeDecodeError as exc:
        return None, (Problem(where=name, message=f"cannot be read: {exc}"),)
    except json.JSONDecodeError as exc:
        where = f"{name}, line {exc.lineno}, column {exc.colno}"
        return None, (Problem(where=where, message=f"not JSON: {exc.msg}"),)
    except RecursionError:
        return None, (Problem(where=name, message="lists or objects are nested too deep for a task spec"),)
    except ValueError as exc:  # a number of more digits than Python reads
        return None, (Problem(where=name, message=f"cannot be read: {exc}"),)
    if not isinstance(data, dict):
        return None, (Problem(where=name, message="a task spec is a JSON object"),)
    return cast("dict[str, Any]", data), ()


def json_schema() -> dict[str, Any]:
    """The spec as JSON Schema (2020-12), as published in task_specs/schema.json."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **TaskSpec.model_json_schema(by_alias=True)}


_TYPES = {
    "dict_type": "a JSON object, {...}", "list_type": "a list, [...]", "tuple_type": "a list, [...]",
    "string_type": "a text in quotes", "bool_type": "true or false", "int_type": "a whole number",
    "float_type": "a number", "model_type": "a JSON object, {...}",
}  # fmt: skip
"""What pydantic calls the error, and what a person has to write."""
_WAY = re.compile(r"constrained-\w+|(?:list|dict|tuple)\[.*\]")
"""How pydantic calls one of several ways of writing a value."""


def _problems(exc: ValidationError) -> list[tuple[Place, str]]:
    """Return the problems with their places. What may be written in several ways has one problem, not one for each."""
    problems: list[tuple[Place, str]] = []
    types: dict[Place, list[str]] = {}
    messages: dict[Place, list[str]] = {}
    for error in exc.errors(include_url=False):
        if error["type"] == _DISAGREEMENT:
            problems += error.get("ctx", {})["problems"]
            continue
        place = _written_place(error["loc"])
        expected, said = types.setdefault(place, []), messages.setdefault(place, [])
        if error["type"] in _TYPES:
            expected.append(_TYPES[error["type"]])
        else:
            said.append("unknown key" if error["type"] == "extra_forbidden" else _short(error["msg"]))
    for place, expected in types.items():
        either = f"must be {' or '.join(dict.fromkeys(expected))}; task_specs/README.md has an example of every key"
        problems += [(place, message) for message in messages[place] or [either]]
    return problems


def _written_place(place: Place) -> Place:
    """Return where a problem is in what was written: without the names that pydantic gives to ways of writing it."""
    kept = [part for part in place if not (isinstance(part, str) and _WAY.fullmatch(part))]
    if kept[:1] != ["route"]:
        return tuple(kept)
    return (*kept[:3], *kept[4:]) if len(kept) > 3 and kept[2] == kept[3] else tuple(kept)


def _short(message: str, most: int = 400) -> str:
    return message if len(message) <= most else f"{message[:most]} ..."
