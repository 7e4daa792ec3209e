"""The text editor that is shipped is the one that its pins give, and says what is in it."""

from __future__ import annotations

import hashlib
import json
import platform

import pytest

from scripts.fetch_packages import LISTS, npm_missing, packages, parse_pin
from scripts.write_editor_bundle import ABOUT, BUNDLER, KIND, LICENCES, SCRIPT, make_bundle
from services.console.web.static_files import static_files

TOLD = json.loads(ABOUT.read_bytes())


def test_it_is_what_is_told_of_it():
    data = SCRIPT.read_bytes()
    assert (hashlib.sha256(data).hexdigest(), len(data)) == (TOLD["sha256"], TOLD["bytes"])
    text = data.decode()
    assert "://" not in text.replace("http://www.w3.org/", "")  # the name of a kind of markup
    assert not [word for word in ("innerHTML", "eval(", "new Function", "document.write") if word in text]


def test_each_package_in_it_is_pinned_and_has_its_licence():
    pinned = {
        one.name: one.version for line in (LISTS / f"{KIND}.txt").read_text().splitlines() if (one := parse_pin(line))
    }
    within = {one["name"]: one["version"] for one in TOLD["packages"]}
    assert within == {name: version for name, version in pinned.items() if name in within}
    assert len(within) > 12
    assert BUNDLER not in within
    licences = LICENCES.read_text()
    assert [name for name, version in within.items() if f"{name} {version}" not in licences] == []


def test_only_pages_with_code_load_it():
    static = static_files()
    version = static["codemirror.js"].version
    loading = [name for name, file in static.items() if f"/static/codemirror.js?v={version}" in file.data.decode()]
    assert loading == ["editor.js"]


@pytest.mark.long
@pytest.mark.skipif(npm_missing(KIND) or platform.machine() != "x86_64", reason="npm or its bundler is not here")
def test_the_pins_give_it():
    for path, data in make_bundle(packages(KIND)).items():
        assert path.read_bytes() == data, path.name
