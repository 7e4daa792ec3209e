"""docs/settings.md: every setting, with its variable, its default and what its docstring says."""

from __future__ import annotations

import ast
import inspect
import itertools
from typing import Any

from pydantic import AliasChoices
from pydantic.fields import FieldInfo

from shared import settings
from shared.settings import Settings

HEAD = """\
# Settings

Written by `scripts/write_docs.py` from `shared/settings.py`. A setting is a variable of the
environment, or a line of the file `.env` in the folder where a command is started; a variable that is set to nothing
counts as not set.

| variable | default | what it does |
|---|---|---|
"""


def page() -> str:
    told = docstrings()
    rows = (_row(name, field, told.get(name, "")) for name, field in Settings.model_fields.items())
    return HEAD + "".join(rows)


def docstrings() -> dict[str, str]:
    """Return the text below each setting. One without any is told by the one above it."""
    tree = ast.parse(inspect.getsource(settings))
    (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == Settings.__name__)
    found: dict[str, str] = {}
    for node, below in itertools.pairwise(body):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str):
            found[node.target.id] = below.value.value
    return found


def _row(name: str, field: FieldInfo, told: str) -> str:
    text = " ".join(told.split()).replace("``", "`").replace("|", r"\|")
    return f"| {_variables(name, field)} | {_default(field.default)} | {text} |\n"


def _variables(name: str, field: FieldInfo) -> str:
    alias = field.validation_alias
    names = alias.choices if isinstance(alias, AliasChoices) else [alias or f"EXHIBIT_{name.upper()}"]
    return ", ".join(f"`{one}`" for one in names)


def _default(value: Any) -> str:
    if value is None:
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"
