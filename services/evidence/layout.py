"""Pure: where things lie below the evidence folder.

run_2026-03-01_101500/
  run.json  samples.csv  combined.csv
  TCK-1001/
    sample.json  01_ticket.png  action_log.json  result.json
    attempt_1/  what an earlier attempt left behind
"""

from __future__ import annotations

import re

from shared.errors import PolicyDenied
from shared.names import safe_id

_FILENAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$")
RUN, SAMPLES, COMBINED = "run.json", "samples.csv", "combined.csv"
SAMPLE, RESULT, ACTION_LOG = "sample.json", "result.json", "action_log.json"
OWN_FILES = frozenset({SAMPLE, RESULT, ACTION_LOG})


def run_key(run_id: str, name: str = "") -> str:
    return _join(_safe(run_id), name)


def sample_key(run_id: str, sample_id: str, name: str = "") -> str:
    return _join(_safe(run_id), _safe(sample_id), name)


def artifact_key(run_id: str, sample_id: str, filename: str) -> str:
    """Where an artifact lies; PolicyDenied for a name that is no plain file name, or one of ours."""
    if not _FILENAME.match(filename) or filename in OWN_FILES:
        raise PolicyDenied(f"an artifact cannot be named {filename!r}", code="unsafe_name")
    return sample_key(run_id, sample_id, filename)


def attempt_folder(attempt: int) -> str:
    return f"attempt_{attempt}"


def _safe(name: str) -> str:
    """Names are made safe where they are given; one that is not did not come from us."""
    if safe_id(name) != name:
        raise PolicyDenied(f"{name!r} cannot be the name of a folder", code="unsafe_name")
    return name


def _join(*parts: str) -> str:
    return "/".join(part for part in parts if part)
