"""The library over each storage: what it takes, shows, finds, deletes and remembers."""

from __future__ import annotations

import asyncio

import pytest

from services.workflows.library.library import Library
from services.workflows.library.versions import hash_of
from shared.contracts.workflows.library import WorkflowCreated, WorkflowRefused, WorkflowUnknown
from shared.workflow_source.module import MAX_DESCRIPTION_CHARS
from tests.handlers.workflows.storages import GREET, GREET_LOUDLY, NoIndex, open_library, shown, unique

SILENT = "def run():\n    try:\n        a()\n    except:\n        return {}"


def codes(reply):
    assert isinstance(reply, WorkflowRefused)
    return [one.code for one in reply.findings if one.severity == "error"]


async def names(library):
    return [one.name for one in (await library.list())[0]]


async def test_a_created_workflow_is_listed_shown_and_found_at_once(opened):
    library, name = open_library(opened.storage), unique("greet")
    reply = await library.create(name, GREET, description="Say hello to a colleague", author="anna", source_run="r1")
    assert isinstance(reply, WorkflowCreated)
    assert name in await names(library)
    reply = await shown(library, name)
    assert (reply.source, reply.is_current) == (GREET, True)
    version = reply.workflow
    assert (version.hash, version.author, version.source_run) == (hash_of(GREET), "anna", "r1")
    assert [(one.name, one.type, one.required, one.default) for one in version.parameters] == [
        ("name", "str", False, "'World'")
    ]
    assert name in [hit.workflow.name for hit in await library.search("colleague", 1000)]


async def test_a_taken_name_is_refused_with_who_has_it(opened):
    library, name = open_library(opened.storage), unique("greet")
    await library.create(name, GREET, author="anna")
    reply = await library.create(name, GREET_LOUDLY, author="bert")
    assert codes(reply) == ["name_taken"]
    assert "anna" in reply.findings[0].message
    assert (await shown(library, name)).source == GREET


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        ("../outside", GREET, ["invalid_name"]),
        ("list", "def walk() -> None: ...", ["reserved_name", "no_run"]),
        ("many", f"def run({', '.join(f'a_long_name_{n}' for n in range(3000))}) -> None: ...", ["too_long"]),
        ("silent", SILENT, ["bare_except", "swallowed_error"]),
    ],
)
async def test_what_is_wrong_is_refused_all_at_once(opened, name, source, expected):
    library = open_library(opened.storage)
    reply = await library.create(name, source)
    assert codes(reply) == expected
    assert all(one.remedy for one in reply.findings)
    assert name not in await names(library)


@pytest.mark.parametrize("name", ["nul\0", "x" * 300, "../outside", "two words", "*", "", "_hidden", "half \ud800"])
async def test_what_no_workflow_can_be_called_is_unknown(opened, name):
    library = open_library(opened.storage)
    await library.create("two_words", GREET)  # keys of the bus have no spaces
    assert isinstance(await library.get(name), WorkflowUnknown)
    assert await library.history(name) == ()
    assert not await library.delete(name)


async def test_of_two_processes_that_create_one_name_one_wins_and_the_other_is_told(opened):
    name = unique("greet")
    libraries = [open_library(storage) for storage in (opened.storage, opened.open_again())]
    sources = [GREET, GREET_LOUDLY]
    for _ in range(5):
        replies = await asyncio.gather(
            *(one.create(name, text, author=text[-9:]) for one, text in zip(libraries, sources, strict=True))
        )
        kinds = sorted(type(reply).__name__ for reply in replies)
        assert kinds == ["WorkflowCreated", "WorkflowRefused"]
        (won,) = (text for text, reply in zip(sources, replies, strict=True) if isinstance(reply, WorkflowCreated))
        assert (await shown(libraries[1], name)).source == won
        assert await libraries[0].delete(name)


async def test_what_another_process_changes_is_seen(opened):
    one, other, name = open_library(opened.storage), open_library(opened.open_again()), unique("greet")
    assert name not in await names(one)
    await other.create(name, GREET, description="Say hello")
    assert name in await names(one)
    assert name in [hit.workflow.name for hit in await one.search("Say hello", 1000)]
    await other.delete(name)
    assert name not in await names(one)
    assert name not in [hit.workflow.name for hit in await one.search("Say hello", 1000)]


async def test_a_deleted_workflow_leaves_a_tombstone_and_its_versions(opened):
    library, name = open_library(opened.storage), unique("greet")
    await library.create(name, GREET, author="anna")
    assert await library.delete(name, author="bert")
    assert not await library.delete(name)
    unknown = await library.get(name)
    assert isinstance(unknown, WorkflowUnknown)
    assert "bert deleted it" in unknown.message
    await library.create(name, GREET_LOUDLY, author="carla")
    assert [(one.kind, one.author, one.version.hash) for one in await library.history(name)] == [
        ("created", "anna", hash_of(GREET)),
        ("deleted", "bert", hash_of(GREET)),
        ("created", "carla", hash_of(GREET_LOUDLY)),
    ]


async def test_an_old_version_is_shown_by_its_hash(opened):
    library, name = open_library(opened.storage), unique("greet")
    await library.create(name, GREET)
    await library.delete(name)
    await library.create(name, GREET_LOUDLY)
    old = await shown(library, name, hash_of(GREET)[:8])
    assert (old.source, old.is_current) == (GREET, False)
    assert isinstance(await library.get(name, hash_of(GREET)[:7]), WorkflowUnknown)
    assert isinstance(await library.get(name, "0" * 64), WorkflowUnknown)


