"""What the code of a flow calls, as ``exhibit.flow`` and ``servers.browser_tools`` offer it.

Each function returns a step: ``await`` it, and whoever runs the flow performs the call. A sandbox, a program on its own
and a check of stored pages differ in the binding only. This module imports the standard library only, and little of it:
processes that run workflow code load it before they are confined.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable, Generator
from contextvars import ContextVar
from functools import wraps
from typing import Any, Generic, TypeVar, cast

from shared.flows.code.selector_texts import (
    after,
    beside,
    by_label,
    by_role,
    by_test_id,
    by_text,
    in_region,
    in_row,
    with_text,
)

__all__ = [
    "FlowStopped", "after", "answer_dialog", "beside", "by_label", "by_role", "by_test_id", "by_text", "click",
    "close_tab", "count", "download", "download_all", "go_back", "hover", "in_region", "in_row", "is_shown",
    "load_mappings", "load_variables", "open_page", "option_of", "press", "prove_record", "read", "read_list",
    "read_with_model", "run_flow", "screenshot", "scroll", "section", "select_option", "set_checked", "set_date",
    "set_structured_output", "switch_tab", "try_click", "type", "type_secret", "type_text", "upload", "wait_for",
    "with_text",
]  # fmt: skip

ValueT = TypeVar("ValueT")
SectionT = TypeVar("SectionT", bound=Callable[..., Awaitable[Any]])
VARIABLES = "data/variables.json"
MAPPINGS = "workspace/dropdown_mappings.json"
_COROUTINE = 0x80
"""inspect.CO_COROUTINE; the module inspect takes 4 ms to load."""


class FlowStopped(Exception):
    """A call of a flow failed. ``code``: see `shared.contracts.workflows.flows.FlowErrorCode`."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


FlowStopped.__module__ = "exhibit.flow"


class FlowBinding:
    """Whoever runs a flow. ``waiting``: the steps that were made and not awaited, by number."""

    def __init__(self) -> None:
        self.waiting: dict[int, str] = {}
        self.made = 0

    def perform(self, call: str, arguments: dict[str, Any], line: int, section: str) -> Any:
        """Return the value of a call, or an awaitable of it. ``line``: of the flow's code.

        Raises FlowStopped; TypeError and ValueError for a call that is wrong in itself."""
        raise NotImplementedError

    def read_text(self, path: str) -> str:
        """Return the text of a file of the flow. Raises OSError."""
        raise NotImplementedError

    async def run(self, run: Callable[..., Any]) -> Any:
        """Return what ``run(**variables)`` returned, with the variables by their identifiers."""
        raise NotImplementedError

    def check_all_awaited(self) -> None:
        """Raise RuntimeError for steps that were made and never awaited: their calls were not performed."""
        if self.waiting:
            steps = ", ".join(list(self.waiting.values())[:5])
            raise RuntimeError(f"never awaited, and so not performed: {steps}. Write `await` before it")


_default: list[FlowBinding] = []
_here: ContextVar[FlowBinding | None] = ContextVar("flow", default=None)
_section: ContextVar[str] = ContextVar("section", default="")


def bind(binding: FlowBinding) -> None:
    """Let all flows of this process be run by this binding, but for those of `bind_here`."""
    _default[:] = [binding]


def bind_here(binding: FlowBinding) -> None:
    """Let the flow of this context be run by this binding."""
    _here.set(binding)


def bound() -> FlowBinding:
    """Return the binding. Raises RuntimeError without one."""
    found = _here.get() or (_default[0] if _default else None)
    if found is None:
        raise RuntimeError("nothing runs this flow: import its functions from exhibit.flow")
    return found


class FlowStep(Generic[ValueT]):
    """One call of a flow: ``await`` it, once."""

    def __init__(self, name: str, call: str, arguments: dict[str, Any]) -> None:
        self._binding = bound()
        self._call, self._arguments, self._line = call, arguments, _line_of_caller()
        self._binding.made += 1
        self._number = self._binding.made
        self._binding.waiting[self._number] = f"{name}() in line {self._line}"

    def __await__(self) -> Generator[Any, None, ValueT]:
        if self._binding.waiting.pop(self._number, None) is None:
            raise RuntimeError("this step was awaited before: make a new one")
        value: Any = self._binding.perform(self._call, self._arguments, self._line, _section.get())
        awaited = getattr(value, "__await__", None)
        if awaited is not None:
            return cast(ValueT, (yield from awaited()))
        return cast(ValueT, value)


def _line_of_caller() -> int:
    frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    while frame.f_globals.get("__name__") == __name__ and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_lineno


# --- acting on the page


def open_page(url: str, keep: bool = False) -> FlowStep[None]:
    """Open an address. ``keep``: it is that of a file, which is stored."""
    return FlowStep("open_page", "open", {"url": url, "keep": keep})


def click(selector: str, irreversible: bool = False) -> FlowStep[None]:
    """Click the one element that the selector names. ``irreversible``: once for a sample, whatever happens."""
    return FlowStep("click", "click", {"selector": selector, "irreversible": irreversible})


def try_click(selector: str) -> FlowStep[bool]:
    """Click the element if the page has it, and return whether it did. Every other failure is raised."""
    return FlowStep("try_click", "click", {"selector": selector, "if_shown": True})


def type(text: str, selector: str = "") -> FlowStep[None]:
    """Write into a field; without a selector, into the element that was clicked last."""
    return FlowStep("type", "type", {"text": text, "selector": selector})


def type_text(text: str, selector: str = "") -> FlowStep[None]:
    """The same as `type`, whose name hides Python's own."""
    return FlowStep("type_text", "type", {"text": text, "selector": selector})


