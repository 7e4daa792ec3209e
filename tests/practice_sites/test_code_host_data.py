"""The repositories: reproducible by seed, with all cases that the audit is about."""

from __future__ import annotations

import ast
from dataclasses import replace
from random import Random

import pytest

from practice.code_host import words
from practice.code_host.code import BlamedLine, blamed, diffed, edited, lines_of, new_function
from practice.code_host.data import commits_on_main, ground_truth
from practice.code_host.model import Repository

WORLD = ground_truth()
ROW = "late_fee|Fee for a payment that came late.|balance|days_late|late_charge"
each_repository = pytest.mark.parametrize("repository", WORLD.repositories, ids=lambda repository: repository.name)


def test_equal_seeds_are_equal_worlds_and_others_are_not():
    assert ground_truth() == WORLD
    assert ground_truth(12) != WORLD


def test_no_id_is_given_twice():
    shas = [commit.sha for repository in WORLD.repositories for commit in repository.commits]
    jobs = [check.job for repository in WORLD.repositories for one in repository.pull_requests for check in one.checks]
    keys = [ticket.key for repository in WORLD.repositories for ticket in repository.tickets]
    for ids in (shas, jobs, keys):
        assert len(set(ids)) == len(ids)
    assert all(len(sha) == 40 and int(sha, 16) for sha in shas)


@each_repository
def test_there_are_60_commits_newest_first(repository: Repository):
    commits = commits_on_main(repository)
    assert len(commits) == 60
    times = [commit.committed_at for commit in repository.commits]
    assert times == sorted(times, reverse=True)
    assert [repository.commit_at(commit.index) for commit in commits] == list(commits)


@each_repository
def test_every_case_of_the_audit_occurs(repository: Repository):
    commits = commits_on_main(repository)
    pulls = [repository.pull_request(commit.pull_request) for commit in commits]
    known = [one for one in pulls if one is not None]
    assert None in pulls
    assert len(set(known)) < len(known), "a pull request that brought in two commits"
    assert {one.answer for one in known} == {"yes", "no", "inconclusive"}
    assert any(one.failed and one.answer == "no" for one in known)
    assert {check.state for one in known for check in one.checks} == {"passed", "failed", "pending", "skipped"}
    assert {review.state for one in known for review in one.reviews} == {
        "approved",
        "requested",
        "dismissed",
        "commented",
    }
    assert {len(one.approvers) for one in known} == {0, 1, 2}
    assert {one.ticket is None for one in known} == {True, False}
    assert any(one.merged_by == one.creator for one in known)
    assert any(one.merged_by != one.creator for one in known)


@each_repository
def test_nobody_reviews_their_own_pull_request(repository: Repository):
    assert all(review.login != one.creator for one in repository.pull_requests for review in one.reviews)


@each_repository
def test_a_commit_without_a_pull_request_names_the_one_of_another(repository: Repository):
    direct = [commit for commit in repository.commits if commit.pull_request is None]
    numbers = {one.number for one in repository.pull_requests}
    assert direct
    assert all(int(commit.body.partition("#")[2].partition(",")[0]) in numbers for commit in direct)


@each_repository
def test_every_file_is_python_and_every_line_is_some_commits(repository: Repository):
    for path, lines in repository.files.items():
        ast.parse("\n".join(line.text for line in lines))
        assert all(path in [change.path for change in repository.commit_at(line.commit).changes] for line in lines)


@each_repository
def test_a_line_is_of_the_commit_that_added_it_last(repository: Repository):
    """From the differences alone: whoever plays them back, oldest first, gets the same files and the same blame."""
    for path, lines in repository.files.items():
        replayed: list[BlamedLine] = []
        for commit in reversed(repository.commits):
            for hunk in (hunk for change in commit.changes if change.path == path for hunk in change.hunks):
                for line in hunk:
                    if line.sign == "-" and line.old is not None:
                        replayed[line.old - 1] = BlamedLine("", -1)
            replayed = [line for line in replayed if line.commit != -1]
            for hunk in (hunk for change in commit.changes if change.path == path for hunk in change.hunks):
                for line in hunk:
                    if line.sign == "+" and line.new is not None:
                        replayed.insert(line.new - 1, BlamedLine(line.text, commit.index))
        assert tuple(replayed) == lines


def _skeleton(source: str) -> str:
    """What the code works out: its tree without docstrings, with the result's name made the same everywhere."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body = node.body[1:]
        if isinstance(node, ast.Name) and node.id.startswith("late_charge"):
            node.id = "late_charge"
    return ast.dump(tree)


@pytest.mark.parametrize("seed", range(60))
def test_a_change_is_material_exactly_when_the_tree_of_the_code_differs(seed: int):
    rng = Random(seed)
    before = new_function(rng, ROW)
    edit = edited(rng, before)
    trees = [_skeleton("\n".join(lines_of("src/fees.py", [function]))) for function in (before, edit.after)]
    assert (trees[0] == trees[1]) is (edit.material == "no")
    assert lines_of("src/fees.py", [before]) != lines_of("src/fees.py", [edit.after])
    assert ("secret_rate" in trees[1]) is (edit.material == "inconclusive")


def test_blame_keeps_what_stayed_and_gives_away_what_changed():
    before = blamed((), ["a", "b", "c"], 0)
    after = blamed(before, ["a", "B", "c", "d"], 3)
    assert [(line.text, line.commit) for line in after] == [("a", 0), ("B", 3), ("c", 0), ("d", 3)]


def test_a_difference_has_the_lines_gone_and_come_with_their_numbers():
    [hunk] = diffed(["a", "b", "c"], ["a", "x", "y", "c"])
    assert [(line.sign, line.old, line.new, line.text) for line in hunk] == [
        (" ", 1, 1, "a"),
        ("-", 2, None, "b"),
        ("+", None, 2, "x"),
        ("+", None, 3, "y"),
        (" ", 3, 4, "c"),
    ]


def test_titles_can_say_nothing_about_the_change():
    neutral = [title.split("{")[0] for title in words.NEUTRAL_TITLES]
    kinds = {
        commit.material
        for repository in WORLD.repositories
        for commit in repository.commits
        if commit.title.startswith(tuple(neutral))
    }
    assert kinds == {"yes", "no", "inconclusive"}


def test_a_pull_request_with_a_gone_log_and_a_material_failure_is_material():
    one = next(one for repository in WORLD.repositories for one in repository.pull_requests if one.failed)
    gone = replace(one.failed[0], error="", material="inconclusive")
    bad = replace(one.failed[0], material="yes")
    fine = replace(one.failed[0], material="no")
    assert replace(one, checks=(gone, bad, fine)).answer == "yes"
    assert replace(one, checks=(gone, fine)).answer == "inconclusive"
    assert replace(one, checks=(fine,)).answer == "no"
