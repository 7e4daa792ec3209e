"""``python -m practice.people``: serve the directory and print its URL, until Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from practice.people.data import DEFAULT_SEED, ground_truth
from practice.people.demo import write_input
from practice.people.listing import PAGERS
from practice.people.server import PORT, serve
from practice.people.site import Options
from practice.serving import wait_for_stop_signal


def main() -> None:
    arguments = _parser().parse_args()
    if arguments.write_input:
        write_input(arguments.write_input, ground_truth(arguments.seed))
        return
    asyncio.run(_serve(arguments))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m practice.people", description="A people directory to practise on.")
    parser.add_argument("--port", type=int, default=PORT, help=f"0 takes a free one; the task specs say {PORT}")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="what the people are made from")
    parser.add_argument("--wall", choices=("off", "profiles", "site"), default="off", help="what needs a sign-in")
    parser.add_argument("--limit-every", type=int, default=0, metavar="N", help="answer every Nth page with 429")
    parser.add_argument("--retry-after", type=int, default=2, metavar="S", help="what a 429 asks for, in seconds")
    parser.add_argument("--pager", choices=PAGERS, default="url", help="how lists turn their pages")
    parser.add_argument("--write-input", type=Path, metavar="CSV", help="write names to look for, and end")
    return parser


async def _serve(arguments: argparse.Namespace) -> None:
    options = Options(
        seed=arguments.seed,
        wall=arguments.wall,
        limit_every=arguments.limit_every,
        retry_after_s=arguments.retry_after,
        pager=arguments.pager,
    )
    async with serve(arguments.port, options) as url:
        print(url, flush=True)
        await wait_for_stop_signal()


if __name__ == "__main__":
    main()
