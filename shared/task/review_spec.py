"""The key ``review`` of a task spec: who reviews what a run has brought, and who must sign."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from shared.task.output_field import Strict


class ReviewerSpec(Strict):
    """Somebody who takes part in the review of a run."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._@-]{0,59}$")]
    role: Literal["preparer", "reviewer", "approver"] = Field(
        default="reviewer",
        description="A preparer comments only; an approver signs last, and decides where reviewers differ.",
    )
    key: Annotated[str, Field(pattern=r"^[0-9A-Fa-f]{64}$")] = Field(
        description="The fingerprint of the key that the person signs with, as `exhibit review key` prints it."
    )


class ReviewSpec(Strict):
    """Who reviews a run, and who must sign. Whoever has requested the run does not review it."""

    reviewers: Annotated[int, Field(ge=1, le=9)] = Field(
        default=1,
        description="How many reviewers must sign. None is shown what another has decided before he has himself.",
    )
    people: Annotated[list[ReviewerSpec], Field(min_length=1, max_length=50)] = Field(
        description="All who may take part. Where one is an approver, an approver must sign as well."
    )


def review_problems(review: ReviewSpec | None) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield why the people could not sign, or could sign for each other."""
    people = review.people if review is not None else []
    for what in ("name", "key"):
        given = [getattr(one, what).lower() for one in people]
        for at, one in enumerate(given):
            if given.index(one) != at:
                yield ("review", "people", at, what), f"another person has this {what}: each has a {what} of his own"
    reviewers = sum(one.role == "reviewer" for one in people)
    if review is not None and reviewers < review.reviewers:
        yield ("review", "reviewers"), f"{review.reviewers} must sign, and {reviewers} of the people are reviewers"
