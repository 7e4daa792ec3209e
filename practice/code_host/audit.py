"""The inputs of the three tasks on these sites, what is right for each sample, and the check of what came back."""

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
    """The last 60 commits on main with the columns sha and url; returns the number of rows."""
    url = repository_url(base_url, repository)
    rows = [(commit.sha, f"{url}/commit/{commit.sha}") for commit in commits_on_main(repository, COMMITS)]
    return _write(path, ("sha", "url"), rows)


def audit_truth(repository: Repository) -> dict[str, dict[str, str]]:
    """What the table must say, by hash. The address of a ticket is its path: the port is nobody's to know."""
    commits = commits_on_main(repository, COMMITS)
    return {commit.sha: _audited(commit, repository.pull_request(commit.pull_request)) for commit in commits}


def audit_answers(repository: Repository) -> dict[str, Material]:
    """Was it merged although checks had failed, and were the failures material? By hash."""
    pairs = [(commit, repository.pull_request(commit.pull_request)) for commit in commits_on_main(repository, COMMITS)]
    return {commit.sha: one.answer if one else "no" for commit, one in pairs}


def compare_audit(
    combined_csv: Path, repository: Repository, answers: Mapping[str, str] | None = None
) -> list[Difference]:
    """Every cell of combined.csv, and every answer by sample if given, that disagrees with the sites."""
    found = differences(rows_of(combined_csv), audit_truth(repository), AUDIT_SAME)
    return found + _wrong_answers(audit_answers(repository), answers)


def _audited(commit: Commit, one: PullRequest | None) -> dict[str, str]:
    if one is None:
        return {"status": "done", "commit_sha": commit.sha, **dict.fromkeys(OF_PULL_REQUEST, "")}
    return {
        "status": "done",
        "commit_sha": commit.sha,
        "pr_number": str(one.number),
        "pr_creator": one.creator,
        "approvers": json.dumps(one.approvers),
        "merger": one.merged_by,
        "checks_passed": str(one.count("passed")),
        "checks_failed": str(one.count("failed")),
        "merged_with_failures": "true" if one.failed else "false",
        "ci_failure_details": "\n".join(text for check in one.failed for text in (check.name, check.error) if text),
        "jira_url": f"/browse/{one.ticket}" if one.ticket else "",
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
    """A line of code that stands in one place only, and the commit that wrote it last."""

    sample_id: str
    code_string: str
    file_path: str
    commit: Commit


def blamed_samples(repository: Repository) -> list[BlamedSample]:
    """Lines from all files whose last commit was an edit; as many of each kind as there are, up to 4."""
    known = _unique_lines(repository)
    chosen = [pick for kind in ("yes", "no", "inconclusive") for pick in _spread(known, kind)]
    name = words.PROJECT_KEYS[repository.name]
    return [
        BlamedSample(f"{name}-{place:02}", text, path, commit) for place, (text, path, commit) in enumerate(chosen, 1)
    ]


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
    """One line a commit, evenly from all that there are."""
    by_commit = {commit.sha: (text, path, commit) for text, path, commit in known if _is_edit(commit, kind)}
    picks = list(by_commit.values())
    return picks[:: max(1, len(picks) // BLAMED_OF_EACH)][:BLAMED_OF_EACH]


def _is_edit(commit: Commit, kind: str) -> bool:
    return commit.material == kind and commit.kind != "new code"


def write_blame_input(path: Path, base_url: str, repository: Repository) -> int:
    """The samples with the columns sample_id, code_string, repo_url and url; returns the number of rows."""
    url = repository_url(base_url, repository)
    rows = [(sample.sample_id, sample.code_string, url, url) for sample in blamed_samples(repository)]
    return _write(path, ("sample_id", "code_string", "repo_url", "url"), rows)


def blame_truth(repository: Repository) -> dict[str, dict[str, str]]:
    return {
        sample.sample_id: {
            "status": "done",
            "code_string": sample.code_string,
            "file_path": sample.file_path,
            "last_modified_date": sample.commit.committed_at.date().isoformat(),
            "author": words.PEOPLE[sample.commit.author],
        }
        for sample in blamed_samples(repository)
    }


def blame_answers(repository: Repository) -> dict[str, Material]:
    """Did the last change of the line touch what the code works out? By sample."""
    return {sample.sample_id: sample.commit.material for sample in blamed_samples(repository)}


def compare_blame(
    combined_csv: Path, repository: Repository, answers: Mapping[str, str] | None = None
) -> list[Difference]:
    """Every cell of combined.csv, and every answer by sample if given, that disagrees with the site."""
    found = differences(rows_of(combined_csv), blame_truth(repository), {})
    return found + _wrong_answers(blame_answers(repository), answers)


# --- practice_commits


def write_commits_input(path: Path, base_url: str, repository: Repository) -> int:
    """One row: the list to go through, with the columns repository and url."""
    return _write(
        path, ("repository", "url"), [(repository.name, f"{repository_url(base_url, repository)}/commits/main")]
    )


def compare_commits(samples_csv: Path, repository: Repository) -> list[Difference]:
    """What was found, by the column commit_sha or else sample_id, against the last 60 commits on main; where there
    is a column url, its path too. Commits that are missing, twice there or not asked for are of the column ``row``."""
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
