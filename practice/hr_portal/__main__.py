"""``python -m practice.hr_portal``: serve the portal and print its URL, until Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from practice.hr_portal.data import DEFAULT_SEED, ground_truth
from practice.hr_portal.demo import write_input
from practice.hr_portal.server import PORT, serve
from practice.hr_portal.site import Options
from practice.serving import wait_for_stop_signal


def main() -> None:
    arguments = _parser().parse_args()
    if arguments.write_input:
        write_input(arguments.write_input, ground_truth(arguments.seed))
        return
    asyncio.run(_serve(arguments))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m practice.hr_portal", description="An HR portal to practise on.")
    parser.add_argument("--port", type=int, default=PORT, help=f"0 takes a free one; the task spec says {PORT}")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="what the employees are made from")
    parser.add_argument("--login", action="store_true", help="ask for a sign-in before every page")
    parser.add_argument("--latency-ms", type=int, default=150, help="how long lists and tabs take to come")
    parser.add_argument("--report-ms", type=int, default=1200, help="how long a report takes to be made")
    parser.add_argument("--write-input", type=Path, metavar="CSV", help="write requests to send, and end")
    return parser


async def _serve(arguments: argparse.Namespace) -> None:
    options = Options(arguments.seed, arguments.login, arguments.latency_ms, arguments.report_ms)
    async with serve(arguments.port, options) as url:
        print(url, flush=True)
        await wait_for_stop_signal()


if __name__ == "__main__":
    main()
