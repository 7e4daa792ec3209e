"""The chart as Helm renders it: valid for Kubernetes and KEDA, and what it promises of each pod."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from filelock import FileLock

from scripts.build_s3_servers import cache, in_ci
from services.console.commands.bus_config import write_bus_config
from shared.bus.signing.seed_keys import SIGNERS
from shared.bus.signing.service_keys import checks_signatures
from shared.host.service_names import NAMES
from shared.host.services import service_user
from shared.settings import Settings
from tests.deployed.chart import NAMESPACE, Manifest, copied_chart, helm, of_kind, rendered, workloads

pytestmark = [pytest.mark.system, pytest.mark.long]
KUBERNETES = "1.36"
KUBERNETES_VALIDATE, KEDA_MODELS = "kubernetes-validate==1.36.0", "@kubernetes-models/keda@2.0.0"
EVERYTHING = (
    *("--set", "bus.tls.secret=bus-tls,bus.tls.client=true,model.secret=model,s3.caSecret=s3-ca"),
    *("--set", "evidence.signingKeySecret=signing,workflows.tools.configMap=tools,workflows.packages.claim=packages"),
    *("--set", "browserPool.logins.claim=logins,browserPool.web.ports={80,443},browserPool.web.private={10.1.0.0/16}"),
    *("--set", "outside.private={10.2.0.0/16},keda.enabled=true,image.digest=sha256:" + "0" * 64),
    *("--set-json", 'networkPolicies.clientsFrom=[{"podSelector":{"matchLabels":{"exhibit/client":"yes"}}}]'),
    *("--set-json", 's3.to=[{"ipBlock":{"cidr":"10.3.0.0/16"}}]', "--set", "s3.ports={9000}"),
    *("--set", "evidence.state.storageClass=fast,env.EXHIBIT_TRACE_FILE=/tmp/trace,planner.env.EXHIBIT_PLANNER=rules"),
    *("--set-json", 'browserPool.envFrom=[{"secretRef":{"name":"typed"}}]'),
)
ELSEWHERE = (
    *("--set", "nats.enabled=false,bus.url=tls://nats.example:4443,bus.replicas=1,podDisruptionBudgets.enabled=false"),
    *("--set-json", 'bus.to=[{"ipBlock":{"cidr":"203.0.113.0/24"}}]'),
    *("--set", "keda.enabled=true,keda.trigger=prometheus,keda.prometheus.serverAddress=http://prometheus:9090"),
)
PLAIN: tuple[str, ...] = ()
WAYS = pytest.mark.parametrize("options", [PLAIN, EVERYTHING, ELSEWHERE], ids=["plain", "everything", "elsewhere"])


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied_chart(tmp_path_factory.mktemp("chart"))


@pytest.fixture(scope="session")
def kubernetes_validate() -> Path:
    """A program of its own environment: it brings the schemas of every version of Kubernetes."""
    folder = cache().with_name(KUBERNETES_VALIDATE)
    with FileLock(f"{folder}.lock"):
        if not (folder / "ready").exists():
            uv = (sys.executable, "-m", "uv")
            subprocess.run([*uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)], check=True)
            python = str(folder / "bin" / "python")
            subprocess.run([*uv, "pip", "install", "--quiet", "--python", python, KUBERNETES_VALIDATE], check=True)
            (folder / "ready").touch()
    return folder / "bin" / "kubernetes-validate"


@pytest.fixture(scope="session")
def keda_models() -> Path:
    """The folder of an installation of KEDA's schemas. Where there is no npm the test is skipped; in CI it fails."""
    if shutil.which("npm") is None:
        (pytest.fail if in_ci() else pytest.skip)(
            "NO NPM: the chart's ScaledObjects are not compared with KEDA's schema"
        )
    folder = cache().with_name(KEDA_MODELS.replace("/", "-"))
    with FileLock(f"{folder}.lock"):
        if not (folder / "ready").exists():
            install = ["npm", "install", "--silent", "--no-save", "--prefix", str(folder), KEDA_MODELS]
            subprocess.run(install, check=True)
            (folder / "ready").touch()
    return folder


