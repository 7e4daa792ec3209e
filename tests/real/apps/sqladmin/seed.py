"""``python seed.py FOLDER``: write the register of assets that the admin shows."""

from __future__ import annotations

import datetime
import random
import sys
from decimal import Decimal
from pathlib import Path

from models import Asset, Base, Change, Person, engine_of
from sqlalchemy.orm import Session

SEED = 23
ASSETS = 88
PEOPLE = ("Zoë Lindqvist", "Łukasz Nowak", "李娜", "Amara O'Neill", "José Álvarez", "Søren Kjær")
CONDITIONS = ("in use", "in store", "in repair", "retired")
THINGS = ("Laptop", "Monitor 27″", "Label printer", "Scanner <A4>", "Docking station", "Phone & charger")
REMARKS = (
    "",
    "Condition: in repair since Monday, holder to be told",
    "Price on the invoice was 1,250.00; see A-0007",
    "Holder: 李娜 until the end of the year",
)


def main(folder: Path) -> None:
    rng = random.Random(SEED)
    engine = engine_of(folder)
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        people = [Person(name=name) for name in PEOPLE]
        session.add_all(people)
        for number in range(1, ASSETS + 1):
            session.add(_asset(rng, number, people))
            session.flush()
        session.commit()
    engine.dispose()


def _asset(rng: random.Random, number: int, people: list[Person]) -> Asset:
    condition = rng.choice(CONDITIONS)
    bought = datetime.date(rng.randint(2018, 2025), rng.randint(1, 12), rng.randint(1, 28))
    return Asset(
        tag=f"A-{number:04d}",
        name=f"{rng.choice(THINGS)} {rng.randint(1, 9)}",
        condition=condition,
        price=Decimal(rng.randint(1_000, 250_000)) / 100,
        bought_on=bought,
        retired_on=bought + datetime.timedelta(days=rng.randint(30, 1500)) if condition == "retired" else None,
        leased=rng.random() < 0.3,
        remarks=rng.choice(REMARKS),
        holder=None if rng.random() < 0.3 else rng.choice(people),
        changes=[_change(rng) for _ in range(rng.choice((0, 1, 2, 3)))],
    )


def _change(rng: random.Random) -> Change:
    if rng.random() < 0.5:
        return Change(field="Holder", before=rng.choice(PEOPLE), after=rng.choice(PEOPLE))
    return Change(field="Condition", before=rng.choice(CONDITIONS), after=rng.choice(CONDITIONS))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
