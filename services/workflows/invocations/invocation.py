"""One invocation from outside with all that it invokes: chain, clock, and what was used. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from services.workflows.ports import Artifacts, Clock, FlowCalls, Outcome, ToolContext
from shared.contracts.workflows.invocations import WorkflowFailure, WorkflowUse

MAX_DEPTH = 16
"""Of workflows that invoke each other: each level holds a process."""
ARROW = " -> "


@dataclass(frozen=True)
class Invocation:
    """``chain``: the names down to the present workflow. ``hash``: of its version. ``flow``: performs the
    calls of a flow; None: nobody does."""

    context: ToolContext
    clock: Clock
    artifacts: Artifacts
    saved_by: str = ""
    chain: tuple[str, ...] = ()
    hash: str = ""
    flow: FlowCalls | None = None
    used: dict[tuple[str, str], WorkflowUse] = field(default_factory=dict[tuple[str, str], WorkflowUse])
    """Shared by all levels, as is `printed`."""
    printed: list[str] = field(default_factory=list[str])
    """Lines that inner workflows printed."""

    def inner(self, name: str) -> Invocation:
        return replace(self, chain=(*self.chain, name))

    def note_use(self, name: str, hash: str) -> None:
        self.used.setdefault((name, hash), WorkflowUse(name=name, hash=hash))

    def note_output(self, name: str, stdout: str) -> None:
        self.printed.extend(f"[{name}] {line}\n" for line in stdout.splitlines())


@dataclass(frozen=True)
class FlowDraft:
    """A workflow that is not in the library: its source, and its files by path."""

    source: str
    files: Mapping[str, str]


@dataclass(frozen=True)
class Invoked:
    """What came of an invocation. ``hash`` is empty when there is no such workflow."""

    name: str
    hash: str
    outcome: Outcome
    used: tuple[WorkflowUse, ...] = ()


def too_deep(chain: Sequence[str], most: int) -> WorkflowFailure:
    """Return the failure of workflows that invoke each other more than ``most`` levels deep.

    Its own chain is the name that was refused: each level above puts its name before it.
    """
    name = chain[-1]
    earlier = [place for place, other in enumerate(chain[:-1]) if other == name]
    cycle = f": a cycle, {ARROW.join(chain[earlier[-1] :])}" if earlier else ""
    message = f"workflows invoke each other more than {most} levels deep{cycle}. The chain: {ARROW.join(chain)}"
    return WorkflowFailure(code="too_deep", type="RecursionError", message=message, chain=(name,))


def unknown(message: str, name: str) -> WorkflowFailure:
    return WorkflowFailure(code="unknown_workflow", type="LookupError", message=message, chain=(name,))


def with_printed(outcome: Outcome, printed: Sequence[str], most_chars: int) -> Outcome:
    """Return the outcome with the lines of inner workflows after its own output; of all, ``most_chars``."""
    if not printed:
        return outcome
    own = outcome.stdout if not outcome.stdout or outcome.stdout.endswith("\n") else outcome.stdout + "\n"
    text = own + "".join(printed)
    if len(text) > most_chars:
        text = f"{text[:most_chars]}\n[{len(text) - most_chars} more characters were printed]\n"
    return replace(outcome, stdout=text)
