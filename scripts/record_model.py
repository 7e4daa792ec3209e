"""Records what a live Messages endpoint answers: a model, or a person in its place.

    python -m scripts.record_model CASSETTE --upstream http://127.0.0.1:8765 --about "how it came to be"

prints the address to give as ANTHROPIC_BASE_URL. Ctrl-C writes the cassette.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
from pathlib import Path

from shared.testing.cassette import Cassette, recording


async def record(path: Path, upstream: str, about: str) -> int:
    """Until told to stop; how many exchanges were kept."""
    stop = asyncio.Event()
    for sign in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    cassette = Cassette(about)
    async with recording(cassette, upstream) as url:
        print(url, flush=True)
        await stop.wait()
    cassette.write(path)
    return len(cassette.exchanges)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.record_model", description=__doc__)
    parser.add_argument("cassette", type=Path)
    parser.add_argument("--upstream", required=True)
    parser.add_argument("--about", default="")
    options = parser.parse_args()
    count = asyncio.run(record(options.cassette, options.upstream, options.about))
    print(f"{count} exchanges are in {options.cassette}")


if __name__ == "__main__":
    main()
