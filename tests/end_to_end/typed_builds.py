"""What a build session is given in a terminal: the spec of the practice tickets, a table of rows, and typed lines."""

from __future__ import annotations

from pathlib import Path

from tests.end_to_end.conftest import ROOT

SPEC = ROOT / "task_specs/practice_tickets.json"


def rows(folder: Path, url: str, numbers: list[str]) -> str:
    path = folder / "rows.csv"
    path.write_text("\n".join(["ticket_number,url", *(f"{one},{url}/tickets/{one}" for one in numbers)]) + "\n")
    return str(path)


def typed(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)
