"""Login states on disk, readable by their owner only."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from pathlib import Path
from typing import Any, cast

from services.browser_pool.login_hosts import read_hosts
from services.browser_pool.login_states import LoginState
from shared.errors import PermanentError
from shared.text.names import safe_id


class LoginFolder:
    """One file per login state, mode 0600, in a folder of mode 0700 that git ignores, never inside ``evidence``."""

    def __init__(self, folder: Path, evidence: Path | None = None) -> None:
        self._folder, self._evidence = folder, evidence

    async def find(self, name: str) -> LoginState:
        return await asyncio.to_thread(self._find, name)

    async def save(self, name: str, state: dict[str, Any]) -> str:
        return await asyncio.to_thread(self._save, name, state)

    def path(self, name: str) -> Path:
        """Return the path for a login state, whether it exists or not."""
        if safe_id(name) != name:
            raise PermanentError(
                f"{name!r} cannot be the name of a login state: letters, digits, - and _ can", code="no_auth_profile"
            )
        return self._folder / f"{name}.json"

    def _find(self, name: str) -> LoginState:
        path = self.path(name)
        try:
            data = path.read_bytes()
        except OSError as exc:
            why = "does not exist" if isinstance(exc, FileNotFoundError) else f"cannot be read ({exc.strerror})"
            raise PermanentError(
                f"the login state {name!r} {why}: expected the file {path}; record it with `exhibit login {name} URL`",
                code="no_auth_profile",
            ) from exc
        hosts = read_hosts(self._read(name, data))
        return LoginState(name, path, hashlib.sha256(data).hexdigest(), hosts)

    def _read(self, name: str, data: bytes) -> dict[str, Any]:
        try:
            known: Any = json.loads(data)
        except ValueError:
            known = None
        if not isinstance(known, dict) or "cookies" not in known:
            raise PermanentError(
                f"the login state {name!r} is not one: record it again with `exhibit login {name} URL`",
                code="no_auth_profile",
            )
        return cast("dict[str, Any]", known)

    def _save(self, name: str, state: dict[str, Any]) -> str:
        path = self.path(name)
        if self._evidence is not None and path.resolve().is_relative_to(self._evidence.resolve()):
            raise PermanentError(
                f"a login state is not kept in the evidence ({path}): set EXHIBIT_STATE_DIR to a folder outside it",
                code="policy_denied",
            )
        self._folder.mkdir(parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        (self._folder / ".gitignore").write_text("*\n", encoding="utf-8")
        fresh = path.with_name(f".{path.name}.{os.getpid()}")
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(state, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        return str(path.resolve())
