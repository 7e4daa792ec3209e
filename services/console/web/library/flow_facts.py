"""What the pages about flows and workflows show, made of what the library and the evidence answer. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from shared.contracts.workflows.library import HistoryEntry, WorkflowVersion
from shared.extraction.rules import describe_rule
from shared.flows.files import FlowFiles, has_flow_files
from shared.flows.healing.versions import hash_before
from shared.workflow_source.wording import signature_of

MOST_USES = 50
RUNG_WORDS: Mapping[str, str] = {
    "popup": "what lay over the page was closed",
    "agreeing": "other ways agree on it",
    "narrowed": "of several, the one at its place",
    "moved": "its place leads elsewhere, its label does not",
    "task": "the labels of the task tell it",
    "effect": "what it shows came in another way",
    "planner": "a model chose it, and it did what was expected",
}
"""How something was found in another way, for people, by the rung of a heal."""


@dataclass(frozen=True)
class LibraryLine:
    """A workflow in the list. ``score``: how well it fits what was asked, 0 to 1; None where nothing was."""

    version: WorkflowVersion
    signature: str
    is_flow: bool
    set_aside: str = ""
    score: float | None = None


def library_line(version: WorkflowVersion, set_aside: str = "", score: float | None = None) -> LibraryLine:
    flow = has_flow_files(version.files) if version.is_flow is None else version.is_flow
    return LibraryLine(version, signature_of(version), flow, set_aside, score)


@dataclass(frozen=True)
class FieldLine:
    """A field that a flow reads. ``rules``: each in words; ``more``: what else is done where none leads to it."""

    name: str
    type: str
    rules: tuple[str, ...]
    more: tuple[str, ...]


def field_lines(files: FlowFiles) -> list[FieldLine]:
    """Return the fields that a flow reads, with their rules."""
    found: list[FieldLine] = []
    for name, rules in files.fields.fields.items():
        output = files.outputs[name].type if name in files.outputs else ""
        kind = files.fields.types[name].type if name in files.fields.types else output
        more = (
            f"in the row of the variable {files.fields.rows[name]}" if name in files.fields.rows else "",
            "none, where the page leaves it out with its label" if rules.left_out is not None else "",
            "none, where nothing of it is on the page and all else is as recorded"
            if name in files.fields.optional
            else "",
            "given up: where it is not certain the flow goes on without it" if name in files.fields.given_up else "",
        )
        told = tuple(describe_rule(rule) for rule in rules.rules)
        found.append(FieldLine(name, kind, told, tuple(filter(None, more))))
    return found


@dataclass(frozen=True)
class VersionLine:
    """A change in the history. ``before``: the hash of the version that it took the place of; empty: it is the first,
    or no version."""

    entry: HistoryEntry
    before: str
    is_current: bool


def version_lines(entries: Sequence[HistoryEntry], current: str) -> list[VersionLine]:
    """Return the history, newest first. ``current``: the hash of the current version; empty: there is none."""
    lines: list[VersionLine] = []
    for at, entry in enumerate(entries):
        before = hash_before(entries[: at + 1], entry.version.hash) if entry.kind == "created" else ""
        lines.append(VersionLine(entry, before, is_current=False))
    last = next((at for at in reversed(range(len(lines))) if lines[at].entry.version.hash == current), -1)
    return [
        VersionLine(one.entry, one.before, is_current=at == last and one.entry.kind == "created")
        for at, one in reversed(list(enumerate(lines)))
    ]


# --- what became of its runs


_USES = (
    "with begun as (select run_id, count(*) as samples, count(*) filter (list_contains(drivers, 'flow')) as begun, "
    "count(*) filter (drivers = ['flow']) as alone, count(*) filter (status = 'done') as done "
    "from samples where task_id = $task group by run_id), "
    "healed as (select run_id, count(distinct sample_id) as healed, "
    "list(distinct coalesce(name, locator)) as subjects "
    "from heals where task_id = $task and recorded_run_id is null group by run_id) "
    "select b.*, r.created_at, coalesce(h.healed, 0) as healed, h.subjects from begun b join runs r using (run_id) "
    "left join healed h using (run_id) where b.begun > 0 order by r.created_at desc, run_id desc"
)


def uses_query(name: str) -> str:
    """Return the query for the runs of the task of this name in which a flow began, newest first."""
    quoted = name.replace("'", "''")
    return _USES.replace("$task", f"'{quoted}'")


@dataclass(frozen=True)
class RunOnFlow:
    """A run in which the flow began. ``begun``: samples in which it did; ``alone``: those that it did to their end;
    ``healed``: those in which something was found in another way than recorded. ``subjects``: what that was."""

    run_id: str
    created_at: datetime
    samples: int
    begun: int
    alone: int
    done: int
    healed: int
    subjects: tuple[str, ...]

    @property
    def share(self) -> float:
        """Of the samples in which the flow began, those with something found in another way, 0 to 100."""
        return min(100.0, 100 * self.healed / self.begun) if self.begun else 0.0


def run_on_flow(row: Mapping[str, Any]) -> RunOnFlow:
    """Return a row of `uses_query` as it is shown."""
    return RunOnFlow(
        run_id=row["run_id"],
        created_at=datetime.fromisoformat(row["created_at"]),
        samples=row["samples"],
        begun=row["begun"],
        alone=row["alone"],
        done=row["done"],
        healed=row["healed"],
        subjects=tuple(sorted(one for one in row["subjects"] or () if one)),
    )
