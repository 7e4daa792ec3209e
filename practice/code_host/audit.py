"""The inputs of the three tasks on these sites, their expected results, and the comparison with a run."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from practice.code_host import words
from practice.code_host.code import Material
from practice.code_host.data import commits_on_main
from practice.code_host.model import Commit, PullRequest, Repository
from practice.comparing import Difference, Same, differences, holds_all, rows_of, same_set

COMMITS = 60
BLAMED_OF_EACH = 4
"""Lines of each kind (material, not material, inconclusive) among the samples of one repository, if it has them."""


def repository_url(base_url: str, repository: Repository) -> str:
    return f"{base_url}/{words.ORG}/{repository.name}"


# --- practice_commit_audit


def write_audit_input(path: Path, base_url: str, repository: Repository) -> int:
    """Write the last 60 commits on main with the columns sha and url; return the number of rows."""
    url = repository_url(base_url, repository)
    rows = [(commit.sha, f"{url}/commit/{commit.sha}") for commit in commits_on_main(repository, COMMITS)]
    return _write(path, ("sha", "url"), rows)


def audit_truth(repository: Repository, count: int = COMMITS) -> dict[str, dict[str, str]]:
    """Return the expected columns, by hash. The address of a ticket is a path, because the port varies."""
    commits = commits_on_main(repository, count)
    return {commit.sha: _audited(commit, repository.pull_request(commit.pull_request)) for commit in commits}


def audit_answers(repository: Repository) -> dict[str, Material]:
    """Return by hash: was it merged although checks had failed, and were the failures material?"""
    pairs = [(commit, repository.pull_request(commit.pull_request)) for commit in commits_on_main(repository, COMMITS)]
    return {commit.sha: pull.answer if pull else "no" for commit, pull in pairs}


def compare_audit(
    combined_csv: Path, repository: Repository, answers: Mapping[str, str] | None = None
) -> list[Difference]:
    """Return every cell of combined.csv, and every given answer by sample, that differs from the sites."""
    found = differences(rows_of(combined_csv), audit_truth(repository), AUDIT_SAME)
    return found + _wrong_answers(audit_answers(repository), answers)


def _audited(commit: Commit, pull: PullRequest | None) -> dict[str, str]:
    if pull is None:
        return {"status": "done", "commit_sha": commit.sha, **dict.fromkeys(OF_PULL_REQUEST, "")}
    return {
        "status": "done",
        "commit_sha": commit.sha,
        "pr_number": str(pull.number),
        "pr_creator": pull.creator,
        "approvers": json.dumps(pull.approvers),
        "merger": pull.merged_by,
        "checks_passed": str(pull.count("passed")),
        "checks_failed": str(pull.count("failed")),
        "merged_with_failures": "true" if pull.failed else "false",
        "ci_failure_details": "\n".join(text for check in pull.failed for text in (check.name, check.error) if text),
        "jira_url": f"/browse/{pull.ticket}" if pull.ticket else "",
    }


OF_PULL_REQUEST = (
    "pr_number",
    "pr_creator",
    "approvers",
    "merger",
    "checks_passed",
    "checks_failed",
    "merged_with_failures",
    "ci_failure_details",
    "jira_url",
)


def _same_number(expected: str, got: str) -> bool:
    return expected == got.removeprefix("#")


def _same_login(expected: str, got: str) -> bool:
    return expected == got.removeprefix("@")


def _same_path(expected: str, got: str) -> bool:
    return (urlsplit(got).path if got.startswith(("http://", "https://")) else got) == expected


AUDIT_SAME: dict[str, Same] = {
    "pr_number": _same_number,
    "pr_creator": _same_login,
    "approvers": same_set,
    "merger": _same_login,
    "ci_failure_details": holds_all,
    "jira_url": _same_path,
}


# --- practice_blame


@dataclass(frozen=True)
class BlamedSample:
    """A line of code that occurs exactly once, and the commit that changed it last."""

    sample_id: str
    code_string: str
    file_path: str
    commit: Commit


def blamed_samples(repository: Repository) -> list[BlamedSample]:
    """Return lines from all files whose last change was an edit; up to 4 of each kind."""
    known = _unique_lines(repository)
    chosen = [pick for kind in ("yes", "no", "inconclusive") for pick in _spread(known, kind)]
    name = words.PROJECT_KEYS[repository.name]
    return [
        BlamedSample(f"{name}-{number:02}", text, path, commit) for number, (text, path, commit) in enumerate(chosen, 1)
    ]


def line_samples(repository: Repository) -> list[BlamedSample]:
    """Return every line that occurs once, of whichever kind its last change was."""
    name = words.PROJECT_KEYS[repository.name]
    lines = enumerate(_unique_lines(repository), 1)
    return [BlamedSample(f"{name}-L{number:03}", text, path, commit) for number, (text, path, commit) in lines]


Pick = tuple[str, str, Commit]


def _unique_lines(repository: Repository) -> list[Pick]:
    lines = [(line.text.strip(), path, line.commit) for path, file in repository.files.items() for line in file]
    texts = [text for text, _, _ in lines]
    return [
        (text, path, repository.commit_at(index))
        for text, path, index in lines
        if len(text) > 12 and sum(text in other for other in texts) == 1
    ]


def _spread(known: Sequence[Pick], kind: str) -> list[Pick]:
    """Return one line per commit, evenly spaced over all candidates."""
    by_commit = {commit.sha: (text, path, commit) for text, path, commit in known if _is_edit(commit, kind)}
    picks = list(by_commit.values())
    return picks[:: max(1, len(picks) // BLAMED_OF_EACH)][:BLAMED_OF_EACH]


def _is_edit(commit: Commit, kind: str) -> bool:
    return commit.material == kind and commit.kind != "new code"


def write_blame_input(path: Path, base_url: str, repository: Repository) -> int:
    """Write the samples with the columns sample_id, code_string, repo_url and url; return the number of rows."""
    url = repository_url(base_url, repository)
    rows = [(sample.sample_id, sample.code_string, url, url) for sample in blamed_samples(repository)]
    return _write(path, ("sample_id", "code_string", "repo_url", "url"), rows)


def blame_truth(repository: Repository) -> dict[str, dict[str, str]]:
    return {sample.sample_id: line_cells(sample) for sample in blamed_samples(repository)}


def line_cells(sample: BlamedSample) -> dict[str, str]:
    """Return the expected cells of a line of code."""
    return {
        "status": "done",
        "code_string": sample.code_string,
        "file_path": sample.file_path,
        "last_modified_date": sample.commit.committed_at.date().isoformat(),
        "author": words.PEOPLE[sample.commit.author],
    }


def blame_answers(repository: Repository) -> dict[str, Material]:
    """Return by sample: did the last change of the line affect the result of the code?"""
    return {sample.sample_id: sample.commit.material for sample in blamed_samples(repository)}


def compare_blame(
    combined_csv: Path, repository: Repository, answers: Mapping[str, str] | None = None
) -> list[Difference]:
    """Return every cell of combined.csv, and every given answer by sample, that differs from the site."""
    found = differences(rows_of(combined_csv), blame_truth(repository), {})
    return found + _wrong_answers(blame_answers(repository), answers)


# --- practice_commits


def write_commits_input(path: Path, base_url: str, repository: Repository) -> int:
    """Write one row, the list to read, with the columns repository and url; return the number of rows."""
    return _write(
        path, ("repository", "url"), [(repository.name, f"{repository_url(base_url, repository)}/commits/main")]
    )


def compare_commits(samples_csv: Path, repository: Repository) -> list[Difference]:
    """Compare the listed commits with the last 60 commits on main.

    A commit is identified by the column commit_sha or else sample_id; if there is a column url, its path is compared
    too. Commits that are missing, duplicated or were not requested are differences of the column ``row``.
    """
    rows = rows_of(samples_csv)
    url = f"/{words.ORG}/{repository.name}/commit"
    named = bool(rows) and "url" in rows[0]
    truth = {
        commit.sha: {"url": f"{url}/{commit.sha}"} if named else {} for commit in commits_on_main(repository, COMMITS)
    }
    key = "commit_sha" if rows and "commit_sha" in rows[0] else "sample_id"
    return differences(rows, truth, {"url": _same_path}, key)


def _wrong_answers(truth: Mapping[str, str], answers: Mapping[str, str] | None) -> list[Difference]:
    if answers is None:
        return []
    return [
        Difference(sample, "answer", wanted, answers.get(sample, "(no answer)"))
        for sample, wanted in truth.items()
        if answers.get(sample) != wanted
    ]


def _write(path: Path, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)
    return len(rows)
