"""The types that an output field may have, as a task spec writes them: ``date``, or ``date | null``."""

from __future__ import annotations

import re

BARE_TYPES = ("string", "number", "decimal", "boolean", "date", "date-time", "array")
"""Types that say all by their name."""
ROWS = "rows"
"""Several rows of named columns: the line items of an invoice."""
TYPES = (*BARE_TYPES, "enum", ROWS)
TYPE_EXPRESSION = re.compile(rf"^({'|'.join(TYPES)})(\s*\|\s*null)?$")
BARE_EXPRESSION = re.compile(rf"^({'|'.join(BARE_TYPES)})(\s*\|\s*null)?$")


def base_type(expression: str) -> str:
    """``"date | null"`` to ``"date"``."""
    return expression.split("|")[0].strip()


def is_rows(expression: str) -> bool:
    """``"rows | null"`` is one of rows."""
    return base_type(expression) == ROWS


def nullable(expression: str) -> bool:
    return "|" in expression
