"""Whoever asks too fast is held up, and then refused; nobody else is. Unsigned events become a few dead letters."""

from __future__ import annotations

import pytest

from services.browser_pool.handlers import actor as browser_pool
from services.discovery.handlers import actor as discovery
from services.evidence.handlers import actor as evidence
from services.planner.handlers import actor as planner
from services.workflows.handlers import actor as workflows
from shared.bus.floods import BURST, LETTERS_S, MOST_ASKERS, MOST_LETTERS, MOST_WAIT_S, RATE, AskPace, LetterLimit
from shared.client.bus_use import CLIENT_USE

ANN, BOB = "_INBOX.key.ann.1", "_INBOX.key.bob.1"
OWN_BUS = "_INBOX.ann.1"
"""On a bus without users the inbox has no key of a user."""
TAKEN = BURST + RATE * MOST_WAIT_S
"""Asks of one asker, all at once, that are not refused."""


def admitted(pace: AskPace, reply: str, asks: int, now_s: float = 0.0, cost: float = 1.0) -> list[float]:
    """Return the delays of the asks that were not refused."""
    delays = [pace.delay_s(reply, cost, now_s) for _ in range(asks)]
    return [one for one in delays if one is not None]


def test_a_burst_is_free_then_it_is_held_up_then_refused():
    delays = admitted(AskPace(), ANN, 10_000)
    assert len(delays) == pytest.approx(TAKEN, abs=1)
    assert max(delays[: int(BURST)]) == pytest.approx(0.0)
    assert delays == sorted(delays)
    assert max(delays) <= MOST_WAIT_S


@pytest.mark.parametrize("reply", [ANN, OWN_BUS])
def test_each_ask_of_a_connection_has_its_pace(reply: str):
    pace = AskPace()
    replies = [reply.replace(".1", f".{number}") for number in range(10_000)]
    taken = [one for one in replies if pace.delay_s(one, 1.0, 0.0) is not None]
    assert len(taken) == pytest.approx(TAKEN, abs=1)


def test_one_asker_holds_up_no_other_and_has_its_pace_again_later():
    pace = AskPace()
    admitted(pace, ANN, 10_000)
    assert admitted(pace, BOB, 1) == [0.0]
    assert admitted(pace, ANN, 1) == []
    assert admitted(pace, ANN, int(RATE), now_s=1.0) != []


def test_a_refused_ask_costs_nothing_and_a_dear_one_more():
    pace = AskPace()
    admitted(pace, ANN, 100_000)
    assert admitted(pace, ANN, 1, now_s=TAKEN / RATE) == [0.0]
    assert len(admitted(AskPace(), ANN, 10_000, cost=10.0)) == pytest.approx(TAKEN / 10, abs=1)


def test_new_names_gain_nothing():
    pace = AskPace()
    assert admitted(pace, ANN, 1) == [0.0]
    many = [admitted(pace, f"_INBOX.key.n{number}.1", 1) for number in range(10_000)]
    assert sum(map(len, many)) <= MOST_ASKERS + TAKEN
    assert admitted(pace, ANN, 1) == [0.0]
    later_s = 10_000.0
    assert admitted(pace, BOB, 1, now_s=later_s) == [0.0]


def test_every_ask_of_a_client_is_paced():
    routes = {**discovery.asks, **planner.asks, **browser_pool.asks, **evidence.asks, **workflows.asks}
    assert [one.pattern for one in CLIENT_USE.asks if not routes[one.pattern].paced] == []


def test_a_few_unsigned_events_become_dead_letters_and_the_others_are_counted():
    limit = LetterLimit()
    assert sum(limit.take(5.0) for _ in range(1_000)) == MOST_LETTERS
    assert limit.tell() == 1_000 - MOST_LETTERS
    assert limit.tell() == 0
    assert limit.take(5.0 + LETTERS_S)
