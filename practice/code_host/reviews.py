"""Pull requests with their reviews and checks, and the linked tickets. Pure."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from practice.code_host import words
from practice.code_host.code import Material
from practice.code_host.model import Check, CheckState, Commit, PullRequest, Review, ReviewState, Ticket

_MERGED_RED_SHARE = 0.34
_COUNTS_IN_WORDS_SHARE = 0.55
_NAMED_SHARE = 0.35

_ERRORS: dict[str, tuple[str, Material]] = {
    "unit-tests (3.11)": ("AssertionError: {f}: expected {a}, got {b}", "yes"),
    "unit-tests (3.12)": ("AssertionError: {f}: expected {a}, got {b}", "yes"),
    "integration": ("FAILED tests/integration/test_{f}.py::test_month_end - wrong total {b}", "yes"),
    "dependency-scan": ("CRITICAL: a published weakness in parser-kit 2.{n} is reachable from {f}", "yes"),
    "lint": ("E501 line too long ({n} > 88 characters) in a comment of {f}", "no"),
    "docs": ("WARNING treated as error: broken link to the page of {f}", "no"),
    "coverage": ("UploadError: the coverage service did not answer within {n} s", "no"),
    "build-image": ("ERROR: the runner lost its connection; the image was built on the second try", "no"),
}
"""Errors of a failed check, and whether the error is about the change."""
_LOG_GONE_SHARE = 0.15


def new_pull_request(
    rng: random.Random, commit: Commit, number: int, first_job: int, topic: str, ticket: str | None
) -> PullRequest:
    reviewers = rng.sample([login for login in words.PEOPLE if login != commit.author], 5)
    return PullRequest(
        number=number,
        title=commit.title,
        creator=commit.author,
        branch=f"{commit.author}/{topic.replace(' ', '-')}",
        paragraphs=tuple(rng.sample(words.PARAGRAPHS, 2)),
        reviews=_reviews(rng, reviewers),
        merged_by=rng.choice((commit.author, *reviewers[:2], "harbour-merge-bot")),
        merged_at=commit.committed_at,
        checks=_checks(rng, first_job, topic.replace(" ", "_")),
        ticket=ticket,
        counts_in_words=rng.random() < _COUNTS_IN_WORDS_SHARE,
    )


def _reviews(rng: random.Random, reviewers: list[str]) -> tuple[Review, ...]:
    """Return up to two approvals, and always one review that is no approval."""
    others: tuple[ReviewState, ...] = ("requested", "dismissed", "commented")
    approved = [Review(login, "approved") for login in reviewers[: rng.randrange(3)]]
    rest = [Review(login, rng.choice(others)) for login in reviewers[2 : 3 + rng.randrange(2)]]
    reviews = [*approved, *rest]
    rng.shuffle(reviews)
    return tuple(reviews)


def _checks(rng: random.Random, first_job: int, function: str) -> tuple[Check, ...]:
    names = sorted(rng.sample(words.CHECKS, rng.randint(5, 8)), key=words.CHECKS.index)
    failing = [name for name in names if name in _ERRORS]
    red = set(rng.sample(failing, rng.randint(1, 2))) if rng.random() < _MERGED_RED_SHARE else set[str]()
    return tuple(_check(rng, first_job + place, name, name in red, function) for place, name in enumerate(names))


def _check(rng: random.Random, job: int, name: str, red: bool, function: str) -> Check:
    others: tuple[CheckState, ...] = ("passed", "skipped", "pending")
    state: CheckState = "failed" if red else rng.choices(others, (84, 11, 5))[0]
    seconds = rng.randrange(9, 840)
    named = rng.random() < _NAMED_SHARE
    if not red:
        return Check(job, name, state, seconds, named=named)
    pattern, material = _ERRORS[name]
    error = pattern.format(f=function, a=_sum(rng), b=_sum(rng), n=rng.randrange(90, 180))
    if rng.random() < _LOG_GONE_SHARE:
        return Check(job, name, state, seconds, "", "inconclusive", named)
    return Check(job, name, state, seconds, error, material, named)


def _sum(rng: random.Random) -> str:
    return f"{rng.randrange(100, 99999) / 100:.2f}"


def new_ticket(rng: random.Random, key: str, topic: str, now: datetime) -> Ticket:
    return Ticket(
        key=key,
        title=rng.choice(words.TICKET_TITLES).format(topic=topic, Topic=topic.capitalize()),
        status=rng.choice(words.TICKET_STATUSES),
        priority=rng.choice(words.PRIORITIES),
        assignee=words.PEOPLE[rng.choice(list(words.PEOPLE))],
        opened=now - timedelta(days=rng.randrange(2, 40)),
        description=rng.choice(words.PARAGRAPHS),
    )
