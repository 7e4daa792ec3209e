"""What pytest did, case by case, from the file that ``--junitxml`` writes."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Outcome = Literal["passed", "failed", "skipped"]
OPTIONS = ("-o", "junit_family=xunit1")
"""Beside ``--junitxml``: so that each case has its file."""


@dataclass(frozen=True)
class Case:
    """A test that was run: its file below tests/ and its name. A module that cannot be collected has a name only."""

    file: str
    name: str
    outcome: Outcome

    @property
    def test_id(self) -> str:
        return f"tests/{self.file}::{self.name}" if self.file else self.name


def read_cases(path: Path) -> list[Case]:
    """Return the cases in the order in which they ended; none where pytest wrote no file."""
    if not path.exists():
        return []
    return [
        Case((one.get("file") or "").removeprefix("tests/"), one.get("name") or "", _outcome(one))
        for one in ElementTree.parse(path).iter("testcase")
    ]


def _outcome(case: ElementTree.Element) -> Outcome:
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "passed" if case.find("skipped") is None else "skipped"
