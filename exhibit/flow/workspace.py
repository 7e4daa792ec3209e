"""The folder of a flow: ``workspace/`` with its code, ``data/`` with variables, schemas and outputs."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from exhibit.flow.run_record import write_atomically
from shared.contracts.discovery import Problem
from shared.flows.files import (
    FIELDS_FILE,
    LOCATORS_FILE,
    MAPPINGS_FILE,
    OUTPUT_SCHEMA_FILE,
    OUTPUTS_FILE,
    START_PAGE_FILE,
    VARIABLES_FILE,
    VARIABLES_SCHEMA_FILE,
    FlowFiles,
    parse_files,
)
from shared.flows.variables import bind_variables, name_of, output_problems
from shared.hosts import host_of

WORKSPACE = "workspace"
CAPTURED = "data/files"
NAMED = re.compile(r"\{([^{}]+)\}")
"""A variable in the address of the start page, by its name as written."""
_READ = (LOCATORS_FILE, FIELDS_FILE, MAPPINGS_FILE, VARIABLES_SCHEMA_FILE, OUTPUT_SCHEMA_FILE)


class FlowFolder:
    """``root``: the parent of ``workspace/``."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def of_program(cls) -> FlowFolder:
        """Return the folder of the program that runs: the parent of the ``workspace`` that it lies in, or its own."""
        file = getattr(sys.modules.get("__main__"), "__file__", None)
        if not file:
            return cls(Path.cwd())
        folder = Path(file).resolve().parent
        return cls(folder.parent if folder.name == WORKSPACE else folder)

    @property
    def captured(self) -> Path:
        return self.root / CAPTURED

    def read_text(self, path: str) -> str:
        return (self.root / path).read_text("utf-8")

    def read_files(self) -> FlowFiles:
        """Raises ValueError with every file that is not what it should be."""
        texts: dict[str, str] = {}
        for name in _READ:
            try:
                texts[name] = self.read_text(name)
            except FileNotFoundError:
                continue
        return parse_files(texts)

    def read_variables(self) -> dict[str, Any]:
        """Return the variables by their names as written; none without a file. Raises ValueError."""
        try:
            found = json.loads(self.read_text(VARIABLES_FILE))
        except FileNotFoundError:
            return {}
        if not isinstance(found, dict):
            raise ValueError(f"{VARIABLES_FILE} is no JSON object")
        return cast("dict[str, Any]", found)

    def start_page(self) -> str:
        """Return the address at which the flow begins, with the variables that it names; empty: the code opens one.

        Raises ValueError for a file that is not ``{"url": "https://..."}``, or that names a variable that has no value.
        """
        try:
            found = json.loads(self.read_text(START_PAGE_FILE))
        except FileNotFoundError:
            return ""
        url = cast("dict[str, Any]", found).get("url") if isinstance(found, dict) else None
        if not isinstance(url, str) or not url:
            raise ValueError(f'{START_PAGE_FILE} is not {{"url": "https://..."}}')
        variables = self.read_variables()
        if lacking := [name for name in NAMED.findall(url) if name not in variables]:
            raise ValueError(f"{START_PAGE_FILE} names what {VARIABLES_FILE} lacks: {', '.join(lacking)}")
        whole = NAMED.fullmatch(url)
        return (
            str(variables[whole[1]]) if whole else NAMED.sub(lambda name: quote(str(variables[name[1]]), safe=""), url)
        )

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of ``run``. Raises ValueError with everything that is wrong with the variables."""
        schema, given = self.read_files().variables, self.read_variables()
        if not schema:
            return given
        arguments, problems = bind_variables(schema, given)
        if problems:
            raise ValueError(_told(f"{self.root / VARIABLES_FILE} is refused", problems))
        return arguments

    def write_outputs(self, outputs: Mapping[str, Any], *, complete: bool) -> None:
        """Write the outputs, all or nothing. Raises ValueError where they are not of the schema."""
        files = self.read_files()
        given_up = {name for name in files.fields.given_up if name not in outputs}
        schema = {name: kind for name, kind in files.outputs.items() if name_of(name) not in given_up}
        if problems := output_problems(schema, outputs, complete=complete):
            raise ValueError(_told("the outputs are refused", problems))
        write_atomically(self.root / OUTPUTS_FILE, outputs)

    def remove_outputs(self) -> None:
        """Remove what an earlier run has found: it is of another record."""
        (self.root / OUTPUTS_FILE).unlink(missing_ok=True)

    def hosts(self) -> tuple[str, ...]:
        """Return the hosts of the addresses among the variables, in the code and of the start page: whoever wrote them
        there wants them opened."""
        texts = [value for value in self.read_variables().values() if isinstance(value, str)] + [self.start_page()]
        for file in self._code():
            texts += _texts_in(file.read_text("utf-8"))
        found = (host_of(text) for text in texts if text.startswith(("http://", "https://")))
        return tuple(dict.fromkeys(host for host in found if host))

    def secrets(self) -> tuple[str, ...]:
        """Return the names of the secrets that stand in the code of the workspace."""
        found: dict[str, None] = {}
        for file in self._code():
            found |= dict.fromkeys(_secret_names(file.read_text("utf-8")))
        return tuple(found)

    def _code(self) -> list[Path]:
        return sorted((self.root / WORKSPACE).glob("*.py"))


def _texts_in(source: str) -> Iterator[str]:
    """Yield the texts in the code; of one with variables in it each part."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _secret_names(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type_secret":
            values = [*node.args[:1], *(one.value for one in node.keywords if one.arg == "secret")]
            yield from (one.value for one in values if isinstance(one, ast.Constant) and isinstance(one.value, str))


def _told(what: str, problems: tuple[Problem, ...]) -> str:
    return f"{what}: " + "; ".join(f"{one.where}: {one.message}" for one in problems)
