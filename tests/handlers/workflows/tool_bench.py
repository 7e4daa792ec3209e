"""Tools as tests declare and call them."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from services.workflows.ports import HostCallError, ToolContext
from services.workflows.tools.toolbox import Toolbox, open_toolbox
from shared.secrets.store import SecretStore

HERE = ToolContext()
PYTHON = sys.executable


class ToolBench:
    """A folder of declarations; `open` returns its tools."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.secrets: dict[str, str] = {}

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    def script(self, name: str, code: str) -> Path:
        """A program of the test, for `PYTHON`."""
        return self.write(name, code)

    def open(self, **options: Any) -> Toolbox:
        store = SecretStore(None, {f"EXHIBIT_SECRET_{name.upper()}": value for name, value in self.secrets.items()})
        return open_toolbox(self.folder, store=store, **options)


async def call(toolbox: Toolbox, method: str, **arguments: Any) -> Any:
    return await toolbox.call(method, arguments, HERE)


async def refusal(toolbox: Toolbox, method: str, arguments: Mapping[str, Any] | None = None, **more: Any) -> str:
    """The error of a call, as ``Type: message``."""
    with pytest.raises(HostCallError) as caught:
        await toolbox.call(method, {**(arguments or {}), **more}, HERE)
    return f"{caught.value.type}: {caught.value}"


def problems_in(toolbox: Toolbox) -> list[tuple[str, int, str]]:
    """File, line and message of each problem."""
    return [(Path(one.file).name, one.line, one.message) for one in toolbox.problems]
