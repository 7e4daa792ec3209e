"""What is told of a run besides its value: its failures, and what it printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from shared.contracts.workflows.invocations import FailureCode, WorkflowFailure

MAX_TEXT_CHARS = 40_000
"""Of each text of a failure, whoever says it."""
MAX_LEVELS = 1000
MAX_FAILURES = 100
"""Of calls, that are kept: those of the last ones."""
_TOLD: Mapping[str, FailureCode] = {"memory": "memory", "bad_value": "bad_value"}
"""Codes that the side of the code may give, besides ``raised``."""


class RunFailures:
    """Failures of one run, made of what is known here, or of what the code's side tells.

    ``name``: of the workflow; empty for a piece of code."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._calls = 0
        self._of_calls: dict[int, tuple[WorkflowFailure | None, str]] = {}

    def add_call(self, failure: WorkflowFailure | None, flow_code: str = "") -> int:
        """Keep the failure of the workflow that a call invoked, or the code of a flow's call that failed. Return the
        call's number, from 1."""
        self._calls += 1
        if failure is not None or flow_code:
            self._of_calls[self._calls] = failure, flow_code
            self._of_calls.pop(next(iter(self._of_calls)) if len(self._of_calls) > MAX_FAILURES else 0, None)
        return self._calls

    def failure(
        self, code: FailureCode, type_: str, message: str, traceback: str = "", inner: tuple[str, ...] = ()
    ) -> WorkflowFailure:
        chain = (self._name, *inner) if self._name else inner
        return WorkflowFailure(code=code, type=type_, message=message, traceback=traceback, chain=chain[:MAX_LEVELS])

    def timeout(self, time_s: float) -> WorkflowFailure:
        return self.failure("timeout", "TimeoutError", f"it did not end within {time_s:.3g} s")

    def told(self, message: Mapping[str, Any]) -> WorkflowFailure:
        """Return what `failure_of` says, of which nothing is trusted.

        Where a call of the host raised the exception, the chain of its failure follows, and that workflows invoked
        each other too deeply stays the reason.
        """
        told = message.get("code")
        code: FailureCode = _TOLD.get(told, "raised") if isinstance(told, str) else "raised"
        type_, text, traceback = (
            str(message.get(key, ""))[:MAX_TEXT_CHARS] for key in ("type", "message", "traceback")
        )
        inner, flow_code = self._of_call(message.get("call"))
        if inner is not None:
            code = "too_deep" if inner.code == "too_deep" else code
        failure = self.failure(code, type_, text, traceback, inner.chain if inner is not None else ())
        return msgspec.structs.replace(failure, flow_code=flow_code)

    def _of_call(self, number: Any) -> tuple[WorkflowFailure | None, str]:
        return self._of_calls.get(number, (None, "")) if isinstance(number, int) else (None, "")


# --- standard output


class OutputText:
    """Standard output of an invocation, as it is kept: ``most`` characters, and a last line if there were more."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: list[str] = []
        self._chars = 0

    def add(self, text: str) -> bool:
        """Return whether as much was sent as a child may: one character beyond the limit shows that there was more."""
        self._chars += max(1, len(text))  # a child sends no empty text: a flood of it ends like another
        self._parts.append(text)
        return self._chars <= self._most + 1

    def text(self) -> str:
        whole = "".join(self._parts)
        if self._chars <= self._most:
            return whole
        return f"{whole[: self._most]}\n[output beyond {self._most:,} characters was dropped]\n"
