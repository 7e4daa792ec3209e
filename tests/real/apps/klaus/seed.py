"""``python seed.py FOLDER``: write the repository that klaus shows."""

from __future__ import annotations

import random
import sys
from pathlib import Path

from dulwich.objects import Blob, Commit, Tree
from dulwich.repo import Repo

SEED = 31
COMMITS = 75
FIRST_DAY_S = 1_740_000_000
PEOPLE = ("Zoë Lindqvist", "Łukasz Nowak", "李娜", "Amara O'Neill", "José Álvarez", "Søren Kjær")
SUBJECTS = (
    "Fix rounding of totals",
    "Bump version to 2.1",
    'Revert "Fix rounding of totals"',
    "Add <b>bold</b> & entities to the export",
    "Näme der Spalten übersetzt",
    "Author: of the report is optional",
)
BODIES = (
    "",
    "\n\nAuthor: Priya Raman <priya@localhost>\nReviewed-by: 李娜",
    "\n\nThis reverts commit 0123456789abcdef0123456789abcdef01234567.",
    "\n\n3 changed file(s) were too many, so this has less.",
)


def main(folder: Path) -> None:
    rng = random.Random(SEED)
    repository = Repo.init(str(folder / "audit"), mkdir=True)
    files: dict[bytes, bytes] = {}
    parents: list[bytes] = []
    for number in range(1, COMMITS + 1):
        for name in rng.sample(("totals.py", "export.py", "README", "spalten.csv"), rng.choice((1, 1, 2, 3))):
            files[name.encode()] = files.get(name.encode(), b"") + f"line {number} of {name}\n".encode()
        parents = [_commit(repository, rng, number, files, parents)]
    repository.refs[b"refs/heads/main"] = parents[0]
    repository.refs.set_symbolic_ref(b"HEAD", b"refs/heads/main")
    repository.close()


def _commit(
    repository: Repo, rng: random.Random, number: int, files: dict[bytes, bytes], parents: list[bytes]
) -> bytes:
    tree = Tree()
    for name, content in sorted(files.items()):
        blob = Blob.from_string(content)
        repository.object_store.add_object(blob)
        tree.add(name, 0o100644, blob.id)
    repository.object_store.add_object(tree)
    author, other = rng.sample(PEOPLE, 2)
    commit = Commit()
    commit.tree, commit.parents = tree.id, parents
    commit.author = _signature(author)
    commit.committer = _signature(other if rng.random() < 0.3 else author)
    commit.author_time = commit.commit_time = FIRST_DAY_S + number * 40_000
    commit.author_timezone = commit.commit_timezone = 0
    commit.encoding = b"UTF-8"
    commit.message = f"{rng.choice(SUBJECTS)}{rng.choice(BODIES)}\n".encode()
    repository.object_store.add_object(commit)
    return commit.id


def _signature(name: str) -> bytes:
    return f"{name} <{name.split()[0].lower()}@localhost>".encode()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
