"""The lock files: what the product needs, what its tests need, and what is in none of them. Nor is it in the code."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.write_sbom import read_lock

ROOT = Path(__file__).parents[2]
PRODUCT, BASE, DEVELOPMENT, BUILD = (f"requirements{name}.lock" for name in ("", "-base", "-dev", "-build"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXCLUDED = re.compile(r"(browser-use|langchain\w*|langgraph|selenium|beautifulsoup4?|bs4|autoscraper)\b")
"""By the name of a package, as the lock has it."""
SPOKEN_OF = re.compile(EXCLUDED.pattern.replace("browser-use", "browser.use").removesuffix(r"\b"))
"""In a module that imports one, cheaper than to parse it."""
SITES = re.compile(r"github|linkedin|jira|workday|\blinear\b", re.IGNORECASE)
PRODUCT_ROOMS = ("exhibit", "servers", "shared", "services")
ROOMS = (*PRODUCT_ROOMS, "practice", "scripts", "benchmarks", "tests")
ELSEWHERE = ("benchmarks/peer_browser_use.py", "benchmarks/peers/", "tests/real/apps/")
"""What runs in an environment of its own, which a person or a lock of theirs has made."""
BUNDLE = "codemirror.js"


def versions(lock: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one in read_lock(ROOT / lock):
        found.setdefault(one.name, set()).add(one.version)
    return found


def excluded_imports(root: Path, rooms: Sequence[str]) -> list[str]:
    """Return each import of an excluded package, as ``module: package``."""
    found: list[str] = []
    for path in sorted(path for room in rooms for path in (root / room).rglob("*.py")):
        name, text = str(path.relative_to(root)), path.read_text(encoding="utf-8")
        if name.startswith(ELSEWHERE) or not SPOKEN_OF.search(text):
            continue
        for node in ast.walk(ast.parse(text)):
            named = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            named += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            found += [f"{name}: {one}" for one in named if EXCLUDED.match(canonicalize_name(one.split(".")[0]))]
    return found


def sites_named(root: Path, rooms: Sequence[str]) -> list[str]:
    """Return each line of code that names a site that somebody has an account of, as ``module:line: word``."""
    files = (path for room in rooms for kind in ("py", "js") for path in (root / room).rglob(f"*.{kind}"))
    return [
        f"{path.relative_to(root)}:{number}: {word[0]}"
        for path in sorted(files)
        if path.name != BUNDLE  # code of others, of which codemirror.json tells
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for word in [SITES.search(line)]
        if word
    ]


def test_each_version_is_the_same_in_all_locks():
    product, base, development, build = (versions(lock) for lock in (PRODUCT, BASE, DEVELOPMENT, BUILD))
    assert len(product) > 80
    assert {name: product.get(name) for name in base} == base
    assert {name: development.get(name) for name in product} == product
    assert {name: development.get(name) for name in build} == build


def test_the_product_has_no_package_of_tests_or_of_the_build():
    listed = [one for group in PROJECT["dependency-groups"].values() for one in group if isinstance(one, str)]
    named = {canonicalize_name(Requirement(one).name) for one in listed}
    assert {"pytest", "ruff", "hatchling"} <= named
    assert named & versions(PRODUCT).keys() == {"jsonschema", "packaging"}  # packages of the product need these


def test_without_its_extras_the_product_has_none_of_their_packages():
    extras = PROJECT["project"]["optional-dependencies"]
    named = {canonicalize_name(Requirement(one).name) for extra in ("mcp", "s3", "search") for one in extras[extra]}
    assert named <= versions(PRODUCT).keys()
    assert named & versions(BASE).keys() == {"urllib3"}  # a package of the product needs this one
    assert not {"pycryptodome", "tokenizers", "jsonschema"} & versions(BASE).keys()


def test_what_is_excluded_is_in_no_lock():
    assert [
        f"{lock.name}: {one.name}"
        for lock in sorted(ROOT.glob("*.lock"))
        for one in read_lock(lock)
        if EXCLUDED.match(one.name)
    ] == []


def test_no_lock_names_a_host():
    locks = sorted(ROOT.glob("*.lock"))
    assert [lock.name for lock in locks] == sorted((PRODUCT, BASE, DEVELOPMENT, BUILD))
    assert [lock.name for lock in locks if "://" in lock.read_text(encoding="utf-8")] == []


def test_what_is_excluded_is_imported_nowhere():
    assert excluded_imports(ROOT, ROOMS) == []


def test_the_code_names_no_site():
    assert sites_named(ROOT, PRODUCT_ROOMS) == []


def test_each_of_these_is_found(tmp_path: Path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/a.py").write_text(
        "import os, selenium.webdriver\nfrom bs4 import X\ndef f():\n    from langchain_core import Y\nimport bs4all\n"
        "if 'github.com' in host: ...\n",
        encoding="utf-8",
    )
    found = excluded_imports(tmp_path, ["shared"])
    assert sorted(found) == ["shared/a.py: bs4", "shared/a.py: langchain_core", "shared/a.py: selenium.webdriver"]
    assert sites_named(tmp_path, ["shared"]) == ["shared/a.py:6: github"]
