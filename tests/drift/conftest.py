"""A system with a library of its own, whose samples are worked out by rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.settings import Settings
from shared.testing.settings import library_settings


@pytest.fixture
def with_library(tmp_path: Path) -> Settings:
    return library_settings(tmp_path, planner="rules")
