"""Names of `shared.recordings.recording` under which `recorded_calls` knows them."""

from __future__ import annotations

from shared.recordings.recording import Recording, rows_by_page

RecordedSample = Recording

__all__ = ["RecordedSample", "rows_by_page"]
