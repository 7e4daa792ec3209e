"""``python -m practice.code_host``: serves the three sites and prints their URLs, until Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
import signal

from practice.code_host.data import DEFAULT_SEED
from practice.code_host.server import serve


def main() -> None:
    arguments = _parser().parse_args()
    asyncio.run(_serve(arguments))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m practice.code_host", description="A code host to practise on, with its CI and its tracker."
    )
    for name in ("--port", "--ci-port", "--tracker-port"):
        parser.add_argument(name, type=int, default=0, help="0 takes a free one")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="what the repositories are made from")
    parser.add_argument("--latency-ms", type=int, default=180, help="how long what a page loads by itself takes")
    return parser


async def _serve(arguments: argparse.Namespace) -> None:
    stop = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    async with serve(
        arguments.port,
        arguments.ci_port,
        arguments.tracker_port,
        seed=arguments.seed,
        latency_ms=arguments.latency_ms,
    ) as origins:
        print(f"code {origins.code}\nci {origins.ci}\ntracker {origins.tracker}", flush=True)
        await stop.wait()


if __name__ == "__main__":
    main()
