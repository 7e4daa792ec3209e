"""``python seed.py FOLDER``: write the register of assets that the admin shows."""

from __future__ import annotations

import datetime
import random
import sys
from decimal import Decimal
from pathlib import Path

from project import set_up

SEED = 29
ASSETS = 60
PEOPLE = ("Zoë Lindqvist", "Łukasz Nowak", "李娜", "Amara O'Neill", "José Álvarez", "Søren Kjær")
CONDITIONS = ("in use", "in store", "in repair", "retired")
THINGS = ("Laptop", "Monitor 27″", "Label printer", "Scanner <A4>", "Docking station", "Phone & charger")
REMARKS = ("", "Bought with a desk", "The key is in the safe")
QUOTING = (
    "Condition: in repair since Monday, holder to be told",
    "Price on the invoice was 1,250.00; see A-0007",
    "Holder: 李娜 until the end of the year",
)
"""Remarks that a reader may take for values."""
OFTEN = 7
"""For each remark that quotes."""


def main(folder: Path) -> None:
    set_up(folder)
    from django.core.management import call_command
    from django.db import connection
    from models import Asset, Change, Person

    rng = random.Random(SEED)
    call_command("migrate", verbosity=0)
    with connection.schema_editor() as schema:
        for model in (Person, Asset, Change):
            schema.create_model(model)
    people = [Person.objects.create(name=name) for name in PEOPLE]
    for number in range(1, ASSETS + 1):
        condition = rng.choice(CONDITIONS)
        bought = datetime.date(rng.randint(2018, 2025), rng.randint(1, 12), rng.randint(1, 28))
        days = datetime.timedelta(days=rng.randint(30, 1500))
        asset = Asset.objects.create(
            tag=f"A-{number:04d}",
            name=f"{rng.choice(THINGS)} {rng.randint(1, 9)}",
            condition=condition,
            price=Decimal(rng.randint(1_000, 250_000)) / 100,
            bought_on=bought,
            retired_on=bought + days if condition == "retired" else None,
            leased=rng.random() < 0.3,
            remarks=rng.choice((*REMARKS * OFTEN, *QUOTING)),
            holder=None if rng.random() < 0.3 else rng.choice(people),
        )
        for _ in range(rng.choice((0, 1, 2, 3))):
            field, known = rng.choice((("Holder", PEOPLE), ("Condition", CONDITIONS)))
            Change.objects.create(asset=asset, field=field, before=rng.choice(known), after=rng.choice(known))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
