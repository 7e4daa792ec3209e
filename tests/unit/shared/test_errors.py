from __future__ import annotations

from shared.errors import (
    PermanentError,
    PolicyDenied,
    RateLimited,
    TransientError,
    as_unavailable,
    from_failure,
    to_failure,
)
from tests.cases import cases
from tests.typed import expect


@cases(
    ("error", "kind"),
    [(PolicyDenied("not that host"), PermanentError), (RateLimited("wait", retry_after_s=3), TransientError)],
)
def test_an_error_crosses_the_wire_with_its_verdict(error, kind):
    arrived = expect(from_failure(to_failure(error)), kind)
    assert (arrived.code, str(arrived)) == (error.code, str(error))
    assert getattr(arrived, "retry_after_s", None) == getattr(error, "retry_after_s", None)


def test_a_bug_says_nothing_of_its_inside():
    failure = to_failure(KeyError("password=hunter2"))
    assert failure.retry
    assert "hunter2" not in failure.message


@cases("retry_after_s", [None, 7.0])
def test_a_reworded_error_keeps_its_code_and_the_time_of_a_retry(retry_after_s: float | None):
    error = as_unavailable(
        TransientError("full", code="disk_full", retry_after_s=retry_after_s), "the table was not made"
    )
    assert (str(error), error.code, error.retry_after_s) == ("the table was not made", "disk_full", retry_after_s)
