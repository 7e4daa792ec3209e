"""What a compiler writes for a call is read as the same call."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from shared.actions.table import CALLS
from shared.contracts.workflows.flows import (
    AnswerQuestion,
    AwaitElement,
    Call,
    CheckShown,
    ClickElement,
    CountElements,
    DownloadAll,
    FlowCall,
    OpenAddress,
    PressKeys,
    SetChecked,
    TakeScreenshot,
    TypeInto,
)
from shared.flows.building.scratch_calls import read_scratch
from shared.flows.compiling.plan import FlowPlan, PlannedCall, Section, Variable
from shared.flows.compiling.source import write_source
from shared.flows.compiling.steps import TEMPLATED
from shared.flows.files import FlowFiles

BUTTON = 'role=button[name="Save"]'
WRITTEN = [kind for kind, facts in CALLS.items() if facts.arguments is not None]


def source_of(call: FlowCall) -> str:
    variables = (Variable("value", "value", "str"),)
    section = Section("work", [PlannedCall(call)])
    return write_source(FlowPlan("flow", "It does something", variables, (section,), FlowFiles()))


def line_of(call: FlowCall) -> str:
    lines = [line.strip() for line in source_of(call).splitlines()]
    return lines[lines.index("@section") + 2]


def call_of(kind: type[Call]) -> Any:
    """A call with a value for each field that its function is written with."""
    fields = {one.name: one for one in msgspec.structs.fields(kind)}
    written = [one.partition("=")[2] or one.partition("=")[0] for one in CALLS[kind].arguments or ()]
    given = {name: {str: "word", int: 2, float: 2.5, bool: True}.get(fields[name].type, "up") for name in written}
    given |= {name: "{value}" for name in TEMPLATED if name in given}
    given |= {
        name: text for name, text in (("selector", BUTTON), ("url", "https://a.example/{value}")) if name in given
    }
    return kind(**given)


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_call_is_written_so_that_it_is_read_as_the_same(kind: type[Call]):
    call = call_of(kind)
    read = read_scratch(source_of(call), {})
    assert read.told == []
    assert [item.call for item, _ in read.items if isinstance(item, PlannedCall)] == [call]


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (OpenAddress(url="https://a.example/"), 'await open_page("https://a.example/")'),
        (ClickElement(selector=BUTTON), 'await click(by_role("button", "Save"))'),
        (ClickElement(selector=BUTTON, if_shown=True), 'await try_click(by_role("button", "Save"))'),
        (SetChecked(selector="label=Paid", checked=False), 'await set_checked(by_label("Paid"), checked=False)'),
        (TypeInto(text="{value}"), "await type_text(text=value)"),
        (PressKeys(keys="Enter"), 'await press("Enter")'),
        (AwaitElement(), "await wait_for()"),
        (AwaitElement(selector=BUTTON, timeout_s=30.0), 'await wait_for(by_role("button", "Save"), timeout_s=30.0)'),
        (TakeScreenshot(label="page", full_page=False), 'await screenshot("page", full_page=False)'),
        (
            DownloadAll(selector="a", label="f_{value}"),
            'await download_all("a", f"f_{value}")',
        ),
        (AnswerQuestion(accept=True, text="{value}"), "await answer_dialog(accept=True, text=value)"),
        (CountElements(selector='role=row[name="{value}"]'), 'await count(by_role("row", value))'),
    ],
)
def test_defaults_are_left_out_and_variables_stand_where_their_values_stood(call: FlowCall, line: str):
    assert line_of(call) == line


def test_what_a_compiler_does_not_write_is_an_error():
    with pytest.raises(TypeError, match="CheckShown is no call that a compiler writes"):
        source_of(CheckShown(selector=BUTTON))
