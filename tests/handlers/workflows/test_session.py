"""A session, as a Python program uses it: with a folder and the real search, and the sandbox where it matters."""

from __future__ import annotations

import asyncio
import sys
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from exhibit import (
    FolderStorage,
    InProcessExecutor,
    Limits,
    Session,
    WorkflowFailedError,
    WorkflowRefusedError,
)
from services.workflows.library.versions import hash_of
from shared.errors import PermanentError, Unsupported
from tests.handlers.workflows.storages import GREET, GREET_LOUDLY


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[Session]:
    async with Session(tmp_path / "workflows", InProcessExecutor(), author="anna") as opened:
        yield opened


async def failure(session: Session, name: str, /, **arguments):
    with pytest.raises(WorkflowFailedError) as caught:
        await session.invoke(name, **arguments)
    return caught.value.failure


async def run_failure(session: Session, code: str, **options):
    ended = await session.run(code, **options)
    assert ended.error is not None, ended
    return ended.error


async def test_a_workflow_is_added_found_and_invoked(session):
    version = await session.add_workflow("greet", GREET, "Generate a greeting message")
    assert (version.author, version.hash) == ("anna", hash_of(GREET))
    assert await session.invoke("greet") == "Hello, World!"
    assert await session.invoke("greet", name="Ada") == "Hello, Ada!"
    assert [hit.workflow.name for hit in await session.search("greeting message")] == ["greet"]
    assert [one.name for one in await session.list()] == ["greet"]
    shown = await session.get("greet")
    assert shown is not None
    assert shown.source == GREET
    assert await session.remove("greet")
    assert await session.get("greet") is None
    assert [one.kind for one in await session.history("greet")] == ["created", "deleted"]


async def test_an_old_version_is_invoked_by_its_hash(session):
    await session.add_workflow("greet", GREET)
    await session.remove("greet")
    await session.add_workflow("greet", GREET_LOUDLY)
    assert await session.invoke(f"greet@{hash_of(GREET)[:8]}") == "Hello, World!"
    assert await session.invoke("greet") == "HELLO, World!"


async def test_what_is_refused_says_everything(session):
    with pytest.raises(WorkflowRefusedError, match="nobody learns") as caught:
        await session.add_workflow("silent", "def run():\n    try:\n        a()\n    except:\n        pass\n")
    assert {one.code for one in caught.value.findings} >= {"bare_except", "swallowed_error"}


async def test_an_unknown_workflow_is_told_with_similar_ones(session):
    await session.add_workflow("greet", GREET)
    failed = await failure(session, "gret")
    assert (failed.code, failed.message) == ("unknown_workflow", "there is no workflow 'gret'; there is greet")


async def test_a_cycle_ends_with_the_chain_of_names(session):
    await session.add_workflow("ping", "def run() -> None:\n    workflows.invoke('pong')\n")
    await session.add_workflow("pong", "def run() -> None:\n    workflows.invoke('ping')\n")
    failed = await failure(session, "ping")
    assert failed.type == "RecursionError"
    assert "a cycle, ping -> pong -> ping" in failed.message
    assert "more than 16 levels" in failed.message
    assert failed.chain == ("ping", "pong") * 8 + ("ping",)


async def test_an_inner_error_can_be_caught_and_has_its_chain(session):
    await session.add_workflow("inner", "def run() -> None:\n    raise ValueError('no such row')\n")
    await session.add_workflow(
        "catches",
        "def run() -> str:\n    try:\n        workflows.invoke('inner')\n    except ValueError as error:\n"
        "        return str(error)\n    return ''\n",
    )
    await session.add_workflow("passes", "def run() -> None:\n    workflows.invoke('inner')\n")
    assert await session.invoke("catches") == "no such row"
    failed = await failure(session, "passes")
    assert (failed.type, failed.message) == ("ValueError", "no such row")
    assert failed.chain == ("passes", "inner")


async def test_code_runs_with_the_three_names_and_keeps_its_own(session):
    await session.add_workflow("greet", GREET)
    first = await session.run("x = workflows.invoke('greet', name='Ada')\nprint('done')\nlen(workflows.list())")
    assert (first.value, first.stdout, first.error, first.is_ok) == (1, "done\n", None, True)
    assert (await session.run("x")).value == "Hello, Ada!"
    await session.reset()
    assert (await run_failure(session, "x")).type == "NameError"


