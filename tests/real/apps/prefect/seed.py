"""``python seed.py FOLDER``: write 110 runs of flows into Prefect's database, with Prefect's own models."""

from __future__ import annotations

import asyncio
import datetime
import random
import sys
from pathlib import Path

from place import set_up

SEED = 43
RUNS = 110
FLOWS = ("monthly-close", "import-rates", "Rückstellungen", "请款", "tags")
NAMES = (
    "close-{number}",
    "rerun-of-close-{other}",
    "Łukasz-Nowak-{number}",
    "created-{number}",
    "run-count-{number}-of-the-long-series-that-was-started-when-the-rates-of-the-month-before-were-found-to-be-wrong",
)
STATES = ("COMPLETED", "FAILED", "CANCELLED", "CRASHED")
TAGS = ("audit", "Zoë Lindqvist", "flow", "2026-01-31", "-120.00")
PEOPLE = ("José Álvarez", "Priya Raman", "Tags", "Zoë Lindqvist")
MESSAGES = ("All states completed.", "Amount -1,250.00 does not agree", "Stopped by hand", "OK", "超时", None)
QUOTING = ("Created 2024-01-01; Run Count: 9", "Crashed", "Flow: import-rates")
SELDOM = 0.06
"""Share of the runs with a message that says what the page says of runs."""


def main(folder: Path) -> None:
    set_up(folder)
    asyncio.run(_seed())


async def _seed() -> None:
    from prefect.server import models, schemas
    from prefect.server.database import provide_database_interface

    rng = random.Random(SEED)
    db = provide_database_interface()
    await db.create_db()
    async with db.session_context(begin_transaction=True) as session:
        flows = [await models.flows.create_flow(session, schemas.core.Flow(name=name)) for name in FLOWS]
        for number in range(1, RUNS + 1):
            run = _run(rng, number, [flow.id for flow in flows])
            made = await models.flow_runs.create_flow_run(session, run)
            for state in _states(rng):
                await models.flow_runs.set_flow_run_state(session, made.id, state, force=True)


def _run(rng: random.Random, number: int, flows: list) -> object:
    from prefect.server import schemas

    other = (number + 6) % RUNS + 1
    return schemas.core.FlowRun(
        flow_id=rng.choice(flows),
        name=rng.choice(NAMES).format(number=number, other=other),
        tags=rng.sample(TAGS, rng.choice((0, 1, 2))),
        flow_version=rng.choice(("1.0", "2.11", None)),
        idempotency_key=rng.choice((f"key-{number}", f"see-close-{other}")),
        parameters={"amount": rng.choice((-120.0, 0, 99.9)), "owner": "Amara O'Neill"},
        created_by=schemas.core.CreatedBy(type="AUTOMATION", display_value=rng.choice(PEOPLE)),
    )


def _states(rng: random.Random) -> list:
    from prefect.server import schemas

    day = datetime.date(rng.randint(2023, 2026), rng.randint(1, 12), rng.randint(1, 28))
    time = datetime.time(rng.randint(0, 23), rng.randint(0, 59), rng.randint(0, 59), tzinfo=datetime.UTC)
    begun = datetime.datetime.combine(day, time)
    ended = begun + datetime.timedelta(seconds=rng.randint(1, 9000))
    kind, message = rng.choice(STATES), rng.choice(QUOTING if rng.random() < SELDOM else MESSAGES)
    return [
        schemas.states.State(type="RUNNING", name="Running", timestamp=begun),
        schemas.states.State(type=kind, name=kind.title(), timestamp=ended, message=message),
    ]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
