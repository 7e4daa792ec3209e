"""The grammar of the lines by which actions are typed: alone, in a build session, and by an operator."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from services.console.commands.operate import operator_help
from services.console.text.action_lines import (
    BROWSER_VERBS,
    InvalidLine,
    Verb,
    parse_browser_line,
    parse_line,
    verb_of_tool,
    words_as_written,
)
from services.console.text.build_lines import BuildLine, build_help, parse_build_line
from services.planner.prompt.tools import NOT_TOLD, REFLECTION, tools_for
from shared.contracts.actions import (
    BrowserAction,
    ByCss,
    ByRef,
    ByText,
    Click,
    Download,
    Drag,
    Goto,
    Press,
    Scroll,
    SwitchTab,
    TypeText,
    Wait,
)
from shared.task.spec import TaskSpec

ROOT = Path(__file__).parents[3]
TASK: dict[str, Any] = {
    "task_id": "t", "goal": "g", "start_url": "{url}", "output_schema": {"name": "string", "due": "date | null"},
}  # fmt: skip


def verbs_of(**more: Any) -> dict[str, Verb]:
    """The verbs of a question about a task."""
    verbs = map(verb_of_tool, tools_for(TaskSpec.model_validate({**TASK, **more})))
    return {verb.name: verb for verb in verbs}


VERBS = verbs_of()

# --- drive and login


def on(text: str) -> ByText:
    return ByText(text=text)


@pytest.mark.parametrize(
    ("line", "want"),
    [
        ('{"action":"goto","url":"http://127.0.0.1/"}', Goto(url="http://127.0.0.1/")),
        ('{"action":"click","target":"3"}', Click(target=ByRef(ref=3, snapshot_id="s1"))),
        ('{"action":"click","target":3}', Click(target=ByRef(ref=3, snapshot_id="s1"))),
        ('{"action":"click","target":"Save all"}', Click(target=on("Save all"))),
        ('{"action":"click","target":"css=#save"}', Click(target=ByCss(css="#save"))),
        ('{"action":"type","target":{"by":"text","text":"3"},"text":"x"}', TypeText(target=on("3"), text="x")),
        ('{"action":"observe"}', None),
        ("observe", None),
        ("click 3", Click(target=ByRef(ref=3, snapshot_id="s1"))),
        ('click "Save all"', Click(target=on("Save all"))),
        ('click {"target": "Save all", "reason": "why"}', Click(target=on("Save all"), reason="why")),
        ("type User 7", TypeText(target=on("User"), text="7")),
        ('wait "Sign out" 2.5', Wait(target=on("Sign out"), timeout_s=2.5)),
        ("wait", Wait()),
        ("switch_tab 2", SwitchTab(tab=2)),
        ("scroll up 300", Scroll(direction="up", amount_px=300)),
        ("drag One Two", Drag(target=on("One"), onto=on("Two"))),
    ],
)
def test_an_action_in_short_or_as_json(line: str, want: BrowserAction | None):
    assert parse_browser_line(line, "s1") == want


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("jump 3", "there is no 'jump'; there are observe, goto, click,"),
        ("[]", "JSON object"),
        ('{"action":"jump"}', "jump"),
        ('{"action":"click"}', "target"),
        ('{"action":"goto","url":7}', "url"),
        ('{"action":', "not JSON"),
        ("click Save all", "click TARGET: write a text with spaces in double quotes"),
        ('click "Save', "No closing quotation"),
        ("scroll sideways", "scroll: Invalid enum value 'sideways'"),
        ("done", "there is no 'done'"),
    ],
)
def test_a_line_that_is_no_action_says_why(line: str, words: str):
    wrong = parse_browser_line(line, "s1")
    assert isinstance(wrong, InvalidLine)
    assert words in wrong.message


PAGE = (ROOT / "docs/actions.md").read_text()
SHOWN = re.findall(rf'^(?: {{4}})?((?:{{"action"|(?:{"|".join(BROWSER_VERBS)}) ).*)$', PAGE, re.M)


def test_the_page_about_actions_has_examples_of_both_forms():
    first = {line.split()[0] for line in SHOWN}
    assert {"click", "type", "type_secret", "wait", "scroll", "screenshot", '{"action":'} <= first


@pytest.mark.parametrize("line", SHOWN)
def test_every_example_of_the_documentation_is_an_action(line: str):
    assert not isinstance(parse_browser_line(line, "snapshot"), InvalidLine | None)


# --- build

ROW = {"name": "Ann Lee", "url": "http://127.0.0.1/1"}


def built(line: str) -> BuildLine | InvalidLine | None:
    return parse_build_line(line, "s1", ROW, ROW["url"])


@pytest.mark.parametrize(
    ("line", "want"),
    [
        ("open", Goto(url=ROW["url"], reason="where to begin")),
        ("click {name}", Click(target=on("Ann Lee"))),
        ("type 'Full name' {name}", TypeText(target=on("Full name"), text="Ann Lee")),
        ('type User ""', TypeText(target=on("User"), text="")),
        ("click {other}", Click(target=on("{other}"))),
        ("download Report", Download(target=on("Report"))),
        ("download Report invoice", Download(target=on("Report"), label="invoice")),
        ("press Control+A", Press(keys="Control+A")),
        ('{"action": "click", "target": "{name}"}', Click(target=on("{name}"))),
    ],
)
def test_an_action_of_a_build_session_is_filled_from_the_row(line: str, want: BrowserAction):
    assert built(line) == BuildLine("act", action=want)


def test_the_words_of_a_build_session_are_its_own():
    assert built("read name beside 'Full name'") == BuildLine(
        "read", ("name", "beside", "Full name"), "name beside 'Full name'"
    )
    assert built("say it's here") == BuildLine("say", rest="it's here")
    assert built('{"action": "observe"}') == BuildLine("page")
    assert (built("?"), built("quit"), built("# a remark"), built(" ")) == (
        BuildLine("help"), BuildLine("close"), None, None,
    )  # fmt: skip
    assert isinstance(built("jump"), InvalidLine)


def test_the_lines_of_the_page_about_flows_are_lines_of_a_build_session():
    section = (ROOT / "docs/flows.md").read_text().partition("\n## Build one by hand\n")[2].partition("\n- **")[0]
    lines = [line.split("  ")[2] for line in re.findall(r"^ {4}(?!exhibit).*$", section, re.M)]
    assert len(lines) == 7
    assert [line for line in lines if isinstance(built(line), InvalidLine | None)] == []


# --- operate


def typed(line: str, verbs: dict[str, Verb] = VERBS) -> dict[str, Any] | InvalidLine:
    return parse_line(line, verbs, words_as_written)


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("click 12", {"action": "click", "target": "12"}),
        ("  click Save changes ", {"action": "click", "target": "Save changes"}),
        ("type 7 some text", {"action": "type", "target": "7", "text": "some text"}),
        ("type 7 \"it's", {"action": "type", "target": "7", "text": "\"it's"}),
        ("press Enter", {"action": "press", "keys": "Enter"}),
        ("press Enter 4", {"action": "press", "keys": "Enter", "target": "4"}),
        ("back", {"action": "back"}),
        ("scroll down 300", {"action": "scroll", "direction": "down", "amount_px": 300}),
        ("screenshot ticket", {"action": "screenshot", "label": "ticket"}),
        ("switch_tab 2", {"action": "switch_tab", "tab": 2}),
        ("fail other it is not there", {"action": "fail", "code": "other", "note": "it is not there"}),
        ('done {"values": {"name": "Ann"}}', {"action": "done", "values": {"name": "Ann"}}),
        ('{"action": "click", "target": "3"}', {"action": "click", "target": "3"}),
    ],
)
def test_an_answer_of_an_operator(line: str, action: dict[str, Any]):
    assert typed(line) == action


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("clik 3", "there is no 'clik'"),
        ("click", "click needs target"),
        ("type 7", "type needs text"),
        ("done", "done needs values, refs: write done {...}"),
        ("back 3", "back takes nothing"),
        ("switch_tab two", "tab is a number, not 'two'"),
        ("screenshot ticket maybe", "full_page is true or false"),
        ("done {values", "not JSON"),
        ("{[1]}", "not JSON"),
        ('click {"a": 1', "not JSON"),
    ],
)
def test_an_answer_that_is_none_says_what_is_wrong(line: str, words: str):
    wrong = typed(line)
    assert isinstance(wrong, InvalidLine)
    assert words in wrong.message


def test_what_a_question_asks_for_besides_follows_what_the_action_needs():
    reflected = typed("press Enter well nothing go-on 4", verbs_of(reflection="full"))
    assert reflected == {
        "action": "press", "keys": "Enter", **dict(zip(REFLECTION, ("well", "nothing", "go-on"), strict=True)),
        "target": "4",
    }  # fmt: skip


# --- one grammar


@pytest.mark.parametrize("name", BROWSER_VERBS)
def test_an_operator_types_an_action_as_everybody_does(name: str):
    told = [one for one in BROWSER_VERBS[name].arguments if one.name not in NOT_TOLD]
    assert (told, BROWSER_VERBS[name].help) == ([*VERBS[name].arguments], VERBS[name].help)


def starts(lines: Sequence[str]) -> list[str]:
    return [re.split(r" {2,}", line)[0] for line in lines]


def test_every_help_has_every_action_with_its_arguments():
    of_operator = starts(operator_help(VERBS).splitlines())
    assert len(of_operator) == len(VERBS) + 2
    for shown in (of_operator, starts(build_help().splitlines())):
        assert {"type TARGET TEXT", "press KEYS [TARGET]", "back", "wait [TARGET] [TIMEOUT_S]"} <= {*shown}
        assert {*BROWSER_VERBS} <= {line.split()[0] for line in shown}
