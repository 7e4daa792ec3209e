"""What a person writes to describe a task: one JSON file, strict, with every problem reported at once.

`task_specs/schema.json` is this model as JSON Schema, for editors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from shared.contracts.discovery import Problem
from shared.evidence_format.table.columns import RESERVED_COLUMNS
from shared.field_types import BARE_EXPRESSION, BARE_TYPES, TYPE_EXPRESSION, TYPES, base_type
from shared.hosts import WRITTEN_RULE, is_spec_rule
from shared.task.listing import ListChoice
from shared.task.route import RouteStep, Words, fields_of, words
from shared.text.date_names import DateOrder
from shared.text.normal import fold
from shared.text.patterns import find_pattern_problem

FIELD_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_DISAGREEMENT = "spec_disagreement"
"""Type of the validation error of a whole spec; its context has the ``problems``."""
_ARTIFACT = r"^(screenshot|download)(:[A-Za-z0-9_ -]+)?$"


def _known_type(expression: str) -> str:
    return _one_of(TYPES, TYPE_EXPRESSION, expression)


def _bare_type(expression: str) -> str:
    return _one_of(BARE_TYPES, BARE_EXPRESSION, expression)


def _known_host(rule: str) -> str:
    if not is_spec_rule(rule):
        told = '{written} names no host that a browser can ask; write "host", "host:port" or "*.domain"'
        raise PydanticCustomError("host_rule", told, {"written": repr(rule)})
    return rule


def _one_of(types: tuple[str, ...], pattern: re.Pattern[str], expression: str) -> str:
    if pattern.match(expression) is None:
        raise PydanticCustomError(
            "type_expression",
            "{written} is not a type; write one of {types}, and add ' | null' where it may be missing",
            {"written": repr(expression), "types": ", ".join(types)},
        )
    return expression


TypeExpression = Annotated[
    str, Field(json_schema_extra={"pattern": TYPE_EXPRESSION.pattern}), AfterValidator(_known_type)
]
HostName = Annotated[str, Field(json_schema_extra={"pattern": WRITTEN_RULE}), AfterValidator(_known_host)]
BareType = Annotated[str, Field(json_schema_extra={"pattern": BARE_EXPRESSION.pattern}), AfterValidator(_bare_type)]
"""A type that needs no more said of it: not an enum."""


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


ShownIn = Literal["title", "heading", "tooltip", "link", "address", "input", "text"]


class OutputField(Strict):
    """One field to bring back. A bare type, such as ``"date | null"``, is short for ``{"type": ...}``."""

    type: TypeExpression
    description: str = ""
    labels: list[str] = Field(
        default=[],
        description="How the page may label the value. Where there are some, the field's own name is none.",
    )
    under: Words | None = Field(
        default=None,
        description="Where on the page the value stands, if its label is there more than once: under the heading of "
        "this name, in the region or table that is called so, or in the row with this cell. {column} is filled.",
    )
    not_present: list[str] = Field(
        default=[], description='Words by which the page says that there is no value, such as "Unassigned" or "-".'
    )
    values: list[str] = Field(
        default=[],
        description="Of an enum: all values it may have. A page may write them in other capitals; the result has them "
        "as they are spelt here.",
    )
    date_order: DateOrder | None = Field(
        default=None,
        description="Of a date or date-time: the order in which the site writes day, month and year, which settles "
        '"03/10/24". Not needed where the page itself leaves no doubt.',
    )
    pattern: str = Field(
        default="",
        description="A regular expression (RE2) that all of the text must fit as the page shows it; of an array, each "
        "of its parts.",
    )
    shown_in: ShownIn | None = Field(
        default=None,
        description="Where the value stands without a label: the part that fits `pattern` of the page's title, of a "
        "heading, of a tooltip, of the address of a link, of a form field, or of any text; or (`address`) the whole "
        "address of the link whose text fits. Labels are not looked for.",
    )
    derived: bool = Field(
        default=False,
        description="Worked out from what pages show (a count, a yes or no), so it need not stand there in these "
        "words.",
    )

    @property
    def value_pattern(self) -> str:
        """The pattern of the value itself; empty where ``pattern`` is that of the text of its link."""
        return "" if self.shown_in == "address" else self.pattern

    @model_validator(mode="after")
    def _fits_its_type(self) -> OutputField:
        problem = _values_problem(self) or _order_problem(self) or _pattern_problem(self)
        if problem:
            raise PydanticCustomError("output_field", "{problem}", {"problem": problem})
        return self


def _values_problem(field: OutputField) -> str:
    if base_type(field.type) != "enum":
        return "values: only an enum has them" if field.values else ""
    forms = [fold(value) for value in field.values]
    absent = {fold(word) for word in field.not_present}
    if not forms or not all(forms):
        return "values: an enum needs at least one, and none of them may be empty"
    twice = next((value for value, form in zip(field.values, forms, strict=True) if forms.count(form) > 1), None)
    if twice is not None:
        return f"values: {twice!r} is there twice, but for capitals, and a page's word could mean either"
    both = next((value for value, form in zip(field.values, forms, strict=True) if form in absent), None)
    return f"values: {both!r} is in not_present too, so it could never be the value" if both is not None else ""


def _order_problem(field: OutputField) -> str:
    dated = base_type(field.type) in ("date", "date-time")
    return "date_order: only a date or a date-time has one" if field.date_order and not dated else ""


def _pattern_problem(field: OutputField) -> str:
    if field.shown_in is not None and (not field.pattern or field.derived):
        return "shown_in: it needs a pattern of what is to be found there, and the value is not derived"
    problem = find_pattern_problem(field.pattern)
    if not problem and field.pattern and field.derived:
        problem = "a derived value stands on no page in these words"
    return f"pattern: {problem}" if problem else ""


def _long_form(written: object) -> object:
    return {"type": written} if isinstance(written, str) else written


WrittenField = Annotated[OutputField, BeforeValidator(_long_form, json_schema_input_type=BareType | OutputField)]


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
        default=None, description="For all samples of a run together."
    )
    run_tokens: Annotated[int, Field(gt=0)] | None = Field(default=None, description="The same in tokens of all kinds.")


class TaskSpec(Strict):
    """A task: where to go, what to bring back, and when it counts as done."""

    schema_: str | None = Field(default=None, alias="$schema", description="For editors; ignored.")
    task_id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    phase: Literal["discovery", "execution"] = "execution"
    start_url: str = Field(
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
        description="How a person would go from the start page, in words of the page: the rules decider goes exactly "
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
    vision: Literal["auto", "off"] = Field(
        default="auto", description="Whether pictures may be asked where the structure of a page does not tell."
    )
    memory: Literal["off", "run", "task"] = Field(
        default="run",
        description="Whether what samples teach is shown to later ones: of the run, or of all runs of the task.",
    )
    budget: BudgetSpec = BudgetSpec()
    auth_profile: str | None = Field(
        default=None, description="A login state recorded with `exhibit login NAME URL`, under that name."
    )
    auth_concurrency: Annotated[int, Field(ge=1, le=256)] = Field(
        default=5,
        description="Most sessions that use the login state at a time, of all runs and browser pools together. Many "
        "sites end the login of a person who seems to be in many places.",
    )
    allowed_hosts: list[HostName] = Field(
        default=[],
        description='Where the browser may navigate: "host", "host:port" or "*.domain". None: the host of the start '
        "URL. Private addresses are reached only where they are named here or in start_url.",
    )
    secrets: list[Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")]] = Field(
        default=[], description="Names of secrets that may be typed; their values are known to browser pools only."
    )
    politeness: PolitenessSpec = PolitenessSpec()

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
        if not FIELD_NAME.match(name):
            message = "a field is named with letters, digits and _, beginning with a letter"
            yield ("output_schema", repr(name[:60])), message
    lowered = [name.lower() for name in schema]
    for name in schema:
        if lowered.count(name.lower()) > 1:
            message = "another field has this name but for capitals, and a table cannot tell them apart"
            yield ("output_schema", name), message
    if spec.judgment_required and not spec.judgment_question:
        yield ("judgment_question",), "needed when judgment_required is true"
    if not schema:
        yield ("output_schema",), "name at least one field"


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
        return None, tuple(Problem(where=_path(name, place), message=message) for place, message in _problems(exc))


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
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None, (Problem(where=str(path), message="no such file"),)
    except (OSError, UnicodeDecodeError) as exc:
        return None, (Problem(where=str(path), message=f"cannot be read: {exc}"),)
    except json.JSONDecodeError as exc:
        where = f"{path}, line {exc.lineno}, column {exc.colno}"
        return None, (Problem(where=where, message=f"not JSON: {exc.msg}"),)
    if not isinstance(data, dict):
        return None, (Problem(where=str(path), message="a task spec is a JSON object"),)
    return cast("dict[str, Any]", data), ()


def json_schema() -> dict[str, Any]:
    """The spec as JSON Schema (2020-12), as published in task_specs/schema.json."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **TaskSpec.model_json_schema(by_alias=True)}


def _problems(exc: ValidationError) -> list[tuple[Place, str]]:
    problems: list[tuple[Place, str]] = []
    for error in exc.errors(include_url=False):
        if error["type"] == _DISAGREEMENT:
            problems += error.get("ctx", {})["problems"]
        elif error["type"] == "extra_forbidden":
            problems.append((error["loc"], "unknown key"))
        else:
            problems.append((error["loc"], _short(error["msg"])))
    return problems


def _short(message: str, most: int = 400) -> str:
    return message if len(message) <= most else f"{message[:most]} ..."
