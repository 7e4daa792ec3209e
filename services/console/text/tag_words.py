"""Tags as they are typed and shown, and the list of runs as lines. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shared.contracts.discovery import Problem
from shared.evidence_format.files.tags import folded, is_tag

LISTED = (
    "select run_id, task_id, state, requested_by, created_at, samples, done, partial_success, needs_review, "
    "auth_required, failed, not_ended, cost_usd, tags from runs"
)


@dataclass(frozen=True)
class TagWords:
    """``problems``: words that are neither ``+TAG`` nor ``-TAG``."""

    add: tuple[str, ...]
    remove: tuple[str, ...]
    problems: tuple[Problem, ...]


def parse_tag_words(words: Iterable[str]) -> TagWords:
    """Return what words such as ``+q3`` and ``-draft`` ask for. Which tags there can be is not decided here."""
    by_sign: dict[str, list[str]] = {"+": [], "-": [], "": []}
    for word in words:
        sign = word[:1] if word[:1] in ("+", "-") else ""
        by_sign[sign].append(word.removeprefix(sign))
    problems = tuple(
        Problem(where="TAG", message=f"{word!r}: +{word} sets the tag, -{word} removes it") for word in by_sign[""]
    )
    return TagWords(tuple(by_sign["+"]), tuple(by_sign["-"]), problems)


def listing_query(tags: Sequence[str]) -> str | tuple[Problem, ...]:
    """Return the query of the runs that have all of these tags, the newest first; or all that are no tags."""
    problems = tuple(Problem(where="--tag", message=f"{tag[:60]!r} can be no tag") for tag in tags if not is_tag(tag))
    if problems:
        return problems
    having = " and ".join(f"list_contains(tags, '{folded(tag)}')" for tag in tags)
    return f"{LISTED}{f' where {having}' if having else ''} order by created_at desc, run_id desc"


def run_lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each run of `LISTED`."""
    width = max((len(str(row["run_id"])) for row in rows), default=0)
    for row in rows:
        state = "ended" if row["state"] == "finished" else "at work"
        done = f"{row['done'] or 0} of {row['samples'] or 0} done"
        tags = f"  [{' '.join(row['tags'] or ())}]" if row["tags"] else ""
        yield f"{row['run_id']:<{width}}  {state:<7}  {done:<20}  {row['task_id'] or ''}{tags}"
