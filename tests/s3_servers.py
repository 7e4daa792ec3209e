"""Real S3 servers for tests, on loopback, with data and credentials of their own: MinIO and VersityGW.

@pytest.fixture(scope="module", params=SERVERS)
def server(request, tmp_path_factory):
    with s3_server(request.param, tmp_path_factory.mktemp("s3")) as server:
        yield server

settings = server.settings("s3://evidence/prefix")
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import urllib3
from pydantic import SecretStr

from scripts.build_s3_servers import CannotBuild, build, in_ci, ready, without
from shared.child_process.child import die_with_parent
from shared.s3.bucket import S3Bucket
from shared.s3.opening import open_bucket
from shared.settings import Settings
from shared.testing.settings import isolated_settings
from tests.certificates import Certified
from tests.ports import free_port
from tests.waiting import until

SERVERS = ("versitygw", pytest.param("minio", marks=pytest.mark.long))
STOP_BOUND_S = 30.0


def program(name: str) -> Path:
    """Return the built program. If it cannot be built the test is skipped with a message; in CI it fails."""
    if found := ready(name):
        return found
    if shutil.which("go") is None and not in_ci():
        pytest.skip(f"{without(name)} Go is not on this machine, so {name} is not built")
    try:
        return build(name)
    except CannotBuild as exc:
        pytest.fail(str(exc))


@dataclass
class S3Server:
    """A server that can be stopped and started repeatedly with the same port, data and credentials."""

    name: str
    binary: Path
    folder: Path
    port: int
    around: tuple[str, ...] = ()
    """Command prefix of the server: ``("unshare", ...)``."""
    versions: bool = True
    """Whether VersityGW keeps object versions; without them it has no object lock."""
    tls: Certified | None = None
    """What VersityGW shows; it is then an https server."""
    access_key: str = field(default_factory=lambda: f"A{secrets.token_hex(9)}")
    secret_key: str = field(default_factory=lambda: secrets.token_hex(20))
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"{'http' if self.tls is None else 'https'}://127.0.0.1:{self.port}"

    def settings(self, bucket: str, base: Settings | None = None, **more: Any) -> Settings:
        """Return settings with evidence in ``bucket`` (``s3://name`` or ``s3://name/prefix``) on this server."""
        own = {
            "evidence_bucket": bucket,
            "s3_endpoint": self.url,
            "s3_access_key": SecretStr(self.access_key),
            "s3_secret_key": SecretStr(self.secret_key),
        }
        return (base or isolated_settings()).model_copy(update={**own, **more})

    def bucket(self, url: str) -> S3Bucket:
        return open_bucket(self.settings(url))

    def environment(self, bucket: str) -> dict[str, str]:
        """Return the same settings as environment variables of a process."""
        return {
            "EXHIBIT_EVIDENCE_BUCKET": bucket,
            "EXHIBIT_S3_ENDPOINT": self.url,
            "EXHIBIT_S3_ACCESS_KEY": self.access_key,
            "EXHIBIT_S3_SECRET_KEY": self.secret_key,
        }

    def start(self) -> None:
        """Start the server. Call it in a thread that outlives the test: the server dies with its parent thread."""
        assert self.process is None, "it runs already"
        with (self.folder / "output.log").open("ab") as output:
            self.process = subprocess.Popen(
                [*self.around, *_COMMANDS[self.name](self)],
                env={**os.environ, **_environment(self)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                preexec_fn=die_with_parent,
            )
        self._must_answer(self.process)

    def stop(self, *, kill: bool = False) -> None:
        """Stop the server; ``kill`` with SIGKILL."""
        if self.process is None:
            return
        process, self.process = self.process, None
        process.kill() if kill else process.terminate()
        try:
            process.wait(STOP_BOUND_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _must_answer(self, process: subprocess.Popen[bytes]) -> None:
        ca = None if self.tls is None else str(self.tls.ca)
        with urllib3.PoolManager(timeout=2.0, retries=False, ca_certs=ca) as http:
            url = f"{self.url}{_HEALTH[self.name]}"
            until(lambda: process.poll() is not None or _answers(http, url), f"{self.name} answers")
            if process.poll() is None:
                return
        self.stop(kill=True)
        tail = (self.folder / "output.log").read_text(errors="replace")[-2000:]
        pytest.fail(f"{self.name} did not start:\n{tail}")


def _answers(http: urllib3.PoolManager, url: str) -> bool:
    try:
        return http.request("GET", url).status == 200
    except urllib3.exceptions.HTTPError:
        return False


def _environment(server: S3Server) -> dict[str, str]:
    return {
        "HOME": str(server.folder),
        "MINIO_ROOT_USER": server.access_key,
        "MINIO_ROOT_PASSWORD": server.secret_key,
        "MINIO_BROWSER": "off",
        "MINIO_UPDATE": "off",
        "ROOT_ACCESS_KEY": server.access_key,
        "ROOT_SECRET_KEY": server.secret_key,
    }


def _minio(server: S3Server) -> list[str]:
    certs = server.folder / "certs"
    address = f"127.0.0.1:{server.port}"
    return [str(server.binary), "server", "--address", address, "--certs-dir", str(certs), str(server.folder / "data")]


def _versitygw(server: S3Server) -> list[str]:
    for name in ("data", "versions"):
        (server.folder / name).mkdir(exist_ok=True)
    shown = ["--cert", str(server.tls.pem), "--key", str(server.tls.key)] if server.tls else []
    gateway = [str(server.binary), *shown, "--quiet", "--health", "/health", "--port", f"127.0.0.1:{server.port}"]
    versions = ["--versioning-dir", str(server.folder / "versions")] if server.versions else []
    return [*gateway, "posix", *versions, str(server.folder / "data")]


_COMMANDS: dict[str, Callable[[S3Server], list[str]]] = {"minio": _minio, "versitygw": _versitygw}
_HEALTH = {"minio": "/minio/health/cluster", "versitygw": "/health"}


@contextmanager
def s3_server(
    name: str, folder: Path, around: tuple[str, ...] = (), *, versions: bool = True, tls: Certified | None = None
) -> Generator[S3Server, None, None]:
    """Yield one of `SERVERS`, ready on a free port of loopback, with its data in ``folder``."""
    server = S3Server(name, program(name), folder, free_port(), around, versions, tls)
    server.start()
    try:
        yield server
    finally:
        server.stop()
