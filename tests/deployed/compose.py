"""What docker-compose.yml, with files over it, says of each container: variables filled in, and files merged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.deployed.containers import ROOT, Container, Mount

COMPOSE_FILE = ROOT / "docker-compose.yml"
_VARIABLE = re.compile(r"\$(?:\$|\{(?P<name>\w+)(?:(?P<how>:[-+?])(?P<text>[^}]*))?\})")
Service = dict[str, Any]


def read_compose(*over: str, variables: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the compose file with the files of deploy/ ``over`` it, as `docker compose config` tells it."""
    known = variables or {}
    whole: dict[str, Any] = {}
    for path in (COMPOSE_FILE, *(ROOT / "deploy" / name for name in over)):
        text = path.read_text(encoding="utf-8")
        whole = _merged(whole, _filled_in(yaml.safe_load(text), known))
    return whole


def _filled_in(value: Any, known: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _filled_in(one, known) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled_in(one, known) for one in value]
    return _VARIABLE.sub(lambda found: _value(found, known), value) if isinstance(value, str) else value


def _value(found: re.Match[str], known: Mapping[str, str]) -> str:
    if found["name"] is None:
        return "$"
    said = known.get(found["name"], "")
    if found["how"] == ":+":
        return found["text"] if said else ""
    if found["how"] == ":?" and not said:
        raise KeyError(f"{found['name']}: {found['text']}")
    return said or (found["text"] or "")


def _merged(under: Any, over: Any, key: str = "") -> Any:
    """Return both, as Compose merges them: mappings by key, lists one after the other, a command as a whole."""
    if isinstance(under, dict) and isinstance(over, dict):
        return {
            name: _merged(under[name], over[name], name) if name in under and name in over else {**under, **over}[name]
            for name in (*under, *(one for one in over if one not in under))
        }
    replaced = key in ("command", "entrypoint", "test")
    return [*under, *over] if isinstance(under, list) and isinstance(over, list) and not replaced else over


def containers(compose: Mapping[str, Any], files: Mapping[str, Path], volumes: Path) -> dict[str, Container]:
    """Return the containers by name. ``files``: where on this machine the files are that the compose file mounts, by
    the beginning of their path; ``volumes``: where its volumes are made."""
    return {name: _container(compose, name, files, volumes) for name in compose["services"]}


def _container(compose: Mapping[str, Any], name: str, files: Mapping[str, Path], volumes: Path) -> Container:
    service: Service = compose["services"][name]
    entry = service.get("entrypoint", [] if "build" not in service else ["exhibit"])
    return Container(
        name=name,
        command=[*(entry or ["nats-server"]), *service["command"]],
        environment={key: str(value) for key, value in service.get("environment", {}).items()},
        mounts=[
            *(Mount(one.split(":")[0], None, True) for one in service.get("tmpfs", ())),
            *(_volume(one, files, volumes) for one in service.get("volumes", ())),
            *(
                Mount(f"/run/secrets/{one}", _file(compose["secrets"][one]["file"], files))
                for one in service.get("secrets", ())
                if compose["secrets"][one]["file"] != "/dev/null"
            ),
        ],
        health=service["healthcheck"]["test"][1:],
        read_only=service["read_only"],
    )


def _volume(written: str, files: Mapping[str, Path], volumes: Path) -> Mount:
    source, inside, *mode = written.split(":")
    if source.startswith("."):
        return Mount(inside, _file(source, files), mode != ["ro"])
    (volumes / source).mkdir(parents=True, exist_ok=True)
    return Mount(inside, volumes / source, True)


def _file(written: str, files: Mapping[str, Path]) -> Path:
    for start, folder in files.items():
        if written.startswith(start):
            return folder / written.removeprefix(start).lstrip("/")
    return ROOT / written
