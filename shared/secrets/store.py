"""The secrets of this machine, and those that a session or a call has in use. Their values never leave the process."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import stat
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from pyotp.totp import TOTP

from shared.errors import PermanentError
from shared.settings import Settings

PREFIX = "EXHIBIT_SECRET_"
LEAST_LEFT_S = 3.0
"""A code with less time left is not typed: it would expire before it is sent."""
LEAST_KEY_BYTES = 20


@dataclass(frozen=True)
class Secret:
    """A value, or the seed of codes that change every ``interval_s`` seconds."""

    value: str
    totp: bool = False
    interval_s: int = 30


class SecretStore:
    """Reads secrets from ``EXHIBIT_SECRET_<NAME>``, then from a file. Both hold plain values or
    ``{"totp": "BASE32"}``."""

    def __init__(self, path: Path | None, environment: Mapping[str, str] | None = None) -> None:
        self._path = path
        self._environment = os.environ if environment is None else environment

    def missing(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the unknown names. Raises PermanentError (``no_such_secret``) when the file is unusable."""
        return tuple(name for name in names if self.find(name) is None)

    def find(self, name: str) -> Secret | None:
        written = self._environment.get(PREFIX + name.upper())
        if written:
            return _read(name, _object_in(written))
        known = self._file()
        return _read(name, known[name]) if name in known else None

    def _file(self) -> dict[str, Any]:
        if self._path is None:
            return {}
        try:
            with self._path.open("rb") as file:
                mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                if mode & 0o077:
                    raise _unusable(f"{self._path} can be read by others than its owner: chmod 600 {self._path}")
                known = json.loads(file.read())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError):
            # No details: the message would quote the file.
            raise _unusable(f"{self._path} cannot be read as a JSON object of names and values") from None
        if not isinstance(known, dict):
            raise _unusable(f"{self._path} is not a JSON object of names and values")
        return cast("dict[str, Any]", known)


def secret_store(settings: Settings) -> SecretStore:
    """Return the secrets of this process: of its environment, then of ``secrets.json`` in its state folder."""
    return SecretStore(settings.state_dir / "secrets.json")


def _object_in(written: str) -> Any:
    if not written.lstrip().startswith("{"):
        return written
    try:
        return json.loads(written)
    except ValueError:
        return written


def _read(name: str, entry: Any) -> Secret:
    if isinstance(entry, str) and entry:
        return Secret(entry)
    seed: Any = cast("dict[str, Any]", entry).get("totp") if isinstance(entry, dict) else None
    if not isinstance(seed, str):
        raise _unusable(f'the secret {name!r} is neither a text nor {{"totp": "BASE32"}}')
    try:
        codes_of(seed)
    except ValueError:
        raise _unusable(f"the TOTP seed {name!r} is not base32") from None
    return Secret(seed, totp=True)


def codes_of(seed: str, interval_s: int = 30) -> TOTP:
    """Return the code generator of a seed, ignoring blanks and case. Raises ValueError when it is not base32."""
    text = "".join(seed.split()).rstrip("=")
    key = base64.b32decode(text + "=" * (-len(text) % 8), casefold=True)
    # Many sites give 80 bits, which pyotp refuses; zeros at the end of a key do not change its HMAC.
    return TOTP(base64.b32encode(key.ljust(LEAST_KEY_BYTES, b"\0")).decode(), interval=interval_s)


def _unusable(why: str) -> PermanentError:
    return PermanentError(why, code="no_such_secret")


@dataclass
class Vault:
    """The secrets of one session or call, and every text that must not leave this process."""

    store: SecretStore
    names: tuple[str, ...]
    now: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    hidden: set[str] = field(default_factory=set[str])
    _codes: set[str] = field(default_factory=set[str])

    async def open(self) -> None:
        """Hide every secret that could be used: the other side may know it already."""
        for name in self.names:
            secret = await asyncio.to_thread(self.store.find, name)
            if secret is not None:
                self._hide(secret)

    async def reveal(self, name: str) -> str | None:
        """Return what to use: the value, or a code with some seconds left that was not used before. None: unknown."""
        secret = await asyncio.to_thread(self.store.find, name) if name in self.names else None
        if secret is None:
            return None
        self._hide(secret)
        value = await self._code(secret) if secret.totp else secret.value
        self.hidden.add(value)
        return value

    def _hide(self, secret: Secret) -> None:
        # Seeds are often shown in groups of four.
        self.hidden |= {secret.value, "".join(secret.value.split())} if secret.totp else {secret.value}

    async def _code(self, secret: Secret) -> str:
        codes = codes_of(secret.value, secret.interval_s)
        left_s = secret.interval_s - self.now() % secret.interval_s
        if left_s < LEAST_LEFT_S or codes.at(int(self.now())) in self._codes:
            await self.sleep(left_s + 0.05)
        code = codes.at(int(self.now()))
        self._codes.add(code)
        return code
