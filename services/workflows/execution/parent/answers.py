"""What goes to workflow code, checked before it sees it: arguments, and answers of the host to its calls."""

from __future__ import annotations

import logging

from services.workflows.execution.child.values import BadValueError, to_json, to_plain
from services.workflows.ports import Host, HostCall, HostCallError, Job, Limits
from shared.contracts.workflows.invocations import JsonValue, WorkflowFailure

log = logging.getLogger(__name__)

ENVELOPE_BYTES = 2_000
"""Of a message, besides the value in it."""


def artifact_bytes(limits: Limits) -> int:
    """Return how large a call about artifacts, or its answer, may be: a file of the largest size, in base64."""
    return max(limits.value_bytes, limits.file_bytes * 4 // 3 + ENVELOPE_BYTES)


async def ask_host(host: Host, call: HostCall) -> JsonValue:
    """Return the host's answer. Raises HostCallError, also for a fault of the host, which is logged."""
    try:
        return await host.call(call)
    except HostCallError:
        raise
    except Exception as exc:
        log.exception("%s.%s, called by a workflow, failed", call.namespace, call.method)
        text = f"{call.namespace}.{call.method}() failed in the service, whose log says why"
        raise HostCallError("RuntimeError", text) from exc


def checked_answer(call: HostCall, value: JsonValue, most_bytes: int) -> JsonValue:
    """Return a plain value. Raises HostCallError where the answer is none, or too large."""
    what = f"{call.namespace}.{call.method}()"
    try:
        plain = to_plain(value)
    except BadValueError as exc:
        raise HostCallError("TypeError", f"{what} answered {exc}") from exc
    size = len(to_json(plain))
    if size > most_bytes:
        raise HostCallError("ValueError", f"{what} answered {size:,} bytes of JSON, and the limit is {most_bytes:,}")
    return plain


def checked_arguments(job: Job) -> dict[str, JsonValue] | WorkflowFailure:
    """Return the arguments of an invocation, plain; or why it cannot be made."""
    try:
        job.source.encode()
    except UnicodeEncodeError:
        text = f"the source of {job.name} has half a surrogate pair"
        return WorkflowFailure(code="raised", type="SyntaxError", message=text, chain=(job.name,))
    try:
        plain = to_plain(job.arguments)
    except BadValueError as exc:
        text = f"{job.name}() got {exc}; pass JSON values"
        return WorkflowFailure(code="bad_value", type="TypeError", message=text, chain=(job.name,))
    if plain and (size := len(to_json(plain))) > job.limits.value_bytes:
        text = f"{job.name}() got {size:,} bytes of JSON, and the limit is {job.limits.value_bytes:,}"
        return WorkflowFailure(code="bad_value", type="ValueError", message=text, chain=(job.name,))
    return plain


def note_of(failure: WorkflowFailure | None) -> str:
    """Return what the exception that a failed invocation raises is told of it, besides class and message."""
    if failure is None or not failure.traceback:
        return ""
    return f"In {' > '.join(failure.chain) or 'a workflow'}:\n{failure.traceback.rstrip()}"
