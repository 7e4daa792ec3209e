"""The records of the three sites (frozen), and the answers derived from them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from practice.code_host.code import BlamedLine, DiffLine, Material

CheckState = Literal["passed", "failed", "pending", "skipped"]
ReviewState = Literal["approved", "requested", "dismissed", "commented"]


@dataclass(frozen=True)
class Check:
    """One check of a pull request and its job at the CI.

    ``error`` is the line it failed with, "" if the log has expired. ``named`` is whether its icon has an accessible
    name; without one only shape and colour show the state.
    """

    job: int
    name: str
    state: CheckState
    seconds: int
    error: str = ""
    material: Material = "no"
    named: bool = False


@dataclass(frozen=True)
class Review:
    login: str
    state: ReviewState


@dataclass(frozen=True)
class Ticket:
    key: str
    title: str
    status: str
    priority: str
    assignee: str
    opened: datetime
    description: str


@dataclass(frozen=True)
class PullRequest:
    """One pull request. ``counts_in_words`` is whether its first page gives the number of checks per state in words."""

    number: int
    title: str
    creator: str
    branch: str
    paragraphs: tuple[str, ...]
    reviews: tuple[Review, ...]
    merged_by: str
    merged_at: datetime
    checks: tuple[Check, ...]
    ticket: str | None
    counts_in_words: bool

    @property
    def approvers(self) -> tuple[str, ...]:
        return tuple(sorted(review.login for review in self.reviews if review.state == "approved"))

    def count(self, state: CheckState) -> int:
        return sum(check.state == state for check in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.state == "failed")

    @property
    def answer(self) -> Material:
        """Answer: was it merged although checks had failed, and were the failures material?"""
        kinds = {check.material for check in self.failed}
        return "yes" if "yes" in kinds else "inconclusive" if "inconclusive" in kinds else "no"


@dataclass(frozen=True)
class FileChange:
    path: str
    hunks: tuple[tuple[DiffLine, ...], ...]

    def count(self, sign: str) -> int:
        return sum(line.sign == sign for hunk in self.hunks for line in hunk)


@dataclass(frozen=True)
class Commit:
    """One commit. ``pull_request`` is None if it was pushed straight to main."""

    index: int
    sha: str
    author: str
    committed_at: datetime
    title: str
    body: str
    changes: tuple[FileChange, ...]
    kind: str
    material: Material
    pull_request: int | None


@dataclass(frozen=True)
class Repository:
    """One repository: ``commits`` newest first, ``files`` as of the newest."""

    name: str
    about: str
    commits: tuple[Commit, ...]
    pull_requests: tuple[PullRequest, ...]
    tickets: tuple[Ticket, ...]
    files: dict[str, tuple[BlamedLine, ...]]

    def commit(self, sha: str) -> Commit | None:
        return next((commit for commit in self.commits if commit.sha == sha), None)

    def commit_at(self, index: int) -> Commit:
        """Return the commit with this number, counted from the first."""
        return self.commits[len(self.commits) - 1 - index]

    def pull_request(self, number: int | None) -> PullRequest | None:
        return next((pull for pull in self.pull_requests if pull.number == number), None)


@dataclass(frozen=True)
class World:
    repositories: tuple[Repository, ...]

    def repository(self, name: str) -> Repository | None:
        return next((repository for repository in self.repositories if repository.name == name), None)

    def ticket(self, key: str) -> tuple[Repository, Ticket] | None:
        found = ((repository, ticket) for repository in self.repositories for ticket in repository.tickets)
        return next((pair for pair in found if pair[1].key == key), None)

    def job(self, number: int) -> tuple[Repository, PullRequest, Check] | None:
        for repository in self.repositories:
            for pull in repository.pull_requests:
                for check in pull.checks:
                    if check.job == number:
                        return repository, pull, check
        return None
