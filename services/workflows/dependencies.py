"""Packages that workflow code may import beside the standard library: declared in a file, installed into a folder.

.library/requirements.txt    one requirement a line
.library/packages/           what they are installed to, for workflows alone
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path
from uuid import uuid4

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from shared.errors import PermanentError, Unsupported

REQUIREMENTS, PACKAGES = "requirements.txt", "packages"
INSTALL_TIMEOUT_S = 600.0
MAX_ERROR_CHARS = 1500


class Dependencies:
    """The packages of one library. Installing them needs pip, or a Python that can make one, and an index or wheels on
    this machine."""

    def __init__(self, folder: Path, *, may_change: bool = False) -> None:
        """``folder``: the library's own folder. ``may_change``: workflow code may add and remove packages too."""
        self._folder, self.may_change = folder, may_change
        self._changing = asyncio.Lock()

    @property
    def packages(self) -> Path:
        """The folder that workflow code may import from. It may be missing."""
        return self._folder / PACKAGES

    @staticmethod
    def can_install() -> bool:
        return any(find_spec(name) is not None for name in ("pip", "ensurepip"))

    def list(self) -> tuple[str, ...]:
        """Return the declared requirements, as they were declared."""
        try:
            lines = (self._folder / REQUIREMENTS).read_text("utf-8").splitlines()
        except FileNotFoundError:
            return ()
        return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))

    def missing(self) -> tuple[str, ...]:
        """Return the declared requirements that no installed package satisfies."""
        installed = {str(canonicalize_name(name)): version for name, version in self.installed().items()}
        return tuple(one for one in self.list() if not _is_satisfied(one, installed))

    def installed(self) -> dict[str, str]:
        """Return name and version of every installed package, with those that the declared ones need."""
        found = distributions(path=[str(self.packages)])
        return {one.name: one.version for one in sorted(found, key=lambda one: one.name.lower())}

    async def add(self, requirement: str) -> None:
        """Declare a requirement (``pandas>=2``, or the path of a wheel), and install it.

        Raises PermanentError when it is none, or cannot be installed; then nothing has changed.
        """
        _check(requirement)
        async with self._changing:
            await self._replace((*self.list(), requirement.strip()))

    async def remove(self, requirement: str) -> bool:
        """Remove a requirement, as `list` gives it or by the name of its package, and what only it needed. Return
        whether there was one."""
        async with self._changing:
            left = [one for one in self.list() if requirement.strip() not in (one, _package_of(one))]
            if len(left) == len(self.list()):
                return False
            await self._replace(left)
            return True

    async def sync(self) -> None:
        """Install what is declared, anew."""
        async with self._changing:
            await self._replace(self.list())

    async def _replace(self, requirements: Sequence[str]) -> None:
        """Install into a new folder, and let it take the place of the old one when that has worked."""
        new, old = (self._folder / f".{PACKAGES}-{uuid4().hex[:8]}" for _ in range(2))
        new.mkdir(parents=True)
        try:
            if requirements:
                await self._install(requirements, new)
            if self.packages.exists():
                self.packages.rename(old)
            new.rename(self.packages)
        finally:
            shutil.rmtree(new, ignore_errors=True)
            shutil.rmtree(old, ignore_errors=True)
        lines = "".join(f"{one}\n" for one in dict.fromkeys(requirements))
        (self._folder / REQUIREMENTS).write_text(lines, "utf-8")

    async def _install(self, requirements: Sequence[str], to: Path) -> None:
        # Wheels only: the build of a source archive would run its code outside of any sandbox.
        options = ("--quiet", "--disable-pip-version-check", "--no-input", "--only-binary", ":all:")
        async with _python_with_pip() as python:
            failed = await _run(python, "pip", "install", *options, "--target", str(to), "--", *requirements)
        if failed is not None:
            raise PermanentError(f"{', '.join(requirements)} cannot be installed: {failed}", code="cannot_write")


@asynccontextmanager
async def _python_with_pip() -> AsyncGenerator[str]:
    """Yield this Python; where it has no pip, as in the environment of the product, another one that is made for the
    time. Raises Unsupported."""
    if find_spec("pip") is not None:
        yield sys.executable
        return
    with tempfile.TemporaryDirectory(prefix="exhibit-pip-") as folder:
        failed = await _run(sys.executable, "venv", folder)
        if failed is not None:
            raise Unsupported(f"packages are installed with pip; this Python has none, and cannot make one: {failed}")
        yield str(Path(folder) / "bin" / "python")


async def _run(python: str, module: str, *arguments: str) -> str | None:
    """Run a module; return what it has printed if it fails."""
    process = await asyncio.create_subprocess_exec(
        *(python, "-I", "-m", module, *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(INSTALL_TIMEOUT_S):
            output, _ = await process.communicate()
    except BaseException:
        if process.returncode is None:
            process.kill()
            await process.wait()
        raise
    return output.decode(errors="replace").strip()[-MAX_ERROR_CHARS:] if process.returncode else None


def _package_of(requirement: str) -> str:
    """Return the name of the package that is required, as it is written; of the path of a wheel, the path."""
    try:
        return Requirement(requirement).name
    except InvalidRequirement:
        return requirement


def _is_satisfied(requirement: str, installed: Mapping[str, str]) -> bool:
    """``installed``: versions by canonical names. A wheel is taken for what its file name says."""
    try:
        parsed = Requirement(requirement)
    except InvalidRequirement:
        name, _, rest = Path(requirement).name.partition("-")
        return installed.get(canonicalize_name(name)) == rest.partition("-")[0]
    version = installed.get(canonicalize_name(parsed.name))
    return version is not None and parsed.specifier.contains(version, prereleases=True)


def _check(requirement: str) -> None:
    """Raise PermanentError unless this is a requirement, or the path of a wheel; an option of pip is neither."""
    text = requirement.strip()
    if text.endswith(".whl") and Path(text).is_file() and not text.startswith("-"):
        return
    try:
        parsed = Requirement(text)
    except InvalidRequirement as exc:
        raise PermanentError(f"{requirement!r} is no requirement: {exc}", code="unsupported") from exc
    if parsed.url is not None:
        message = f"{requirement!r} names an address: give a name, or the path of a wheel"
        raise PermanentError(message, code="unsupported")
