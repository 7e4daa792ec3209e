"""The TODOs of a task, as a session begins with them. Pure."""

from __future__ import annotations

import re

from shared.flows.building.state import Todo
from shared.task.route import fields_of, step_in_words, words
from shared.task.spec import TaskSpec

MAX_WORDS = 5


def todos_of(spec: TaskSpec) -> tuple[Todo, ...]:
    """Return one TODO for each step of the route; without a route one for opening the record, one for each group of
    fields, and one for each kind of capture. Fields that no step names are a TODO too."""
    titles: list[tuple[str, tuple[str, ...], int]] = []
    if spec.route:
        titles += [(step_in_words(step), fields_of(step), n) for n, step in enumerate(spec.route, 1)]
    else:
        titles.append(("Open the record", (), 0))
    named = {name for _, fields, _ in titles for name in fields}
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, field in spec.output_schema.items():
        if name not in named and not field.derived:
            groups.setdefault(words(field.under), []).append(name)
    for under, fields in groups.items():
        where = f" under {under[0]}" if under else ""
        titles.append((f"Read {', '.join(fields)}{where}", tuple(fields), 0))
    if not spec.route:
        titles += [(f"Take the {_capture(one)}", (), 0) for one in spec.required_artifacts]
    return tuple(
        Todo(number=number, title=title, fields=fields, route_step=step)
        for number, (title, fields, step) in enumerate(titles, 1)
    )


def _capture(written: str) -> str:
    kind, _, label = written.partition(":")
    return f"{kind} {label}".strip()


def scratch_name(todo: Todo) -> str:
    """Return the name of the TODO's file in scratch_work, such as ``02_read_assignee.py``."""
    found = re.findall(r"[a-z0-9]+", todo.title.lower())[:MAX_WORDS]
    return f"{todo.number:02d}_{'_'.join(found) or 'todo'}.py"
