"""When the next document may load: the table of `politeness`, and its invariants."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.browser_pool.safety.politeness import (
    LONGEST_BACK_OFF_S,
    LONGEST_PAUSE_S,
    Pace,
    PaceGrant,
    PaceLimits,
    Pause,
    after_answer,
    give_back,
    limits_now,
    registrable_domain,
    retry_after_s,
    take,
)
from tests.cases import cases
from tests.typed import expect, there

NOON = 1_900_000_000.0


def test_documents_are_an_interval_apart_and_each_takes_the_next_free_moment() -> None:
    pace, went = Pace(), []
    for _ in range(3):
        granted = there(take(pace, PaceLimits(interval_s=2.0), "a", now=NOON, hold_s=60))
        pace = granted.pace
        went.append(granted.go_at - NOON)
    assert went == [0.0, 2.0, 4.0]
    late = there(take(pace, PaceLimits(interval_s=2.0), "a", now=NOON + 50, hold_s=60))
    assert late.go_at == NOON + 50


@cases(("before_s", "after_s"), [(5.0, 0.1), (0.1, 5.0)])
def test_of_two_intervals_the_longer_one_is_kept_between_their_documents(before_s: float, after_s: float) -> None:
    first = there(take(Pace(), PaceLimits(interval_s=before_s), "a", now=NOON, hold_s=60))
    second = there(take(first.pace, PaceLimits(interval_s=after_s), "b", now=NOON, hold_s=60))
    assert second.go_at == NOON + 5.0


def test_no_more_are_on_their_way_than_may_be_and_a_dead_pools_slot_runs_out() -> None:
    limits = PaceLimits(max_in_flight=2)
    pace = Pace()
    for owner in "ab":
        granted = there(take(pace, limits, owner, now=NOON, hold_s=60))
        pace = granted.pace
    assert take(pace, limits, "c", now=NOON + 59, hold_s=60) is None
    assert take(give_back(pace, "a"), limits, "c", now=NOON, hold_s=60) is not None
    assert give_back(give_back(pace, "a"), "a") == give_back(pace, "a")
    assert take(pace, limits, "c", now=NOON + 60, hold_s=60) is not None


def test_a_slot_runs_out_after_its_document_has_gone() -> None:
    limits = PaceLimits(interval_s=10.0, max_in_flight=2)
    first = expect(take(Pace(), limits, "a", now=NOON, hold_s=60), PaceGrant)
    second = expect(take(first.pace, limits, "b", now=NOON, hold_s=60), PaceGrant)
    assert [slot.until - NOON for slot in second.pace.slots] == [60.0, 70.0]


def test_a_site_that_is_too_busy_is_left_alone_for_longer_and_longer() -> None:
    pause, now, waits = Pause(), NOON, []
    for _ in range(9):
        changed = there(after_answer(pause, 503, None, now=now))
        waits.append(changed.until - now)
        pause, now = changed, changed.until
    assert waits == [1, 2, 4, 8, 16, 32, LONGEST_BACK_OFF_S, LONGEST_BACK_OFF_S, LONGEST_BACK_OFF_S]


def test_documents_that_were_on_their_way_together_are_one_strike() -> None:
    first = expect(after_answer(Pause(), 429, None, now=NOON), Pause)
    assert first == Pause(until=NOON + 1, strikes=1)
    assert after_answer(first, 429, None, now=NOON + 0.5) is None
    assert after_answer(first, 429, 7.0, now=NOON + 0.5) == Pause(until=NOON + 7.5, strikes=1)


def test_what_the_site_asks_for_is_kept_to_within_reason() -> None:
    for asked, waited in ((0.0, 0.0), (30.0, 30.0), (1e9, LONGEST_PAUSE_S)):
        assert after_answer(Pause(), 429, asked, now=NOON) == Pause(until=NOON + waited, strikes=1)


def test_after_a_pause_one_goes_first_and_a_good_answer_ends_it() -> None:
    paused = Pause(until=NOON, strikes=3)
    assert limits_now(PaceLimits(interval_s=1.0, max_in_flight=9), paused) == PaceLimits(1.0, 1)
    assert limits_now(PaceLimits(), Pause(until=NOON)) == PaceLimits()
    assert after_answer(paused, 200, None, now=NOON - 1) is None, "it was on its way before the pause"
    assert after_answer(paused, 404, None, now=NOON) == Pause(until=NOON)
    assert after_answer(Pause(), 200, None, now=NOON) is None


@cases(
    ("header", "wait_s"),
    [
        ("120", 120.0), (" 0 ", 0.0), ("9" * 5000, LONGEST_PAUSE_S), ("Sun, 17 Mar 2030 17:47:10 GMT", 30.0),
        ("Sun, 17 Mar 2019 17:47:10 GMT", 0.0), ("-5", None), ("soon", None), ("", None), (None, None),
        ("\u0663", None),
    ],
)  # fmt: skip
def test_retry_after_as_sites_write_it(header: str | None, wait_s: float | None) -> None:
    assert retry_after_s(header, now=NOON) == wait_s


@given(st.text(max_size=60))
def test_no_header_breaks_it(header: str) -> None:
    wait_s = retry_after_s(header, now=NOON)
    assert wait_s is None or 0 <= wait_s <= LONGEST_PAUSE_S


asks = st.tuples(st.sampled_from("abcd"), st.floats(0, 5), st.integers(1, 3), st.floats(0, 9), st.booleans())


@given(st.lists(asks, max_size=40))
def test_never_too_close_and_never_too_many(steps: list[tuple[str, float, int, float, bool]]) -> None:
    pace, now, went = Pace(), NOON, []
    for owner, interval_s, most, passed_s, answered in steps:
        now += passed_s
        granted = take(pace, PaceLimits(interval_s, most), owner, now=now, hold_s=20)
        if granted is None:
            assert sum(slot.until > now for slot in pace.slots) >= most
            pace = give_back(pace, owner)
            continue
        assert granted.go_at >= now
        assert not went or granted.go_at - went[-1][0] >= max(went[-1][1], interval_s) - 1e-6
        assert sum(slot.until > now for slot in granted.pace.slots) <= most
        went.append((granted.go_at, interval_s))
        pace = give_back(granted.pace, owner) if answered else granted.pace


@cases(
    ("url", "domain"),
    [
        ("https://acme.tracker.example/x", "tracker.example"), ("http://a.shop.co.uk", "shop.co.uk"),
        ("http://B.Shop.co.uk.:8443/", "shop.co.uk"), ("http://one.github.io", "one.github.io"),
        ("http://co.uk", "co.uk"), ("https://www.m\u00fcnchen.de/", "xn--mnchen-3ya.de"),
        ("http://127.0.0.1:80/", "127.0.0.1"), ("http://10.1.2.3/", "10.1.2.3"), ("http://[::1]:80/", "--1"),
        ("http://localhost:3000", "localhost"), ("http://tracker/", "tracker"), ("about:blank", ""),
        ("http://[bad", ""),
    ],
)  # fmt: skip
def test_what_shares_a_pace(url: str, domain: str) -> None:
    assert registrable_domain(url) == domain


@given(st.text(max_size=40))
def test_whatever_a_host_is_called_its_key_is_one_token_or_more_and_no_wildcard(host: str) -> None:
    assert not set(registrable_domain(f"http://{host}/")) & set("*> \t\r\n/")


def test_a_document_that_waits_for_its_turn_holds_its_slot_from_then_on() -> None:
    waiting = expect(take(Pace(next_at=NOON + 10), PaceLimits(max_in_flight=1), "a", now=NOON, hold_s=60), PaceGrant)
    assert waiting.go_at == NOON + 10
    assert [slot.until for slot in waiting.pace.slots] == [NOON + 70]
