from __future__ import annotations

from pathlib import Path

import pytest

from shared.settings import Settings, default_planner, with_capacity


def test_a_variable_that_is_set_to_nothing_is_as_good_as_not_set(monkeypatch: pytest.MonkeyPatch):
    for name in ("EXHIBIT_CHROMIUM", "EXHIBIT_NATS_URL", "EXHIBIT_PLANNER", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "")
    settings = Settings()
    assert (settings.chromium, settings.nats_url, default_planner(settings)) == (None, None, "rules")


def test_a_key_makes_the_model_decide_unless_another_planner_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("EXHIBIT_PLANNER", raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
    assert default_planner(Settings()) == "anthropic"
    assert default_planner(Settings(planner="rules")) == "rules"
    assert "a-key" not in repr(Settings())


def test_a_process_has_room_for_the_concurrency_it_is_asked_for():
    settings = with_capacity(Settings(planner_capacity=8, browser_capacity=8), 20)
    assert settings.planner_capacity == 20
    assert settings.browser_capacity > 20


def test_a_secret_is_read_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("EXHIBIT_S3_SECRET_KEY", "ANTHROPIC_API_KEY", "EXHIBIT_WEBHOOK_SECRET"):
        file = tmp_path / name
        file.write_text(f"{name} is hunter2 \n")
        monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv(f"{name}_FILE", str(file))
    settings = Settings()
    read = (settings.s3_secret_key, settings.anthropic_api_key, settings.webhook_secret)
    assert [one.get_secret_value() if one else None for one in read] == [
        "EXHIBIT_S3_SECRET_KEY is hunter2 ", "ANTHROPIC_API_KEY is hunter2 ", "EXHIBIT_WEBHOOK_SECRET is hunter2 ",
    ]  # fmt: skip
    assert "hunter2" not in repr(settings)


@pytest.mark.parametrize("written", [b"", b"\n", b"hunter2\nhunter3\n", b"hunter2\xff\xfe"])
def test_a_file_that_holds_no_secret_is_refused_and_not_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: bytes
):
    (tmp_path / "key").write_bytes(written)
    monkeypatch.setenv("EXHIBIT_S3_SECRET_KEY_FILE", str(tmp_path / "key"))
    with pytest.raises(ValueError, match="s3_secret_key_file") as caught:
        Settings()
    assert "hunter2" not in str(caught.value)


def test_a_secret_that_is_set_twice_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "key").write_text("one")
    monkeypatch.setenv("EXHIBIT_S3_SECRET_KEY_FILE", str(tmp_path / "key"))
    monkeypatch.setenv("EXHIBIT_S3_SECRET_KEY", "hunter2")
    with pytest.raises(ValueError, match="set one of them") as caught:
        Settings()
    assert "hunter2" not in str(caught.value)
