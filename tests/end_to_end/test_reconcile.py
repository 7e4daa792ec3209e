"""The example of docs/reconciling.md, carried out: a run compared with a register, sealed, verified and asked about."""

from __future__ import annotations

import json
import re
import shlex

from tests.end_to_end.conftest import ROOT, Cli, System

PAGE = (ROOT / "docs/reconciling.md").read_text(encoding="utf-8")
SITE = "http://127.0.0.1:8000"


def block(language: str, number: int = 0) -> str:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[number]


def table(text: str) -> list[list[str]]:
    return [re.split(r"\s{2,}", line.strip()) for line in text.splitlines()]


def test_the_example_of_the_page(online: Cli, system: System, tickets_url: str):
    cli = online
    samples, register = (cli.folder / name for name in ("tickets.csv", "export.csv"))
    samples.write_text(block("csv").replace(SITE, tickets_url))
    register.write_text(block("csv", 1))
    before = set(system.evidence.glob("run_*"))
    names = {"tickets.csv": str(samples), "export.csv": str(register)}

    def exhibit(command: str, *more: str) -> str:
        words = shlex.split(command)[1:]
        ended = cli.run(*(names.get(word, word) for word in words), *more)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    run, ask, verify = block("sh").splitlines()
    # A terminal that is narrow breaks the line.
    assert f"Register {block('text').strip()}" in " ".join(exhibit(run).split())
    [folder] = set(system.evidence.glob("run_*")) - before
    names["last"] = folder.name  # other services than those of this command have no last run
    answer = json.loads(exhibit(ask, "--format", "json"))
    shown = block("text", 1).splitlines()
    assert [["-" if cell is None else cell for cell in row.values()] for row in answer] == table("\n".join(shown[1:]))
    exhibit(verify)
    assert (folder / "reconciliation/reconciliation.json").is_file()
