"""The data block ``closed`` of report.html: when the run was closed, and what its review has decided.

It is a line of its own, so that a run which only its review has changed keeps all the rest of its report.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TextIO

from services.evidence.facts import RunFacts
from services.evidence.report.page import as_json
from services.evidence.report.run_summary import closing_facts
from shared.evidence_view.sample_details import review_of
from shared.evidence_view.sample_facts import SampleFacts

START, END = '<script type="text/plain" id="closed">', "</script>\n"
"""How the line begins and ends. No data of a page can begin so: its ``<`` is escaped."""


class ClosedBlock:
    """What was decided is spooled: it grows with the number of samples."""

    def __init__(self, run: RunFacts, folder: Path) -> None:
        self._run, self._path = run, folder / "reviews"
        self._file = self._path.open("w", encoding="utf-8")
        self._added = 0

    def add(self, sample: SampleFacts) -> None:
        review = review_of(sample)
        if review:
            self._file.write(f"{',' if self._added else ''}{as_json(sample.sample_id)}:{as_json(review)}")
            self._added += 1

    def write(self, page: TextIO) -> None:
        """Write the line, once all samples were added."""
        self.close()
        page.write(f'{START}{as_json(closing_facts(self._run))[:-1]},"reviews":{{')
        with self._path.open(encoding="utf-8") as reviews:
            shutil.copyfileobj(reviews, page)
        page.write(f"}}}}{END}")

    def close(self) -> None:
        self._file.close()
