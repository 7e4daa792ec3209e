"""Writes docs/sql.md from the catalogue of views and the questions."""

from __future__ import annotations

from pathlib import Path

from services.evidence.querying.page import page

PAGE = Path(__file__).parents[1] / "docs" / "sql.md"

if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
