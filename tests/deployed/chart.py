"""The chart as Helm renders it, its containers, and the bus of the NATS project's chart.

That chart is not here. In its place is an empty one of the same name, and what it makes of our values is written below,
as its own documentation tells it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.deployed.containers import ROOT, Container, Mount
from tests.s3_servers import program

CHART = ROOT / "deploy" / "helm" / "exhibit"
RELEASE, NAMESPACE = "exhibit", "evidence"
LEAST = ("--set", "s3.endpoint=https://s3.example")
Manifest = dict[str, Any]


def copied_chart(folder: Path, users: str = "authorization {}\n") -> Path:
    """Return a copy of the chart with its dependency, and beside it the users of the bus."""
    chart = folder / "exhibit"
    shutil.copytree(CHART, chart)
    nats = chart / "charts" / "nats"
    nats.mkdir(parents=True)
    version = dependency()["version"].lstrip("~")
    (nats / "Chart.yaml").write_text(f"apiVersion: v2\nname: nats\nversion: {version}\n")
    (folder / "users.conf").write_text(users)
    return chart


def dependency() -> dict[str, str]:
    (found,) = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))["dependencies"]
    return found


def helm(verb: str, chart: Path, *options: str) -> subprocess.CompletedProcess[str]:
    name = (RELEASE,) if verb == "template" else ()
    users = ("--set-file", rf"nats.configMap.merge.data.users\.conf={chart.parent / 'users.conf'}")
    command = [str(program("helm")), verb, *name, str(chart), "--namespace", NAMESPACE, *users, *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def rendered(chart: Path, *options: str) -> list[Manifest]:
    done = helm("template", chart, *LEAST, *options)
    assert done.returncode == 0, done.stderr
    return [one for one in yaml.safe_load_all(done.stdout) if one]


def of_kind(manifests: Sequence[Manifest], *kinds: str) -> dict[str, Manifest]:
    return {one["metadata"]["name"]: one for one in manifests if one["kind"] in kinds}


def workloads(manifests: Sequence[Manifest]) -> dict[str, Manifest]:
    """Return the pods' specs, by the name of the service that they run."""
    found = of_kind(manifests, "Deployment", "StatefulSet").values()
    specs = [one["spec"]["template"]["spec"] for one in found]
    return {spec["containers"][0]["args"][1]: spec for spec in specs}


def secret_volume(folder: Path, items: Mapping[str, str | bytes]) -> Path:
    """Lay out files as the kubelet does: links into a folder of data, open to the pod's group and to nobody else."""
    data = folder / "..data"
    data.mkdir(parents=True)
    for name, content in items.items():
        (data / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        (data / name).chmod(0o440)
        (folder / name).symlink_to(Path("..data") / name)
    return folder


def container_of(spec: Manifest, secrets: Mapping[str, Mapping[str, bytes]], folder: Path) -> Container:
    """Return the container of a pod. ``secrets``: what is in each Secret; ``folder``: for its volumes."""
    (one,) = spec["containers"]
    volumes = {volume["name"]: volume for volume in spec["volumes"]}
    mounts: list[Mount] = []
    for mounted in one["volumeMounts"]:
        place, volume = folder / one["name"] / mounted["name"], volumes.get(mounted["name"], {})
        if "secret" in volume:
            known = secrets[volume["secret"]["secretName"]]
            items = volume["secret"].get("items") or [{"key": key, "path": key} for key in known]
            secret_volume(place, {item["path"]: known[item["key"]] for item in items})
        else:
            place.mkdir(parents=True)
        mounts.append(Mount(mounted["mountPath"], place, not mounted.get("readOnly", False)))
    return Container(
        name=one["name"],
        command=["exhibit", *one["args"]],
        environment={variable["name"]: variable["value"] for variable in one["env"]},
        mounts=mounts,
        health=["exhibit", "health"],
        read_only=one["securityContext"]["readOnlyRootFilesystem"],
    )


def nats_config(values: Mapping[str, Any], number: int, ports: Mapping[str, Sequence[int]], data: Path) -> str:
    """Return nats.conf of one server of the cluster, as the NATS project's chart makes it of our values."""
    config = values["nats"]["config"]
    own = {
        "server_name": f"exhibit-nats-{number}",
        "host": "127.0.0.1",
        "port": ports["client"][number],
        "cluster": {
            "name": "exhibit-nats",
            "host": "127.0.0.1",
            "port": ports["cluster"][number],
            "no_advertise": True,
            "routes": [f"nats://127.0.0.1:{port}" for port in ports["cluster"]],
        },
        "jetstream": {"store_dir": str(data), "max_memory_store": 0},
        "http": f"127.0.0.1:{ports['monitor'][number]}",
    }
    assert (config["cluster"]["enabled"], config["jetstream"]["enabled"]) == (True, True)
    lines = [f"{name}: {json.dumps(value)}" for name, value in own.items()]
    for name, value in config["merge"].items():
        unquoted = str(value).removeprefix("<< ").removesuffix(" >>")
        lines.append(f"include {unquoted}" if name.endswith("$include") else f"{name}: {unquoted}")
    return "\n".join([*lines, ""])
