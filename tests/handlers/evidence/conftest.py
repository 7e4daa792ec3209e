"""Desks of the evidence handlers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.handlers.evidence.evidence_desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "evidence", products=())


@pytest.fixture
def tabled(tmp_path: Path) -> Desk:
    """A desk whose runs have tables."""
    return Desk(tmp_path / "evidence")
