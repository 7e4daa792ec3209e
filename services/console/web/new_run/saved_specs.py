"""Specs that were made in the browser and saved: one file each, in the state folder of the user."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shared.settings import Settings
from shared.submission.search import is_list_only
from shared.task.spec import parse_spec
from shared.whole_files import replace_file

MOST_SPECS = 200
_NAME = re.compile(r"[a-z][a-z0-9_]{0,99}")


def specs_folder(settings: Settings) -> Path:
    return settings.state_dir / "console/specs"


def saved_names(settings: Settings) -> tuple[str, ...]:
    """Return the names of the specs; none where there is no folder, or it cannot be read."""
    try:
        found = sorted(path.stem for path in specs_folder(settings).glob("*.json"))
    except OSError:
        return ()
    return tuple(one for one in found if _NAME.fullmatch(one))[:MOST_SPECS]


def load_saved(settings: Settings, name: str) -> dict[str, Any] | None:
    """Return a spec as it was saved; None where there is none of this name, or it cannot be read."""
    if not _NAME.fullmatch(name):
        return None
    try:
        return parse_spec((specs_folder(settings) / f"{name}.json").read_bytes(), name)[0]
    except OSError:
        return None


def saved_lists(settings: Settings) -> tuple[str, ...]:
    """Return the names of those that find samples."""
    return tuple(one for one in saved_names(settings) if is_list_only(load_saved(settings, one)))


def save_specs(settings: Settings, specs: Sequence[Mapping[str, Any]], *, replace: bool) -> dict[str, str]:
    """Save checked specs, each under its name, all or none. Return why that is not done, by name; empty: it is."""
    lacking = {str(spec["task_id"]): _unsavable(settings, spec, replace=replace) for spec in specs}
    if any(lacking.values()):
        return {name: why for name, why in lacking.items() if why}
    written = {str(spec["task_id"]): _write(settings, spec) for spec in specs}
    return {name: why for name, why in written.items() if why}


def save_spec(settings: Settings, spec: Mapping[str, Any], *, replace: bool) -> str:
    """Save a checked spec under its name. Return why that is not done; empty: it is."""
    return next(iter(save_specs(settings, [spec], replace=replace).values()), "")


def _unsavable(settings: Settings, spec: Mapping[str, Any], *, replace: bool) -> str:
    name = str(spec["task_id"])
    path = specs_folder(settings) / f"{name}.json"
    if path.exists() and not replace and load_saved(settings, name) != spec:
        return "another one of this name is saved already: choose another name, or say that it is to be replaced"
    if not path.exists() and len(saved_names(settings)) >= MOST_SPECS:
        return f"{MOST_SPECS} are saved already: remove some from {path.parent}"
    return ""


def _write(settings: Settings, spec: Mapping[str, Any]) -> str:
    path = specs_folder(settings) / f"{spec['task_id']}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with replace_file(path) as file:
            file.write((json.dumps(spec, ensure_ascii=False, indent=2) + "\n").encode())
    except OSError as exc:
        return f"{path} cannot be written: {exc.strerror or exc}"
    return ""
