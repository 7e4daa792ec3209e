"""Have a model collect a list that stands on five pages of one record, and keep its answers.

    python -m scripts.record_role --upstream http://127.0.0.1:8765 --record CASSETTE

The site is that of `tests/end_to_end/role_site.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from pathlib import Path

from scripts.families import with_model
from shared.host.services import run_embedded
from shared.testing.cassette import Cassette, recording_server
from shared.testing.settings import library_settings
from tests.end_to_end.finished_runs import logs_of, results_of, run
from tests.end_to_end.role_site import ROLE, SPEC, role_site, row_of


async def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.record_role", description=__doc__)
    parser.add_argument("--record", type=Path, required=True, help="where to write the answers")
    parser.add_argument("--upstream", required=True, help="a live Messages endpoint")
    parser.add_argument("--about", default="", help="how the recording came to be")
    options = parser.parse_args()
    settings = library_settings(Path(tempfile.mkdtemp(prefix="exhibit-role-")))
    with role_site() as site:
        cassette = Cassette(options.about, [site.url])
        try:
            async with (
                recording_server(cassette, options.upstream) as url,
                run_embedded(with_model(settings, url)) as client,
            ):
                finished = await run(client, SPEC, [row_of(site)], planner="anthropic", mode="agent")
            print(json.dumps(results_of(finished)[ROLE]["extracted"], indent=1))
            print(*(step["action"] for step in logs_of(finished)[ROLE]), finished.table, sep="\n")
        finally:
            cassette.write(options.record)


if __name__ == "__main__":
    asyncio.run(main())
