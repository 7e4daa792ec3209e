"""``python -m tests.real.roundup_seed HOME``: add the known users and issues to a new tracker by Roundup's API.

A separate process, because importing Roundup emits deprecation warnings.
"""

from __future__ import annotations

import sys
from typing import Any

from roundup import instance
from roundup.date import Date

from tests.real.roundup_app import KEYWORDS, USERS, Issue, ground_truth


def main(home: str) -> None:
    db: Any = instance.open(home).open("admin")
    for username, real_name in USERS.items():
        db.user.create(username=username, realname=real_name, roles="User", address=f"{username}@localhost")
    for keyword in KEYWORDS:
        db.keyword.create(name=keyword)
    db.commit()
    for issue in ground_truth():
        _create(db, issue)
    db.commit()
    db.close()


def _create(db: Any, issue: Issue) -> None:
    db.setCurrentUser(issue.created_by)
    author = db.user.lookup(issue.created_by)
    day = Date(f"2026-03-{1 + issue.number % 28:02d}.09:30:00")
    messages = [db.msg.create(author=author, date=day, summary=note, content=note) for note in issue.notes]
    number = db.issue.create(
        title=issue.title,
        status=db.status.lookup(issue.status),
        priority=db.priority.lookup(issue.priority),
        assignedto=db.user.lookup(issue.assigned_to) if issue.assigned_to else None,
        keyword=[db.keyword.lookup(keyword) for keyword in issue.keywords],
        messages=messages,
    )
    if number != str(issue.number):
        raise SystemExit(f"the tracker is not fresh: it numbered issue {issue.number} as {number}")


if __name__ == "__main__":
    main(sys.argv[1])
