"""Which tags a run can have, and what a change of them comes to."""

from __future__ import annotations

from shared.evidence_format.files.tags import changed_tags, is_tag
from tests.cases import cases

TWENTY = tuple(f"t{n:02}" for n in range(20))


@cases(
    ("text", "is_one"),
    [
        ("q3", True), ("2026-Q3_v1.0", True), ("a" * 40, True), ("a" * 41, False), ("", False), ("-q3", False),
        (".q3", False), ("two words", False), ("q3\n", False), ("é", False), ("\u212aey", False), ("a/b", False),
    ],
)  # fmt: skip
def test_a_tag_is_letters_digits_and_three_signs(text: str, is_one: bool):
    assert is_tag(text) is is_one


@cases(
    ("there", "add", "remove", "tags"),
    [
        ((), ("Q3", " q3 ", "B"), (), ("b", "q3")),
        (("a", "b"), (), ("B", "c"), ("a",)),
        (("a",), ("a",), (), ("a",)),
        (TWENTY, ("new",), ("t00",), tuple(sorted((*TWENTY[1:], "new")))),
    ],
)
def test_tags_are_folded_and_kept_once(
    there: tuple[str, ...], add: tuple[str, ...], remove: tuple[str, ...], tags: tuple[str, ...]
):
    assert changed_tags(there, add, remove) == (tags, ())


@cases(
    ("there", "add", "remove", "said"),
    [
        (("a",), ("x y", "ok"), ("?",), ["add: 'x y' is no tag", "remove: '?' is no tag"]),
        ((), ("A",), ("a",), ["add: 'a' is to be set and to be removed"]),
        (TWENTY, ("one", "!"), (), ["add: '!' is no tag", "add: the run would have 21 tags; 20 can be"]),
        ((), ("x",) * 60, ("y",) * 41, ["tags: 101 tags in one request; 100 can be"]),
        ((), ("<" * 1000,), (), [f"add: '{'<' * 60}' is no tag"]),
    ],
)
def test_all_that_is_wrong_is_told_and_nothing_is_changed(
    there: tuple[str, ...], add: tuple[str, ...], remove: tuple[str, ...], said: list[str]
):
    tags, problems = changed_tags(there, add, remove)
    assert tags == there
    assert [f"{one.where}: {one.message}"[: len(begin)] for one, begin in zip(problems, said, strict=True)] == said
