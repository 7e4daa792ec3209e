"""What became of samples that a flow did on a changed site, read from a run's folder, and the table of all of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from practice.comparing import Same, equal, rows_of
from practice.drift import Drift

Verdict = Literal["right", "closed", "false"]
"""``right``: the flow has done the sample, every field is right. ``closed``: it has stopped, or what it returned was
refused. ``false``: the sample has ended as if all were right, with a wrong field; or, whatever it ended with, the site
was sent or asked something that is not of its row."""


MAX_WHY = 300
MOST_STOPPED = 2


@dataclass(frozen=True)
class Expectation:
    """What is right for a sample. ``fields``: by column; those in ``same`` may be worded in another way. ``ended``:
    statuses with reason that it may end with when all is right, such as ``done``. ``wrongly``: what it did to the site
    that its row does not say."""

    fields: Mapping[str, str]
    ended: tuple[str, ...] = ("done",)
    same: Mapping[str, Same] = field(default_factory=dict[str, Same])
    wrongly: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """``healed``: the number of its steps with a heal. ``why``: what the flow stopped at, or what is wrong."""

    family: str
    drift: Drift
    sample_id: str
    verdict: Verdict
    healed: int = 0
    why: str = ""


def outcomes_of(family: str, drift: Drift, folder: Path, expected: Mapping[str, Expectation]) -> list[Outcome]:
    """Return what became of each sample of a run."""
    table = {row["sample_id"]: row for row in rows_of(folder / "combined.csv")}
    found: list[Outcome] = []
    for path in sorted(folder.glob("*/action_log.json")):
        sample_id = json.loads((path.parent / "sample.json").read_text())["sample_id"]
        log = json.loads(path.read_text())
        verdict, why = _verdict(log, table.get(sample_id, {}), expected[sample_id])
        healed = sum(bool(entry.get("heals")) for entry in log)
        found.append(Outcome(family, drift, sample_id, verdict, healed, why))
    return found


def _verdict(log: list[dict[str, Any]], row: Mapping[str, str], expected: Expectation) -> tuple[Verdict, str]:
    end = " ".join(filter(None, (row.get("status", "(no row)"), row.get("reason", ""))))
    is_over = end in expected.ended
    wrong = [
        f"{name}: {row.get(name)!r}, not {wanted!r}"
        for name, wanted in expected.fields.items()
        if is_over and not expected.same.get(name, equal)(wanted, row.get(name, "(no such column)"))
    ]
    if wrong or expected.wrongly:
        return "false", "; ".join([*wrong, *expected.wrongly])
    if is_over and log[-1].get("decided_by") == "flow":
        return "right", ""
    notes = [note["text"] for entry in log for note in entry.get("notes", ()) if "the flow" in note["text"]]
    refused = [entry.get("message", "") for entry in log if entry["action"] == "done" and entry["decided_by"] == "flow"]
    return "closed", "; ".join(filter(None, (*notes, *refused, row.get("message", ""))))


@dataclass(frozen=True)
class DriftCount:
    """What became of a family's samples on one changed site. ``done``: right without a heal. ``stopped``: why some
    failed closed, a few of the reasons."""

    family: str
    drift: str
    same_page: bool
    samples: int
    done: int
    healed: int
    closed: int
    false: int
    stopped: tuple[str, ...] = ()


def counts_of(outcomes: Iterable[Outcome]) -> list[DriftCount]:
    """Return the counts of each family and drift, in the order in which they come."""
    groups: dict[tuple[str, Drift], list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault((one.family, one.drift), []).append(one)
    return [_counted(family, drift, group) for (family, drift), group in groups.items()]


def _counted(family: str, drift: Drift, group: list[Outcome]) -> DriftCount:
    count = Counter(one.verdict for one in group)
    healed = sum(one.verdict == "right" and one.healed > 0 for one in group)
    stopped = dict.fromkeys(one.why[:MAX_WHY] for one in group if one.verdict == "closed")
    return DriftCount(
        family=family,
        drift=str(drift),
        same_page=drift.is_same_page,
        samples=len(group),
        done=count["right"] - healed,
        healed=healed,
        closed=count["closed"],
        false=count["false"],
        stopped=tuple(stopped)[:MOST_STOPPED],
    )


def table_of(outcomes: Iterable[Outcome]) -> str:
    """Return a Markdown table: one line a family and drift."""
    head = (
        "| family | switch | samples | as recorded | healed | failed closed | false heal |\n"
        "|---|---|--:|--:|--:|--:|--:|"
    )
    lines = [
        f"| {one.family} | {one.drift or '(plain)'} | {one.samples} | {one.done} | {one.healed} | {one.closed} "
        f"| {one.false} |"
        for one in counts_of(outcomes)
    ]
    return "\n".join([head, *lines])
