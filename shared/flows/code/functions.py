"""What the code of a flow calls, as ``exhibit.flow`` and ``servers.browser_tools`` offer it.

Each function returns a step: ``await`` it, once, and whoever runs the flow performs the call. A sandbox, a program on
its own and a check of stored pages differ in the binding only. This module imports the standard library only, and
little of it: processes that run workflow code load it before they are confined.

Public is what ``__all__`` names; the rest is for those who run flows. A selector is CSS or a text that `by_role`,
`by_label`, `beside` and their like make. Every awaited call raises `FlowStopped` where it fails: ``element_missing``
or ``element_ambiguous`` where a selector does not find the one element, ``effect_missing`` where the page did not do
what it did when the flow was recorded, ``action_failed`` and ``bad_call`` as their messages say. A step that is never
awaited is a RuntimeError at the end of the flow.
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
    """A call of a flow failed.

    Attributes:
        code: why, such as ``element_missing``: see `shared.contracts.workflows.flows.FlowErrorCode` and docs/flows.md.

    Example:
        try:
            await read("assignee")
        except FlowStopped as stopped:
            if stopped.code != "value_missing":
                raise
    """

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
    """Open an address in the active tab.

    Args:
        url: the whole address, with its scheme.
        keep: it is that of a file, which is stored, also where the browser would show it.

    Example:
        await open_page(url)
    """
    return FlowStep("open_page", "open", {"url": url, "keep": keep})


def click(selector: str, irreversible: bool = False) -> FlowStep[None]:
    """Click the one element that the selector names.

    Args:
        selector: must find exactly one element.
        irreversible: it is clicked once for a sample, whatever happens, and only where the page shows no other value
            than was filled in.

    Raises:
        FlowStopped: ``clicked_before`` and ``form_differs`` for an irreversible click, besides what every call raises.

    Example:
        await click(by_role("button", "Search"))
    """
    return FlowStep("click", "click", {"selector": selector, "irreversible": irreversible})


def try_click(selector: str) -> FlowStep[bool]:
    """Click the element if the page has it. Every other failure is raised.

    Args:
        selector: must find one element, or none.

    Returns:
        Whether there was one.

    Example:
        await try_click(by_role("button", "Reject all"))
    """
    return FlowStep("try_click", "click", {"selector": selector, "if_shown": True})


def type(text: str, selector: str = "") -> FlowStep[None]:
    """Replace what a field holds by a text. `type_text` is the same; this name hides Python's own.

    Args:
        text: what is written.
        selector: of the field; without one, the element that was clicked last.

    Example:
        await type(number, selector=by_label("License number"))
    """
    return FlowStep("type", "type", {"text": text, "selector": selector})


def type_text(text: str, selector: str = "") -> FlowStep[None]:
    """Replace what a field holds by a text.

    Args:
        text: what is written.
        selector: of the field; without one, the element that was clicked last.

    Example:
        await type_text(number, selector=by_label("License number"))
    """
    return FlowStep("type_text", "type", {"text": text, "selector": selector})


def type_secret(secret: str, selector: str = "") -> FlowStep[None]:
    """Write a secret into a field; its value never comes to the flow.

    Args:
        secret: its name among the secrets of the settings.
        selector: of the field; without one, the element that was clicked last.

    Example:
        await type_secret("portal", selector=by_label("Password"))
    """
    return FlowStep("type_secret", "type_secret", {"secret": secret, "selector": selector})


def select_option(selector: str, label: str, search: str = "") -> FlowStep[None]:
    """Choose an option of a select, a custom dropdown, a combobox or a group of radio buttons.

    Args:
        selector: of the control.
        label: of the option, whole.
        search: what is typed first, in a field that offers a list as one types; without it, the label itself.

    Example:
        await select_option(by_label("Country"), "Germany")
    """
    return FlowStep("select_option", "select_option", {"selector": selector, "option": label, "search": search})


def set_checked(selector: str, checked: bool = True) -> FlowStep[None]:
    """Tick a checkbox or a switch, or remove the tick; nothing happens where it is so already.

    Args:
        selector: of the box.
        checked: whether it is to be ticked.

    Example:
        await set_checked(by_label("Paid"), checked=False)
    """
    return FlowStep("set_checked", "set_checked", {"selector": selector, "checked": checked})


def set_date(selector: str, date: str) -> FlowStep[None]:
    """Set a date field or a date picker.

    Args:
        selector: of the field.
        date: ISO 8601: ``2026-11-21``, ``2026-11``, ``14:30`` or ``2026-11-21T14:30``.

    Example:
        await set_date(by_label("From"), "2026-11-21")
    """
    return FlowStep("set_date", "set_date", {"selector": selector, "date": date})


def press(keys: str, selector: str = "") -> FlowStep[None]:
    """Press a key or a chord.

    Args:
        keys: such as ``Enter``, ``ArrowDown`` or ``Control+A``.
        selector: of the element; without one, where the focus is.

    Example:
        await press("Enter")
    """
    return FlowStep("press", "press", {"keys": keys, "selector": selector})


def hover(selector: str) -> FlowStep[None]:
    """Move the mouse over an element, and leave it there.

    Args:
        selector: must find exactly one element.

    Example:
        await hover(by_text("Reports"))
    """
    return FlowStep("hover", "hover", {"selector": selector})


def upload(selector: str, file: str) -> FlowStep[None]:
    """Give a file field one file.

    Args:
        selector: of the field.
        file: the name of a file in the upload folder, or the label of one that was downloaded before; never a path.

    Example:
        await upload(by_label("Attachment"), "contract.pdf")
    """
    return FlowStep("upload", "upload", {"selector": selector, "file": file})


def scroll(direction: str = "down", amount_px: int = 600) -> FlowStep[None]:
    """Scroll the page.

    Args:
        direction: ``down`` or ``up``.
        amount_px: how far, in CSS pixels.

    Example:
        await scroll("down", 1200)
    """
    return FlowStep("scroll", "scroll", {"direction": direction, "amount_px": amount_px})


def go_back() -> FlowStep[None]:
    """Go one step back in the history of the tab.

    Example:
        await go_back()
    """
    return FlowStep("go_back", "go_back", {})


def switch_tab(tab: int) -> FlowStep[None]:
    """Make another tab the active one.

    Args:
        tab: its number, from 1.

    Example:
        await switch_tab(2)
    """
    return FlowStep("switch_tab", "switch_tab", {"tab": tab})


def close_tab() -> FlowStep[None]:
    """Close the active tab; the one that was active before it is so again.

    Example:
        await close_tab()
    """
    return FlowStep("close_tab", "close_tab", {})


def answer_dialog(accept: bool, text: str = "") -> FlowStep[None]:
    """Answer the JavaScript dialog that is open.

    Args:
        accept: whether it is accepted, or dismissed.
        text: what is entered, if it asks for a text and is accepted.

    Example:
        await answer_dialog(accept=True)
    """
    return FlowStep("answer_dialog", "answer_dialog", {"accept": accept, "text": text})


def wait_for(selector: str = "", timeout_s: float = 10.0) -> FlowStep[None]:
    """Wait until an element is visible; without a selector, until the page has come to rest.

    Args:
        selector: must find exactly one element.
        timeout_s: the longest that is waited, in seconds: above 0, and at most 300.

    Raises:
        FlowStopped: it did not come in time.

    Example:
        await wait_for(by_role("table", "Results"), timeout_s=30)
    """
    return FlowStep("wait_for", "wait_for", {"selector": selector, "timeout_s": timeout_s})


def screenshot(label: str, selector: str = "", full_page: bool = True) -> FlowStep[None]:
    """Take a picture, and file it as evidence.

    Args:
        label: by which it is filed.
        selector: of the element that is pictured; without one, the page.
        full_page: the whole page, and not what is in view.

    Example:
        await screenshot("ticket")
    """
    return FlowStep("screenshot", "screenshot", {"label": label, "selector": selector, "full_page": full_page})


def download(selector: str, label: str = "download") -> FlowStep[None]:
    """Click an element, and store the file that comes.

    Args:
        selector: must find exactly one element.
        label: by which the file is filed.

    Raises:
        FlowStopped: ``invalid_file`` where what came is not what it is called, besides what every call raises.

    Example:
        await download(by_role("link", "Invoice"), "invoice")
    """
    return FlowStep("download", "download", {"selector": selector, "label": label})


def download_all(selector: str, label: str = "download") -> FlowStep[int]:
    """Click every element that matches, one after the other, and store each file.

    Args:
        selector: may find any number of elements.
        label: of the files; several are filed as ``label_1``, ``label_2`` and so on.

    Returns:
        How many files there were, which may be 0.

    Raises:
        FlowStopped: ``invalid_file`` where what came is not what it is called, besides what every call raises.

    Example:
        files = await download_all("a.attachment", "attachment")
    """
    return FlowStep("download_all", "download_all", {"selector": selector, "label": label})


# --- reading the page


def prove_record(**expected: str) -> FlowStep[None]:
    """Stop unless the page shows the record that is meant.

    Args:
        **expected: fields, and the value that the page must show for each.

    Raises:
        FlowStopped: ``wrong_record`` for the page of another record, ``record_unproven`` for one that does not say.

    Example:
        await prove_record(ticket_number=ticket_number)
    """
    return FlowStep("prove_record", "prove_record", {"expected": expected})


def read(*fields: str) -> FlowStep[dict[str, Any]]:
    """Read fields of the page, by the rules that were learned for them.

    Args:
        *fields: names of output fields.

    Returns:
        Each field with its value; None for one that the page says is empty.

    Raises:
        FlowStopped: ``value_missing`` for a field that is not where it was, ``value_uncertain`` for one whose rules
            differ.

    Example:
        return await read("assignee", "due_date")
    """
    return FlowStep("read", "read", {"fields": list(fields)})


def read_list(name: str) -> FlowStep[list[dict[str, Any]]]:
    """Read the rows of a list on this page.

    Args:
        name: of the output field.

    Returns:
        A dict of its columns for each row. In a run they are proven to be all rows of all its pages; a program of its
        own reads those of the page that is shown.

    Raises:
        FlowStopped: ``value_missing`` or ``value_uncertain``, as `read`.

    Example:
        lines = await read_list("invoice_lines")
    """
    return FlowStep("read_list", "read_list", {"name": name})


def read_with_model(*fields: str) -> FlowStep[dict[str, Any]]:
    """Leave fields that no rule expresses to the driver of the run.

    Args:
        *fields: names of output fields.

    Returns:
        Each field with its value.

    Raises:
        FlowStopped: ``needs_model`` in a strict run, and in a program of its own.

    Example:
        return await read_with_model("summary")
    """
    return FlowStep("read_with_model", "read_with_model", {"fields": list(fields)})


def is_shown(selector: str) -> FlowStep[bool]:
    """Return whether the page has exactly one such element.

    Args:
        selector: of what is looked for.

    Returns:
        True for one; False for none and for several.

    Example:
        if await is_shown(by_text("No results")): ...
    """
    return FlowStep("is_shown", "is_shown", {"selector": selector})


def count(selector: str) -> FlowStep[int]:
    """Return how many elements match.

    Args:
        selector: may find any number of elements.

    Returns:
        The number, which may be 0.

    Example:
        rows = await count("table#results tbody tr")
    """
    return FlowStep("count", "count", {"selector": selector})


# --- the flow itself


def set_structured_output(key: str, value: Any) -> FlowStep[None]:
    """Set one of the outputs.

    Args:
        key: name of the output field.
        value: a value of JSON.

    Example:
        await set_structured_output("found", True)
    """
    return FlowStep("set_structured_output", "set_structured_output", {"key": key, "value": value})


def section(function: SectionT) -> SectionT:
    """Decorate an ``async def``: what it does is one section of the flow, by which a stop is told.

    Args:
        function: the ``async def``.

    Returns:
        A function that does the same.

    Raises:
        TypeError: it is no ``async def``.

    Example:
        @section
        async def look_up(number: str) -> None:
            await type_text(number, selector=by_label("Number"))
    """
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
    """Return the variables of this run, by their names as written in ``data/variables.json``.

    Returns:
        Each name with its value.

    Raises:
        FileNotFoundError: the flow has no such file.

    Example:
        url = load_variables()["url"]
    """
    return json.loads(bound().read_text(VARIABLES))


def load_mappings() -> dict[str, Any]:
    """Return the dropdown mappings of the flow, by their names.

    Returns:
        What `option_of` takes, for each; empty when the flow has none.

    Example:
        mappings = load_mappings()
    """
    try:
        return json.loads(bound().read_text(MAPPINGS))
    except FileNotFoundError:
        return {}


def option_of(mapping: dict[str, Any], value: str) -> str:
    """Return the option of a dropdown that a value means.

    Args:
        mapping: one of `load_mappings`.
        value: as the row has it; case and white space do not count.

    Returns:
        The option, as the page writes it.

    Raises:
        ValueError: the dropdown does not offer it.

    Example:
        label = option_of(load_mappings()["country"], country)
    """
    options: dict[str, str] = mapping["options"]
    found = options.get(" ".join(value.split()).lower())
    if found is None:
        raise ValueError(f"{value!r} is not offered; there are {', '.join(options.values())}")
    return found


async def run_flow(run: Callable[..., Any]) -> Any:
    """Run a flow as a program of its own, with the variables of ``data/variables.json``.

    Args:
        run: is called with the variables by their identifiers.

    Returns:
        What ``run`` returned, which is kept as the outputs.

    Raises:
        FlowStopped: a call failed, and the flow did not catch it.
        ValueError: the variables or the outputs are not what their schemas say.
        RuntimeError: a step was made, and never awaited.

    Example:
        asyncio.run(run_flow(run))
    """
    return await bound().run(run)