async def test_code_creates_a_workflow_that_is_there_at_once(session):
    code = f"workflows.create(name='greet', source={GREET!r}, description='Say hello')\nworkflows.invoke('greet')"
    assert (await session.run(code)).value == "Hello, World!"
    assert [one.description for one in await session.list()] == ["Say hello"]
    again = await run_failure(session, f"workflows.create(name='greet', source={GREET!r})")
    assert "name_taken" in again.message
    assert (await session.run("workflows.get('nothing')")).value is None
    assert (await session.run("workflows.delete('greet'), workflows.delete('greet')")).value == [True, False]


DATA = [b"\x00\xff", "größe", {"a": [1, None, "x"]}, [1.5, True], "{}", b"text"]


async def test_artifacts_come_back_as_they_were_saved_and_are_never_overwritten(session):
    for number, data in enumerate(DATA):
        await session.save_artifact(f"one{number}", data, description="first")
        assert await session.load_artifact(f"one{number}") == data
        code = f"value = artifacts.load('one{number}')\nartifacts.save('two{number}', value)\nstr(type(value))"
        assert (await session.run(code)).value == str(type(data))
        assert await session.load_artifact(f"two{number}") == data
    kept = [(one.name, one.saved_by) for one in await session.list_artifacts()]
    assert kept == [(f"{name}{number}", "anna") for name in ("one", "two") for number in range(len(DATA))]
    with pytest.raises(PermanentError, match="one0"):
        await session.save_artifact("one0", "other")
    assert await session.delete_artifact("one0")
    assert not await session.delete_artifact("one0")
    with pytest.raises(LookupError):
        await session.load_artifact("one0")


async def test_what_inner_workflows_print_is_told_by_name(session):
    await session.add_workflow("inner", "def run() -> None:\n    print('one')\n    print('two')\n")
    ended = await session.run("print('first')\nworkflows.invoke('inner')")
    assert ended.stdout == "first\n[inner] one\n[inner] two\n"


@pytest.mark.system
async def test_a_session_has_a_sandbox_and_its_own_limits(tmp_path):
    async with Session(FolderStorage(tmp_path / "w"), InProcessExecutor()) as session:
        assert not session.supports("processes")
        assert not session.supports("network_isolation")
    async with Session(tmp_path / "w", limits=Limits(value_bytes=100)) as session:
        assert session.supports("processes")
        assert (await session.run("'x' * 10")).value == "x" * 10
        assert (await run_failure(session, "'x' * 1000")).code == "bad_value"
        await session.add_workflow("slow", "def run() -> None:\n    while True:\n        pass\n")
        await session.add_workflow("outer", "def run() -> None:\n    workflows.invoke('slow')\n")
        ended = await run_failure(session, "workflows.invoke('outer')", timeout_s=0.3)  # for all levels
        assert ended.code == "timeout"
        await session.add_workflow("greet", GREET)
        found = await asyncio.gather(*(session.invoke("greet", name=str(number)) for number in range(9)))
        assert found == [f"Hello, {number}!" for number in range(9)]


# --- packages


def make_wheel(folder: Path, text: str) -> Path:
    """Write a wheel with one module, ``tiny_words``, whose ``TEXT`` this is."""
    path = folder / "tiny_words-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("tiny_words.py", f"TEXT = {text!r}\n")
        wheel.writestr("tiny_words-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny_words\nVersion: 1.0\n")
        wheel.writestr(
            "tiny_words-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        wheel.writestr(
            "tiny_words-1.0.dist-info/RECORD",
            "tiny_words.py,,\ntiny_words-1.0.dist-info/METADATA,,\ntiny_words-1.0.dist-info/WHEEL,,\n"
            "tiny_words-1.0.dist-info/RECORD,,\n",
        )
    return path


@pytest.mark.system
async def test_packages_are_installed_for_workflows_alone(tmp_path):
    wheel = make_wheel(tmp_path, "hello")
    async with Session(tmp_path / "workflows") as session:
        assert (await run_failure(session, "import tiny_words")).type == "ModuleNotFoundError"
        await session.deps.add(str(wheel))
        assert session.deps.list() == (str(wheel),)
        assert session.deps.installed() == {"tiny_words": "1.0"}
        await session.add_workflow("words", "import tiny_words\n\ndef run() -> str:\n    return tiny_words.TEXT\n")
        assert await session.invoke("words") == "hello"
        assert await session.deps.remove(str(wheel))
        assert not await session.deps.remove(str(wheel))
        assert (await failure(session, "words")).type == "ModuleNotFoundError"


