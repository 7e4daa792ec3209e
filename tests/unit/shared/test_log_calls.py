"""Calls that log: what is written is a sentence of ours with names, codes and numbers in it.

An error is given as it is, for `shared.telemetry.logs` takes its code and not its text. A text that was made of an
error, of problems or of anything else before it is logged would not be seen by it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
ROOMS = ("services", "shared")
METHODS = {"debug", "info", "warning", "error", "exception", "critical"}
LOGGERS = {"log", "logger"}
MADE_OF_ERRORS = {"str", "repr", "join", "format"}


def log_calls(tree: ast.AST) -> Iterator[tuple[int, ast.expr, list[ast.expr]]]:
    """Yield line, message and arguments of each call that logs."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if not isinstance(node.func.value, ast.Name) or node.func.value.id not in LOGGERS:
            continue
        if node.func.attr in METHODS:
            yield node.lineno, node.args[0], node.args[1:]
        elif node.func.attr == "log":
            yield node.lineno, node.args[1], node.args[2:]


def faults(tree: ast.AST) -> Iterator[str]:
    for line, message, arguments in log_calls(tree):
        sentences = (message.body, message.orelse) if isinstance(message, ast.IfExp) else (message,)
        for sentence in sentences:
            if not isinstance(sentence, ast.Constant):
                yield f"{line}: the message is no sentence that stands there"
            elif sentence.value in ("%s", "%r"):
                yield f"{line}: the message is only what it is given"
        for argument in arguments:
            yield from (f"{line}: {why}" for why in _made(argument))


def _made(argument: ast.expr) -> Iterator[str]:
    for node in ast.walk(argument):
        if isinstance(node, ast.JoinedStr):
            yield "an argument is a text that is made there"
        elif isinstance(node, ast.Attribute) and node.attr in ("message", "reason", "text", "url"):
            yield f"an argument is the {node.attr} of something"
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in MADE_OF_ERRORS:
                yield f"an argument is made by {name}()"


OF_FILES_OF_OURS = {
    "services/workflows/__main__.py",
    "services/workflows/library/files.py",
    "services/workflows/library/library.py",
}
"""They tell what is wrong with a file of the library or of the tools, which an operator has written."""


def modules(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def test_no_call_logs_a_text_that_it_was_given():
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for room in ROOMS for path in modules(room)}
    logging = {path: text for path, text in texts.items() if "getLogger(" in text and path not in OF_FILES_OF_OURS}
    assert len(logging) > 30
    found = [f"{path}:{fault}" for path, text in logging.items() for fault in faults(ast.parse(text))]
    assert found == []


def test_each_fault_is_found():
    written = """
log.info(f"a {page}")
log.warning("%s", why)
log.error("it failed: %s", str(exc))
log.info("problems: %s", "; ".join(problems))
log.log(level, "refused: %s", f"{page}")
logger.info("it says: %s", failure.message)
log.info("fine: %s %d", exc, number)
log.info("fine" if well else "not so fine")
"""
    lines = [int(fault.split(":")[0]) for fault in faults(ast.parse(written))]
    assert lines == [2, 3, 4, 5, 6, 7]
