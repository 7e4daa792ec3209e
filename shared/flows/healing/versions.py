"""The versions of a flow: which came before which, why one was published, and their texts. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from shared.contracts.base import Part
from shared.contracts.workflows.library import HistoryEntry, WorkflowShown
from shared.flows.files import SOURCE_FILE
from shared.flows.healing.proposals import HealedSubject

HEAL_FILE = "workspace/heal.json"


class HealReason(Part, frozen=True, kw_only=True):
    """Why a version was published, beside its files. ``replaced``: the hash of the version before it."""

    replaced: str
    run_id: str
    changes: tuple[HealedSubject, ...]
    diff: str


def heal_of(shown: WorkflowShown) -> HealReason | None:
    """Return why this version was published, where it is the heal of another one; None: it is none, or its file cannot
    be read. A version that was made of a healed one by hand keeps the file, and names no run, or another one."""
    try:
        reason = msgspec.json.decode(shown.files[HEAL_FILE], type=HealReason)
    except (KeyError, msgspec.DecodeError, ValueError):
        return None
    return reason if reason.run_id and reason.run_id == shown.workflow.source_run else None


def hash_before(entries: Sequence[HistoryEntry], hash: str) -> str:
    """Return the version that was current before the one of this hash was published for the last time; empty where
    there was none."""
    hashes = [one.version.hash for one in entries if one.kind == "created"]
    last = len(hashes) - 1 - hashes[::-1].index(hash) if hash in hashes else 0
    return hashes[last - 1] if last else ""


def texts_of(shown: WorkflowShown) -> dict[str, str]:
    """Return source and files of a version by their names, as versions are compared."""
    return {SOURCE_FILE: shown.source, **shown.files}
