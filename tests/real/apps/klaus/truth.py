"""``python truth.py FOLDER``: what the repository has, as JSON."""

from __future__ import annotations

import datetime
import json
import sys
from pathlib import Path
from typing import Any

from dulwich.diff_tree import tree_changes
from dulwich.repo import Repo

ASKED = 40
MISSING = ("0123456789abcdef0123456789abcdef01234567", "fedcba9876543210fedcba9876543210fedcba98")
FIELDS = ("sha", "author", "committer", "committed_at", "changed_files")
LISTED = ("sha", "subject")


def main(folder: Path) -> None:
    repository = Repo(str(folder / "audit"))
    commits = [_facts(repository, entry.commit) for entry in repository.get_walker()]
    repository.close()
    truth = {
        "records": {
            one["sha"]: {"path": _path(one["sha"]), "values": {name: one[name] for name in FIELDS}}
            for one in commits[3:][:ASKED]
        },
        "missing": {sha: _path(sha) for sha in MISSING},
        "list_path": "/audit/",
        "listed": {one["sha"]: {name: one[name] for name in LISTED} for one in commits},
    }
    print(json.dumps(truth))


def _facts(repository: Repo, commit: Any) -> dict[str, Any]:
    before = repository[commit.parents[0]].tree if commit.parents else None
    author, committer = (text.decode().partition(" <")[0] for text in (commit.author, commit.committer))
    return {
        "sha": commit.id.decode(),
        "subject": commit.message.decode().splitlines()[0],
        "author": author,
        "committer": committer,
        "committed_at": datetime.datetime.fromtimestamp(commit.commit_time).isoformat(),
        "changed_files": len(list(tree_changes(repository.object_store, before, commit.tree))),
    }


def _path(sha: str) -> str:
    return f"/audit/commit/{sha}/"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