async def test_an_unknown_name_is_answered_with_similar_ones(opened):
    library, name = open_library(opened.storage), unique("fetch_invoices")
    await library.create(name, GREET)
    unknown = await library.get(name[:-1])
    assert isinstance(unknown, WorkflowUnknown)
    assert name in unknown.similar
    assert name in unknown.message


async def test_only_what_has_changed_is_indexed_again(opened):
    index = NoIndex()
    library, name, second = Library(opened.storage, lambda: index), unique("greet"), unique("greet")
    await library.create(name, GREET, description="one thing")
    await library.search("thing", 5)
    await library.create(second, GREET, description="another thing")
    await library.delete(name)
    await library.create(name, GREET_LOUDLY, description="a third thing")
    await library.search("thing", 5)
    assert index.updates == 1
    assert (index.held[name].code, index.held[second].description) == (GREET_LOUDLY, "another thing")


async def test_without_a_description_the_beginning_of_the_docstring_is_taken(opened):
    library, name = open_library(opened.storage), unique("long")
    await library.create(name, f'"""{"word " * 10_000}"""\n\n{GREET}')
    assert len((await shown(library, name)).workflow.description) == MAX_DESCRIPTION_CHARS


# --- files of a version

FILES = {"workspace/dropdown_mappings.json": '{"state": {}}', "data/notes.txt": "Grüße\n"}


async def test_a_version_has_the_files_that_it_was_created_with(opened):
    library, name = open_library(opened.storage), unique("flow")
    reply = await library.create(name, GREET, files=FILES)
    assert isinstance(reply, WorkflowCreated)
    assert reply.workflow.files == tuple(sorted(FILES))
    assert reply.workflow.hash == hash_of(GREET, FILES) != hash_of(GREET)
    again = await shown(open_library(opened.open_again()), name)
    assert (again.source, again.files, again.workflow.hash) == (GREET, FILES, reply.workflow.hash)
    assert await library.delete(name)
    await library.create(name, GREET)
    assert (await shown(library, name)).files == {}
    old = await shown(library, name, reply.workflow.hash)
    assert (old.files, old.is_current) == (FILES, False)


async def test_all_that_is_wrong_with_files_is_refused_at_once(opened):
    library, name = open_library(opened.storage), unique("flow")
    files = {
        "../outside.json": "{}",
        "/etc/passwd": "x",
        "a\\b": "x",
        ".hidden": "x",
        "data/variables.json": "{}",
        "workspace/broken.json": "{",
        "half.txt": "\ud800",
        "one": "x",
        "one/below": "x",
        "Two": "x",
        "two": "x",
    }
    reply = await library.create(name, "def run(:", files=files)
    assert codes(reply) == ["syntax", *["invalid_file"] * 9]
    assert name not in await names(library)
    large = {"a.txt": "x" * 300_000, "b.txt": "x" * 300_000}
    assert codes(await library.create(name, GREET, files=large)) == ["too_long"]


async def test_a_version_replaces_the_current_one_and_the_history_keeps_both(opened):
    library, name = open_library(opened.storage), unique("flow")
    first = await library.create(name, GREET, files=FILES, author="anna")
    assert isinstance(first, WorkflowCreated)
    other = {"workspace/locators.json": "{}"}
    second = await library.create(name, GREET_LOUDLY, files=other, author="bert", replace=first.workflow.hash)
    assert isinstance(second, WorkflowCreated)
    now = await shown(open_library(opened.open_again()), name)
    assert (now.source, now.files, now.is_current) == (GREET_LOUDLY, other, True)
    assert [(one.kind, one.author, one.version.hash) for one in await library.history(name)] == [
        ("created", "anna", first.workflow.hash),
        ("deleted", "bert", first.workflow.hash),
        ("created", "bert", second.workflow.hash),
    ]
    assert codes(await library.create(name, GREET, replace=first.workflow.hash)) == ["not_current"]
    assert (await shown(library, name)).source == GREET_LOUDLY


async def test_nothing_is_replaced_where_there_is_nothing(opened):
    library, name = open_library(opened.storage), unique("flow")
    assert codes(await library.create(name, GREET, replace="0" * 64)) == ["not_current"]
    await library.create(name, GREET)
    assert codes(await library.create(name, GREET_LOUDLY, replace=hash_of(GREET)[:12])) == ["not_current"]


async def test_of_two_processes_that_replace_one_version_one_wins(opened):
    name = unique("flow")
    libraries = [open_library(storage) for storage in (opened.storage, opened.open_again())]
    await libraries[0].create(name, GREET, files=FILES)
    current = hash_of(GREET, FILES)
    for number in range(5):
        texts = [f"{GREET}# {number} {side}\n" for side in "ab"]
        replies = await asyncio.gather(
            *(one.create(name, text, files=FILES, replace=current) for one, text in zip(libraries, texts, strict=True))
        )
        assert sorted(type(reply).__name__ for reply in replies) == ["WorkflowCreated", "WorkflowRefused"]
        (current,) = (reply.workflow.hash for reply in replies if isinstance(reply, WorkflowCreated))
        assert (await shown(libraries[1], name)).workflow.hash == current
    assert len(await libraries[0].history(name)) == 11
