"""``python truth.py FOLDER``: what the database has, as JSON."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path

ASKED = 25
MISSING = (500, 6400)
"""The dashboard shows the first trial in place of one that does not exist."""
STATES = {"COMPLETE": "Complete", "PRUNED": "Pruned", "FAIL": "Fail"}
QUOTED = ("Complete", "Owner:", "Started At")
TRIALS = """
select trial_id, number, state, datetime_start, datetime_complete from trials order by number
"""
VALUES = "select value from trial_values where trial_id = ?"
PARAMETERS = "select param_name, param_value, distribution_json from trial_params where trial_id = ?"
ATTRIBUTES = "select key, value_json from trial_user_attributes where trial_id = ?"


def main(folder: Path) -> None:
    with sqlite3.connect(folder / "study.db") as db:
        rows = [(row[1], _values(db, *row), _noted(db, row[0])) for row in db.execute(TRIALS)]
    db.close()
    asked = rows[::2][:ASKED]
    truth = {
        "records": {values["trial"]: {"path": _path(number), "values": values} for number, values, _ in asked},
        "quoting": [values["trial"] for _, values, noted in asked if any(words in noted for words in QUOTED)],
        "missing": {f"Trial {number}": _path(number) for number in MISSING},
        "list_path": "/dashboard/studies/1/trials",
        "listed": {values["trial"]: {name: values[name] for name in ("trial", "state")} for _, values, _ in rows},
    }
    print(json.dumps(truth))


def _path(number: int) -> str:
    return f"/dashboard/studies/1/trials?numbers={number}"


def _values(db: sqlite3.Connection, key: int, number: int, state: str, begun: str, ended: str) -> dict[str, object]:
    value = db.execute(VALUES, (key,)).fetchone()
    parameters = {name: _parameter(*row) for name, *row in db.execute(PARAMETERS, (key,))}
    attributes = {name: json.loads(text) for name, text in db.execute(ATTRIBUTES, (key,))}
    return {
        "trial": f"Trial {number}",
        "state": STATES[state],
        "value": value and value[0],
        "kernel": parameters["kernel"],
        "penalty": parameters["penalty"],
        "started_at": _moment(begun),
        "completed_at": _moment(ended),
        "owner": attributes["owner"] or None,
        "budget": attributes["budget"],
        "reviewed_on": attributes["reviewed_on"],
    }


def _noted(db: sqlite3.Connection, key: int) -> str:
    """What people have noted, which may say what the page says of trials."""
    return "\n".join(text for name, text in db.execute(ATTRIBUTES, (key,)) if name in ("title", "note"))


def _parameter(value: float, distribution: str) -> object:
    known = json.loads(distribution)
    return known["attributes"]["choices"][int(value)] if known["name"] == "CategoricalDistribution" else value


def _moment(text: str) -> str:
    """The page shows it with its offset, which is that of the server."""
    return text.split(".")[0].replace(" ", "T") + "+00:00"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
