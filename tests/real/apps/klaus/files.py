"""``python files.py FOLDER``: write a repository of papers, and say which of its files are asked for, as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from urllib.parse import quote

from dulwich.objects import Blob, Commit, Tree
from dulwich.repo import Repo


def main(folder: Path) -> None:
    known = json.loads((folder / "papers_in.json").read_text())
    repository = Repo.init(str(folder / "papers"), mkdir=True)
    tree = Tree()
    for name in known:
        blob = Blob.from_string((folder / "papers_in" / name).read_bytes())
        repository.object_store.add_object(blob)
        tree.add(name.encode(), 0o100644, blob.id)
    repository.object_store.add_object(tree)
    commit = Commit()
    commit.tree, commit.parents = tree.id, []
    commit.author = commit.committer = "Zoë Lindqvist <zoe@localhost>".encode()
    commit.author_time = commit.commit_time = 1_740_000_000
    commit.author_timezone = commit.commit_timezone = 0
    commit.encoding, commit.message = b"UTF-8", b"Papers"
    repository.object_store.add_object(commit)
    repository.refs[b"refs/heads/master"] = commit.id
    repository.refs.set_symbolic_ref(b"HEAD", b"refs/heads/master")
    repository.close()
    sha = commit.id.decode()
    asked = [
        {"name": name, "path": f"/papers/raw/{sha}/{quote(name)}", **facts}
        | ({"page": f"/papers/blob/{sha}/{quote(name)}", "press": "raw"} if at % 2 else {})
        for at, (name, facts) in enumerate(known.items())
    ]
    asked += [
        {
            "name": "the archive",
            "path": f"/papers/tarball/{sha}/",
            "page": f"/papers/tree/{sha}/",
            "press": "Download .tar.gz",
        },
        {"name": "no such file.csv", "path": f"/papers/raw/{sha}/no%20such%20file.csv", "wrong": "it does not exist"},
        {"name": "the change", "path": f"/papers/commit/{sha}.patch"},
    ]
    print(json.dumps(asked))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
