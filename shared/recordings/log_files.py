"""The step log of a sample as its files have it, wherever they lie."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from shared.evidence_format import layout
from shared.evidence_format.log_codec import merge_log, split_piece


def read_log(read: Callable[[str], bytes | None], names: Iterable[str], folder: str) -> bytes | None:
    """Return the step log below a folder as action_log.json has it, with the steps of an attempt that is at work.

    Args:
        read: returns the bytes of one of the names; None where it cannot be read.
        names: the paths of all files of the run, or of this folder.

    Returns:
        The bytes; None where there is no log.

    Raises:
        One of `chain.NOT_JSON` if it is damaged, and what ``read`` raises.
    """
    below = sorted(name for name in names if name.startswith(f"{folder}/"))
    merged = f"{folder}/{layout.ACTION_LOG}"
    paths = [name for name in below if name.startswith(f"{folder}/{layout.LOG_PIECES}/")]
    pieces = [piece for path in paths for piece in split_piece(path, read(path) or b"")]
    return merge_log(read(merged) if merged in below else None, pieces)
