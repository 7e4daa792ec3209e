"""`exhibit workflows` as users and scripts run it: on the library of services that run already."""

from __future__ import annotations

import csv
import hashlib
import json

from practice.tickets.data import ground_truth
from tests.end_to_end.conftest import ROOT, Cli, System

EXAMPLE = ROOT / "examples/workflows/ticket_evidence"

COUNT = '''"""Count the words of a text."""


def run(text: str, at_least: int = 1) -> dict:
    """Count words.

    Args:
        text: what is counted
        at_least: the least length of a word

    Returns:
        Each word with its number.

    Raises:
        ValueError: the text has no words
    """
    words = [word for word in text.lower().split() if len(word) >= at_least]
    if not words:
        raise ValueError(f"no word of {at_least} letters in {text!r}")
    counts: dict = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    print("counted", len(words))
    return counts
'''


def test_a_workflow_is_written_found_run_and_taken_elsewhere(online: Cli, system: System):
    cli = online
    source = cli.folder / "count_words.py"
    source.write_text(COUNT)
    made = cli.run("workflows", "create", str(source), "--author", "anna")
    assert made.returncode == 0, made.stderr
    assert "count_words is created, version " in made.stdout
    taken = cli.run("workflows", "create", str(source), "--json")
    assert taken.returncode == 2
    assert json.loads(taken.stdout)["findings"][0]["code"] == "name_taken"

    found = json.loads(cli.run("workflows", "search", "how often does each term occur", "--json").stdout)
    assert found["hits"][0]["workflow"]["name"] == "count_words"  # the library may have flows of other tests
    direct = json.loads(cli.run("workflows", "search", "count the words of a text", "--json").stdout)
    assert direct["hits"][0]["workflow"]["name"] == "count_words"
    assert cli.run("workflows", "search", "zebra quantum marmalade").returncode == 1

    ran = cli.run("workflows", "run", "count_words", "--arg", "text=a bb a", "--arg", "at_least=1")
    assert (ran.returncode, json.loads(ran.stdout)) == (0, {"a": 2, "bb": 1}), ran.stderr
    assert ran.stderr == "counted 3\n"
    failed = cli.run("workflows", "run", "count_words", '{"text": "a", "at_least": 5}')
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "exhibit: count_words failed (raised)" in failed.stderr
    assert "ValueError: no word of 5 letters in 'a'" in failed.stderr
    assert 'raise ValueError(f"no word' in failed.stderr
    assert str(system.folder) not in failed.stderr
    unknown = cli.run("workflows", "show", "nothing")
    assert (unknown.returncode, "there is no workflow 'nothing'" in unknown.stderr) == (2, True)

    assert cli.run("workflows", "export", str(cli.folder / "library.zip")).returncode == 0
    assert cli.run("workflows", "delete", "count_words", "--author", "bert").returncode == 0
    assert cli.run("workflows", "run", "count_words").returncode == 1
    back = cli.run("workflows", "import", str(cli.folder / "library.zip"), "--json")
    assert [one["author"] for one in json.loads(back.stdout)["created"]] == ["anna"]
    entries = json.loads(cli.run("workflows", "history", "count_words", "--json").stdout)["entries"]
    assert [(one["kind"], one["author"]) for one in entries] == [
        ("created", "anna"),
        ("deleted", "bert"),
        ("created", "anna"),
    ]


def test_ticket_evidence_is_collected_by_the_example(online: Cli, system: System, tickets_url: str):
    """The library in examples/workflows/ticket_evidence: a browser, pictures and a table as artifacts."""
    cli = online
    assert cli.run("workflows", "import", str(EXAMPLE / "workflows")).returncode == 0
    tickets = ground_truth()[:2]
    addresses = [f"{tickets_url}/tickets/{ticket.number}" for ticket in tickets]
    given = json.dumps({"ticket_urls": [*addresses, f"{tickets_url}/tickets/TCK-9999"], "collection": "april"})
    ran = cli.run("workflows", "run", "collect_ticket_evidence", given)
    assert ran.returncode == 0, ran.stderr
    value = json.loads(ran.stdout)
    assert list(value["failed"]) == [f"{tickets_url}/tickets/TCK-9999"]
    kept = system.evidence / "library.artifacts"
    with (kept / "april.csv" / "content").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["ticket_number"], row["assignee"]) for row in rows] == [
        (ticket.number, ticket.assignee or "Unassigned") for ticket in tickets
    ]
    for row in rows:
        picture = (kept / row["screenshot"] / "content").read_bytes()
        assert picture.startswith(b"\x89PNG")
        assert hashlib.sha256(picture).hexdigest() == row["sha256"]
