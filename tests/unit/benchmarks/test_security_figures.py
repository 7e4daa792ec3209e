"""An attack counts as stopped only where all of its tests ran and passed."""

from __future__ import annotations

from pathlib import Path

from benchmarks.junit import Case, read_cases
from benchmarks.security import judge
from benchmarks.security_attacks import ATTACKS, Attack

CASES = (
    Case("a/test_x.py", "test_one[1]", "passed"),
    Case("a/test_x.py", "test_two", "failed"),
    Case("a/test_y.py", "test_one", "skipped"),
)


def told(*tests: str) -> tuple[int, tuple[str, ...], bool]:
    (one,) = judge([Attack("who", "what", tests)], CASES)
    return one.tests, one.failed, one.stopped


def test_the_cases_are_those_of_the_file(tmp_path: Path):
    path = tmp_path / "cases.xml"
    assert read_cases(path) == []
    path.write_text("""<testsuites><testsuite>
        <testcase file="tests/a/test_x.py" name="test_one[1]"/>
        <testcase file="tests/a/test_x.py" name="test_two"><failure message="no"/></testcase>
        <testcase file="tests/a/test_y.py" name="test_one"><skipped message="no Go"/></testcase>
        <testcase name="tests.a.test_z"><error message="collection failure"/></testcase>
    </testsuite></testsuites>""")
    assert read_cases(path) == [*CASES, Case("", "tests.a.test_z", "failed")]


def test_all_tests_of_an_attack_count():
    assert told("a/test_x.py::test_one") == (1, (), True)
    assert told("a/test_x.py") == (2, ("a/test_x.py::test_two",), False)
    assert told("a/test_x.py::test_one", "a/test_x.py::test_two")[2] is False


def test_what_did_not_run_has_stopped_nothing():
    assert told("a/test_y.py") == (1, ("a/test_y.py::test_one",), False)
    assert told("a/test_z.py") == (0, ("a/test_z.py",), False)


def test_every_attack_names_tests_that_there_are():
    named = [one.partition("::") for attack in ATTACKS for one in attack.tests]
    assert len(named) > 40
    for file, _, begin in named:
        assert f"def {begin or 'test_'}" in (Path("tests") / file).read_text(encoding="utf-8"), (file, begin)
