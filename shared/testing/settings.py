"""Settings for tests and benchmarks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shared.settings import Settings


def isolated_settings(**values: Any) -> Settings:
    """Return the settings with these values, without reading a `.env` file.

    Environment variables still count, as for every other process.
    """
    arguments: dict[str, Any] = {"_env_file": None, **values}
    return Settings(**arguments)


def library_settings(folder: Path, **values: Any) -> Settings:
    """Return isolated settings of a system with a bus of its own that keeps everything in the folder: evidence, state,
    workflows and tools."""
    return isolated_settings(**{**folders_in(folder), "nats_url": None, **values})


def folders_in(folder: Path) -> dict[str, Path]:
    """Return the settings of where a system keeps things, by name."""
    return {f"{name}_dir": folder / name for name in ("evidence", "state", "workflows", "tools")}
