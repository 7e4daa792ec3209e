"""``python seed.py FOLDER``: write a study of 64 trials, with what people have noted on them."""

from __future__ import annotations

import datetime
import random
import sys
from pathlib import Path

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState

SEED = 37
TRIALS = 64
OWNERS = ("Zoë Lindqvist", "Łukasz Nowak", "李娜", "Amara O'Neill", "State")
"""The last has the name of a label."""
TITLES = ("Baseline", "Trial {other} again", "Value", "Kernel <rbf> & poly", "再実行")
NOTES = (
    "Nothing to tell.",
    "As before, see Trial {other}.",
    "The log says. " + "It is a long log that nobody reads to its end. " * 20,
)
QUOTING_TITLE = "Complete"
QUOTING = ("Owner: Priya Raman until May; see Trial {other}.", "Started At 2024-01-01, value -1.5, says the log.")
SELDOM = 0.06
"""Share of the trials with a title, and with a note, that says what the page says of trials."""
KERNELS = ("rbf", "poly", "linear", "sigmoid")
STATES = (TrialState.COMPLETE, TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)
DISTRIBUTIONS = {
    "kernel": CategoricalDistribution(KERNELS),
    "layers": IntDistribution(1, 9),
    "penalty": FloatDistribution(-10, 10),
}


def main(folder: Path) -> None:
    rng = random.Random(SEED)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(storage=f"sqlite:///{folder / 'study.db'}", study_name="Audited study")
    for number in range(TRIALS):
        study.add_trial(_trial(rng, number))


def _trial(rng: random.Random, number: int) -> FrozenTrial:
    state = rng.choice(STATES)
    day = datetime.date(rng.randint(2023, 2026), rng.randint(1, 12), rng.randint(1, 28))
    start = datetime.datetime.combine(day, datetime.time(rng.randint(0, 23), rng.randint(0, 59), rng.randint(0, 59)))
    other = (number + 6) % TRIALS
    attributes = {
        "title": QUOTING_TITLE if rng.random() < SELDOM else rng.choice(TITLES).format(other=other),
        "note": rng.choice(QUOTING if rng.random() < SELDOM else NOTES).format(other=other),
        "budget": rng.choice((-120.5, 0, 12.25, 1250, -7, 18000.75)),
        "owner": "" if rng.random() < 0.1 else rng.choice(OWNERS),
        "reviewed_on": (day + datetime.timedelta(days=rng.randint(1, 90))).isoformat(),
    }
    return FrozenTrial(
        number=number,
        state=state,
        value=round(rng.uniform(-3, 3), rng.choice((1, 2, 4, 6))) if state == TrialState.COMPLETE else None,
        datetime_start=start,
        datetime_complete=start + datetime.timedelta(minutes=rng.randint(1, 3000)),
        params={"kernel": rng.choice(KERNELS), "layers": rng.randint(1, 9), "penalty": round(rng.uniform(-9, 9), 2)},
        distributions=DISTRIBUTIONS,
        user_attrs=attributes,
        system_attrs={},
        intermediate_values={},
        trial_id=number,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
