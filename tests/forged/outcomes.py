"""What became of the samples of a run on the forged site, and the table of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["right", "left", "wrong"]
"""``right``: it is done, and each cell is what the site knows. ``left``: it is not done. ``wrong``: it is done, and a
cell is another."""


@dataclass(frozen=True)
class Outcome:
    """``lie``, ``dialog``: what the sample has met; empty: none. ``why``: what the table says of a sample that is left,
    or what is wrong. ``drivers``: who has worked on it."""

    task: str
    mode: str
    sample_id: str
    lie: str
    dialog: str
    verdict: Verdict
    why: str = ""
    drivers: str = ""


def outcome_of(
    task: str, mode: str, lie: str, dialog: str, row: Mapping[str, str], truth: Mapping[str, str] | None
) -> Outcome:
    """Return what became of a sample. ``truth``: its cells; None: nothing of it may be done."""
    drivers, said = row.get("drivers", ""), row.get("message", "")
    end = " ".join(filter(None, (row["status"], row.get("reason", ""))))
    wrong = ["it is done, and the site has it not, or not so, or twice"] if truth is None else []
    differing = {key: value for key, value in (truth or {}).items() if row.get(key, value) != value}
    wrong += [f"{key}: {row[key]!r}, not {value!r}" for key, value in differing.items()]
    verdict: Verdict = "left" if row["status"] != "done" else "wrong" if wrong else "right"
    why = f"{end}: {said}" if verdict == "left" and said else "; ".join(wrong) if verdict == "wrong" else ""
    return Outcome(task, mode, row["sample_id"], lie, dialog, verdict, why, drivers)


def assert_nothing_wrong(outcomes: list[Outcome]) -> None:
    """Assert that nothing is done wrong, that what is left says why, and that honest samples are done."""
    print(f"\n{told(outcomes)}\n\n{table_of(outcomes)}")
    assert [one for one in outcomes if one.verdict == "wrong"] == []
    assert [one for one in outcomes if one.verdict == "left" and not one.why] == []
    honest = [one for one in outcomes if not one.lie and not one.dialog]
    assert honest
    assert [one for one in honest if one.verdict != "right"] == []


def table_of(outcomes: Iterable[Outcome]) -> str:
    """Return a Markdown table: one line a task, mode and lie."""
    counts: dict[tuple[str, str, str], Counter[Verdict]] = {}
    for one in outcomes:
        met = " + ".join(filter(None, (one.lie, one.dialog))) or "(honest)"
        counts.setdefault((one.task, one.mode, met), Counter())[one.verdict] += 1
    columns = ("task", "mode", "lie", "samples", "done, right", "left to a person", "done, wrong")
    lines = [
        f"| {' | '.join(key)} | {count.total()} | {count['right']} | {count['left']} | {count['wrong']} |"
        for key, count in sorted(counts.items())
    ]
    return "\n".join([f"| {' | '.join(columns)} |", "|---|---|---|--:|--:|--:|--:|", *lines])


def told(outcomes: Iterable[Outcome]) -> str:
    """Return why samples were left, or what is wrong, a line a sample."""
    listed = [one for one in outcomes if one.why or one.lie or one.dialog]
    return "\n".join(
        f"{one.task} {one.mode} {one.sample_id} {one.lie or '-'} {one.dialog or '-'} {one.verdict} ({one.drivers}):"
        f" {one.why[:330]}"
        for one in listed
    )
