"""The table of mutants fits the code, and what pytest says of one is read right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.junit import Case as JunitCase
from benchmarks.mutants.__main__ import Case, Tried, rows, survivors, try_one
from benchmarks.mutants.mutant import Module, Mutant, changed, line_of
from benchmarks.mutants.table import MODULES
from benchmarks.mutants.working_copy import NothingRanError, RanTests, WorkingCopy, first_failure

ROOT = Path(__file__).parents[3]
TEXT = "def f(a):\n    if a > 1:\n        return a\n    return 0\n"


@pytest.mark.parametrize("module", MODULES, ids=lambda one: one.path)
def test_every_mutant_changes_one_place_of_its_module_and_compiles(module: Module):
    text = (ROOT / module.path).read_text(encoding="utf-8")
    for mutant in module.mutants:
        compile(changed(text, mutant), module.path, "exec")
        assert mutant.before != mutant.after
        assert mutant.promise
    missing = [one for one in module.tests if not (ROOT / "tests" / one).exists()]
    assert missing == []


def test_no_module_and_no_mutant_stands_there_twice():
    assert len({one.path for one in MODULES}) == len(MODULES)
    for module in MODULES:
        assert len({(one.before, one.after) for one in module.mutants}) == len(module.mutants) > 0


def test_a_fragment_that_is_not_there_once_is_told():
    with pytest.raises(ValueError, match="2 times"):
        changed(TEXT, Mutant("return ", "yield ", "it returns"))
    assert changed(TEXT, Mutant("a > 1", "a >= 1", "one is none")) == TEXT.replace(">", ">=")


def test_the_line_is_that_which_differs():
    assert line_of(TEXT, Mutant("    if a > 1:\n        return a", "    if a > 1:\n        return 1", "")) == 3
    assert line_of(TEXT, Mutant("if a > 1", "if a < 1", "")) == 2


PASSED, FAILED = JunitCase("a.py", "test_a", "passed"), JunitCase("a.py", "test_b[c d]", "failed")
BROKEN = JunitCase("", "tests.a", "failed")


@pytest.mark.parametrize(
    ("code", "ran", "failed"),
    [
        (0, [PASSED], ""),
        (1, [PASSED, FAILED, BROKEN], "tests/a.py::test_b[c d]"),
        (2, [BROKEN], "tests.a"),  # it cannot be imported
    ],
)
def test_a_mutant_is_killed_by_the_first_test_that_fails(code: int, ran: list[JunitCase], failed: str):
    assert first_failure(code, ran) == failed


@pytest.mark.parametrize(("code", "ran"), [(4, []), (5, []), (1, [PASSED]), (-9, [FAILED])])
def test_tests_that_did_not_run_kill_nothing(code: int, ran: list[JunitCase]):
    with pytest.raises(NothingRanError):
        first_failure(code, ran)


def test_a_module_is_changed_in_the_copy_alone_and_comes_back(tmp_path: Path):
    checkout = tmp_path / "checkout"
    for name in ("a/one.py", "a/__pycache__/one.pyc", ".venv/lib.py", "evidence/run.json"):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text(TEXT)
    copy = WorkingCopy(checkout, tmp_path / "copy")
    assert [str(one.relative_to(copy.folder)) for one in copy.folder.rglob("*") if one.is_file()] == ["a/one.py"]
    with copy.holding("a/one.py", "x = 1\n"):
        assert (copy.folder / "a/one.py").read_text() == "x = 1\n"
        assert (checkout / "a/one.py").read_text() == TEXT
    assert (copy.folder / "a/one.py").read_text() == TEXT


def test_a_survivor_is_none_where_it_is_told_why_it_is_equal():
    module = Module("a.py", ("unit",), ())
    equal = Case(module, Mutant("a", "b", "p", equal="nobody reads it"), 1)
    told = [Tried(Case(module, Mutant("a", "c", "p"), 2), RanTests(failed, 1.0)) for failed in ("test_a", "")]
    tried = [*told, Tried(equal, RanTests("", 1.0))]
    assert survivors(tried) == [tried[1]]
    figures = {row.what: row.figure for row in rows(tried, 3.0)}
    assert figures["mutants"] == 2
    assert figures["killed by the fast tests"] == 0.5
    assert figures["survivors without a test or a reason"] == 1


class ScriptedCopy(WorkingCopy):
    """A copy in which tests fail as the script says: by what is asked, and whether the module is changed."""

    def __init__(self, folder: Path, fails: dict[tuple[str, bool], str]) -> None:
        self.folder, self.fails = folder, fails
        self.asked: list[str] = []
        (folder / "a.py").write_text(TEXT)

    def run_tests(self, tests: Sequence[str], limit_s: float) -> RanTests:
        self.asked.append(" ".join(tests))
        is_changed = (self.folder / "a.py").read_text() != TEXT
        return RanTests(self.fails.get((self.asked[-1], is_changed), ""), 1.0)


def tried(copy: ScriptedCopy, **more: str) -> str:
    mutant = Mutant("a > 1", "a >= 1", "one is none", **more)
    return try_one(copy, Case(Module("a.py", ("unit/test_a.py",), ()), mutant, 2), 60.0).run.failed


def test_what_its_own_tests_do_not_kill_is_tried_with_all_in_their_folders(tmp_path: Path):
    own = ScriptedCopy(tmp_path, {("unit/test_a.py", True): "tests/unit/test_a.py::test_one"})
    assert (tried(own), own.asked) == ("tests/unit/test_a.py::test_one", ["unit/test_a.py"])
    other = ScriptedCopy(tmp_path, {("unit", True): "tests/unit/test_b.py::test_two"})
    assert tried(other) == "tests/unit/test_b.py::test_two"
    assert other.asked == ["unit/test_a.py", "unit", "unit/test_b.py::test_two"]
    assert tried(ScriptedCopy(tmp_path, {})) == ""
    equal = ScriptedCopy(tmp_path, {})
    assert (tried(equal, equal="nobody asks"), equal.asked) == ("", ["unit/test_a.py"])


def test_a_test_that_fails_without_a_mutant_kills_none(tmp_path: Path):
    broken = {("unit", True): "tests/unit/test_b.py::test_two", ("unit/test_b.py::test_two", False): "the same"}
    with pytest.raises(NothingRanError, match="without a mutant"):
        tried(ScriptedCopy(tmp_path, broken))
