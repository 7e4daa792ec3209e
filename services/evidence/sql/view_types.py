"""What a SQL view is: its columns with their types, units and meanings."""

from __future__ import annotations

from dataclasses import dataclass

TEXT, NUMBER, WHOLE, BIG, YES_NO = "VARCHAR", "DOUBLE", "INTEGER", "BIGINT", "BOOLEAN"
MOMENT, DAY, MONEY, EXACT, VARIES = "TIMESTAMP WITH TIME ZONE", "DATE", "DECIMAL(18,9)", "DECIMAL(38,9)", "JSON"
TEXTS = "VARCHAR[]"
LOCATORS = 'STRUCT(kind VARCHAR, "value" VARCHAR, matches INTEGER)[]'
OUTCOMES = "STRUCT(status VARCHAR, reason VARCHAR, samples INTEGER)[]"
CONTROLS = "STRUCT(framework VARCHAR, id VARCHAR, title VARCHAR)[]"
INPUT = "MAP(VARCHAR, VARCHAR)"


@dataclass(frozen=True)
class ViewColumn:
    """A column of a view. ``unit``: empty if it has none; ``meaning`` does not repeat it."""

    name: str
    type: str
    meaning: str
    unit: str = ""


@dataclass(frozen=True)
class SqlView:
    """A view. ``one_row`` completes the sentence "One row for each ..."."""

    name: str
    one_row: str
    columns: tuple[ViewColumn, ...]
    note: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


def column(name: str, type_: str, meaning: str, unit: str = "") -> ViewColumn:
    return ViewColumn(name, type_, meaning, unit)


RUN_COLUMNS = (
    column("run_id", TEXT, "The run."),
    column("task_id", TEXT, "The task, as its spec names it."),
)
SAMPLE_COLUMNS = (*RUN_COLUMNS, column("sample_id", TEXT, "The sample; also the name of its folder."))


def box_of(of: str) -> tuple[ViewColumn, ...]:
    return (
        column("box_x_px", NUMBER, f"Left edge of {of}, from the left of the document of the main frame.", "CSS px"),
        column("box_y_px", NUMBER, f"Upper edge of {of}, from the top of that document.", "CSS px"),
        column("box_width_px", NUMBER, f"Width of {of}.", "CSS px"),
        column("box_height_px", NUMBER, f"Height of {of}.", "CSS px"),
    )