@pytest.mark.system
async def test_where_this_python_has_no_pip_one_is_made_for_the_time(session, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pip", None)
    assert session.supports("install_dependencies")
    await session.deps.add(str(make_wheel(tmp_path, "hello")))
    assert session.deps.installed() == {"tiny_words": "1.0"}
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(Unsupported, match="has none, and cannot make one"):
        await session.deps.sync()
    assert session.deps.installed() == {"tiny_words": "1.0"}


async def test_what_is_no_requirement_is_refused(session):
    for wrong in ("--index-url=x", "-e .", "not a name", "thing @ http://127.0.0.1/x.whl", ""):
        with pytest.raises(PermanentError):
            await session.deps.add(wrong)
    assert session.deps.list() == ()


# --- what code finds without an import


async def test_a_workflow_is_a_method_of_workflows(session):
    await session.add_workflow("greet", GREET, "Generate a greeting message")
    assert (await session.run("workflows.greet(name='Ada')")).value == "Hello, Ada!"
    positional = await run_failure(session, "workflows.greet('Ada')")
    assert (positional.type, positional.message) == ("TypeError", "workflows.greet() takes keyword arguments only")
    assert (await run_failure(session, "workflows.gret()")).message == "there is no workflow 'gret'; there is greet"
    assert (await run_failure(session, "workflows._other")).type == "AttributeError"


async def test_a_hit_is_the_same_in_code_and_in_a_session(session):
    await session.add_workflow("greet", GREET, "Generate a greeting message")
    (hit,) = await session.search("greeting message")
    (told,) = (await session.run("workflows.search('greeting message')")).value
    assert hit == told
    assert (hit.name, hit["name"], hit.score, hit.workflow.hash) == ("greet", "greet", told["score"], hash_of(GREET))
    code = "hit = workflows.search('greeting message')[0]\n[hit.name, hit.description, type(hit).__name__]"
    assert (await session.run(code)).value == ["greet", "Generate a greeting message", type(hit).__name__]
    assert (await session.run("workflows.get('greet').source")).value == GREET
    missing = await run_failure(session, "workflows.list()[0].score")
    assert missing.message.startswith("this workflow has no 'score'; it has name, description, ")


async def test_tools_are_searched_in_code_as_in_a_session(session):
    (first, *_) = await session.search_tools("download a web page")
    assert first["name"] == "fetch"
    assert (await session.run("tools.search('download a web page')")).value[0] == first
    assert (await session.run("[one['name'] for one in tools.list()]")).value == ["curl", "fetch"]
    assert [one["name"] for one in await session.list_tools()] == ["curl", "fetch"]
    assert await session.search_tools("zebra quantum marmalade") == []


async def test_code_lists_packages_and_chooses_none_unless_it_may(tmp_path):
    wheel = str(make_wheel(tmp_path, "hello"))
    async with Session(tmp_path / "workflows", InProcessExecutor()) as session:
        for code in (f"deps.add({wheel!r})", "deps.remove('tiny_words')"):
            refused = await run_failure(session, code)
            assert (refused.type, "code_may_install=True" in refused.message) == ("PermissionError", True)
        assert (await session.run("deps.list()")).value == []
        nothing = {"installed": [], "already_present": [], "failed": []}
        assert (await session.run("deps.sync()")).value == nothing


@pytest.mark.system
async def test_code_that_may_installs_packages_for_later_invocations(tmp_path):
    wheel = str(make_wheel(tmp_path, "hello"))
    async with Session(tmp_path / "workflows", code_may_install=True) as session:
        added = {"installed": ["tiny_words==1.0"], "already_present": [], "failed": []}
        assert (await session.run(f"deps.add({wheel!r})")).value == added
        assert (await session.run("deps.list()")).value == [wheel]
        there = {"installed": [], "already_present": ["tiny_words==1.0"], "failed": []}
        assert (await session.run("deps.sync()")).value == there
        await session.add_workflow("words", "import tiny_words\n\ndef run() -> str:\n    return tiny_words.TEXT\n")
        assert await session.invoke("words") == "hello"
        assert (await run_failure(session, "deps.add('--index-url=x')")).type == "RuntimeError"
        assert (await session.run(f"deps.remove({wheel!r})")).value is True
        assert (await session.run("deps.list()")).value == []