def type_secret(secret: str, selector: str = "") -> FlowStep[None]:
    """Write a secret, by its name, into a field; its value never comes to the flow."""
    return FlowStep("type_secret", "type_secret", {"secret": secret, "selector": selector})


def select_option(selector: str, label: str, search: str = "") -> FlowStep[None]:
    """Choose the option with exactly this label. ``search``: what is typed first, if not the label itself."""
    return FlowStep("select_option", "select_option", {"selector": selector, "option": label, "search": search})


def set_checked(selector: str, checked: bool = True) -> FlowStep[None]:
    """Tick a checkbox or a switch, or remove the tick; nothing happens where it is so already."""
    return FlowStep("set_checked", "set_checked", {"selector": selector, "checked": checked})


def set_date(selector: str, date: str) -> FlowStep[None]:
    """``date``: ISO 8601."""
    return FlowStep("set_date", "set_date", {"selector": selector, "date": date})


def press(keys: str, selector: str = "") -> FlowStep[None]:
    return FlowStep("press", "press", {"keys": keys, "selector": selector})


def hover(selector: str) -> FlowStep[None]:
    return FlowStep("hover", "hover", {"selector": selector})


def upload(selector: str, file: str) -> FlowStep[None]:
    return FlowStep("upload", "upload", {"selector": selector, "file": file})


def scroll(direction: str = "down", amount_px: int = 600) -> FlowStep[None]:
    return FlowStep("scroll", "scroll", {"direction": direction, "amount_px": amount_px})


def go_back() -> FlowStep[None]:
    return FlowStep("go_back", "go_back", {})


def switch_tab(tab: int) -> FlowStep[None]:
    """``tab``: its number, from 1."""
    return FlowStep("switch_tab", "switch_tab", {"tab": tab})


def close_tab() -> FlowStep[None]:
    return FlowStep("close_tab", "close_tab", {})


def answer_dialog(accept: bool, text: str = "") -> FlowStep[None]:
    """Answer the JavaScript dialog that is open."""
    return FlowStep("answer_dialog", "answer_dialog", {"accept": accept, "text": text})


def wait_for(selector: str = "", timeout_s: float = 10.0) -> FlowStep[None]:
    """Wait until the element is there; without a selector, until the page has settled."""
    return FlowStep("wait_for", "wait_for", {"selector": selector, "timeout_s": timeout_s})


def screenshot(label: str, selector: str = "", full_page: bool = True) -> FlowStep[None]:
    return FlowStep("screenshot", "screenshot", {"label": label, "selector": selector, "full_page": full_page})


def download(selector: str, label: str = "download") -> FlowStep[None]:
    """Click the element, and store the file that comes."""
    return FlowStep("download", "download", {"selector": selector, "label": label})


def download_all(selector: str, label: str = "download") -> FlowStep[int]:
    """Click every element that matches, store each file, and return how many there were."""
    return FlowStep("download_all", "download_all", {"selector": selector, "label": label})


# --- reading the page


def prove_record(**expected: str) -> FlowStep[None]:
    """Stop unless the page shows the record whose fields have these values."""
    return FlowStep("prove_record", "prove_record", {"expected": expected})


def read(*fields: str) -> FlowStep[dict[str, Any]]:
    """Return the values of the fields; a field that the page says is empty is None. Stops where one is uncertain."""
    return FlowStep("read", "read", {"fields": list(fields)})


def read_list(name: str) -> FlowStep[list[dict[str, Any]]]:
    """Return the rows of a list on this page."""
    return FlowStep("read_list", "read_list", {"name": name})


def read_with_model(*fields: str) -> FlowStep[dict[str, Any]]:
    """Return the values of fields that no rule expresses. Strict runs refuse it."""
    return FlowStep("read_with_model", "read_with_model", {"fields": list(fields)})


def is_shown(selector: str) -> FlowStep[bool]:
    """Return whether the page has exactly one such element."""
    return FlowStep("is_shown", "is_shown", {"selector": selector})


def count(selector: str) -> FlowStep[int]:
    return FlowStep("count", "count", {"selector": selector})


# --- the flow itself


def set_structured_output(key: str, value: Any) -> FlowStep[None]:
    """Set one of the outputs: a value of JSON."""
    return FlowStep("set_structured_output", "set_structured_output", {"key": key, "value": value})


def section(function: SectionT) -> SectionT:
    """Decorate an ``async def``: what it does is one section of the flow."""
    code = getattr(function, "__code__", None)
    if code is None or not code.co_flags & _COROUTINE:
        raise TypeError("@section stands before an `async def`")

    @wraps(function)
    async def in_section(*positional: Any, **named: Any) -> Any:
        await FlowStep("section", "section", {"name": function.__name__})
        before = _section.set(function.__name__)
        try:
            return await function(*positional, **named)
        finally:
            _section.reset(before)

    return cast(SectionT, in_section)


def load_variables() -> dict[str, Any]:
    """Return the variables of this run, by their names as written."""
    return json.loads(bound().read_text(VARIABLES))


def load_mappings() -> dict[str, Any]:
    """Return the dropdown mappings of the flow; empty when it has none."""
    try:
        return json.loads(bound().read_text(MAPPINGS))
    except FileNotFoundError:
        return {}


def option_of(mapping: dict[str, Any], value: str) -> str:
    """Return the option of a dropdown mapping that a value means, as the page writes it. Raises ValueError."""
    options: dict[str, str] = mapping["options"]
    found = options.get(" ".join(value.split()).lower())
    if found is None:
        raise ValueError(f"{value!r} is not offered; there are {', '.join(options.values())}")
    return found


async def run_flow(run: Callable[..., Any]) -> Any:
    """Call ``run`` with the variables of data/variables.json, and keep what it returns as the outputs."""
    return await bound().run(run)
