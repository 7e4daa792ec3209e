"""Where secrets are read: the environment, the .env file, a file of their own; the first that has the name counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyotp.totp import TOTP

from services.browser_pool.adapters.browser.lifecycle import pool_secrets
from shared.errors import PermanentError
from shared.secrets.store import SecretStore, Vault, codes_of, secret_store
from shared.testing.settings import isolated_settings
from tests.cases import cases
from tests.typed import there

SEED = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


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


def test_a_file_is_for_ones_own_eyes_and_one_that_cannot_be_used_is_not_quoted(tmp_path: Path):
    path = tmp_path / "secrets.json"
    path.touch(mode=0o600)
    for written in ("[1]", "hunter2 {", '{"portal": {"totp": "hunter2!"}}', '{"portal": 5}'):
        path.write_text(written)
        with pytest.raises(PermanentError) as refused:
            SecretStore(path, {}).find("portal")
        assert "hunter2" not in str(refused.value)
    path.write_text(json.dumps({"portal": "hunter2"}))
    path.chmod(0o640)
    with pytest.raises(PermanentError, match="chmod 600"):
        SecretStore(path, {}).find("portal")


async def test_no_code_is_typed_twice_or_shortly_before_it_runs_out():
    now = 1_000_020.0  # where a code begins
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        nonlocal now
        waits.append(seconds)
        now += seconds

    store = SecretStore(None, {"EXHIBIT_SECRET_CODE": json.dumps({"totp": SEED})})
    vault = Vault(store, ("code",), now=lambda: now, sleep=sleep)
    first = await vault.reveal("code")
    assert (first, waits) == (TOTP(SEED).at(1_000_020), [])
    assert await vault.reveal("code") == TOTP(SEED).at(1_000_050)
    now = 1_000_108.0
    assert await vault.reveal("code") == TOTP(SEED).at(1_000_110)
    assert [round(one) for one in waits] == [30, 2]


def test_a_short_seed_gives_the_codes_that_others_give_for_it():
    # RFC 6238 allows any length; these two codes are of the example seed of Google's key URI format.
    assert [codes_of("jbsw y3dp ehpk 3pxp").at(at) for at in (0, 30)] == ["282760", "996554"]


def test_on_a_bus_that_others_may_use_a_secret_without_hosts_is_for_none(tmp_path: Path):
    own, foreign = (isolated_settings(state_dir=tmp_path, nats_url=url) for url in (None, "nats://127.0.0.1:9"))
    assert [pool_secrets(one).bound_only for one in (own, foreign)] == [False, True]
