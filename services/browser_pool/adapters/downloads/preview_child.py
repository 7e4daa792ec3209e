"""Reads the first text of one file under kernel limits: ``python -I -m ... pdf|xlsx < FILE > TEXT``."""

from __future__ import annotations

import io
import sys

from services.browser_pool.adapters.downloads import previews
from shared.child_process.child import die_with_parent, limit_resources

CPU_S = 8
WALL_S = 20
MEMORY_BYTES = 1 << 30
FILE_BYTES = 1 << 20


def main() -> None:
    die_with_parent()
    limit_resources(memory_bytes=MEMORY_BYTES, file_bytes=FILE_BYTES, cpu_s=CPU_S, wall_s=WALL_S)
    file = io.BufferedReader(io.FileIO(0, closefd=False))
    read = previews.pdf_text if sys.argv[1] == "pdf" else previews.workbook_text
    text = previews.clipped(read(file))
    sys.stdout.buffer.write((text or "").encode("utf-8", "replace"))


if __name__ == "__main__":
    main()
