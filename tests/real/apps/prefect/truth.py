"""``python truth.py FOLDER``: what Prefect's database has, as JSON."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path

ASKED = 25
MISSING = {"close-900": "00000000-0000-4000-8000-000000000900", "created-9999": "00000000-0000-4000-8000-000000009999"}
QUERY = """
select flow_run.id, flow_run.name as run, flow.name as flow, state_name as state, run_count, start_time,
    json_extract(created_by, '$.display_value') as created_by, idempotency_key, flow_version,
    (select message from flow_run_state where flow_run_state.id = flow_run.state_id) as state_message
from flow_run join flow on flow.id = flow_run.flow_id order by flow_run.start_time desc
"""
QUOTING = ("Created 2024-01-01; Run Count: 9", "Crashed", "Flow: import-rates")
SINCE, UNTIL = "2022-12-31T00:00:00.000Z", "2027-01-01T00:00:00.000Z"


def main(folder: Path) -> None:
    with sqlite3.connect(folder / "prefect.db") as db:
        db.row_factory = sqlite3.Row
        rows = [dict(row) for row in db.execute(QUERY)]
    db.close()
    asked = rows[::2][:ASKED]
    truth = {
        "records": {row["run"]: {"path": _path(row["id"]), "values": _values(row)} for row in asked},
        "quoting": [row["run"] for row in asked if row["state_message"] in QUOTING],
        "missing": {name: _path(key) for name, key in MISSING.items()},
        "list_path": f"/runs?type=range&startDate={SINCE}&endDate={UNTIL}",
        "listed": {row["run"]: {"run": row["run"], "state": row["state"]} for row in rows},
    }
    print(json.dumps(truth))


def _path(key: str) -> str:
    return f"/runs/flow-run/{key}?tab=Details"


def _values(row: dict) -> dict[str, object]:
    asked = ("run", "flow", "state", "run_count", "created_by", "idempotency_key", "flow_version", "state_message")
    return {**{name: row[name] for name in asked}, "start_time": row["start_time"].split(".")[0].replace(" ", "T")}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
