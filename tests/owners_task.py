"""A task as a model drafts it of a sentence, with a text in it that is hostile to a page."""

from __future__ import annotations

from typing import Any


def owners_task(hostile: str) -> dict[str, Any]:
    return {
        "task_id": "owners",
        "goal": f"Read the owner {hostile}.",
        "start_url": "https://host.example/records/{number}",
        "input_schema": {"number": "string"},
        "output_schema": {"number": "string", "owner": "string"},
        "sample_id": "{number}",
        "identity": {"number": "{number}"},
    }
