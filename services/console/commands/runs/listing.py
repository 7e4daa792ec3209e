"""`exhibit runs list` and `exhibit runs tag`: which runs there are, and the tags by which they are found again."""

from __future__ import annotations

import json
from getpass import getuser
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.console import exits
from services.console.event_loop import run_async
from services.console.options import AsJson, Evidence, Nats, load_settings
from services.console.outcomes import CommandOutcome, CommandResult
from services.console.run_location import HOW_TO_NAME_A_RUN, locate_run
from services.console.text.tag_words import TagWords, listing_query, parse_tag_words, run_lines
from shared.contracts.evidence import SqlRefused
from shared.errors import PermanentError, RunRejectedError
from shared.host.connections import open_client
from shared.text.normal import printable

if TYPE_CHECKING:
    from shared.settings import Settings


def list_(
    tag: Annotated[list[str] | None, typer.Option(help="Only runs with this tag. Repeat it for several.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Most runs, the newest first.")] = 50,
    nats: Nats = None,
    evidence: Evidence = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """List the runs, the newest first, with their tags."""
    query = listing_query(tag or ())
    if not isinstance(query, str):
        raise RunRejectedError(query)
    rows, more = run_async(_ask(load_settings(nats, evidence), query, limit))
    none = "There is no such run." if tag else "There is no run. `exhibit run SPEC --input FILE` begins one."
    lines = [*map(printable, run_lines(rows)), *(["Older runs are not listed: see --limit."] if more else [])]
    return CommandResult(lines or [none], {"runs": rows, "more": more})


def tag(
    run: Annotated[str, typer.Argument(help=f"The run: {HOW_TO_NAME_A_RUN}.")],
    tags: Annotated[list[str], typer.Argument(metavar="+TAG|-TAG...", help="+q3 sets a tag, -q3 removes it.")],
    nats: Nats = None,
    evidence: Evidence = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Set and remove tags of a run: +q3 -draft. They are no part of its evidence. Prints those that it has now."""
    words = parse_tag_words(tags)
    if words.problems:
        raise exits.RefusedChange(words.problems)
    with exits.bad_input("RUN"):
        settings, run_id = locate_run(load_settings(nats, evidence), run)
    now = run_async(_tag(settings, run_id, words))
    return CommandResult([f"{run_id}: {' '.join(now) or 'no tags'}"], {"run_id": run_id, "tags": now})


async def _ask(settings: Settings, query: str, limit: int) -> tuple[list[dict[str, Any]], bool]:
    """Return the rows, and whether there are more. Without a bus the evidence of this machine is read."""
    read_only = settings.model_copy(update={"evidence_read_only": settings.nats_url is None})
    async with open_client(read_only, ("evidence",)) as client:
        answer = await client.sql(query, max_rows=limit)
    if isinstance(answer, SqlRefused):
        raise PermanentError(answer.message)
    return json.loads(answer[1]), answer[0].cut


async def _tag(settings: Settings, run_id: str, words: TagWords) -> tuple[str, ...]:
    from shared.client.run_sessions import TagsRefusedError  # only here: it comes with the client of the bus

    async with open_client(settings, ("evidence",)) as client:
        try:
            return await client.tag(run_id, words.add, words.remove, getuser())
        except TagsRefusedError as exc:
            raise exits.RefusedChange(exc.refused.problems) from exc
