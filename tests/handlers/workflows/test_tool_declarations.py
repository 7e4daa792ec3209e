"""Declarations of tools: all problems at once, with file, line and key; the rest load."""

from __future__ import annotations

import pytest

from services.workflows.tools.declared.declarations import CliDeclaration, ToolParameter
from services.workflows.tools.toolbox import open_toolbox
from shared.secrets.store import SecretStore
from tests.handlers.workflows.tool_bench import PYTHON, ToolBench, call, problems_in, refusal


@pytest.mark.system
async def test_every_problem_of_a_file_is_told_at_once_and_the_rest_load(bench):
    bench.write("good.yaml", "{kind: cli, description: Says hello., command: [echo, hello]}")
    bench.write(
        "bad.yaml",
        """
        kind: cli
        description: ""
        comand: [a]
        command: [b, "{x}"]
        limits:
          timeout_s: soon
        """,
    )
    bench.write("worse.yml", "kind: [cli\n")
    bench.write("_draft.yaml", "nothing")
    bench.write("notes.txt", "nothing")
    toolbox = bench.open()
    assert [one.name for one in toolbox.list()] == ["good"]
    assert await call(toolbox, "good") == "hello\n"
    told = problems_in(toolbox)
    assert ("bad.yaml", 4, "comand: there is no such key") in told
    assert ("bad.yaml", 7, "limits.timeout_s: Input should be a valid number") in told
    assert ("bad.yaml", 3, "description: String should have at least 1 character") in told
    assert [file for file, _, _ in told] == ["bad.yaml"] * 3 + ["worse.yml"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("kind: cli\ndescription: d\ncommand: [a, '{x}']", (3, "command.1: there is no parameter 'x'")),
        (
            "kind: cli\ndescription: d\ncommand: ['{x}']\nparameters: {x: {}}",
            (3, "command.0: the program itself must be"),
        ),
        ("kind: cli\ndescription: d\ncommand: [a, '{x']", (3, "command.1: '{x' has a single brace")),
        ("kind: cli\ndescription: d\ncommand: [a, '{secret:x}']", (3, "command.1: the secret 'x' would be shown")),
        ("kind: cli\ndescription: d\ncommand: [a]\nhosts:\n- a b", (5, "hosts.0: 'a b' names no host")),
        ("kind: cli\ndescription: d\ncommand: [a]\nname: list", (4, "name: 'list' cannot be the name of a tool")),
        ("kind: cli\ndescription: d\ncommand: [a]\nname: a-b", (4, "name: 'a-b' cannot be the name of a tool")),
        ("kind: cli\ndescription: d\ndescription: e\ncommand: [a]", (3, "description: it stands here a second time")),
        ("kind: perl\ndescription: d", (1, "kind: it must be one of cli, http, mcp, browser")),
        ("just a text", (0, "it must be keys and values")),
        (
            "kind: cli\ndescription: d\ncommand: [a, '{x}']\nparameters: {x: {}}\nrecipes: {r: {presets: {y: 1}}}",
            (5, "recipes.r.presets.y: there is no parameter 'y'"),
        ),
        (
            "kind: cli\ndescription: d\ncommand: [a, '{x}']\nparameters: {x: {}}\nrecipes: {r: {presets: {x: 1}}}",
            (5, "recipes.r.presets.x: it must be str, not int"),
        ),
        (
            "kind: cli\ndescription: d\ncommand: [a, '{x}']\nparameters: {x: {}}\nrecipes:\n  r: {parameters: []}",
            (6, "recipes.r.parameters: 'x' is needed, and neither preset nor left to the caller"),
        ),
        (
            "kind: cli\ndescription: d\ncommand: [a, '{x}']\nparameters:\n  x: {pattern: '('}",
            (5, "parameters.x.pattern: '(' is no regular expression"),
        ),
        (
            "kind: cli\ndescription: d\ncommand: [a, '{x}']\nparameters: {x: {format: url}}",
            (1, "hosts: 'x' is an address, and no host is named"),
        ),
        ("kind: http\ndescription: d\nbase_url: ftp://x", (3, "base_url: it must be an http or https address")),
        ("kind: http\ndescription: d\nhosts: [x]\npath: /a", (4, "path: without base_url it must be {name}")),
        ("kind: http\ndescription: d\nbase_url: http://x\npath: a", (4, "path: it must begin with /")),
        ("kind: mcp\ndescription: d", (1, "command: either command or url must be given")),
        ("kind: browser\nhosts: ['*']", (2, "hosts.0: a browser that works alone may not open every host")),
    ],
)
def test_each_fault_is_told_where_it_stands(bench, text, problem):
    bench.write("tool.yaml", text)
    ((file, line, message),) = problems_in(bench.open())
    assert (file, line) == ("tool.yaml", problem[0])
    assert message.startswith(problem[1]), message


