"""Reads a Dockerfile: the few instructions that ours has, and any other is an error, so that no step is passed over."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from string import Template


@dataclass(frozen=True)
class Run:
    command: str


@dataclass(frozen=True)
class Copy:
    """``stage``: name of the stage that it copies from; empty: from the context."""

    sources: tuple[str, ...]
    target: str
    stage: str = ""


@dataclass(frozen=True)
class WorkDir:
    path: str


@dataclass(frozen=True)
class SetEnv:
    name: str
    value: str


@dataclass(frozen=True)
class SetUser:
    name: str


Step = Run | Copy | WorkDir | SetEnv | SetUser


@dataclass
class Stage:
    """``name``: empty for one without. ``entrypoint`` and ``command``: as words."""

    base: str
    name: str
    steps: list[Step] = field(default_factory=list[Step])
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()


def read_dockerfile(text: str) -> list[Stage]:
    """Return the stages. Raises ValueError for an instruction or a form of one that is not known here."""
    args: dict[str, str] = {}
    stages: list[Stage] = []
    for line in _lines(text):
        word, _, rest = line.partition(" ")
        if word == "ARG" and not stages:
            name, given, default = rest.partition("=")
            if not given:
                raise ValueError(f"no default: {line}")
            args[name] = default
        elif word == "FROM":
            found = re.fullmatch(r"(\S+)(?: AS (\S+))?", rest)
            if found is None or rest.startswith("-"):
                raise ValueError(line)
            stages.append(Stage(Template(found[1]).substitute(args), found[2] or ""))
        elif not stages:
            raise ValueError(f"before any stage: {line}")
        elif word in ("ENTRYPOINT", "CMD"):
            words = tuple(str(one) for one in json.loads(rest))
            if word == "CMD":
                stages[-1].command = words
            else:
                stages[-1].entrypoint = words
        else:
            stages[-1].steps += _steps(word, rest)
    return stages


def _lines(text: str) -> Iterator[str]:
    """Yield the instructions, each as one line."""
    begun = ""
    for line in text.splitlines():
        if line.lstrip().startswith("#") or not (line.strip() or begun):
            continue
        begun += f" {line.strip()}" if begun else line.strip()
        if begun.endswith("\\"):
            begun = begun.removesuffix("\\").rstrip()
        else:
            yield begun
            begun = ""
    if begun:
        raise ValueError(f"it does not end: {begun}")


def _steps(word: str, rest: str) -> list[Step]:
    if word == "RUN" and not rest.startswith(("-", "[")) and "<<" not in rest:
        return [Run(rest)]
    if word == "COPY":
        words = shlex.split(rest)
        flags = [one for one in words if one.startswith("-")]
        stage = flags[0].removeprefix("--from=") if flags else ""
        if len(flags) > 1 or stage.startswith("-"):
            raise ValueError(f"{word} {rest}")
        *sources, target = [one for one in words if one not in flags]
        return [Copy(tuple(sources), target, stage)]
    if word == "WORKDIR":
        return [WorkDir(rest)]
    if word == "ENV":
        pairs = [one.partition("=") for one in shlex.split(rest)]
        if not all(given for _, given, _ in pairs):
            raise ValueError(f"{word} {rest}")
        return [SetEnv(name, value) for name, _, value in pairs]
    if word == "USER":
        return [SetUser(rest)]
    raise ValueError(f"{word} {rest}")


def expanded(value: str, env: Mapping[str, str]) -> str:
    """Return the value of a variable, with those that it names. Raises KeyError for one that is not set."""
    return Template(value).substitute(env)
