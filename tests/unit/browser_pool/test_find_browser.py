"""Which browser is started: the named one, Playwright's own headless shell, that of the system."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.browser_pool.adapters.browser.launch import find_browser
from shared.errors import Unavailable


def test_the_browser_that_is_named_comes_first(tmp_path: Path) -> None:
    named, own_one = tmp_path / "named", tmp_path / "own"
    for path in (named, own_one):
        path.touch()
    assert find_browser(named, own_one, lambda _: None) == named
    assert find_browser(None, own_one, lambda _: "/usr/bin/x") == own_one
    assert find_browser(None, tmp_path / "none", lambda name: f"/bin/{name}") == Path("/bin/chromium-headless-shell")


@pytest.mark.parametrize(
    "shell", ["chrome-linux/headless_shell", "chrome-headless-shell-linux64/chrome-headless-shell"]
)
def test_playwrights_headless_shell_goes_before_its_chromium(tmp_path: Path, shell: str) -> None:
    own, beside = tmp_path / "chromium-7/chrome-linux/chrome", tmp_path / "chromium_headless_shell-7" / shell
    for path in (own, beside):
        path.parent.mkdir(parents=True)
    own.touch()
    assert find_browser(None, own, lambda _: None) == own
    beside.touch()
    assert find_browser(None, own, lambda _: None) == beside


def test_no_browser_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="apt-get install chromium-headless-shell"):
        find_browser(None, tmp_path / "none", lambda _: None)
    with pytest.raises(Unavailable, match="no such file"):
        find_browser(tmp_path / "typo", tmp_path / "none", lambda name: f"/bin/{name}")
