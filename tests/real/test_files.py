"""Files downloaded from third-party apps: true ones are taken byte for byte, all others go to a person.

Prints the score (``pytest -s``), as ``make real`` does.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from shared.host.services import run_embedded
from shared.settings import Settings
from tests.real.apps.files import NAMES, JudgedFile, collect_files, files_app, report

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
LEAST_FILES, LEAST_APPS, LEAST_UNTRUE = 40, 4, 8
TO_A_PERSON = {
    ("klaus", "manual.html"): "its address shows a page, which an error may be as well",
    ("otterwiki", "log.gz"): "the app says that it was packed for the way, so the browser unpacks it",
    ("otterwiki", "sources.tar.gz"): "the app says that it was packed for the way, so the browser unpacks it",
}
"""True files that are not taken."""


async def test_no_file_is_taken_for_what_it_is_not_and_no_true_one_is_refused(tmp_path: Path):
    settings = Settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state", planner="rules")
    judged: list[JudgedFile] = []
    async with run_embedded(settings) as client:
        for name in NAMES:
            async with files_app(name, tmp_path / name) as app:
                judged += await collect_files(client, app)
    said = report(judged)
    print("\n" + said)
    counted = Counter(one.verdict for one in judged)
    assert len(judged) >= LEAST_FILES
    assert len({one.app for one in judged}) >= LEAST_APPS
    assert sum(bool(one.asked.wrong) for one in judged) >= LEAST_UNTRUE
    assert counted["untrue"] == 0, said
    assert {(one.app, one.asked.name) for one in judged if one.verdict == "refused"} == TO_A_PERSON.keys(), said
