"""What is more than a session may have, and which processes have to end."""

from __future__ import annotations

from services.browser_pool.safety.limits import SessionUse, UseLimits, excess, processes_to_end
from tests.cases import cases

LIMITS = UseLimits(tabs=4, frames=60, workers=8, page_memory_mb=400.0)
PLENTY = {"free_mb": 8000.0, "least_free_mb": 250.0}


@cases(
    ("most", "too_much"),
    [
        (SessionUse(tabs=11, refused_tabs=11), SessionUse(tabs=12)),
        (SessionUse(refused_tabs=11), SessionUse(refused_tabs=12)),
        (SessionUse(frames=60), SessionUse(frames=61)),
        (SessionUse(apart=20), SessionUse(apart=21)),
        (SessionUse(workers=8), SessionUse(workers=9)),
        (SessionUse(dialogs=39), SessionUse(dialogs=40)),
    ],
)
def test_a_session_may_have_the_most_and_no_more(most: SessionUse, too_much: SessionUse):
    assert excess(most, LIMITS) == ""
    assert excess(too_much, LIMITS)


def test_a_process_above_the_limit_ends():
    ending = processes_to_end({1: 400.0, 2: 401.0, 3: 900.0}, LIMITS, **PLENTY)
    assert set(ending) == {2, 3}
    assert "900 MB" in ending[3]
    assert "400 MB is the most" in ending[3]


@cases(
    ("sizes_mb", "free_mb", "ending"),
    [
        ({1: 250.0, 2: 300.0}, 249.0, {2}), ({1: 250.0, 2: 300.0}, 250.0, set()), ({1: 199.0, 2: 150.0}, 10.0, set()),
        ({}, 10.0, set()), ({1: 250.0, 2: 500.0}, 10.0, {2}),
    ],
)  # fmt: skip
def test_where_the_machine_has_no_memory_left_the_largest_ends(
    sizes_mb: dict[int, float], free_mb: float, ending: set[int]
):
    assert set(processes_to_end(sizes_mb, LIMITS, free_mb=free_mb, least_free_mb=250.0)) == ending
