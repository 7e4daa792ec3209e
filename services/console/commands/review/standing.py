"""`exhibit review list`, `show` and `export`: how a review stands, and what was decided."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from services.console import exits
from services.console.commands.review.person import By, PersonKeyFile, ReviewedRun, reviewing
from services.console.options import AsJson, Evidence, Nats
from services.console.outcomes import CommandOutcome, CommandResult
from services.console.text.review_words import STATES, agreement_words, item_words, share_words
from shared.evidence_format.review.decisions import entries_text
from shared.tables.csv_cells import without_formula
from shared.text.normal import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shared.client.reviews import Reviewer
    from shared.contracts.sessions.reviewing import ReviewItem, ReviewLoaded


def list_(
    run: ReviewedRun,
    drawn: Annotated[bool, typer.Option("--drawn", help="Only what was drawn.")] = False,
    by: By = None,
    key: PersonKeyFile = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Show how the review of a run stands, and what is for review. Decisions of others are shown after your own."""

    async def work(reviewer: Reviewer) -> tuple[ReviewLoaded, list[ReviewItem]]:
        return await reviewer.load(), await reviewer.items(drawn=drawn)

    stands, items = reviewing(run, work, by, key, nats, evidence)
    lines = [*state_lines(stands), *(line for item in items for line in item_lines(item))]
    return CommandResult([printable(line) for line in lines], {"review": stands, "items": items})


def show(
    run: ReviewedRun,
    sample: Annotated[str, typer.Argument(help="The id of the sample.")],
    by: By = None,
    key: PersonKeyFile = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Show all of one sample that can be decided: its values with page and picture, its judgment, and the decisions."""

    async def work(reviewer: Reviewer) -> ReviewLoaded:
        return await reviewer.load(sample)

    stands = reviewing(run, work, by, key, nats, evidence)
    if not stands.items:
        raise exits.refused("SAMPLE", f"{stands.run_id} has no sample {sample!r} with a result")
    lines = [line for item in stands.items for line in item_lines(item)]
    return CommandResult([printable(line) for line in lines], stands)


def export(
    run: ReviewedRun,
    out: Annotated[Path, typer.Argument(help="A new file: .json or .csv.")],
    by: By = None,
    key: PersonKeyFile = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Write all that is for review and what was decided to a file, as far as you may see it."""

    async def work(reviewer: Reviewer) -> tuple[ReviewLoaded, list[ReviewItem]]:
        return await reviewer.load(), await reviewer.items()

    if out.suffix not in (".json", ".csv"):
        raise exits.refused("OUT", "its name ends in .json or .csv")
    if out.exists():
        raise exits.refused("OUT", f"{out} is there already")
    stands, items = reviewing(run, work, by, key, nats, evidence)
    rows = list(_rows(items))
    if out.suffix == ".json":
        out.write_bytes(msgspec.json.format(msgspec.json.encode({"review": stands, "items": items})) + b"\n")
    else:
        out.write_text(_csv(rows), encoding="utf-8")
    return CommandResult([f"{out}: {len(rows)} rows"], {"file": str(out), "rows": len(rows)})


COLUMNS: tuple[str, ...] = (
    "what",
    "why",
    "value",
    "standing",
    "number",
    "by",
    "act",
    "reviewed_value",
    "where",
    "reason",
    "at",
    "stale",
)


def _rows(items: Sequence[ReviewItem]) -> Iterator[dict[str, Any]]:
    """Yield a row for each decision, and one for an item that has none."""
    for item in items:
        known = {"what": item_words(item), "why": item.why, "value": item.value, "standing": item.standing}
        for one in item.decisions:
            said = {"number": one.number, "by": one.by, "act": one.act, "reviewed_value": one.value, "where": one.where}
            yield known | said | {"reason": one.reason, "at": one.at.isoformat(), "stale": one.stale}
        if not item.decisions:
            yield known


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(
        {name: without_formula(value) if isinstance(value, str) else value for name, value in row.items()}
        for row in rows
    )
    return text.getvalue()


def state_lines(stands: ReviewLoaded) -> list[str]:
    """Return how a review stands."""
    state, entries = STATES[stands.state], entries_text(stands.decisions)
    still_open = share_words(stands.open_items, stands.total, stands.of_kind)
    lines = [f"{stands.run_id}: {state}, round {stands.round}; {entries}; {still_open} open"]
    if stands.reopened:
        lines.append(f"  reopened   {stands.reopened}")
    lines += [f"  signed     {one.by} ({one.role}), {one.at:%Y-%m-%d %H:%M} UTC" for one in stands.signatures]
    if stands.missing and stands.state != "signed_off":
        lines.append(f"  to sign    {', '.join(stands.missing)}")
    if stands.draw is not None:
        lines.append(f"  drawn      {stands.draw.size} of {stands.draw.population}, seed {stands.draw.seed!r}")
    return lines + ([f"  agreement  {agreement_words(stands.agreement)}"] if stands.agreement is not None else [])


def item_lines(item: ReviewItem) -> Iterator[str]:
    """Yield an item, and below it what was decided."""
    why = f" [{item.why}]" if item.why else ""
    files = ", ".join(one for one in (item.page, item.picture) if one)
    yield f"{item_words(item)}: {item.value or '-'}{why} {item.standing}" + (f" ({files})" if files else "")
    for one in item.decisions:
        value = f" {one.value!r}" if one.value else ""
        seen = f", {one.where}" if one.where else ""
        stale = "; the evidence has changed since" if one.stale else ""
        yield f"    {one.number} {one.by}: {one.act}{value}{seen} {one.reason}{stale}".rstrip()
    if item.hidden:
        yield f"    {item.hidden} decisions of others: shown once you have decided"
