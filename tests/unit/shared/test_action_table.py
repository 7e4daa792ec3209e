"""Every action, and every call of a flow, has one row of facts."""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import get_args, get_type_hints

import msgspec
import pytest

from shared.actions import table
from shared.actions.conversion import to_action, to_call
from shared.actions.facts import ActionFacts, CallFacts
from shared.actions.table import (
    ACTIONS,
    CALLS,
    changes_page,
    effect_of_call,
    facts_of_action,
    is_browser_action,
    tag_of,
)
from shared.contracts.actions import (
    TARGET_FIELDS,
    Action,
    AnswerDialog,
    AnyAction,
    Back,
    BrowserAction,
    ByRef,
    ClickAt,
    Extract,
    OwnAction,
    SaveProgress,
    Screenshot,
    Scroll,
    Target,
    UseWorkflow,
)
from shared.contracts.workflows.flows import (
    AnswerQuestion,
    Call,
    FlowCall,
    GoToPrevious,
    ReadFields,
)
from shared.flows.code import functions

ALL = get_args(AnyAction)


def tags(holds: Callable[[ActionFacts], bool]) -> set[str]:
    return {tag_of(kind) for kind, facts in ACTIONS.items() if holds(facts)}


def written_keys(name: str) -> list[str]:
    """The keys of a table as they are written: a dict keeps only the last of two equal ones."""
    for node in ast.walk(ast.parse(inspect.getsource(table))):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == name and isinstance(node.value, ast.Dict):
            return [ast.unparse(key).partition(".")[2] for key in node.value.keys if key is not None]
    raise AssertionError("the table is gone")


def test_every_action_and_every_call_has_exactly_one_row():
    assert Counter(written_keys("ACTIONS")) == Counter(kind.__name__ for kind in ALL)
    assert Counter(written_keys("CALLS")) == Counter(kind.__name__ for kind in get_args(FlowCall))


def test_every_action_has_a_text_for_models():
    assert all(facts.tool.endswith(".") for facts in ACTIONS.values())


def test_an_action_is_of_the_browser_or_of_the_planner():
    assert set(get_args(BrowserAction)) == set(ALL) - set(get_args(OwnAction))


def test_an_action_without_a_row_is_an_error_and_not_harmless():
    class Unknown(Action, frozen=True, kw_only=True, tag="unknown"):
        pass

    with pytest.raises(KeyError):
        facts_of_action(Unknown())
    with pytest.raises(KeyError):
        changes_page(Unknown())


def test_what_may_harm_a_site_has_no_default():
    defaults = {field.name for field in msgspec.structs.fields(ActionFacts) if not field.required}
    assert defaults == {"offered", "call"}
    defaults = {field.name for field in msgspec.structs.fields(CallFacts) if not field.required}
    assert defaults == {"fills", "element_choice", "needs_page"}


def test_what_may_press_a_button():
    assert tags(lambda facts: facts.presses) == {
        "click", "double_click", "click_at", "press", "pick", "download", "drag",
    }  # fmt: skip


def test_what_is_withheld_where_it_may_change_the_site():
    assert tags(lambda facts: facts.clicks) == {"click", "double_click", "pick", "download"}
    assert tags(lambda facts: facts.clicks and not facts.presses) == set()


def test_what_presses_names_its_target():
    """But for a point, which a person alone presses, and not where the task has a button that is pressed once."""
    pressing = {kind for kind, facts in ACTIONS.items() if facts.presses}
    assert {tag_of(kind) for kind in pressing if "target" not in kind.__struct_fields__} == {"click_at"}
    assert ACTIONS[ClickAt].offered == "never"


def test_what_is_a_target_has_one_of_two_names():
    for kind in ALL:
        of_target = {name for name, hint in get_type_hints(kind).items() if hint in (Target, Target | None)}
        assert of_target == set(TARGET_FIELDS) & set(kind.__struct_fields__)


