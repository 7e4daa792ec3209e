"""flow.json: the version of the flow that did a sample, whole: its source, and the files that it reads."""

from __future__ import annotations

import msgspec

from shared.contracts.base import Part


class FlowFile(Part, frozen=True, kw_only=True, gc=False):
    """``hash``: of the version, as the steps name it; it follows from ``source`` and ``files``
    (`shared.workflow_source.files.hash_of_version`)."""

    version: int = 1
    name: str
    hash: str
    source: str
    files: dict[str, str] = {}


def parse_flow_file(data: bytes) -> FlowFile | None:
    """Return the file; None if it is none."""
    try:
        return msgspec.json.decode(data, type=FlowFile)
    except (msgspec.DecodeError, ValueError):
        return None
