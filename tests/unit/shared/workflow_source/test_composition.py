"""What a workflow invokes that is made of others, and what is no such workflow."""

from __future__ import annotations

import ast

from shared.workflow_source.composition import composition_problems, invoked_workflows
from tests.cases import cases

KNOWN = ("open_profile", "read_glance")
BOTH = """
def run(name: str) -> dict:
    opened = workflows.open_profile(name=name)
    return {**opened, **workflows.read_glance()}
"""


@cases(
    ("source", "invoked"),
    [
        (BOTH, ("open_profile", "read_glance")),
        ("workflows.invoke('read_glance@1a2b', name=workflows.open_profile())", ("read_glance", "open_profile")),
        ("workflows.invoke(name)", ("",)),
        ("[workflows.search('x')]", ("",)),
        ("getattr(workflows, 'read_glance')()", ("",)),
        ("other.workflows.read()", ()),
        ("workflows.read().name", ("read",)),
    ],
)
def test_names_that_are_written_are_told(source: str, invoked: tuple[str, ...]):
    assert invoked_workflows(ast.parse(source)) == invoked


def test_a_workflow_that_calls_two_of_the_list_is_a_composition():
    assert composition_problems(BOTH, KNOWN) == ()


@cases(
    ("source", "problem"),
    [
        ("workflows.open_profile(); workflows.open_profile()", "calls 1 of the workflows"),
        ("def run() -> dict:\n    return {}", "calls 0 of the workflows"),
        (f"{BOTH}\ntools.browser.click(target='Save')", "it uses tools"),
        (f"{BOTH}\nartifacts.save('a', b'')", "it uses artifacts"),
        (f"{BOTH}\nworkflows.delete_all()", "'delete_all' was not among the workflows"),
        (f"{BOTH}\nworkflows.delete('read_glance')", "is computed"),
        (f"{BOTH}\nmine = workflows", "is computed"),
    ],
)
def test_what_does_more_or_less_is_none(source: str, problem: str):
    [told] = composition_problems(source, KNOWN)
    assert problem in told


def test_a_source_that_is_no_python_is_left_to_the_library():
    assert composition_problems("def run(:", KNOWN) == ()
