"""One field of a task's output: its type, how pages label it, where it stands, and which texts may be its value."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from shared.field_types import BARE_EXPRESSION, BARE_TYPES, TYPE_EXPRESSION, TYPES, base_type, is_rows
from shared.task.route import Words, words
from shared.text.date_names import DateOrder
from shared.text.normal import fold
from shared.text.patterns import find_pattern_problem


def _known_type(expression: str) -> str:
    return _one_of(TYPES, TYPE_EXPRESSION, expression)


def _bare_type(expression: str) -> str:
    return _one_of(BARE_TYPES, BARE_EXPRESSION, expression)


def _one_of(types: tuple[str, ...], pattern: re.Pattern[str], expression: str) -> str:
    if pattern.fullmatch(expression) is None:
        raise PydanticCustomError(
            "type_expression",
            "{written} is not a type; write one of {types}, and add ' | null' where it may be missing",
            {"written": repr(expression), "types": ", ".join(types)},
        )
    return expression


TypeExpression = Annotated[
    str, Field(json_schema_extra={"pattern": TYPE_EXPRESSION.pattern}), AfterValidator(_known_type)
]
BareType = Annotated[str, Field(json_schema_extra={"pattern": BARE_EXPRESSION.pattern}), AfterValidator(_bare_type)]
"""A type that needs no more said of it: not an enum, and not rows."""


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


ShownIn = Literal["title", "heading", "tooltip", "link", "address", "input", "text"]
_HAS_SURROUNDINGS = ("title", "heading", "tooltip", "text")


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
    preceded_by: Words | None = Field(
        default=None,
        description="With `shown_in`: a pattern of all that stands before the value in its text, else of the text "
        "beside it on the line. Of several, the first that is found counts.",
    )
    followed_by: Words | None = Field(
        default=None,
        description="With `shown_in`: the same for what stands after the value. Where only one of both is given, the "
        "value begins or ends its text on the other side.",
    )
    columns: dict[str, WrittenField] = Field(
        default={},
        description='Of rows: what each row has, such as {"sku": "string", "amount": "decimal"}. A column is a field '
        "of one value: with `type`, `description`, `labels`, `not_present`, `values`, `date_order` and `pattern`.",
    )
    id_keys: list[str] = Field(
        default=[],
        description="Of rows: the columns that tell one row from another. Rows of several pages with the same values "
        "there are one row. None: only rows that are equal in all columns are one.",
    )
    pages: Literal["all", "first"] = Field(
        default="all",
        description='Of rows: "first" asks for no more than the first page of the list. Where it goes on, the result '
        "says so.",
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
        problem = _values_problem(self) or _order_problem(self) or _pattern_problem(self) or _surroundings_problem(self)
        problem = "; ".join(filter(None, (problem, *find_rows_problems(self))))
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
    if field.shown_in is not None and not field.pattern:
        return "shown_in: it needs a `pattern` of the value, such as '#[0-9]+'; '.+' is a whole text"
    if field.shown_in is not None and field.derived:
        return "shown_in: a derived value stands in no such place"
    problem = find_pattern_problem(field.pattern)
    if not problem and field.pattern and field.derived:
        problem = "a derived value stands on no page in these words"
    return f"pattern: {problem}" if problem else ""


def _surroundings_problem(field: OutputField) -> str:
    for key, written in (("preceded_by", field.preceded_by), ("followed_by", field.followed_by)):
        if written is not None and field.shown_in not in _HAS_SURROUNDINGS:
            return f"{key}: it goes with shown_in {', '.join(_HAS_SURROUNDINGS)}"
        problems = [problem for pattern in words(written) if (problem := find_pattern_problem(pattern))]
        if problems:
            return f"{key}: {problems[0]}"
    return ""


_NOT_OF_A_COLUMN = ("under", "shown_in", "preceded_by", "followed_by", "derived")
_OF_ROWS = ("columns", "id_keys", "pages")
_NOT_OF_ROWS = ("pattern", "shown_in", "derived")
OWN_OF_A_ROW = frozenset({"sample_id", "item"})
"""What tables of rows have besides the columns of the task, so that no column has such a name."""
COLUMN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def find_rows_problems(field: OutputField) -> list[str]:
    """Return what is wrong with the columns and id keys of a field; with those of one that has no rows, too."""
    if not is_rows(field.type):
        keys = [key for key in _OF_ROWS if getattr(field, key) != OutputField.model_fields[key].default]
        return [f"{' and '.join(keys)}: only rows have them"] if keys else []
    problems = [] if field.columns else ["columns: rows need at least one"]
    problems += [f"{key}: it is said of a column, not of rows" for key in _NOT_OF_ROWS if getattr(field, key)]
    lowered = [name.lower() for name in field.columns]
    for name, column in field.columns.items():
        if not COLUMN_NAME.fullmatch(name):
            problems.append(
                f"columns.{name[:60]!r}: a column is named with letters, digits and _, beginning with a letter"
            )
        if name.lower() in OWN_OF_A_ROW:
            problems.append(f"columns.{name}: tables of rows have a column of this name, so choose another")
        if lowered.count(name.lower()) > 1:
            problems.append(f"columns.{name}: another column has this name but for capitals")
        if base_type(column.type) in ("array", "rows"):
            problems.append(f"columns.{name}: a column holds one value, so it cannot be {base_type(column.type)}")
        problems += [
            f"columns.{name}.{key}: it cannot be said of a column" for key in _NOT_OF_A_COLUMN if getattr(column, key)
        ]
    for key in dict.fromkeys(field.id_keys):
        if key not in field.columns:
            problems.append(f"id_keys: {key!r} is no column")
        if field.id_keys.count(key) > 1:
            problems.append(f"id_keys: {key!r} is there twice")
    return problems


def _long_form(written: object) -> object:
    return {"type": written} if isinstance(written, str) else written


WrittenField = Annotated[OutputField, BeforeValidator(_long_form, json_schema_input_type=BareType | OutputField)]
OutputField.model_rebuild()
