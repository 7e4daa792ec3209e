"""The drift suite: a flow compiled on the plain site, run with every switch of the practice sites alone.

The table is printed (``pytest -s``). Nothing wrong is ever done: false heals are 0.
"""

from __future__ import annotations

from practice.code_host import audit
from practice.code_host import server as code_host
from practice.code_host.data import ground_truth as world_of
from practice.comparing import rows_of
from practice.drift import KNOWN
from practice.people import demo as people_demo
from practice.people import server as people_server
from practice.people.asking import settle
from practice.people.data import ground_truth as people_of
from practice.tickets import server as tickets_server
from tests.drift.flows import Subject, measure, told
from tests.drift.outcomes import Outcome, table_of
from tests.drift.tickets import EACH, tickets_subject
from tests.end_to_end.family_runs import spec_of

SWITCHES = ("", *KNOWN)


def assert_nothing_wrong(outcomes: list[Outcome]) -> None:
    print(f"\n{told(outcomes)}\n\n{table_of(outcomes)}")
    assert [one for one in outcomes if one.verdict == "false"] == []
    assert {one.verdict for one in outcomes if one.switch == "(plain)"} == {"right"}


async def test_tickets(with_library, monkeypatch):
    async with tickets_server.serve() as url:
        assert_nothing_wrong(await measure(with_library, monkeypatch, tickets_subject(url), SWITCHES))


async def test_people(with_library, monkeypatch):
    people = people_of()
    found = [
        row for row in people_demo.input_rows(people) if settle(people, row["name"], row["company"]).kind == "found"
    ]
    chosen = found[4 : 4 + EACH]
    async with people_server.serve() as url:
        cells = [people_demo.expected_cells(people, row, url) for row in chosen]
        truth = [{name: one[name] for name in people_demo.FIELDS} for one in cells]
        subject = Subject("people", spec_of("practice_people", url), found[:4], chosen, truth)
        assert_nothing_wrong(await measure(with_library, monkeypatch, subject, SWITCHES))


async def test_commits(with_library, monkeypatch, tmp_path):
    repository = world_of().repositories[0]
    expected = audit.audit_truth(repository)
    async with code_host.serve() as origins:
        audit.write_audit_input(tmp_path / "in.csv", origins.code, repository)
        every = [dict(row) for row in rows_of(tmp_path / "in.csv")]
        linked = [row for row in every if expected[row["sha"]]["jira_url"]]
        unlinked = [row for row in every if expected[row["sha"]]["pr_number"] and not expected[row["sha"]]["jira_url"]]
        chosen = [*linked[3 : 3 + EACH - 1], unlinked[2]]
        names = ("pr_creator", "merger")
        truth = [{name: expected[row["sha"]][name] for name in names} for row in chosen]
        recorded = [linked[0], unlinked[0], linked[1], unlinked[1], linked[2]]
        spec = spec_of("practice_commit_audit")
        ended = ("needs_review judgment_missing",)
        subject = Subject("commits", spec, recorded, chosen, truth, learned=3, ended=ended)
        assert_nothing_wrong(await measure(with_library, monkeypatch, subject, SWITCHES))


async def test_lines(with_library, monkeypatch, tmp_path):
    repository = world_of().repositories[0]
    expected = audit.blame_truth(repository)
    async with code_host.serve() as origins:
        audit.write_blame_input(tmp_path / "in.csv", origins.code, repository)
        rows = [dict(row) for row in rows_of(tmp_path / "in.csv")]
        chosen = rows[4 : 4 + EACH]
        names = ("code_string", "file_path", "last_modified_date", "author")
        truth = [{name: expected[row["sample_id"]][name] for name in names} for row in chosen]
        ended = ("done", "needs_review judgment_missing")
        subject = Subject("lines", spec_of("practice_blame"), rows[:4], chosen, truth, ended=ended)
        assert_nothing_wrong(await measure(with_library, monkeypatch, subject, SWITCHES))
