"""Paths as flows that were written elsewhere have them: whole, from the folder of the agent that wrote the flow."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO, Any, cast

AGENT_HOME = "/home/chrome_user/agent/"
"""The folder with ``workspace`` and ``data``, as it is written in such flows."""


def open_in_agent_home(root: Path) -> None:
    """Let ``open`` in the code of this program find the agent's folder in ``root``; no other module is changed."""

    def open_file(file: Any, *arguments: Any, **options: Any) -> IO[Any]:
        if str(file).startswith(AGENT_HOME) and not Path(AGENT_HOME).exists():
            file = root / str(file).removeprefix(AGENT_HOME)
        return cast("IO[Any]", open(file, *arguments, **options))  # noqa: PTH123  it takes a file's number too

    program = sys.modules.get("__main__")
    if program is not None:
        vars(program)["open"] = open_file
