"""Report the result of a benchmark: a table, a summary line, and a JSON file."""

from __future__ import annotations

import json
import math
import platform
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

PIPED_WIDTH = 130
RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Row:
    """One figure beside its peer. ``aim`` is a text; ``met`` is None if there is no aim."""

    what: str
    unit: str
    figure: float
    peer: float | None = None
    aim: str = ""
    met: bool | None = None

    @property
    def ratio(self) -> float | None:
        if not self.peer or math.isinf(self.peer) or math.isinf(self.figure):
            return None
        return self.figure / self.peer


def at_least(ratio: float, what: str, unit: str, figure: float, peer: float) -> Row:
    """Return a row whose aim is a share of the peer's figure; more is better."""
    return Row(what, unit, figure, peer, f"{ratio:g}x the peer or more", figure >= ratio * peer)


def under(limit: float, what: str, unit: str, figure: float, peer: float | None = None) -> Row:
    """Return a row whose aim is an absolute limit; less is better."""
    return Row(what, unit, figure, peer, f"under {limit:g}", figure < limit)


def at_most(limit: float, what: str, unit: str, figure: float, peer: float | None = None) -> Row:
    return Row(what, unit, figure, peer, f"{limit:g} at most", figure <= limit)


def least(limit: float, what: str, unit: str, figure: float, peer: float | None = None) -> Row:
    """Return a row whose aim is an absolute limit; more is better."""
    return Row(what, unit, figure, peer, f"{limit:g} or more", figure >= limit)


def beside(what: str, unit: str, figure: float, peer: float) -> Row:
    """Return a row whose aim is to be below the peer; infinite means that a side has no result."""
    return Row(what, unit, figure, peer, "below the peer", figure < peer)


def report(name: str, title: str, rows: list[Row], setup: dict[str, object]) -> None:
    """Print the table and write ``results/NAME.json``."""
    print_rows(title, rows)
    write_result(name, rows, setup)


def print_rows(title: str, rows: list[Row]) -> None:
    """Print the table, and how many aims are met."""
    table = Table(title=title, title_justify="left")
    for column in ("", "figure", "peer", "ratio", "aim", "met"):
        table.add_column(column, justify="left" if column in ("", "aim") else "right")
    for row in rows:
        table.add_row(
            f"{row.what} ({row.unit})",
            _number(row.figure),
            _number(row.peer),
            _number(row.ratio),
            row.aim,
            {True: "yes", False: "no", None: ""}[row.met],
        )
    aims = [row.met for row in rows if row.met is not None]
    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
    console.print(table)
    console.print(f"aims met: {sum(aims)} of {len(aims)}")


def write_result(name: str, rows: list[Row], setup: dict[str, object]) -> None:
    """Write ``results/NAME.json``."""
    RESULTS.mkdir(exist_ok=True)
    data = {
        "benchmark": name,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "setup": setup,
        "rows": [_finite({**asdict(row), "ratio": row.ratio}) for row in rows],
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def _finite(row: dict[str, object]) -> dict[str, object]:
    """Replace infinity, which JSON does not have."""
    return {key: None if value == math.inf else value for key, value in row.items()}


def _number(value: float | None) -> str:
    if value is None:
        return ""
    if math.isinf(value):
        return "none"
    return f"{value:.0f}" if value >= 100 else f"{value:.2f}"
