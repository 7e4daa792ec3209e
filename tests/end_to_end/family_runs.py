"""What runs of the five task families share: their specs, their input, and what the HR portal was sent."""

from __future__ import annotations

import csv
import io
import json
import urllib.request
from pathlib import Path

SPECS = Path(__file__).parents[2] / "task_specs"


def written(rows: list[dict[str, str]]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def spec_of(name: str, base_url: str = "") -> dict:
    """As shipped, but for the port the site happens to have here."""
    spec = json.loads((SPECS / f"{name}.json").read_text())
    path = spec["start_url"].partition("://")[2].partition("/")[2]
    return {**spec, "start_url": f"{base_url}/{path}"} if base_url else spec


def submissions(url: str) -> list[dict]:
    with urllib.request.urlopen(f"{url}/api/submissions") as answer:
        told = json.load(answer)
    return told["submissions"] if isinstance(told, dict) else told
