"""The repositories of the site: a pure function of a seed, so the content of the sites is known in advance."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from practice.code_host import words
from practice.code_host.code import BlamedLine, Edit, Function, blamed, diffed, edited, lines_of, new_function
from practice.code_host.model import Commit, FileChange, PullRequest, Repository, Ticket, World
from practice.code_host.reviews import new_pull_request, new_ticket

DEFAULT_SEED = 11
_EDITS = (58, 61, 66)
"""Commits of each repository after those that add its files."""
_FIRST_DAY = datetime(2026, 5, 4, 8, 30, tzinfo=UTC)
_DIRECT_SHARE = 0.16
_SAME_PULL_REQUEST_SHARE = 0.08
_NEUTRAL_SHARE = 0.45


def ground_truth(seed: int = DEFAULT_SEED) -> World:
    """Return the content of the three sites; equal seeds give equal worlds."""
    rng = random.Random(seed)
    names = words.REPOSITORIES.items()
    return World(
        tuple(
            _Growing(rng, name, first_pull_request=61 + 37 * place, first_job=4100 + 5000 * place).grown(about, edits)
            for place, ((name, about), edits) in enumerate(zip(names, _EDITS, strict=True))
        )
    )


@dataclass
class _Growing:
    """A repository under construction."""

    rng: random.Random
    name: str
    first_pull_request: int
    first_job: int
    clock: datetime = _FIRST_DAY
    functions: dict[str, list[Function]] = field(default_factory=dict[str, list[Function]])
    files: dict[str, tuple[BlamedLine, ...]] = field(default_factory=dict[str, tuple[BlamedLine, ...]])
    commits: list[Commit] = field(default_factory=list[Commit])
    pull_requests: list[PullRequest] = field(default_factory=list[PullRequest])
    tickets: list[Ticket] = field(default_factory=list[Ticket])

    def grown(self, about: str, edits: int) -> Repository:
        for path, rows in words.FILES[self.name].items():
            self.functions[path] = [new_function(self.rng, row) for row in rows]
            topic = path.rpartition("/")[2].removesuffix(".py")
            self._commit(path, f"Add {topic}", "new code", self.functions[path][0].topic)
        for _ in range(edits):
            self._edit()
        return Repository(
            self.name,
            about,
            tuple(reversed(self.commits)),
            tuple(self.pull_requests),
            tuple(self.tickets),
            self.files,
        )

    def _edit(self) -> None:
        path = self.rng.choice(list(self.functions))
        position = self.rng.randrange(len(self.functions[path]))
        edit = edited(self.rng, self.functions[path][position])
        self.functions[path][position] = edit.after
        self._commit(path, self._title(path, edit), edit.kind, edit.after.topic, edit)

    def _title(self, path: str, edit: Edit) -> str:
        if self.rng.random() >= _NEUTRAL_SHARE:
            return edit.message
        return self.rng.choice(words.NEUTRAL_TITLES).format(file=path.rpartition("/")[2], topic=edit.after.topic)

    def _commit(self, path: str, title: str, kind: str, topic: str, edit: Edit | None = None) -> None:
        self.clock += timedelta(minutes=self.rng.randrange(95, 3900))
        index = len(self.commits)
        before = self.files.get(path, ())
        after = lines_of(path, self.functions[path])
        self.files[path] = blamed(before, after, index)
        commit = Commit(
            index=index,
            sha=f"{self.rng.getrandbits(160):040x}",
            author=self.rng.choice(list(words.PEOPLE)),
            committed_at=self.clock,
            title=title,
            body=self.rng.choice(("", *words.BODIES)),
            changes=(FileChange(path, diffed([line.text for line in before], after)),),
            kind=kind,
            material=edit.material if edit else "yes",
            pull_request=None,
        )
        self.commits.append(self._brought_in(commit, topic))

    def _brought_in(self, commit: Commit, topic: str) -> Commit:
        """Return the commit with its pull request, if it has one.

        A commit without one names another's in its message, as a distractor.
        """
        chance = self.rng.random()
        if chance < _DIRECT_SHARE and self.pull_requests:
            return replace(commit, body=f"Follow-up to #{self.pull_requests[-1].number}, which went in too early.")
        if chance > 1 - _SAME_PULL_REQUEST_SHARE and self._may_share():
            last = self.pull_requests[-1]
            self.pull_requests[-1] = replace(last, merged_at=commit.committed_at)
            return replace(commit, author=self.commits[-1].author, pull_request=last.number)
        ticket = self._new_ticket(topic)
        pull = new_pull_request(
            self.rng, commit, self._next_number(), self._next_job(), topic, ticket.key if ticket else None
        )
        self.pull_requests.append(pull)
        return replace(commit, pull_request=pull.number)

    def _may_share(self) -> bool:
        """Return whether the commit may share the latest pull request, which has at most two consecutive commits."""
        numbers = [commit.pull_request for commit in self.commits[-2:]]
        return len(numbers) == 2 and numbers[-1] is not None and numbers[0] != numbers[1]

    def _next_number(self) -> int:
        """Return the next number. Issues take numbers too, so there are gaps."""
        last = self.pull_requests[-1].number if self.pull_requests else self.first_pull_request
        return last + self.rng.randrange(1, 4)

    def _next_job(self) -> int:
        return self.first_job + 12 * len(self.pull_requests)

    def _new_ticket(self, topic: str) -> Ticket | None:
        if self.rng.random() > 0.6:
            return None
        number = 100 + 3 * len(self.tickets)
        ticket = new_ticket(self.rng, f"{words.PROJECT_KEYS[self.name]}-{number}", topic, self.clock)
        self.tickets.append(ticket)
        return ticket


def commits_on_main(repository: Repository, count: int = 60) -> Sequence[Commit]:
    """Return the latest commits, newest first."""
    return repository.commits[:count]
