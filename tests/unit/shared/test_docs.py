"""Generated documentation is current, and codes named in texts exist."""

from __future__ import annotations

import re

from scripts.write_docs import PAGES, ROOT, TABLES, WITH_TABLES, render
from services.planner.state.limits import MAX_BAD_REPLIES, MAX_FAILURES, STOP_AT
from shared import subjects
from shared.contracts.codes import REASONS
from shared.contracts.error_codes import ERRORS
from shared.statuses import STATUSES
from shared.subjects import Ask, Stored
from shared.task.spec import TaskSpec
from tests.cases import cases

HANDWRITTEN = ("README.md", "docs/architecture.md", "task_specs/README.md", *(
    str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("services/*/README.md"))
))  # fmt: skip


def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@cases("path", [*PAGES, *WITH_TABLES])
def test_it_is_current(path):
    """If not: make docs"""
    assert text_of(path) == render(path)


def test_every_table_stands_in_a_page():
    told = [name for path in WITH_TABLES for name in re.findall(r"<!-- table ([a-z-]+), written", text_of(path))]
    assert sorted(told) == sorted(TABLES)


@cases("path", HANDWRITTEN)
def test_a_status_with_a_reason_is_one_that_there_is(path):
    told = re.findall(rf"`({'|'.join(STATUSES)}): (\w+)`", text_of(path))
    assert [f"{status}: {reason}" for status, reason in told if REASONS[reason].status != status] == []


def test_every_path_of_the_table_of_changes_is_there():
    told = re.findall(r"`((?:services|shared|scripts|deploy|docs|task_specs)/[\w./]+)`", text_of("docs/where.md"))
    assert len(told) > 40
    assert [path for path in told if not (ROOT / path).exists()] == []


def test_every_room_of_shared_has_a_line_in_the_architecture():
    told = re.findall(r"\b([a-z_0-9]+)/", text_of("docs/architecture.md").partition("\n    exhibit/")[0])
    rooms = {path.parent.name for path in (ROOT / "shared").glob("*/__init__.py")}
    assert sorted(rooms - set(told)) == []


def test_each_subject_stands_in_the_table_of_its_owner():
    """A table may name the second subject of a row without what the first one begins with."""
    missing: list[str] = []
    for subject in (value for value in vars(subjects).values() if isinstance(value, Ask | Stored)):
        kind, owner, noun, verb = subject.pattern.split(".")[2:]
        readme = text_of(f"services/{'planner' if owner == 'operator' else owner}/README.md")
        rows = [line for line in readme.splitlines() if line.startswith("| ") and f"{kind}.{owner}." in line]
        missing += [] if any(f".{noun}.{verb}" in row for row in rows) else [subject.pattern]
    assert missing == []


def test_codes_in_the_tables_of_what_fails_are_codes_that_there_are():
    known = {*REASONS, *ERRORS, *STATUSES, *TaskSpec.model_fields}
    for path in ("docs/architecture.md", "services/vision/README.md", "services/discovery/README.md"):
        table = text_of(path).partition("## What fails how")[2].partition("\n## ")[0]
        assert table, path
        assert [word for word in re.findall(r"`([a-z]+(?:_[a-z]+)+)`", table) if word not in known] == [], path


def test_limits_that_are_told_in_words_are_the_limits():
    words = {3: "three", 5: "five", 10: "ten"}
    assert REASONS["bad_replies"].when.startswith(f"{words[MAX_BAD_REPLIES]} answers")
    assert REASONS["too_many_failures"].when.startswith(f"{words[MAX_FAILURES]} actions")
    assert REASONS["stagnated"].when.startswith(f"{words[STOP_AT]} steps")


def test_the_glossary_is_in_order_and_tells_each_word_once():
    told = [line.split(" | ")[0].removeprefix("| ") for line in text_of("docs/glossary.md").splitlines()[6:] if line]
    assert told == sorted(set(told), key=str.casefold)
    named = set(re.findall(r"`([A-Z]\w+)`", text_of("docs/glossary.md")))
    sources = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "shared").rglob("*.py")))
    assert [name for name in sorted(named) if not re.search(rf"^(class {name}\b|{name} = )", sources, re.M)] == []
