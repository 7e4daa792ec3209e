from __future__ import annotations

from services.browser_pool.leases import Lease, Leases, expired, is_full, overdue, release, take, touch
from tests.typed import there


def held(*ids: str, capacity: int = 2, ttl_s: float = 10, used_at_s: float = 0) -> Leases:
    return Leases(capacity, {key: Lease(key, ttl_s, used_at_s) for key in ids})


def test_room_is_taken_until_there_is_none() -> None:
    one = there(take(held(), "a", ttl_s=10, now_s=0))
    assert not is_full(one)
    two = there(take(one, "b", ttl_s=10, now_s=0))
    assert is_full(two)
    assert take(two, "c", ttl_s=10, now_s=0) is None


def test_release_makes_room_and_may_be_repeated() -> None:
    once = release(held("a", "b"), "a")
    assert not is_full(once)
    assert release(once, "a") == once


def test_a_lease_runs_out_after_its_last_use() -> None:
    leases = touch(held("a", "b"), "a", now_s=5)
    assert expired(leases, now_s=9.9) == ()
    assert expired(leases, now_s=10) == ("b",)
    assert expired(leases, now_s=15) == ("a", "b")


def test_what_is_at_work_does_not_expire() -> None:
    assert expired(held("a", "b"), now_s=99, busy=frozenset({"a"})) == ("b",)


def test_touching_the_unknown_changes_nothing() -> None:
    assert touch(held("a"), "z", now_s=1) == held("a")


def test_memory_that_is_short_leaves_one_place() -> None:
    short = Leases(3, short_of_memory=True)
    one = there(take(short, "a", ttl_s=10, now_s=0))
    assert take(one, "b", ttl_s=10, now_s=0) is None
    assert not is_full(release(one, "a"))


def test_a_lease_has_a_deadline_however_much_it_is_used_but_not_while_it_is_opened() -> None:
    leases = there(take(Leases(2), "a", ttl_s=10, max_s=30, now_s=100))
    leases = touch(leases, "a", now_s=129)
    assert overdue(leases, now_s=129) == ()
    assert overdue(leases, now_s=130) == ("a",)
    assert overdue(leases, now_s=130, opening=frozenset({"a"})) == ()
