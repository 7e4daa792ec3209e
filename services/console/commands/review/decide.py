"""`exhibit review accept`, `correct`, `reject`, `not-applicable`, `withdraw` and `comment`: decide on what a run has
brought."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from services.console import exits
from services.console.commands.review.person import By, PersonKeyFile, ReviewedRun, What, named_items, reviewing
from services.console.options import AsJson, Evidence, Nats
from services.console.outcomes import CommandOutcome, CommandResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.client.reviews import Reviewer
    from shared.contracts.sessions.reviewing import DecisionFiled, ReviewAct, ReviewItem, ShownWhere

Reason = Annotated[str, typer.Option(help="Why; everybody who reads the decision is told.")]
EveryOpen = Annotated[
    str, typer.Option("--every", help="All that is open for this reason, such as not_found, in place of names.")
]
_DONE = {
    "accept": "accepted",
    "correct": "corrected",
    "reject": "rejected",
    "not_applicable": "not applicable",
    "withdraw": "open again",
    "comment": "commented",
}


def accept(
    run: ReviewedRun,
    what: What = None,
    reason: Reason = "",
    every: EveryOpen = "",
    by: By = None,
    key: PersonKeyFile = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Accept what the run has brought: a sample, a value, a judgment, the population or a difference."""
    return _decide(run, "accept", what, reason, every, by, key, evidence, nats)


def correct(
    run: ReviewedRun,
    what: Annotated[str, typer.Argument(help="SAMPLE.FIELD or SAMPLE:judgment.")],
    value: Annotated[str, typer.Argument(help="The right value, as the site shows it.")],
    reason: Reason,
    where: Annotated[str, typer.Option(help="A file of the sample that shows it, such as 02_ticket.png.")] = "",
    by: By = None,
    key: PersonKeyFile = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Correct a value or a judgment. What the run has read stays; tables show both."""
    return _decide(run, "correct", [what], reason, "", by, key, evidence, nats, value=value, where=where)


def reject(
    run: ReviewedRun,
    reason: Reason,
    what: What = None,
    every: EveryOpen = "",
    by: By = None,
    key: PersonKeyFile = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Reject what the run has brought: it is no evidence of what it should show."""
    return _decide(run, "reject", what, reason, every, by, key, evidence, nats)


def not_applicable(
    run: ReviewedRun,
    reason: Reason,
    what: What = None,
    every: EveryOpen = "",
    by: By = None,
    key: PersonKeyFile = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Say that the question does not arise for it, such as a sample that is not of the period."""
    return _decide(run, "not_applicable", what, reason, every, by, key, evidence, nats)


def withdraw(
    run: ReviewedRun,
    what: What,
    reason: Reason = "",
    by: By = None,
    key: PersonKeyFile = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Take back what you have decided of it. Both stay on record, and it is open again."""
    return _decide(run, "withdraw", what, reason, "", by, key, evidence, nats)


def comment(
    run: ReviewedRun,
    what: What,
    reason: Reason,
    by: By = None,
    key: PersonKeyFile = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Say something of it, without deciding."""
    return _decide(run, "comment", what, reason, "", by, key, evidence, nats)


def _decide(
    run: str,
    act: ReviewAct,
    what: Sequence[str] | None,
    reason: str,
    every: str,
    by: str | None,
    key: Path | None,
    evidence: str | None,
    nats: str | None,
    *,
    value: str = "",
    where: str = "",
) -> CommandResult:
    words = list(what or ())
    if bool(words) == bool(every):
        raise exits.refused("WHAT, --every", "name what is decided, or give --every REASON")

    async def work(reviewer: Reviewer) -> tuple[list[ReviewItem], list[DecisionFiled]]:
        items = await named_items(reviewer, words) if words else await _open_for(reviewer, every)
        place = await _place(reviewer, items[0], where) if where else None
        return items, await reviewer.decide(act, items, reason=reason, value=value, where=place)

    items, receipts = reviewing(run, work, by, key, nats, evidence)
    count = "1 item" if len(items) == 1 else f"{len(items)} items"
    lines = [f"{count} {_DONE[act]}: decision {', '.join(f'{one.number} ({one.sha256[:16]})' for one in receipts)}"]
    return CommandResult(lines, receipts)


async def _open_for(reviewer: Reviewer, why: str) -> list[ReviewItem]:
    items = [item for item in await reviewer.items() if item.why == why and not _is_own(reviewer, item)]
    if not items:
        raise exits.refused("--every", f"nothing is open for {why!r}")
    return items


def _is_own(reviewer: Reviewer, item: ReviewItem) -> bool:
    return any(one.by == reviewer.by and not one.stale and one.act != "comment" for one in item.decisions)


async def _place(reviewer: Reviewer, item: ReviewItem, name: str) -> ShownWhere:
    from shared.contracts.sessions.reviewing import ShownWhere

    stands = await reviewer.load(item.target.sample_id)
    hashes = {file.file: file.sha256 for file in stands.files}
    if name not in hashes:
        raise exits.refused("--where", f"the sample has no file {name!r}; it has: {', '.join(hashes) or 'none'}")
    return ShownWhere(file=name, sha256=hashes[name])