@WAYS
def test_helm_finds_no_fault(chart: Path, options: tuple[str, ...]):
    done = helm("lint", chart, "--strict", "--set", "s3.endpoint=https://s3.example", *options)
    assert done.returncode == 0, done.stdout + done.stderr


@WAYS
def test_kubernetes_takes_every_manifest(
    chart: Path, options: tuple[str, ...], kubernetes_validate: Path, tmp_path: Path
):
    manifests = [one for one in rendered(chart, *options) if one["kind"] != "ScaledObject"]
    file = tmp_path / "manifests.yaml"
    file.write_text(yaml.safe_dump_all(manifests))
    done = subprocess.run(
        [kubernetes_validate, "-k", KUBERNETES, "--strict", file], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (done.stdout + done.stderr).count(" passed for resource ") == len(manifests)
    file.write_text(file.read_text().replace("readinessProbe:", "readyProbe:"))
    refused = subprocess.run(
        [kubernetes_validate, "-k", KUBERNETES, "--strict", file], capture_output=True, check=False
    )
    assert refused.returncode != 0, "the validator finds what is wrong"


@pytest.mark.parametrize("options", [EVERYTHING, ELSEWHERE], ids=["metrics-api", "prometheus"])
def test_keda_takes_what_scales_planners_and_pools(chart: Path, options: tuple[str, ...], keda_models: Path):
    scaled = of_kind(rendered(chart, *options), "ScaledObject")
    assert set(scaled) == {"exhibit-planner", "exhibit-browser-pool"}
    code = (
        "import {ScaledObject} from '@kubernetes-models/keda/keda.sh/v1alpha1';"
        "for (const one of JSON.parse(process.argv[1])) new ScaledObject(one).validate();"
    )
    node = ["node", "--input-type=module", "-e", code, json.dumps(list(scaled.values()))]
    done = subprocess.run(node, cwd=keda_models, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    node[-1] = node[-1].replace('"triggers"', '"trigger"')
    assert subprocess.run(node, cwd=keda_models, capture_output=True, check=False).returncode != 0, "a fault is found"


def test_what_is_scaled_follows_the_demand_and_not_the_length_of_the_queue(chart: Path):
    manifests = rendered(chart, *EVERYTHING)
    scaled = of_kind(manifests, "ScaledObject")
    demand, used = scaled["exhibit-browser-pool"]["spec"]["triggers"]
    for trigger in (demand, *scaled["exhibit-planner"]["spec"]["triggers"]):
        assert trigger["metadata"] == {
            "url": f"http://exhibit-planner.{NAMESPACE}:8000/metrics",
            "format": "prometheus",
            "valueLocation": 'exhibit_queue_demand{exhibit_queue="SAMPLES"}',
            "targetValue": "8",
        }
    assert used["metadata"]["valueLocation"] == 'exhibit_sessions{exhibit_state="in_use"}'
    assert (used["metadata"]["aggregationType"], used["metadata"]["targetValue"]) == ("sum", "6")
    for name in scaled:
        assert "replicas" not in of_kind(manifests, "Deployment")[name]["spec"], "KEDA and Helm do not fight over it"
    assert all("replicas" in one["spec"] for one in of_kind(rendered(chart), "Deployment").values())


@WAYS
def test_every_service_is_there_with_settings_that_exist_and_restrictions(chart: Path, options: tuple[str, ...]):
    known = {str(field.validation_alias or f"EXHIBIT_{name.upper()}") for name, field in Settings.model_fields.items()}
    pods = workloads(rendered(chart, *options))
    assert set(pods) == set(NAMES)
    for name, pod in pods.items():
        (one,) = pod["containers"]
        assert one["args"] == ["serve", name]
        assert {variable["name"] for variable in one["env"]} <= known
        assert one["securityContext"].items() >= {
            ("readOnlyRootFilesystem", True), ("allowPrivilegeEscalation", False),
        }  # fmt: skip
        assert one["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert (pod["securityContext"]["runAsNonRoot"], pod["automountServiceAccountToken"]) == (True, False)
        own = one["securityContext"].get("seccompProfile", pod["securityContext"]["seccompProfile"])
        assert own["type"] == ("Localhost" if name == "browser_pool" else "RuntimeDefault")
        assert one["readinessProbe"]["httpGet"]["path"] == "/ready"
        assert one["livenessProbe"]["httpGet"]["path"] == "/health"
        assert one["resources"]["limits"]["memory"]
        volumes = {volume["name"] for volume in pod["volumes"]} | ({"state"} if name == "evidence" else set())
        assert {mounted["name"] for mounted in one["volumeMounts"]} == volumes


def test_each_pod_has_the_secrets_that_are_its_own_and_no_other(chart: Path, tmp_path: Path):
    write_bus_config(tmp_path)
    made = {path.name for path in (*(tmp_path / "services").iterdir(), tmp_path / SIGNERS)}
    for name, pod in workloads(rendered(chart, *EVERYTHING)).items():
        secrets = {one["secret"]["secretName"]: one["secret"] for one in pod["volumes"] if "secret" in one}
        keys = {item["key"] for item in secrets["exhibit-bus"]["items"]}
        assert keys == {f"{name}.seed", *([SIGNERS] if checks_signatures(service_user(name)) else [])}
        assert keys <= made
        expected = {"exhibit-bus", "bus-tls"}
        expected |= {"exhibit-s3", "s3-ca", "signing"} if name == "evidence" else set()
        expected |= {"model"} if name in ("planner", "vision") else set()
        assert set(secrets) == expected


def policies_of(manifests: list[Manifest], component: str) -> list[Manifest]:
    def selects(policy: Manifest) -> bool:
        selector = policy["spec"]["podSelector"]
        labels = {"app.kubernetes.io/component": component, "app.kubernetes.io/name": "exhibit"}
        wanted = {key: value for key, value in selector.get("matchLabels", {}).items() if key in labels}
        among = [one for one in selector.get("matchExpressions", ()) if component not in one["values"]]
        return wanted.items() <= labels.items() and not among

    return [one for one in of_kind(manifests, "NetworkPolicy").values() if selects(one)]


@pytest.mark.parametrize("component", [name.replace("_", "-") for name in NAMES])
def test_a_pod_reaches_the_bus_and_what_it_needs_and_no_private_address(chart: Path, component: str):
    policies = policies_of(rendered(chart), component)
    rules = [rule for policy in policies for rule in policy["spec"].get("egress", ())]
    ports = {port["port"] for rule in rules for port in rule.get("ports", ())}
    assert any(policy["spec"]["policyTypes"] == ["Ingress", "Egress"] for policy in policies), "none by default"
    expected = {"discovery": {53, 4222}, "browser-pool": {53, 4222}}
    assert ports == expected.get(component, {53, 443, 4222})
    anywhere = [rule for rule in rules if "to" not in rule]
    assert bool(anywhere) == (component == "evidence"), "only the S3 server may be anywhere"
    for block in (peer["ipBlock"] for rule in rules for peer in rule.get("to", ()) if "ipBlock" in peer):
        assert {"10.0.0.0/8", "169.254.0.0/16"} <= {*block["except"]} or {"fc00::/7"} <= {*block["except"]}
    sites = [rule for rule in rules if "to" in rule and "ports" not in rule]
    assert bool(sites) == (component == "browser-pool"), "sites have any port"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--set", "evidence.replicas=2"), "/evidence/replicas"),
        (("--set", "s3.endpoint=s3.example"), "/s3/endpoint"),
        (("--set", "planer.replicas=2"), "additional properties 'planer'"),
        (("--set", "bus.url=nats://user:secret@nats:4222"), "/bus/url"),
        (("--set", "keda.enabled=true,keda.trigger=prometheus"), "/keda/prometheus/serverAddress"),
    ],
)
def test_values_that_would_not_do_are_refused_and_named(chart: Path, options: tuple[str, ...], said: str):
    done = helm("template", chart, "--set", "s3.endpoint=https://s3.example", *options)
    assert done.returncode != 0
    assert said in done.stderr


def test_a_bus_without_users_is_refused(tmp_path: Path):
    done = helm("template", copied_chart(tmp_path, users=""), "--set", "s3.endpoint=https://s3.example")
    assert done.returncode != 0
    assert "the bus needs its users: --set-file" in done.stderr
