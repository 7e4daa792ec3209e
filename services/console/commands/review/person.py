"""Who reviews, with which key, and what the words of a command mean: shared by the commands of `exhibit review`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from services.console import exits
from services.console.event_loop import run_async
from services.console.options import load_settings
from services.console.run_location import HOW_TO_NAME_A_RUN, locate_run
from services.console.text.review_words import item_words, sample_of
from shared.host.connections import open_client

if TYPE_CHECKING:
    from shared.client.reviews import Reviewer
    from shared.contracts.sessions.reviewing import ReviewItem

ReviewedRun = Annotated[str, typer.Argument(help=f"The run: {HOW_TO_NAME_A_RUN}.")]
By = Annotated[str | None, typer.Option("--by", help="Who decides; else the name of this account.")]
PersonKeyFile = Annotated[
    Path | None, typer.Option("--key", help="The person's key (PEM); else that of this name on this machine.")
]
What = Annotated[
    list[str] | None,
    typer.Argument(
        help="SAMPLE, SAMPLE.FIELD, SAMPLE:judgment, population or difference:KEY; several that are equal, one after "
        "the other."
    ),
]
ResultT = TypeVar("ResultT")


def reviewing(
    run: str,
    work: Callable[[Reviewer], Awaitable[ResultT]],
    by: str | None,
    key: Path | None,
    nats: str | None,
    evidence: str | None,
) -> ResultT:
    """Do something as a reviewer of the run. What is refused is told with every problem."""
    with exits.bad_input("RUN"):
        settings, run_id = locate_run(load_settings(nats, evidence), run)

    @asynccontextmanager
    async def opened() -> AsyncGenerator[Reviewer]:
        from shared.client.person_keys import load_person_key  # only here: they come with the client of the bus
        from shared.client.reviews import Reviewer

        name = by or getuser()
        async with open_client(settings, ["evidence"]) as client:
            yield Reviewer(client.bus, run_id, name, load_person_key(name, settings, key))

    async def ask() -> ResultT:
        from shared.client.reviews import ReviewRefusedError

        async with opened() as reviewer:
            try:
                return await work(reviewer)
            except ReviewRefusedError as exc:
                raise exits.RefusedChange(exc.refused.problems) from exc

    return run_async(ask())


async def named_items(reviewer: Reviewer, words: Sequence[str]) -> list[ReviewItem]:
    """Return what the words name. Raises RunRejectedError for words that name nothing of the run."""
    by_sample: dict[str, dict[str, ReviewItem]] = {}
    found: list[ReviewItem] = []
    for word in words:
        sample_id = sample_of(word)
        if sample_id not in by_sample:
            by_sample[sample_id] = {item_words(item): item for item in await reviewer.items(sample_id)}
        item = by_sample[sample_id].get(word)
        if item is None:
            there = ", ".join(list(by_sample[sample_id])[:20]) or "nothing"
            raise exits.refused(word, f"the run has no such thing to decide on; there is: {there}")
        found.append(item)
    return found
