"""Which process may take over a lock, and the message for the others."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from services.evidence.run_lock.lock_owner import (
    EXPIRES_S,
    LockOwner,
    may_take_over,
    parse_owner,
    refusal,
    refusal_in_bucket,
)
from shared.evidence_format.files.json_files import encode_file
from shared.s3.location import parse_stat

SINCE = datetime(2026, 3, 1, 11, 15, 2, tzinfo=timezone(timedelta(hours=1)))
HOLDER = LockOwner(host="audit-vm", pid=4711, since=SINCE, keeper="k1", renewal="r1")
SECOND = "Sun, 01 Mar 2026 10:15:02 GMT"


def test_a_holder_is_read_as_it_was_written():
    assert parse_owner(encode_file(HOLDER)) == HOLDER
    assert HOLDER.since == datetime(2026, 3, 1, 10, 15, 2, tzinfo=UTC)


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff", b"[]", b'{"host": 1}', b"null"])
def test_what_is_none_is_no_holder(data: bytes):
    assert parse_owner(data) is None


@pytest.mark.parametrize(
    ("holder", "age_s", "host", "keeper", "free"),
    [
        (HOLDER, 1.0, "audit-vm", "k1", True),  # its lock on this machine is ours: it is dead
        (HOLDER, 1.0, "audit-vm", "k2", False),
        (HOLDER, 1.0, "other-vm", "k1", False),  # the folder was copied to another machine
        (HOLDER, EXPIRES_S, "other-vm", "k2", False),
        (HOLDER, EXPIRES_S + 1, "other-vm", "k2", True),
        (HOLDER, None, "other-vm", "k2", False),  # nobody can tell how old it is
        (None, 1.0, "audit-vm", "k1", False),
        (None, EXPIRES_S + 1, "audit-vm", "k1", True),
    ],
)
def test_a_lock_is_taken_over_of_the_dead_and_of_those_not_heard_of(
    holder: LockOwner | None, age_s: float | None, host: str, keeper: str, free: bool
):
    assert may_take_over(holder, age_s, host=host, keeper=keeper) is free


def test_who_may_not_write_is_told_who_does_since_when_and_what_to_do():
    assert refusal("/kept/run_1", HOLDER) == (
        "another process writes /kept/run_1: process 4711 on audit-vm, since 2026-03-01 10:15:02 UTC;"
        " end it, or wait: the run goes on here when it has ended"
    )
    assert refusal_in_bucket("s3://b/run_1", "s3://b/.held/run_1", HOLDER, 12.0).endswith(
        "when it has ended, or has not renewed its lock for 60 s (last 12 s ago)"
    )
    assert refusal_in_bucket("s3://b/run_1", "s3://b/.held/run_1", None, None) == (
        "another process writes s3://b/run_1; end it, or wait:"
        " the run goes on here when it has ended; if it is dead, remove s3://b/.held/run_1"
    )


@pytest.mark.parametrize(
    ("written", "now", "age_s"),
    [
        (SECOND, "Sun, 01 Mar 2026 10:16:12 GMT", 70.0),
        (SECOND, SECOND, 0.0),
        (SECOND, "Sun, 01 Mar 2026 10:15:01 GMT", 0.0),  # two machines of one server
        (SECOND, "", None),
        ("yesterday", SECOND, None),
    ],
)
def test_how_old_an_object_is_the_server_alone_says(written: str, now: str, age_s: float | None):
    assert parse_stat({"Last-Modified": written, "Date": now, "ETag": '"e"'}, None).age_s == age_s


def test_an_object_of_which_nothing_is_told_has_no_age():
    assert parse_stat({}, None).age_s is None
