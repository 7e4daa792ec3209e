"""The example of docs/reconciling.md, carried out: a run compared with a register, sealed, verified and asked about."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from tests.end_to_end.conftest import ROOT, Cli

PAGE = (ROOT / "docs/reconciling.md").read_text(encoding="utf-8")
SITE = "http://127.0.0.1:8000"


def block(language: str, number: int = 0) -> str:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[number]


def table(text: str) -> list[list[str]]:
    return [re.split(r"\s{2,}", line.strip()) for line in text.splitlines()]


def test_the_example_of_the_page(cli: Cli, tickets_url: str):
    samples, register = (cli.folder / name for name in ("tickets.csv", "export.csv"))
    samples.write_text(block("csv").replace(SITE, tickets_url))
    register.write_text(block("csv", 1))
    evidence = str(cli.folder / "evidence")

    def exhibit(command: str, *more: str) -> str:
        words = shlex.split(command)[1:]
        files = {"tickets.csv": str(samples), "export.csv": str(register)}
        ended = cli.run(*(files.get(word, word) for word in words), "--evidence", evidence, *more)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    run, ask, verify = block("sh").splitlines()
    # A terminal that is narrow breaks the line.
    assert f"Register {block('text').strip()}" in " ".join(exhibit(run).split())
    answer = json.loads(exhibit(ask, "--format", "json"))
    shown = block("text", 1).splitlines()
    assert [["-" if cell is None else cell for cell in row.values()] for row in answer] == table("\n".join(shown[1:]))
    exhibit(verify)
    folder = next(Path(evidence).glob("run_*"))
    assert (folder / "reconciliation/reconciliation.json").is_file()
