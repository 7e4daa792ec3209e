"""The expected answers to the queries of docs/sql.md, computed in Python from a run's JSON files without SQL."""

from __future__ import annotations

import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Rows = list[tuple[Any, ...]]
RULED = ("rules", "operator")


class Files:
    """A run's folder, read sample by sample."""

    def __init__(self, run: Path) -> None:
        self.run = json.loads((run / "run.json").read_text())
        self.sealed = (run / "seal.json").exists()
        self.folders = sorted(path.parent for path in run.glob("*/sample.json"))
        self.results = {f.name: json.loads((f / "result.json").read_text()) for f in self.folders}
        self.logs = {f.name: list(_logs(f, self.results[f.name]["attempt"])) for f in self.folders}

    def fields(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        for sample_id, result in self.results.items():
            for field, said in result["fields"].items():
                yield sample_id, field, said

    def steps(self) -> Iterator[tuple[str, int, dict[str, Any]]]:
        for sample_id, logs in self.logs.items():
            for attempt, entries in logs:
                for entry in entries:
                    yield sample_id, attempt, entry


def _logs(folder: Path, last: int) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    for attempt in range(1, last + 1):
        path = (folder if attempt == last else folder / f"attempt_{attempt}") / "action_log.json"
        if path.exists():
            yield attempt, json.loads(path.read_text())


def unassigned(files: Files) -> Rows:
    said_so = ((s, one) for s, field, one in files.fields() if (field, one["state"]) == ("assignee", "not_present"))
    return sorted((s, one["shown"], (one["source"] or {}).get("url")) for s, one in said_so)


def merged_with_failures(files: Files) -> Rows:
    rows: Rows = []
    for sample_id, field, said in files.fields():
        if field == "merged_with_failures" and said["value"] is True:
            named = {a["sha256"]: a["filename"] for a in files.results[sample_id]["artifacts"]}
            shot = (said["source"] or {}).get("screenshot_sha256")
            rows.append((sample_id, True, said["read_by"] or None, named.get(shot)))
    return sorted(rows)


def doubtful(files: Files) -> set[tuple[str, str]]:
    """Return the doubtful values, unordered."""
    found: set[tuple[str, str]] = set()
    sure = {
        (s, e["observation"]["sha256"]): e["observation"]["dom_confidence"]
        for s, _, e in files.steps()
        if e["observation"]
    }
    for sample_id, field, said in files.fields():
        if said["state"] != "value":
            continue
        seen = (said["source"] or {}).get("observation_sha256")
        low = sure.get((sample_id, seen), 1.0) < 0.6
        if said["origin"] != "page" or (said["read_by"] and said["read_by"] not in RULED) or low:
            found.add((sample_id, field))
    return found


def not_done(files: Files) -> Rows:
    told = ("reason", "fault", "message")
    ends = [(s, r["status"], *(r[name] or None for name in told)) for s, r in files.results.items()]
    return sorted((row for row in ends if row[1] != "done"), key=lambda row: (row[1], row[2] or "", row[0]))


def population(files: Files) -> Rows:
    ends = Counter(result["status"] for result in files.results.values())
    review = ends["partial_success"] + ends["needs_review"]
    counted = (len(files.folders), ends["done"], review, ends["failed"], ends["auth_required"], 0)
    return [(files.run["record"]["run_id"], *counted, True, files.run["population_complete"], files.sealed)]


def mismatches(files: Files) -> Rows:
    rows: Rows = []
    for sample_id, attempt, entry in files.steps():
        seen = entry["observation"] or {}
        if seen.get("proof") == "mismatch":
            rows.append((sample_id, attempt, entry["step"], seen["url"], seen["title"], entry["refused"]))
    return sorted(rows)


def not_200(files: Files) -> Rows:
    rows: Rows = []
    for sample_id, attempt, entry in files.steps():
        change = (entry["outcome"] or {}).get("change") or {}
        if change.get("http_status") not in (None, 200):
            rows.append((change["http_status"], sample_id, attempt, entry["step"], change["url_after"]))
    return sorted(rows)


def cost(files: Files) -> dict[str, float]:
    """Return the cost by model; lessons have no model name."""
    spent: dict[str, float] = defaultdict(float)
    for _, _, entry in files.steps():
        seen = (entry["vision"] or {}).get("usage", {}).get("cost_usd", 0.0)
        spent[entry["decided_by"]] += entry["usage"]["cost_usd"] - seen
        if entry["vision"]:
            spent[entry["vision"]["answered_by"]] += seen
    return {model: round(usd, 9) for model, usd in spent.items()}


def time(files: Files) -> dict[str, tuple[int, float]]:
    """Return number and median time by action."""
    took: dict[str, list[float]] = defaultdict(list)
    for _, _, entry in files.steps():
        took[entry["action"]].append(entry["total_ms"])
    return {action: (len(times), round(statistics.median(times), 1)) for action, times in took.items()}


def same_bytes(files: Files) -> dict[str, int]:
    """Return the number of files by hash."""
    hashes = Counter(a["sha256"] for result in files.results.values() for a in result["artifacts"])
    return {sha256: count for sha256, count in hashes.items() if count > 1}


def who(files: Files) -> Rows:
    steps = list(files.steps())
    rows: Rows = []
    for name in {entry["decided_by"] for _, _, entry in steps}:
        own = [(s, e) for s, _, e in steps if e["decided_by"] == name]
        refused = sum(e["refused"] for _, e in own)
        not_ok = sum(e["outcome"] is not None and not e["outcome"]["ok"] for _, e in own)
        rows.append((name, len(own), len({s for s, _ in own}), refused, not_ok))
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def unproven(files: Files) -> set[tuple[str, str]]:
    values = ((s, f, said["source"] or {}) for s, f, said in files.fields() if said["state"] == "value")
    return {(s, f) for s, f, source in values if not source.get("page_sha256")}


def judgments(files: Files) -> Rows:
    rows: Rows = []
    for sample_id, result in files.results.items():
        given = result["judgment"]
        if given and given["confidence"] < 0.9:
            grounds = ", ".join(given["evidence_refs"])
            said = (given["answer"], given["confidence"], given["reasoning"], grounds, given["decided_by"] or None)
            rows.append((sample_id, *said))
    return sorted(rows, key=lambda row: (row[2], row[0]))


def columns(files: Files) -> Rows:
    values: dict[str, dict[str, str | None]] = defaultdict(dict)
    for sample_id, field, said in files.fields():
        values[sample_id][field] = said["value"]
    return [
        (sample_id, files.results[sample_id]["status"], said.get("assignee"), said.get("due_date"))
        for sample_id, said in sorted(values.items())
    ]


def as_worked_out(name: str, files: Files) -> Any:
    return globals()[name](files)


def as_answered(name: str, rows: Rows) -> Any:
    """Convert the rows of a query to the form of the computed answers."""
    if name in ("doubtful", "unproven"):
        return {(row[0], row[1]) for row in rows}
    if name == "cost":
        spent: dict[str, float] = defaultdict(float)
        for model, purpose, *_, usd in rows:
            if purpose != "lessons":
                spent[model] += usd
        return {model: round(usd, 9) for model, usd in spent.items()}
    if name == "time":
        return {row[0]: (row[1], row[2]) for row in rows}
    if name == "same_bytes":
        return {row[0]: row[1] for row in rows}
    return rows
