"""What became of samples that a flow did on a changed site, read from a run's folder, and the table of all of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from practice.comparing import rows_of

Verdict = Literal["right", "closed", "false"]
"""``right``: the flow has done the sample, every field is right. ``closed``: it has stopped, or what it returned was
refused. ``false``: the sample has ended as if all were right, with a wrong field."""
Expected = Mapping[str, str]


@dataclass(frozen=True)
class Outcome:
    """``healed``: the number of its steps with a heal. ``why``: what the flow stopped at, or what is wrong."""

    family: str
    switch: str
    sample_id: str
    verdict: Verdict
    healed: int = 0
    why: str = ""


def outcomes_of(
    family: str, switch: str, folder: Path, truth: Mapping[str, Expected], ended: Sequence[str]
) -> list[Outcome]:
    """Return what became of each sample. ``truth``: its expected fields. ``ended``: statuses with reason that a sample
    may end with when all is right, such as ``done``."""
    table = {row["sample_id"]: row for row in rows_of(folder / "combined.csv")}
    found: list[Outcome] = []
    for path in sorted(folder.glob("*/action_log.json")):
        sample_id = json.loads((path.parent / "sample.json").read_text())["sample_id"]
        log = json.loads(path.read_text())
        verdict, why = _verdict(log, table.get(sample_id, {}), truth[sample_id], ended)
        healed = sum(bool(entry.get("heals")) for entry in log)
        found.append(Outcome(family, switch, sample_id, verdict, healed, why))
    return found


def _verdict(log: list[dict[str, Any]], row: Expected, truth: Expected, ended: Sequence[str]) -> tuple[Verdict, str]:
    end = " ".join(filter(None, (row.get("status", "(no row)"), row.get("reason", ""))))
    wrong = [f"{name}: {row.get(name)!r}, not {wanted!r}" for name, wanted in truth.items() if row.get(name) != wanted]
    if end in ended and wrong:
        return "false", "; ".join(wrong)
    by_flow = log[-1].get("decided_by") == "flow"
    if by_flow and end in ended:
        return "right", ""
    notes = [note["text"] for entry in log for note in entry.get("notes", ()) if "the flow" in note["text"]]
    refused = [entry.get("message", "") for entry in log if entry["action"] == "done" and entry["decided_by"] == "flow"]
    return "closed", "; ".join([*notes, *refused, row.get("message", "")])


def table_of(outcomes: Iterable[Outcome]) -> str:
    """Return a Markdown table: one line a family and switch."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for one in outcomes:
        count = counts.setdefault((one.family, one.switch), Counter())
        count[one.verdict] += 1
        count["healed"] += one.verdict == "right" and one.healed > 0
    head = "| family | switch | samples | right | healed | failed closed | false heal |\n|---|---|--:|--:|--:|--:|--:|"
    lines = [_line(family, switch, count) for (family, switch), count in counts.items()]
    return "\n".join([head, *lines])


def _line(family: str, switch: str, count: Counter[str]) -> str:
    numbers = (count.total() - count["healed"], *(count[key] for key in ("right", "healed", "closed", "false")))
    return f"| {family} | {switch} | {' | '.join(map(str, numbers))} |"