def test_what_a_replay_may_repeat():
    assert tags(lambda facts: facts.effect == "may_change_site") == {
        "double_click", "click_at", "upload", "drag", "drag_by", "use_workflow",
    }  # fmt: skip
    assert tags(lambda facts: facts.effect == "depends_on_step") == {"click", "press", "dialog"}
    assert tags(lambda facts: facts.effect == "repeated_freely") == {
        "goto", "type", "type_secret", "hover", "select_option", "pick", "set_date", "scroll", "wait", "back",
        "switch_tab", "close_tab", "download",
    }  # fmt: skip


def test_what_leaves_the_page_as_it_is():
    assert tags(lambda facts: facts.effect == "reads_only") == {
        "screenshot", "screenshot_element", "screenshot_views", "extract",
        "ask_api", "expect", "save_progress", "report_items", "ask_picture", "done", "fail",
    }  # fmt: skip
    assert changes_page(Back())
    assert not changes_page(Screenshot(label="x"))


def test_no_action_of_the_planner_changes_anything():
    own = set(get_args(OwnAction)) - {UseWorkflow}  # a workflow may do anything in the browser
    assert {ACTIONS[kind].effect for kind in own} == {"reads_only"}
    assert is_browser_action(Back())
    assert not is_browser_action(SaveProgress(values={}))


def test_what_ends_an_answer_and_what_reports_a_page():
    assert tags(lambda facts: facts.ends_answer) == {
        "goto", "ask_api", "expect", "save_progress", "report_items", "use_workflow", "done", "fail",
    }  # fmt: skip
    assert tags(lambda facts: facts.reports_page) == {"save_progress", "report_items", "done", "fail"}


def test_how_much_of_a_step_must_be_known_later():
    assert tags(lambda facts: facts.importance == 3) == {"save_progress", "done", "fail"}
    assert tags(lambda facts: facts.importance == 2) == {
        "extract", "report_items", "ask_picture", "download", "screenshot", "screenshot_element", "screenshot_views",
        "ask_api", "expect", "use_workflow",
    }  # fmt: skip
    assert tags(lambda facts: facts.importance == 0) == {"scroll", "wait"}
    assert {facts.importance for facts in ACTIONS.values()} == {0, 1, 2, 3}


# --- calls of flows


def calls(holds: Callable[[CallFacts], bool]) -> set[str]:
    return {facts.function for facts in CALLS.values() if holds(facts)}


def value_of(field: msgspec.structs.FieldInfo) -> object:
    """A value that the field takes; a text says which field it is of."""
    return {str: field.name, int: 2, float: 2.0, bool: True}.get(field.type, "accept")


def action_of(kind: type[Action]) -> Action:
    given = {f.name: value_of(f) for f in msgspec.structs.fields(kind) if "Target" not in str(f.type)}
    targets = {f.name: ByRef(ref=1, snapshot_id="s") for f in msgspec.structs.fields(kind) if f.name not in given}
    return kind(**{**given, **targets})


def test_an_action_and_its_call_name_each_other():
    for kind, facts in ACTIONS.items():
        assert facts.call is None or CALLS[facts.call].action is not None, kind
    for kind, facts in CALLS.items():
        named = {call.call for call in ACTIONS.values()}
        assert facts.action is None or kind in named or facts.function in {"set_checked", "download_all"}, kind


def test_a_repeated_action_has_a_call():
    assert {kind for kind, facts in ACTIONS.items() if facts.compiled == "as_call" and facts.call is None} == set()
    assert tags(lambda facts: facts.compiled == "not_possible") == {
        "double_click", "click_at", "drag", "drag_by", "ask_api",
    }  # fmt: skip


def test_what_was_recorded_is_done_again_with_the_same_texts():
    for kind, facts in ACTIONS.items():
        if facts.compiled != "as_call" or facts.call is None:
            continue
        then = action_of(kind)
        call = to_call(then)
        assert call is not None
        assert type(call) is facts.call
        performed = CALLS[facts.call].action
        assert performed is not None
        again = to_action(call, getattr(then, "target", None) if "target" in performed.__struct_fields__ else None)
        common = set(then.__struct_fields__) & set(again.__struct_fields__) - {"reason"}
        assert {name: getattr(again, name) for name in common} == {name: getattr(then, name) for name in common}


