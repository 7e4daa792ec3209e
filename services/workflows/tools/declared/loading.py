"""Reads the declarations of a folder. A file with problems is reported with all of them, and the rest load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml
from pydantic import ValidationError

from services.workflows.tools.declared.declarations import AnyDeclaration, declaration_adapter
from services.workflows.tools.declared.faults import declaration_faults
from shared.contracts.workflows.library import FileProblem

SUFFIXES = (".yaml", ".yml")
MAX_FILE_BYTES = 1_000_000
_WORDS = {"extra_forbidden": "there is no such key", "missing": "it is missing"}
_KINDS = ("cli", "http", "mcp", "browser")

Key = tuple[str | int, ...]


@dataclass(frozen=True)
class LoadedDeclarations:
    declarations: tuple[AnyDeclaration, ...]
    problems: tuple[FileProblem, ...]


def load_declarations(folder: Path) -> LoadedDeclarations:
    """Return the tools of a folder, one a file, in the order of the file names. ``_x.yaml`` is ignored, and so is a
    folder that does not exist."""
    paths = sorted(one for one in folder.iterdir() if one.suffix in SUFFIXES) if folder.is_dir() else []
    found: dict[str, AnyDeclaration] = {}
    problems: list[FileProblem] = []
    for path in paths:
        if path.name.startswith(("_", ".")):
            continue
        declared = read_declaration(path)
        if not isinstance(declared, list) and declared.name in found:
            declared = [_problem(path, 0, f"name: there is a tool {declared.name!r} in another file already")]
        if isinstance(declared, list):
            problems += declared
        else:
            found[declared.name] = declared
    return LoadedDeclarations(tuple(found.values()), tuple(problems))


def read_declaration(path: Path) -> AnyDeclaration | list[FileProblem]:
    """Return the tool of one file, or everything that is wrong with it. Its name is that of the file unless it says
    another."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return [_problem(path, 0, f"it is larger than {MAX_FILE_BYTES} bytes")]
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        return [_problem(path, 0, f"it cannot be read: {exc}")]
    try:
        tree: Any = yaml.compose(text, yaml.SafeLoader)  # pyright: ignore
        twice = [_problem(path, line, f"{name}: it stands here a second time") for line, name in _doubled(tree)]
        written = yaml.safe_load(text)
    except yaml.YAMLError as exc:
        return [_problem(path, _line_of(exc), f"it is no YAML: {str(exc).splitlines()[0]}")]
    except RecursionError:
        return [_problem(path, 0, "it is no YAML: it is nested too deeply")]
    if not isinstance(written, dict):
        return [_problem(path, 0, "it must be keys and values, such as name, kind and description")]
    if cast("dict[Any, Any]", written).get("kind") not in _KINDS:
        return [*twice, _problem(path, _line_at(tree, ("kind",)), f"kind: it must be one of {', '.join(_KINDS)}")]
    return _validated(path, tree, {"name": path.stem, **cast("dict[str, Any]", written)}, twice)


def _validated(path: Path, tree: Any, written: dict[str, Any], twice: list[FileProblem]) -> Any:
    try:
        declaration = declaration_adapter.validate_python(written)
    except ValidationError as exc:
        faults = [(_shown_key(error["loc"]), _WORDS.get(error["type"], error["msg"])) for error in exc.errors()]
    else:
        faults = [(one.key, one.message) for one in declaration_faults(declaration)]
        if not faults and not twice:
            return declaration
    told = [
        _problem(path, _line_at(tree, key), f"{'.'.join(map(str, key)) or 'file'}: {text}")
        for key, text in dict.fromkeys(faults)
    ]
    return [*twice, *told]


def _shown_key(location: Sequence[str | int]) -> Key:
    """Without the kind, which pydantic puts in front, and the marks of JSON values and keys at the end."""
    marks = ("[key]", "json-value")
    return tuple(part for part in location[1:] if part not in marks)


def _problem(path: Path, line: int, message: str) -> FileProblem:
    return FileProblem(file=str(path), line=line, message=message)


# --- places in a file


def _line_of(error: yaml.YAMLError) -> int:
    mark = getattr(error, "problem_mark", None)
    return 0 if mark is None else mark.line + 1


def _line_at(node: Any, key: Key) -> int:
    """Return the line of the deepest part of a key that stands in the file."""
    line = node.start_mark.line + 1 if node is not None else 0
    for part in key:
        child = _child(node, part)
        if child is None:
            return line
        line, node = child
    return line


def _child(node: Any, part: str | int) -> tuple[int, Any] | None:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if getattr(name, "value", None) == str(part):
                return name.start_mark.line + 1, value
    elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part].start_mark.line + 1, node.value[part]
    return None


def _doubled(node: Any) -> list[tuple[int, str]]:
    """Return line and name of each key that stands twice in one mapping; YAML would keep the last silently."""
    doubled: list[tuple[int, str]] = []
    waiting, seen = [node], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, yaml.MappingNode):
            names = set[str]()
            for name, value in one.value:
                written = str(getattr(name, "value", ""))
                if written in names:
                    doubled.append((name.start_mark.line + 1, written))
                names.add(written)
                waiting.append(value)
        elif isinstance(one, yaml.SequenceNode):
            waiting += one.value
    return sorted(doubled)
