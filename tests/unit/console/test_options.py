"""The option --evidence: a folder or a bucket URL, with precedence over the environment."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from services.console import exits
from services.console.options import load_settings


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXHIBIT_EVIDENCE_BUCKET", "s3://of-the-environment")


@pytest.mark.parametrize(
    ("said", "bucket", "place"),
    [
        (None, "s3://of-the-environment", "s3://of-the-environment"),
        ("s3://audits/2026/", "s3://audits/2026", "s3://audits/2026"),
        ("a/folder", None, "a/folder"),
    ],
)
def test_what_is_said_counts(said, bucket, place):
    settings = load_settings(None, said)
    assert (settings.evidence_bucket, settings.evidence_place) == (bucket, place)
    assert settings.evidence_dir == Path("a/folder" if said == "a/folder" else "evidence")


def test_a_bucket_that_cannot_be_one_is_said_before_anything_runs(capsys):
    with pytest.raises(typer.Exit) as ended:
        load_settings(None, "s3://Not_A_Bucket/x")
    assert ended.value.exit_code == exits.BAD_INPUT
    assert "s3://bucket/prefix" in capsys.readouterr().err