@pytest.mark.parametrize("accept", [True, False])
def test_the_answer_to_a_dialog_is_kept(accept: bool):
    call = AnswerQuestion(accept=accept, text="why")
    assert to_action(call) == AnswerDialog(answer="accept" if accept else "dismiss", text="why")
    assert to_call(to_action(call)) == call


def test_what_is_not_repeated_has_no_call_and_what_only_reads_no_action():
    assert to_call(Extract(target=ByRef(ref=1, snapshot_id="s"))) is None
    assert to_call(Scroll()) is None
    with pytest.raises(ValueError, match="ReadFields does not act"):
        to_action(ReadFields(fields=("a",)))
    with pytest.raises(ValueError, match="GoToPrevious does not act on an element"):
        to_action(GoToPrevious(), ByRef(ref=1, snapshot_id="s"))


class Noting(functions.FlowBinding):
    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[str, dict[str, object]]] = []

    def perform(self, call: str, arguments: dict[str, object], line: int, section: str) -> None:
        self.calls.append((call, arguments))


def test_every_call_is_made_by_its_function_and_every_argument_that_is_written_is_one_of_both():
    noting = Noting()
    functions.bind_here(noting)
    for kind, facts in CALLS.items():
        if facts.arguments is None:
            assert facts.function in functions.__all__
            continue
        function = getattr(functions, facts.function)
        parameters = inspect.signature(function).parameters
        for one in facts.arguments:
            parameter, _, field = one.partition("=")
            assert parameter in parameters
            assert (field or parameter) in kind.__struct_fields__
        for _ in function(**{name: "x" for name, one in parameters.items() if one.default is one.empty}).__await__():
            pass
        call, arguments = noting.calls[-1]
        assert call == kind.__struct_config__.tag
        assert set(arguments) <= set(kind.__struct_fields__)


def test_every_function_of_a_flow_makes_a_call_that_the_table_has():
    no_calls = {"FlowStopped", "load_mappings", "load_variables", "option_of", "run_flow"}
    other_names = {"try_click", "type"}
    selectors = {"by_role", "by_label", "by_text", "by_test_id", "with_text", "beside", "after", "in_region", "in_row"}
    assert calls(lambda facts: True) == set(functions.__all__) - no_calls - other_names - selectors


def test_which_calls_may_change_a_site():
    changing = {kind for kind in CALLS if effect_of(kind) not in ("reads_only", "repeated_freely")}
    assert {CALLS[kind].function for kind in changing} == {
        "click", "set_checked", "press", "upload", "answer_dialog",
    }  # fmt: skip


def effect_of(kind: type[Call]) -> str:
    given = {f.name: value_of(f) for f in msgspec.structs.fields(kind) if f.required}
    return effect_of_call(kind(**given))


def test_which_element_a_planner_may_choose():
    assert calls(lambda facts: facts.element_choice == "by_text") == {"click", "hover"}
    fills = calls(lambda facts: bool(facts.fills))
    assert calls(lambda facts: facts.element_choice == "by_effect") == {"download", *fills}
    on_elements = {kind for kind, facts in CALLS.items() if facts.element_choice != "never" or facts.fills}
    assert all("selector" in kind.__struct_fields__ for kind in on_elements)


def test_what_needs_no_page():
    assert calls(lambda facts: not facts.needs_page) == {"open_page", "set_structured_output", "section"}


def test_which_calls_are_kept_from_a_page_that_contradicts_what_was_sent():
    assert calls(lambda facts: facts.outcome_checked == "any_page") == {"prove_record", "read", "read_list"}
    assert calls(lambda facts: facts.outcome_checked == "first_page") == {
        "screenshot", "click", "download", "download_all",
    }  # fmt: skip
    assert calls(lambda facts: facts.may_leave_page) == {
        "open_page", "click", "go_back", "switch_tab", "close_tab", "press",
    }  # fmt: skip


# --- no other module has a table of actions

