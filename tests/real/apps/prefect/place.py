"""Where Prefect keeps its data and settings: all of it in the folder of the data."""

from __future__ import annotations

import os
from pathlib import Path


def set_up(folder: Path) -> None:
    """Set what Prefect reads when it is imported. Its pages are those of its first, Vue, interface."""
    os.environ.update(
        PREFECT_HOME=str(folder),
        PREFECT_PROFILES_PATH=str(folder / "profiles.toml"),
        PREFECT_SERVER_ANALYTICS_ENABLED="false",
        PREFECT_SERVER_UI_V2_ENABLED="false",
        PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT="false",
        PREFECT_LOGGING_TO_API_ENABLED="false",
        PREFECT_LOGGING_LEVEL="WARNING",
        PREFECT_SERVER_LOGGING_LEVEL="WARNING",
    )
