"""Write what the readers say of the stored pages of `tests/corpus`, and tell each reading that changed.

    make corpus                                       read the stored observations again
    python -m scripts.write_corpus --observe [GROUP]  observe the stored pages in Chromium first
    python -m scripts.write_corpus --collect GROUP [FOLDER]  take the pages of a group anew, then observe them

Rows that were written by hand are kept; one whose reading is right now has to be removed by hand.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from tests.corpus import stored
from tests.corpus.observing import a_session, observe_all
from tests.corpus.readers.all_readers import read_all
from tests.corpus.rows import differences, marks_of, merged, read_rows, write_rows
from tests.corpus.serving import served
from tests.corpus.truth import contradictions


def main(arguments: Sequence[str]) -> int:
    asked = _parsed(arguments)
    groups: list[str] = asked.groups or stored.group_names()
    if asked.collect:
        asyncio.run(_collect(asked.collect, asked.groups))
        groups = [asked.collect]
    if asked.observe or asked.collect:
        asyncio.run(_observe(groups))
    return max([_write(group) for group in groups], default=0)


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="write_corpus", description=__doc__)
    parser.add_argument("groups", nargs="*", help="groups; all if none is named (with --collect: file or folder)")
    parser.add_argument("--observe", action="store_true")
    parser.add_argument("--collect", metavar="GROUP", default="")
    return parser.parse_args(arguments)


async def _collect(group: str, paths: Sequence[str]) -> None:
    from tests.corpus.collecting.sources import collect

    asked, responses = await collect(group, Path(paths[0]) if paths else None)
    stored.write_group(group, asked)
    stored.write_served(group, responses)


async def _observe(groups: Sequence[str]) -> None:
    """Observe all pages. One that cannot be observed now stays as it is; a new one is left out."""
    with tempfile.TemporaryDirectory(prefix="exhibit-corpus-") as folder:
        for name in groups:
            group, known = stored.read_group(name), stored.read_observed(name)
            async with a_session(Path(folder)) as session, served(stored.read_served(name)) as origins:
                found, problems = await observe_all(session, group.pages, origins)
            seen = {**known, **{one.name: one for one in found}}
            kept = [one for one in group.pages if one.name in seen]
            stored.write_observed(name, [seen[one.name] for one in kept])
            if len(kept) < len(group.pages):
                stored.write_group(name, replace(group, pages=tuple(kept)))
            told = [f"{name}: {len(found)} pages observed", *(f"not observed: {one}" for one in problems)]
            print("\n".join(told), flush=True)


def _write(name: str) -> int:
    """Write the readings of a group. Returns 1 if one that was written by hand is right now."""
    group, before = stored.read_group(name), read_rows(name)
    found = read_all(group, stored.read_observed(name))
    changes = differences(before, found, name)
    rows = merged(before, found)
    write_rows(name, rows)
    print(
        "\n".join(changes)
        if before and changes
        else f"{name}: {sum(map(len, rows.values()))} readings, {len(changes)} changed"
    )
    for page, row, right in contradictions(group, rows):
        print(f"WRONG {name}/{page}, {row.reader} {row.field}: {row.said}, right is {right}")
    print(f"{name}: {len(marks_of(rows))} rows are written by hand")
    return int(any("it is right now" in one for one in changes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
