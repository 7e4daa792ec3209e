"""Names of the files that a browser session has captured."""

from __future__ import annotations

from shared.contracts.results import Artifact
from shared.text.names import safe_label

SUFFIXES = {"page": "mhtml.zst", "observation": "observation.json.zst"}
MAX_SUFFIX_CHARS = 10


def artifact_filename(number: int, artifact: Artifact) -> str:
    """Return a file name such as `01_ticket.png`, or `02_ticket_2of3.png` if there are several parts."""
    # The suffix of a download comes from the site, so it is cleaned.
    suffix = "".join(c for c in artifact.suffix.lower() if c.isascii() and c.isalnum())[:MAX_SUFFIX_CHARS]
    part = f"_{artifact.part}of{artifact.parts}" if artifact.parts > 1 else ""
    suffix = SUFFIXES.get(artifact.kind, suffix)
    return f"{number:02d}_{safe_label(artifact.label)}{part}" + (f".{suffix}" if suffix else "")
