"""Settings for tests and benchmarks."""

from __future__ import annotations

from typing import Any

from shared.settings import Settings


def isolated_settings(**values: Any) -> Settings:
    """Return the settings with these values, without reading a `.env` file.

    Environment variables still count, as for every other process.
    """
    arguments: dict[str, Any] = {"_env_file": None, **values}
    return Settings(**arguments)
