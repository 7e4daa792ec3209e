"""``python truth.py FOLDER``: what the database says, as JSON. Runs in Datasette's environment."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path

ASKED = 40
MISSING = ("C-9001", "C-100")
"""Contracts that the register does not have; every number of it begins with the second."""
QUERY = """
select contract, title, suppliers.name as supplier_name, supplier, owner, state, amount, starts_on, ends_on
from contracts join suppliers on suppliers.id = contracts.supplier order by contract
"""


def main(folder: Path) -> None:
    with sqlite3.connect(folder / "register.db") as db:
        db.row_factory = sqlite3.Row
        rows = [dict(row) for row in db.execute(QUERY)]
    db.close()
    asked = rows[::2][:ASKED]
    # The page of a record shows the key of the supplier, the list shows the name.
    shown = ("contract", "title", "supplier", "owner", "state", "amount", "starts_on", "ends_on")
    truth = {
        "records": {
            row["contract"]: {"path": _path(row["contract"]), "values": {k: row[k] for k in shown}} for row in asked
        },
        "missing": {contract: _path(contract) for contract in MISSING},
        "list_path": "/register/contracts",
        "listed": {
            row["contract"]: {"contract": row["contract"], "title": row["title"], "state": row["state"]} for row in rows
        },
    }
    print(json.dumps(truth))


def _path(contract: str) -> str:
    return f"/register/contracts/{contract}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
