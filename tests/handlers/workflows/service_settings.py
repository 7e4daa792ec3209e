"""Settings of the services in a folder of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shared.settings import Settings


def settings_of(folder: Path, **changes: Any) -> Settings:
    given = {"workflows_dir": folder / "workflows", "tools_dir": folder / "tools", "evidence_dir": folder / "evidence"}
    return Settings(**{**given, "state_dir": folder / "state", **changes})
