from __future__ import annotations

from shared.evidence_format.files.earlier_versions import FROM_TEXT, parse_message_problems
from shared.evidence_format.files.json_files import ArtifactProblem


def test_the_message_of_version_1_lists_problems_of_artifacts() -> None:
    message = "01_t.png: 3 bytes arrived, 5 were captured; 02_t.png: it was never filed; odd"
    assert parse_message_problems(message) == (
        ArtifactProblem(filename="01_t.png", code=FROM_TEXT, text="3 bytes arrived, 5 were captured"),
        ArtifactProblem(filename="02_t.png", code=FROM_TEXT, text="it was never filed"),
        ArtifactProblem(filename="", code=FROM_TEXT, text="odd"),
    )
