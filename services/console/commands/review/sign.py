"""`exhibit review sign`, `reopen`, `draw` and `key`: what is about a whole review, and the key of a person."""

from __future__ import annotations

from getpass import getuser
from typing import TYPE_CHECKING, Annotated

import typer

from services.console import exits
from services.console.commands.review.person import By, PersonKeyFile, ReviewedRun, reviewing
from services.console.options import AsJson, Evidence, Nats, load_settings
from services.console.outcomes import CommandOutcome, CommandResult
from shared.text.normal import printable

if TYPE_CHECKING:
    from shared.client.reviews import Reviewer
    from shared.contracts.sessions.reviewing import Draw, ReviewLoaded


def sign(
    run: ReviewedRun,
    by: By = None,
    key: PersonKeyFile = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Sign the review of a run. Once all have signed who must, the run is sealed again with the decisions."""

    async def work(reviewer: Reviewer) -> ReviewLoaded:
        await reviewer.decide("sign")
        return await reviewer.load()

    stands = reviewing(run, work, by, key, nats, evidence)
    told = f"still to sign: {', '.join(stands.missing)}"
    if stands.state == "signed_off":
        told = f"signed off, round {stands.round}; {stands.run_id} is sealed again"
    return CommandResult([told], stands)


def reopen(
    run: ReviewedRun,
    reason: Annotated[str, typer.Option(help="Why the review is not over after all.")],
    by: By = None,
    key: PersonKeyFile = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Reopen a review that is signed off. What was decided stands; all have to sign again."""

    async def work(reviewer: Reviewer) -> ReviewLoaded:
        await reviewer.decide("reopen", reason=reason)
        return await reviewer.load()

    stands = reviewing(run, work, by, key, nats, evidence)
    return CommandResult([printable(f"in review again, round {stands.round}: {stands.reopened}")], stands)


def draw(
    run: ReviewedRun,
    seed: Annotated[str, typer.Option(help="Any text; the same seed draws the same samples. It is kept.")],
    n: Annotated[int, typer.Option("--n", help="How many; 0: as many as the rates need.")] = 0,
    strata: Annotated[
        str, typer.Option(help="What strata are made by: decider, doubt, amount:FIELD.")
    ] = "decider,doubt",
    confidence: Annotated[float, typer.Option(help="Of what is said of all samples.")] = 0.95,
    expected: Annotated[float, typer.Option(help="The rate of deviations that is expected.")] = 0.0,
    tolerable: Annotated[float, typer.Option(help="The rate of deviations that is tolerable.")] = 0.1,
    by: By = None,
    key: PersonKeyFile = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Draw samples to be looked at again, also done ones: each of them must be decided before somebody signs."""
    if n < 0:
        raise exits.refused("--n", "it is the number of samples")

    async def work(reviewer: Reviewer) -> Draw:
        from shared.contracts.sessions.reviewing import DrawWish

        by_ = tuple(one.strip() for one in strata.split(",") if one.strip())
        wish = DrawWish(seed=seed, size=n, by=by_, confidence=confidence, expected=expected, tolerable=tolerable)
        stands = await reviewer.load(wish=wish)
        if stands.wished is None:
            raise exits.refused("draw", stands.problem)
        await reviewer.decide("draw", draw=stands.wished)
        return stands.wished

    made = reviewing(run, work, by, key, nats, evidence)
    lines = [f"{made.size} of {made.population} samples drawn with the seed {made.seed!r}: {made.method}"]
    lines += [f"  {one.name}: {len(one.sample_ids)} of {one.size}: {', '.join(one.sample_ids)}" for one in made.strata]
    return CommandResult([printable(line) for line in lines], made)


def key(by: By = None, file: PersonKeyFile = None, as_json: AsJson = False) -> CommandOutcome:
    """Print the fingerprint of the key that a person signs with, for the key `review` of a task. Makes it at first."""
    from shared.client.person_keys import load_person_key, person_key_path

    name, settings = by or getuser(), load_settings()
    public = load_person_key(name, settings, file).public
    where = file or person_key_path(name, settings)
    lines = [public.fingerprint, f"the key of {name}, in {where}; keep it, and keep it secret"]
    return CommandResult(lines, {"name": name, "key": public.fingerprint, "public_key": public.pem})