ROOT = Path(__file__).parents[3]
ROOMS = ("exhibit", "servers", "services", "shared")
MOST = 7
"""Actions, or calls of flows, that one list, union, match or function may tell apart outside of `HOMES`. A rule about a
few stands where it is needed; what is said of nearly all of them is a column of the table."""
HOMES = {
    "shared/actions/table.py",  # what is said of them
    "shared/contracts/actions.py",  # their types
    "shared/contracts/workflows/flows.py",
    "shared/flows/code/functions.py",  # what flows call
    "shared/flows/answering.py",  # the calls that come to more than one action, or only read
    "services/planner/execute.py",  # the planner's own actions are carried out
    "shared/task/route.py",  # the steps of a route, whose names are much the same
}
KINDS = {kind.__name__ for kind in (*ALL, *CALLS)}
NAMES = {str(kind.__struct_config__.tag) for kind in (*ALL, *CALLS)} | {one.function for one in CALLS.values()}


def tables_of_actions(root: Path, most: int) -> dict[str, int]:
    """Return the modules of which one part tells more actions apart than that, with how many."""
    found: dict[str, int] = {}
    for path in sorted(path for room in ROOMS for path in (root / room).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text if len((KINDS | NAMES) & set(re.findall(r"\w+", text))) > most else "")
        largest = max((len(told_apart(node)) for node in ast.walk(tree)), default=0)
        if largest > most:
            found[str(path.relative_to(root))] = largest
    return found


def told_apart(node: ast.AST) -> set[str]:
    """Return the actions in a list, dict, union or match, or for which a function asks, by their types or names."""
    match node:
        case ast.Dict(keys=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            written = [one for one in parts if one is not None]
            return max(kinds_in(*written), names_in(*written), key=len)
        case ast.BinOp(op=ast.BitOr()):
            return kinds_in(node)
        case ast.Match(cases=cases):
            return kinds_in(*(one.pattern for one in cases))
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            calls = (one for one in ast.walk(node) if isinstance(one, ast.Call))
            return kinds_in(*(one.args[1] for one in calls if ast.unparse(one.func) == "isinstance"))
        case _:
            return set()


def kinds_in(*nodes: ast.AST) -> set[str]:
    below = [one for node in nodes for one in ast.walk(node)]
    return KINDS & {one.id if isinstance(one, ast.Name) else getattr(one, "attr", "") for one in below}


def names_in(*nodes: ast.AST) -> set[str]:
    below = [one for node in nodes for one in ast.walk(node)]
    return NAMES & {one.value for one in below if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def test_no_other_module_has_a_table_of_actions():
    found = tables_of_actions(ROOT, MOST)
    assert set(found) == HOMES
    assert found["shared/actions/table.py"] == len(ALL)


FORMS = {
    "listed": "HARMLESS = (Goto, Back, *(Hover, Scroll, Wait), Extract)",
    "keyed": "DONE_BY = {a.Goto: 1, a.Back: 2, a.Hover: 3, a.Scroll: 4, a.Wait: 5, a.Extract: 6}",
    "named": 'TEXTS = {"goto": "", "back": "", "hover": "", "scroll": "", "wait": "", "extract": ""}',
    "united": "Looks = Goto | Back | Hover | Scroll | Wait | Extract",
    "matched": """
match one:
    case Goto() | Back() | Hover(): pass
    case Scroll() | Wait(): pass
    case Extract(): pass
""",
    "asked": """
def looks(one):
    if isinstance(one, Goto | Back): return True
    return isinstance(one, (Hover, Scroll)) or isinstance(one, Wait) or isinstance(one, Extract)
""",
    "few": "MOVES = (Goto, Back, Hover, Scroll, Wait)",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_table_of_actions_is_found_however_it_is_written(form: str, tmp_path: Path):
    (tmp_path / "services").mkdir()
    (tmp_path / "services/one.py").write_text(FORMS[form], encoding="utf-8")
    assert tables_of_actions(tmp_path, 5) == ({} if form == "few" else {"services/one.py": 6})
