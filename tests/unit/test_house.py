"""The layout of the code: names that are used once, folders that hold something, paths that the documentation names."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from itertools import product
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("services", "shared")
DOCUMENTS = (
    "README.md",
    "docs/**/*.md",
    "services/*/README.md",
    "shared/*/README.md",
    "task_specs/*.md",
    "deploy/*.md",
)
PARSERS = {
    '.split("; ")': "shared/evidence_format/files/earlier_versions.py",
    """.split("'")""": "",
    'removeprefix("*.")': "shared/hosts.py",
}
"""Code that takes a sentence or a host rule apart, and the module that may; empty: none may."""
_PATH = re.compile(r"(?<![\w./-])(?:services|shared)/[\w./*{},-]*[\w/}*]")
_MODULE = re.compile(r"(?<![\w./*{},-])[\w./]+\.py\b")
_CHOICE = re.compile(r"\{([^{}]*)\}")


def modules(root: Path) -> list[Path]:
    return sorted(path for room in ROOMS for path in (root / room).rglob("*.py"))


def double_classes(root: Path) -> dict[str, list[str]]:
    """Return the class names that are defined more than once, nested and private ones included, with their modules."""
    homes: dict[str, list[str]] = defaultdict(list)
    for path in modules(root):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(str(path.relative_to(root)))
    return {name: paths for name, paths in homes.items() if len(paths) > 1}


def lone_modules(root: Path) -> list[str]:
    """Return the modules that are alone in a folder below their room, with no folder beside them: they need none."""
    found: list[str] = []
    for path in modules(root):
        beside = [one for one in path.parent.iterdir() if one.name not in ("__init__.py", "__pycache__")]
        code = [one for one in beside if one.suffix == ".py" or (one.is_dir() and any(one.glob("*.py")))]
        if code == [path] and len(path.relative_to(root).parts) > 3:
            found.append(str(path.relative_to(root)))
    return found


def double_modules(root: Path) -> dict[str, list[str]]:
    """Return the names of modules that a room (``services/NAME``, ``shared/NAME``) has more than once."""
    homes: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in modules(root):
        parts = path.relative_to(root).parts
        if path.name != "__init__.py":
            homes["/".join(parts[:2]), path.name].append(str(path.relative_to(root)))
    return {f"{room}: {name}": paths for (room, name), paths in homes.items() if len(paths) > 1}


def lost_paths(root: Path) -> list[str]:
    """Return each path that a document names and that does not exist, as ``document: path``.

    Checked are paths that begin with ``services/`` or ``shared/`` (``{a,b}`` and ``*`` are expanded), and names of
    modules such as ``outputs/table.py``, of which some file must have this ending.
    """
    python_files = [f"/{path.relative_to(root)}" for path in root.glob("[!.]*/**/*.py")]
    lost: list[str] = []
    for document in sorted({path for pattern in DOCUMENTS for path in root.glob(pattern)}):
        text = document.read_text(encoding="utf-8")
        named = {path for path in _PATH.findall(text) if not all(any(root.glob(one)) for one in expanded(path))}
        named |= {name for name in _MODULE.findall(text) if not any(file.endswith(f"/{name}") for file in python_files)}
        lost += [f"{document.relative_to(root)}: {path}" for path in sorted(named)]
    return lost


def expanded(path: str) -> list[str]:
    """Return the paths that ``a/{b,c}`` stands for."""
    parts = _CHOICE.split(path.rstrip("/"))
    choices = [part.split(",") if number % 2 else [part] for number, part in enumerate(parts)]
    return ["".join(chosen) for chosen in product(*choices)]


def foreign_parsers(root: Path) -> list[str]:
    """Return each piece of `PARSERS` that a module has besides the one where it belongs, as ``module: piece``."""
    return [
        f"{module}: {piece}"
        for path in modules(root)
        for piece, home in PARSERS.items()
        if (module := str(path.relative_to(root))) != home and piece in path.read_text(encoding="utf-8")
    ]


def test_every_class_name_is_used_once():
    assert double_classes(ROOT) == {}


def test_no_module_is_alone_in_its_folder():
    assert lone_modules(ROOT) == []


def test_every_module_name_is_used_once_in_its_room():
    assert double_modules(ROOT) == {}


def test_every_path_in_the_documentation_exists():
    assert lost_paths(ROOT) == []


def test_numbers_of_decisions_are_used_once():
    numbers = [path.name[:4] for path in (ROOT / "docs/adr").glob("*.md")]
    assert len(numbers) > 10
    assert sorted(numbers) == sorted(set(numbers))


def test_sentences_and_host_rules_are_taken_apart_in_one_module_each():
    assert foreign_parsers(ROOT) == []


# --- each of these checks can fail


@pytest.fixture
def bad_house(tmp_path: Path) -> Path:
    """A small tree with one fault of each kind."""
    files = {
        "services/a/__init__.py": "",
        "services/a/first.py": "class Same: ...\n",
        "services/a/second.py": "class Outer:\n    class _Hidden: ...\n",
        "services/a/b/second.py": "",
        "services/a/b/third.py": "",
        "services/a/c/alone.py": "",
        "shared/third.py": "def f():\n    class Same: ...\nclass _Hidden: ...\nclass Single: ...\n",
        "docs/house.md": "See services/a/{first,gone}.py, shared/*.py, shared/lost/, nowhere.py, a/second.py.\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_a_class_name_that_is_used_twice_is_found(bad_house: Path):
    assert double_classes(bad_house) == {
        "Same": ["services/a/first.py", "shared/third.py"],
        "_Hidden": ["services/a/second.py", "shared/third.py"],
    }


def test_a_module_that_is_alone_in_its_folder_is_found(bad_house: Path):
    assert lone_modules(bad_house) == ["services/a/c/alone.py"]


def test_a_module_name_that_a_room_has_twice_is_found(bad_house: Path):
    assert double_modules(bad_house) == {"services/a: second.py": ["services/a/b/second.py", "services/a/second.py"]}


def test_a_module_that_takes_sentences_apart_is_found(tmp_path: Path):
    (tmp_path / "services").mkdir()
    (tmp_path / "services/a.py").write_text('problems = message.split("; ")\n', encoding="utf-8")
    assert foreign_parsers(tmp_path) == ['services/a.py: .split("; ")']


def test_a_path_that_leads_nowhere_is_found(bad_house: Path):
    assert lost_paths(bad_house) == [
        "docs/house.md: nowhere.py",
        "docs/house.md: services/a/{first,gone}.py",
        "docs/house.md: shared/lost/",
    ]


def borrowing_tests(root: Path) -> list[str]:
    """Return the test modules that import from another test module, as ``module: imported module``."""
    found: list[str] = []
    for path in sorted((root / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.rpartition(".")[2].startswith("test_"):
                found.append(f"{path.relative_to(root)}: {node.module}")
    return found


def test_helpers_that_test_modules_share_have_modules_of_their_own(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_b.py").write_text("from tests.test_a import helper\n", encoding="utf-8")
    assert borrowing_tests(tmp_path) == ["tests/test_b.py: tests.test_a"]
    assert borrowing_tests(ROOT) == []
