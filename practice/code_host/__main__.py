"""``python -m practice.code_host``: serve the three sites and print their URLs, until Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from practice.code_host import audit, words
from practice.code_host.data import DEFAULT_SEED, ground_truth
from practice.code_host.server import serve
from practice.serving import wait_for_stop_signal


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
    parser.add_argument("--inputs", type=Path, help="a folder for the input tables of the three tasks, once it serves")
    parser.add_argument("--repository", choices=words.REPOSITORIES, default="ledger-core", help="what they ask about")
    return parser


async def _serve(arguments: argparse.Namespace) -> None:
    async with serve(
        arguments.port,
        arguments.ci_port,
        arguments.tracker_port,
        seed=arguments.seed,
        latency_ms=arguments.latency_ms,
    ) as origins:
        if arguments.inputs is not None:
            _write_inputs(arguments.inputs, origins.code, arguments.seed, arguments.repository)
        print(f"code {origins.code}\nci {origins.ci}\ntracker {origins.tracker}", flush=True)
        await wait_for_stop_signal()


def _write_inputs(folder: Path, base_url: str, seed: int, name: str) -> None:
    repository = ground_truth(seed).repository(name)
    assert repository is not None
    folder.mkdir(parents=True, exist_ok=True)
    audit.write_audit_input(folder / "practice_commit_audit.csv", base_url, repository)
    audit.write_blame_input(folder / "practice_blame.csv", base_url, repository)
    audit.write_commits_input(folder / "practice_commits.csv", base_url, repository)


if __name__ == "__main__":
    main()
