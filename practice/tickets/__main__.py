"""``python -m practice.tickets``: serve the site and print its URL, until Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from practice.serving import wait_for_stop_signal
from practice.tickets.data import DEFAULT_SEED, ground_truth
from practice.tickets.demo import write_input
from practice.tickets.server import serve


def main() -> None:
    arguments = _parser().parse_args()
    asyncio.run(_serve(arguments))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m practice.tickets", description="A ticket site to practise on.")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="what the tickets are made from")
    parser.add_argument("--latency-ms", type=int, default=250, help="the longest time a page takes to fill")
    parser.add_argument("--list", type=Path, metavar="FILE", help="write the demo's 60 tickets with their addresses")
    parser.add_argument("--missing", default="", help="ticket numbers that are gone, separated by commas")
    parser.add_argument("--missing-status", type=int, choices=(200, 404), default=200, help="of pages of such tickets")
    return parser


async def _serve(arguments: argparse.Namespace) -> None:
    async with serve(
        arguments.port,
        seed=arguments.seed,
        latency_ms=arguments.latency_ms,
        missing=frozenset(filter(None, arguments.missing.split(","))),
        missing_status=arguments.missing_status,
    ) as url:
        if arguments.list is not None:
            write_input(arguments.list, url, ground_truth(arguments.seed))
        print(url, flush=True)
        await wait_for_stop_signal()


if __name__ == "__main__":
    main()
