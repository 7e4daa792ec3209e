"""docker-compose.yml and the image: static checks, without running a container."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from services.console.commands.bus_config.command import write_bus_config
from shared.bus.access.server_config import USERS_CONF
from shared.bus.signing.seed_keys import SIGNERS
from shared.bus.signing.service_keys import checks_signatures
from shared.host.services import NAMES, service_user
from shared.settings import Settings
from tests.cases import cases

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
MADE = "./deploy/bus"
"""What `exhibit bus-config` has made."""
SECRETS = ("EXHIBIT_S3_ACCESS_KEY", "EXHIBIT_S3_SECRET_KEY")


def default_of(value: str) -> str:
    found = re.fullmatch(r"\$\{\w+:-(?P<default>.+)\}", value)
    assert found is not None, value
    return found["default"]


def test_the_s3_image_is_a_variable_with_a_default_that_can_still_be_pulled():
    assert "${EXHIBIT_S3_IMAGE:-" in SERVICES["s3"]["image"]
    assert re.fullmatch(r"quay\.io/minio/minio:RELEASE\.[0-9TZ-]+", default_of(SERVICES["s3"]["image"]))


def test_every_image_is_pinned_and_none_is_whatever_is_latest():
    for service in SERVICES.values():
        assert default_of(service["image"]).rpartition(":")[2] not in ("", "latest")


def test_every_service_stands_there_and_serves():
    assert {name for name, service in SERVICES.items() if service["command"][0] == "serve"} == set(NAMES)
    assert all(SERVICES[name]["command"] == ["serve", name] for name in NAMES)


def test_every_variable_that_a_service_gets_is_a_setting():
    known = {f"EXHIBIT_{name.upper()}" for name in Settings.model_fields} | {"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"}
    for name in NAMES:
        assert set(SERVICES[name]["environment"]) <= known


def test_evidence_goes_into_the_bucket_and_nobody_else_has_its_keys():
    assert default_of(SERVICES["evidence"]["environment"]["EXHIBIT_EVIDENCE_BUCKET"]).startswith("s3://")
    for name in set(NAMES) - {"evidence"}:
        assert not set(SECRETS) & set(SERVICES[name]["environment"])


@cases("name", SECRETS)
def test_no_secret_has_a_default(name):
    assert re.findall(rf"\$\{{{name}(:?.)", TEXT)
    assert set(re.findall(rf"\$\{{{name}(:?.)", TEXT)) == {":?"}


def test_only_loopback_is_opened():
    for service in SERVICES.values():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))


def test_every_volume_and_file_that_is_mounted_is_there(tmp_path: Path):
    write_bus_config(tmp_path)
    for service in SERVICES.values():
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            if source.startswith(f"{MADE}/"):
                assert (tmp_path / source.removeprefix(f"{MADE}/")).is_file()
            else:
                assert (ROOT / source).exists() if source.startswith(".") else source in COMPOSE["volumes"]


def test_each_service_has_its_own_key_of_the_bus_and_no_other():
    for name in NAMES:
        seeds = [volume.split(":") for volume in SERVICES[name]["volumes"] if ".seed:" in volume]
        inside = SERVICES[name]["environment"]["EXHIBIT_NATS_SEED"]
        assert seeds == [[f"{MADE}/services/{name}.seed", inside, "ro"]]
    assert not any(".seed" in volume for name in set(SERVICES) - set(NAMES) for volume in SERVICES[name]["volumes"])


def test_who_checks_signatures_has_the_public_keys_beside_its_seed_and_nobody_else_has_them():
    mounted = {
        name: [one for one in service.get("volumes", ()) if SIGNERS in one] for name, service in SERVICES.items()
    }
    for name, volumes in mounted.items():
        checks = name in NAMES and checks_signatures(service_user(name))
        seed = Path(SERVICES[name]["environment"]["EXHIBIT_NATS_SEED"]) if checks else Path()
        assert volumes == ([f"{MADE}/{SIGNERS}:{seed.parent / SIGNERS}:ro"] if checks else [])


def test_the_server_of_the_containers_takes_users_only(tmp_path: Path):
    write_bus_config(tmp_path)
    assert (ROOT / "deploy" / "nats.conf").read_text() == (tmp_path / "nats.conf").read_text()
    assert f'include "{USERS_CONF}"' in (ROOT / "deploy" / "nats.conf").read_text().splitlines()
    mounted = dict(volume.split(":")[:2] for volume in SERVICES["bus"]["volumes"])
    folders = {Path(mounted[one]).parent for one in ("./deploy/nats.conf", f"{MADE}/{USERS_CONF}")}
    assert folders == {Path(SERVICES["bus"]["command"][1]).parent}  # the one includes the other


def test_the_image_runs_as_no_root_and_copies_only_what_the_context_lets_in():
    lines = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8").splitlines()
    users = [line.split()[1] for line in lines if line.startswith("USER ")]
    assert users == ["exhibit"]
    let_in = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    copied = [line.split()[1:-1] for line in lines if line.startswith("COPY ") and "--from" not in line]
    assert {one for line in copied for one in line} == set(let_in)
    assert all((ROOT / one).exists() for one in let_in)
