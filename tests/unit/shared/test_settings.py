from __future__ import annotations

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
