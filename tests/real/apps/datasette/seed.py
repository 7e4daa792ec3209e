"""``python seed.py FOLDER``: write the register of contracts that Datasette publishes."""

from __future__ import annotations

import random
import sqlite3
import sys
from pathlib import Path

SEED = 7
CONTRACTS = 96
SUPPLIERS = (
    "Nordlys Kraft AS",
    "Łódzkie Zakłady Papieru",
    "北京同行科技",
    "O'Brien & Sons",
    "Müller + Söhne GmbH",
    "Acme <Tools>",
    "Acme Paper",
    "Société Générale d'Archives",
)
OWNERS = ("Zoë Lindqvist", "Amara Okafor", "José Álvarez", "Priya Raman", "李娜")
STATES = ("draft", "active", "suspended", "ended")
KINDS = ("Supply of", "Lease of", "Care of")
THINGS = ("paper", "racks", "plants", "lamps")
NOTES = (
    "Ends on 2031-12-31 unless prolonged. Owner: Priya Raman until May.",
    "State: ended? No, see contract C-1007, which replaced it.",
    "amount 1,000.00 was agreed by phone; the letter says otherwise",
    "",
    "Next page of the appendix is missing",
)
TABLES = """
create table suppliers (id integer primary key, name text not null);
create table contracts (
    contract text primary key, title text not null, supplier integer references suppliers(id), owner text, state text,
    amount real, starts_on text, ends_on text, notes text
);
create table changes (
    id integer primary key, contract text references contracts(contract), field text, before text, after text
);
"""


def main(folder: Path) -> None:
    rng = random.Random(SEED)
    with sqlite3.connect(folder / "register.db") as db:
        db.executescript(TABLES)
        db.executemany("insert into suppliers values (?, ?)", enumerate(SUPPLIERS, start=1))
        for number in range(1, CONTRACTS + 1):
            contract = f"C-{1000 + number}"
            row = _contract(rng, contract, number)
            db.execute(f"insert into contracts values ({','.join('?' * len(row))})", row)
            for field in rng.sample(("owner", "state", "ends_on"), rng.choice((0, 1, 2))):
                db.execute(
                    "insert into changes (contract, field, before, after) values (?, ?, ?, ?)",
                    (contract, field, rng.choice((*OWNERS, *STATES)), rng.choice((*OWNERS, *STATES))),
                )
    db.close()


def _contract(rng: random.Random, contract: str, number: int) -> tuple[object, ...]:
    start = f"{rng.randint(2019, 2026)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    end = None if rng.random() < 0.3 else f"{rng.randint(2027, 2032)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    return (
        contract,
        f"{rng.choice(KINDS)} {rng.choice(THINGS)}, lot {number % 7}",
        rng.randint(1, len(SUPPLIERS)),
        None if rng.random() < 0.25 else rng.choice(OWNERS),
        rng.choice(STATES),
        round(rng.uniform(50, 90_000), 2),
        start,
        end,
        rng.choice(NOTES),
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
