"""``python files.py FOLDER``: attach the papers to a page of the wiki, and say which are asked for, as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from urllib.parse import quote

from otterwiki.gitstorage import GitStorage

PAGE = "papers"
AUTHOR = ("Zoë Lindqvist", "zoe@localhost")


def main(folder: Path) -> None:
    known = json.loads((folder / "papers_in.json").read_text())
    storage = GitStorage(str(folder / "pages"))
    links = "\n".join(f"- [{name}](/{PAGE}/a/{quote(name)})" for name in known)
    storage.store(f"{PAGE}.md", content=f"# Papers\n\n{links}\n", author=AUTHOR, message="Papers")
    (folder / "pages" / PAGE).mkdir(exist_ok=True)
    for name in known:
        content = (folder / "papers_in" / name).read_bytes()
        storage.store(f"{PAGE}/{name}", content=content, author=AUTHOR, message=name, mode="wb")
    asked = [
        {"name": name, "path": f"/{PAGE}/a/{quote(name)}", **facts}
        | ({} if at % 2 else {"page": f"/{PAGE}", "press": name})
        for at, (name, facts) in enumerate(known.items())
    ]
    asked += [
        {"name": "no such file.pdf", "path": f"/{PAGE}/a/no%20such%20file.pdf", "wrong": "it does not exist"},
        {"name": "the source", "path": f"/{PAGE}/source?raw"},
    ]
    print(json.dumps(asked))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
