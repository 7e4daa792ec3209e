"""The modules ``exhibit.flow`` and ``servers.browser_tools`` of a process that can read no file of this project."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from services.workflows.execution.child.namespaces import CallHost
from shared.flows.code import functions
from shared.flows.code.functions import FlowBinding
from shared.flows.identifiers import to_identifier


class HostedFlow(FlowBinding):
    """Each call goes to the host, and the answer is waited for: there is one connection for all calls."""

    def __init__(self, call: CallHost) -> None:
        super().__init__()
        self._call = call

    def perform(self, call: str, arguments: dict[str, Any], line: int, section: str) -> Any:
        return self._call("flow", call, {"arguments": arguments, "line": line, "section": section})

    def read_text(self, path: str) -> str:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123  pathlib takes long to load
            return file.read()

    async def run(self, run: Callable[..., Any]) -> Any:
        value: Any = run(**{to_identifier(name): value for name, value in functions.load_variables().items()})
        return await value if hasattr(value, "__await__") else value


class TrustedFlow(HostedFlow):
    """The same for code in the process of the service, which has no folder of its own."""

    def __init__(self, call: CallHost, files: Mapping[str, str]) -> None:
        super().__init__(call)
        self._files = files

    def read_text(self, path: str) -> str:
        if path not in self._files:
            raise FileNotFoundError(path)
        return self._files[path]


def install_flow_modules() -> None:
    """Make the modules known to this process, which has none of their files."""
    for package, name in (("exhibit", "flow"), ("servers", "browser_tools")):
        parent, module = ModuleType(package), ModuleType(f"{package}.{name}", functions.__doc__)
        parent.__path__ = []
        for one in functions.__all__:
            setattr(module, one, getattr(functions, one))
        module.__dict__["__all__"] = list(functions.__all__)
        setattr(parent, name, module)
        sys.modules[package], sys.modules[f"{package}.{name}"] = parent, module


def write_files(files: Mapping[str, str]) -> None:
    """Write files below the present folder, which is empty."""
    for path, text in files.items():
        folder = os.path.dirname(path)  # noqa: PTH120
        if folder:
            os.makedirs(folder, exist_ok=True)  # noqa: PTH103
        with open(path, "w", encoding="utf-8", newline="") as file:  # noqa: PTH123
            file.write(text)
