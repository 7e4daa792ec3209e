"""A system with a library of its own, whose samples are worked out by rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.settings import Settings


@pytest.fixture
def with_library(tmp_path: Path) -> Settings:
    return Settings(
        evidence_dir=tmp_path / "evidence",
        state_dir=tmp_path / "state",
        workflows_dir=tmp_path / "workflows",
        tools_dir=tmp_path / "tools",
        nats_url=None,
        planner="rules",
    )
