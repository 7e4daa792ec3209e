"""The errors of the system, and whether a call that raised one may be retried.

    ExhibitError                 something went wrong; ``code`` names it on the wire
      TransientError             the same call may work later; ``retry_after_s`` may say when
        Unavailable              a peer, a browser, a disk or a site cannot serve us now
        RateLimited              we were told to slow down
        DeadlineExceeded         it took longer than was allowed
      PermanentError             the same call will fail again
        InvalidMessage           the bytes do not decode to the type that travels here
        PolicyDenied             a host, a file or a scheme that is not allowed
        Unsupported              not implemented
        NotSigned                not from a service that may send it, as far as is known
        RunRejectedError         a request with problems, all of which are told

The class says whether to retry; callers never decide that. :mod:`shared.contracts.error_codes` lists the codes of
transient and of permanent errors with their meaning; a class takes codes of its own list. Any other exception is a bug:
it is logged with its traceback, retried up to the bound and then dead-lettered. On the wire a failure is a
:class:`Failure`, never a traceback.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from shared.contracts.base import Failure
from shared.contracts.discovery import Problem
from shared.contracts.error_codes import ErrorCode, PermanentCode, SignatureCode, TransientCode


class ExhibitError(Exception):
    """Base class; ``code`` is a stable identifier for programs, the message is for people."""

    code: ErrorCode = "internal"

    def __init__(self, message: str, *, code: ErrorCode | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class TransientError(ExhibitError):
    """The same call may work later; after ``retry_after_s`` seconds where the other side named a time."""

    code = "transient"

    def __init__(self, message: str, *, code: TransientCode | None = None, retry_after_s: float | None = None) -> None:
        super().__init__(message, code=code)
        self.retry_after_s = retry_after_s


class Unavailable(TransientError):
    code = "unavailable"


class RateLimited(TransientError):
    code = "rate_limited"


class DeadlineExceeded(TransientError):
    code = "deadline_exceeded"


class PermanentError(ExhibitError):
    code = "permanent"

    def __init__(self, message: str, *, code: PermanentCode | None = None) -> None:
        super().__init__(message, code=code)


class InvalidMessage(PermanentError):
    code = "invalid_message"


class PolicyDenied(PermanentError):
    code = "policy_denied"


class Unsupported(PermanentError):
    code = "unsupported"


class NotSigned(PermanentError):
    """A message that is not believed to be from a service that may send it. ``why``: the same as its code."""

    code = "not_signed"

    def __init__(self, message: str, *, why: SignatureCode) -> None:
        super().__init__(message, code=why)
        self.why: SignatureCode = why


class RunRejectedError(PermanentError):
    """The request was rejected; ``problems`` has all that is wrong with it."""

    code = "run_rejected"

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(f"{problem.where}: {problem.message}" for problem in problems))
        self.problems = tuple(problems)


def as_unavailable(error: TransientError, message: str) -> Unavailable:
    """Return an error with the same code and the same time of a retry, and another message."""
    return Unavailable(message, code=cast("TransientCode", error.code), retry_after_s=error.retry_after_s)


def to_failure(error: Exception) -> Failure:
    """Return ``error`` as it is sent: code, message, and whether to retry."""
    if isinstance(error, TransientError):
        return Failure(code=error.code, message=str(error), retry=True, retry_after_s=error.retry_after_s)
    if isinstance(error, ExhibitError):
        return Failure(code=error.code, message=str(error), retry=False)
    return Failure(code="internal", message=f"internal error ({type(error).__name__})", retry=True)


def from_failure(failure: Failure) -> ExhibitError:
    """Return the error that a caller raises for a failure that it received."""
    if failure.retry:
        code = cast("TransientCode", failure.code)
        return TransientError(failure.message, code=code, retry_after_s=failure.retry_after_s)
    return PermanentError(failure.message, code=cast("PermanentCode", failure.code))
