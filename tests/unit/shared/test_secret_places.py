"""Where secrets are read: the environment, the .env file, a file of their own; the first that has the name counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shared.errors import PermanentError
from shared.secrets.store import SecretStore, Vault, secret_store
from shared.testing.settings import isolated_settings
from tests.cases import cases
from tests.typed import there


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SecretStore:
    """The secrets of a process that has the three places."""
    monkeypatch.chdir(tmp_path)
    lines = ("EXHIBIT_SECRET_PORTAL='from the .env file'", 'exhibit_secret_code={"totp": "JBSWY3DPEHPK3PXP"}')
    Path(".env").write_text("\n".join((*lines, "EXHIBIT_SECRET_BOTH=below", "EXHIBIT_SECRET_EMPTY=")))
    monkeypatch.setenv("EXHIBIT_SECRET_BOTH", "above")
    own = tmp_path / "secrets.json"
    own.touch(mode=0o600)
    own.write_text(json.dumps({"portal": "from the file", "alone": "in the file", "empty": "in the file, too"}))
    return secret_store(isolated_settings(state_dir=tmp_path))


@cases(
    ("name", "value"),
    [("portal", "from the .env file"), ("both", "above"), ("alone", "in the file"), ("empty", "in the file, too")],
)
def test_the_first_place_that_has_the_name_counts(store: SecretStore, name: str, value: str):
    found = there(store.find(name))
    assert found.value == value


def test_a_seed_may_stand_in_the_env_file_and_what_is_nowhere_is_missing(store: SecretStore):
    found = there(store.find("code"))
    assert found.totp
    assert store.missing(("portal", "code", "nowhere")) == ("nowhere",)


def test_a_secret_may_be_bound_to_hosts(tmp_path: Path):
    code = {"totp": "JBSWY3DPEHPK3PXP", "hosts": ["desk.example:8443"]}
    environment = {
        "EXHIBIT_SECRET_PORTAL": json.dumps({"value": "x", "hosts": ["*.desk.example", "127.0.0.1"]}),
        "EXHIBIT_SECRET_CODE": json.dumps(code),
        "EXHIBIT_SECRET_PLAIN": json.dumps({"value": "{y}"}),
    }
    store = SecretStore(None, environment)
    found = [store.find(name) for name in ("portal", "code", "plain")]
    assert [(one.value, one.totp, one.hosts) for one in found if one] == [
        ("x", False, ("*.desk.example", "127.0.0.1")),
        ("JBSWY3DPEHPK3PXP", True, ("desk.example:8443",)),
        ("{y}", False, ()),
    ]


@cases(
    "entry",
    [
        {"value": "hunter2", "hosts": []}, {"value": "hunter2", "hosts": "desk.example"},
        {"value": "hunter2", "hosts": ["*"]}, {"value": "hunter2", "hosts": ["https://desk.example"]},
        {"value": "hunter2", "hosts": ["desk.example", 5]}, {"value": "hunter2", "host": ["desk.example"]},
        {"value": "hunter2", "totp": "JBSWY3DPEHPK3PXP"}, {"value": ""}, {"hosts": ["desk.example"]}, {},
    ],
)  # fmt: skip
def test_a_binding_that_cannot_be_read_is_no_secret_without_one(entry: dict[str, object]):
    store = SecretStore(None, {"EXHIBIT_SECRET_PORTAL": json.dumps(entry)})
    with pytest.raises(PermanentError) as refused:
        store.find("portal")
    assert refused.value.code == "no_such_secret"
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    ("secret", "url", "bound_only", "refused"),
    [
        ("portal", "https://desk.example/login", True, False),
        ("portal", "https://desk.example.evil.test/login", False, True),
        ("portal", "about:blank", False, True),
        ("loose", "https://evil.test/login", False, False),
        ("loose", "https://desk.example/login", True, True),
    ],
)
async def test_a_secret_is_refused_at_other_hosts(secret: str, url: str, bound_only: bool, refused: bool):
    known = {"EXHIBIT_SECRET_PORTAL": '{"value": "x", "hosts": ["desk.example"]}', "EXHIBIT_SECRET_LOOSE": "y"}
    vault = Vault(SecretStore(None, known, bound_only=bound_only), ("portal", "loose"))
    assert bool(await vault.refusal_at(secret, url)) is refused