def test_of_two_files_with_one_name_the_first_is_used_and_the_other_reported(bench):
    bench.write("a.yaml", "{kind: cli, name: same, description: d, command: [a]}")
    bench.write("b.yaml", "{kind: cli, name: same, description: d, command: [a]}")
    assert problems_in(bench.open()) == [("b.yaml", 0, "name: there is a tool 'same' in another file already")]


@pytest.mark.system
async def test_tools_are_declared_in_code_by_the_same_models():
    store = SecretStore(None, {})
    declared = CliDeclaration(
        name="echo", description="Says it.", command=[["echo"], ["{text}"]], parameters={"text": ToolParameter()}
    )
    assert await call(open_toolbox(None, store=store, declared=[declared]), "echo", text="hi") == "hi\n"
    with pytest.raises(ValueError, match=r"parameters\.in: 'in' cannot be the name of an argument"):
        open_toolbox(None, store=store, declared=[declared.model_copy(update={"parameters": {"in": ToolParameter()}})])


async def test_what_there_is_can_be_listed_and_what_there_is_not_names_what_is_like_it(bench):
    bench.write("curl.yaml", "{kind: cli, description: Asks., command: [curl], recipes: {get: {description: Gets.}}}")
    toolbox = bench.open()
    assert await call(toolbox, "list") == [
        {"name": "curl", "kind": "cli", "description": "Asks.", "recipes": {"get": "Gets."}}
    ]
    assert await refusal(toolbox, "crul.get") == "AttributeError: 'tools' has no tool 'crul'; did you mean 'curl'?"
    assert (
        await refusal(toolbox, "curl.gte") == "AttributeError: the tool 'curl' has no recipe 'gte'; did you mean 'get'?"
    )
    assert await refusal(bench.open(), "list", x=1) == "TypeError: tools.list() got an unexpected keyword argument 'x'"


# --- arguments


@pytest.fixture
def typed(bench: ToolBench) -> ToolBench:
    bench.write(
        "t.yaml",
        f"""
        kind: cli
        description: Shows its arguments.
        command: [{PYTHON}, -c, "import sys; print(sys.argv[2:])", --, "{{a}}", "{{b}}", "{{c}}", "{{n}}", "{{x}}"]
        parameters:
          a: {{}}
          b: {{}}
          c: {{default: "3"}}
          n: {{type: integer, required: false}}
          x: {{enum: [up, down], default: up}}
        recipes:
          two: {{presets: {{b: "2"}}, parameters: [a, n]}}
        """,
    )
    return bench


@pytest.mark.parametrize(
    ("method", "arguments", "told"),
    [
        ("t", {}, "TypeError: t() missing 2 required keyword arguments: 'a' and 'b'"),
        ("t.two", {}, "TypeError: t.two() missing 1 required keyword argument: 'a'"),
        ("t", {"a": "1"}, "TypeError: t() missing 1 required keyword argument: 'b'"),
        ("t.two", {"a": "1", "b": "3"}, "TypeError: t.two() got an unexpected keyword argument 'b'"),
        ("t", {"a": 1, "b": "2"}, "TypeError: t() argument 'a' must be str, not int"),
        ("t", {"a": "1", "b": "2", "n": True}, "TypeError: t() argument 'n' must be int, not bool"),
        ("t", {"a": "1", "b": "2", "n": 1.5}, "TypeError: t() argument 'n' must be int, not float"),
        ("t", {"a": "1", "b": "2", "x": "left"}, "ValueError: t() argument 'x' must be 'up' or 'down', not 'left'"),
    ],
)
async def test_wrong_arguments_are_told_as_python_tells_them(typed, method, arguments, told):
    assert await refusal(typed.open(), method, arguments) == told


@pytest.mark.system
async def test_defaults_and_presets_fill_what_is_not_given(typed):
    assert await call(typed.open(), "t.two", a="1") == "['1', '2', '3', 'up']\n"
    assert await call(typed.open(), "t", a="1", b="2", c="4", n=7, x="down") == "['1', '2', '4', '7', 'down']\n"


def test_the_schema_of_each_form_is_json_schema(typed):
    (facts,) = typed.open().list()
    assert facts.schemas["two"] == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "n": {"type": "integer"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert set(facts.schemas) == {"", "two"}
