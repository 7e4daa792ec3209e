"""Files that were sealed beside those that are there: each difference is found once, at the file that was sealed."""

from __future__ import annotations

from shared.evidence_format.files.manifest import FileEntry
from shared.evidence_format.sources.base import Digest
from shared.evidence_format.verify.compare import differences
from tests.cases import cases

SEALED = {"a": "1", "b": "2", "c": "2", "d": "3"}
"""Files by name, each with the hash of its bytes; two have the same."""


def found(actual: dict[str, str], sizes: dict[str, int] | None = None, unreadable: str = "") -> dict[str, str]:
    entries = {path: FileEntry(path=path, sha256=sha256, size_bytes=5) for path, sha256 in SEALED.items()}
    there = {
        path: Digest(sha256, (sizes or {}).get(path, 5), "locked" if path == unreadable else "")
        for path, sha256 in actual.items()
    }
    told = differences(entries, there)
    assert len({one.path for one in told}) == len(told)
    return {one.path: f"{one.code}: {one.message}" for one in told}


def test_nothing_differs_where_all_is_as_it_was():
    assert found(SEALED) == {}


@cases(
    ("changes", "told"),
    [
        ({"a": "9"}, {"a": "changed: was changed since it was sealed: its SHA-256 is another"}),
        ({"a": None}, {"a": "missing: was sealed and is not there any more"}),
        ({"new": "9"}, {"new": "added: was added since it was sealed"}),
        ({"new": "1"}, {"new": "added: was added since it was sealed"}),  # a copy
        ({"a": None, "new": "1"}, {"a": "renamed: was renamed or moved: its bytes lie at new"}),
        ({"b": None, "c": None, "x": "2", "y": "2"}, {
            "b": "renamed: was renamed or moved: its bytes lie at x",
            "c": "renamed: was renamed or moved: its bytes lie at y"}),
        ({"b": None, "c": None, "x": "2"}, {
            "b": "renamed: was renamed or moved: its bytes lie at x",
            "c": "missing: was sealed and is not there any more"}),
        ({"a": "3", "d": "1"}, {"a": "exchanged: and d were exchanged"}),
        ({"a": "3", "d": "9"}, {"a": "swapped: holds what was sealed as d",
                                "d": "changed: was changed since it was sealed: its SHA-256 is another"}),
        ({"a": "3"}, {"a": "swapped: holds what was sealed as d"}),
        ({"a": "2"}, {"a": "swapped: holds what was sealed as b"}),
        ({"a": "3", "b": "1", "d": "2"}, {"a": "swapped: holds what was sealed as d",
                                          "b": "swapped: holds what was sealed as a",
                                          "d": "swapped: holds what was sealed as b"}),
    ],
)  # fmt: skip
def test_each_difference_is_called_what_it_is(changes: dict[str, str | None], told: dict[str, str]):
    actual = {path: sha256 for path, sha256 in {**SEALED, **changes}.items() if sha256 is not None}
    assert found(actual) == told


def test_a_size_tells_a_change_with_the_same_hash_and_is_named():
    words = "changed: was changed since it was sealed: it has 6 bytes, it had 5"
    assert found({**SEALED, "a": "9"}, {"a": 6}) == {"a": words}
    assert list(found(SEALED, {"a": 6})) == ["a"]


def test_what_cannot_be_read_is_not_called_changed():
    assert found({**SEALED, "a": ""}, unreadable="a") == {"a": "unreadable: cannot be read: locked"}
