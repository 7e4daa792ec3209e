"""Where Calibre-Web keeps what: its library and its settings, both in the folder of the data."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

BOOKS, SETTINGS, CLOUD = "metadata.db", "app.db", "gdrive.db"


def cps(folder: Path) -> None:
    """Make Calibre-Web's own package, ``cps``, importable, as its program does; set its arguments."""
    found = importlib.util.find_spec("calibreweb")
    assert found is not None
    assert found.origin is not None
    sys.path.insert(0, str(Path(found.origin).parent))
    sys.argv = ["cps", "-p", str(folder / SETTINGS), "-g", str(folder / CLOUD), "-o", str(folder / "cps.log"), "-m"]
