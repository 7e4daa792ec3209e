"""Whether a sample may have failed for a cause that it shares with others: the site, the login or the model. Pure."""

from __future__ import annotations

from typing import cast
from urllib.parse import urlsplit

from services.planner.state.attempt_state import SampleView
from shared.contracts.error_codes import EndCode, TransientCode
from shared.contracts.outages import Outage
from shared.contracts.planner import SampleFinished
from shared.errors import ExhibitError, PermanentError
from shared.task.row_values import start_url
from shared.task.spec import TaskSpec

MAX_MESSAGE = 500
TOO_MANY_REQUESTS, SERVER_ERROR = 429, 500
MODEL_CODES = frozenset(
    {
        "model_key_refused",
        "model_unpaid",
        "model_forbidden",
        "model_unknown",
        "model_timeout",
        "model_unreachable",
        "model_unreadable",
        "model_rate_limited",
        "model_overloaded",
        "model_unavailable",
    }
)
"""Not ``model_rejected``: that may lie in the prompt of one sample."""


def outage_of_end(finished: SampleFinished, view: SampleView) -> Outage | None:
    """Return what the sample has failed for, if others may fail for it too."""
    if finished.reason == "login_required":
        return outage_of_login(finished, view.spec)
    if finished.reason == "http_error" and not _is_of_server(view):
        return None
    if finished.reason not in ("http_error", "unreachable", "blocked"):
        return None
    host = urlsplit(start_url(view.spec, view.sample)).netloc
    return Outage(kind="site", where=host, code=finished.reason, message=finished.message[:MAX_MESSAGE])


def outage_of_login(finished: SampleFinished, spec: TaskSpec) -> Outage | None:
    """Return the login that was not accepted. Without a login state there is nothing that could be recorded again."""
    if spec.auth_profile is None:
        return None
    message = finished.message[:MAX_MESSAGE]
    return Outage(kind="login", where=spec.auth_profile, code="login_required", message=message)


def outage_of_error(error: ExhibitError, planner: str, *, is_last: bool) -> Outage | None:
    """Return the model that could not be asked. ``is_last``: the sample is not tried again by itself."""
    if error.code not in MODEL_CODES or not (is_last or isinstance(error, PermanentError)):
        return None
    code = cast("EndCode | TransientCode", error.code)
    return Outage(kind="model", where=planner, code=code, message=str(error)[:MAX_MESSAGE])


def _is_of_server(view: SampleView) -> bool:
    last = view.state.last
    status = view.page.http_status if view.page is not None else None
    if status is None and last is not None and last.result is not None:
        status = last.result.change.http_status
    return status is not None and (status >= SERVER_ERROR or status == TOO_MANY_REQUESTS)
