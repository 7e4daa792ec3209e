"""What a flow that runs on its own leaves beside its outputs: how the last run ended, and what was clicked for good."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, cast
from uuid import uuid4

LAST_RUN = "data/last_run.json"
CLICKED_FILE = "data/clicked_once.json"
State = Literal["running", "finished", "stopped"]


class RunRecord:
    """``root``: the folder of the flow. ``variables``: of this run; they tell one record from another."""

    def __init__(self, root: Path, variables: Mapping[str, Any]) -> None:
        self._root = root
        text = json.dumps(dict(variables), ensure_ascii=False, sort_keys=True, default=str)
        self.variables_sha256 = hashlib.sha256(text.encode()).hexdigest()

    def write_state(self, state: State, error: BaseException | None = None, remarks: Sequence[str] = ()) -> None:
        """Write how the run goes, all or nothing. ``remarks``: what its outputs leave open, for people."""
        told: dict[str, Any] = {"state": state, "at": _now(), "variables_sha256": self.variables_sha256}
        if remarks:
            told["remarks"] = list(remarks)
        if error is not None:
            told |= {"code": getattr(error, "code", ""), "message": str(error)}
        write_atomically(self._root / LAST_RUN, told)

    def claim_click(self, selector: str) -> str:
        """Write down a click that cannot be undone before it is made.

        Return when it was made before for the same variables; empty: it was not. Raises ValueError where the file is
        not what it should be."""
        path = self._root / CLICKED_FILE
        clicked = _read(path)
        key = f"{selector} {self.variables_sha256}"
        if key in clicked:
            return clicked[key]
        write_atomically(path, {**clicked, key: _now()})
        return ""


def write_atomically(path: Path, value: Mapping[str, Any]) -> None:
    """Write JSON to a file that is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{uuid4().hex}.part")
    try:
        with part.open("x", encoding="utf-8") as file:
            file.write(json.dumps(dict(value), ensure_ascii=False, indent=1, allow_nan=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _read(path: Path) -> dict[str, str]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    texts = list(cast("dict[str, Any]", found).values()) if isinstance(found, dict) else [None]
    if not all(isinstance(at, str) for at in texts):
        raise ValueError(f"{path} is no JSON object of times: it says what was clicked for good, and must not be lost")
    return cast("dict[str, str]", found)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
