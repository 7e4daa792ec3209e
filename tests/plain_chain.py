"""The hash chain of a step log in plain Python: json and hashlib only, as docs/adr/0010 says it."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def plainly(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def check_plainly(log: bytes, run_id: str, sample_id: str, attempt: int) -> str:
    """The head; as docs/adr/0010 says it."""
    head = hashlib.sha256(plainly({"run_id": run_id, "sample_id": sample_id, "attempt": attempt})).hexdigest()
    for entry in json.loads(log):
        said = entry.pop("sha256")
        assert entry["previous_sha256"] == head
        head = hashlib.sha256(plainly(entry)).hexdigest()
        assert head == said
    return head
