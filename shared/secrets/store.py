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
from shared.hosts import fits_any, is_spec_rule, parse_origin, share_a_host
from shared.settings import Settings, env_file_values

PREFIX = "EXHIBIT_SECRET_"
LEAST_LEFT_S = 3.0
"""A code with less time left is not typed: it would expire before it is sent."""
LEAST_KEY_BYTES = 20
FORMS = '{"value": "...", "hosts": ["desk.example"]} or {"totp": "BASE32", "hosts": ["desk.example"]}'


@dataclass(frozen=True)
class Secret:
    """A value, or the seed of codes that change every ``interval_s`` seconds.

    ``hosts``: the rules of the hosts that it may be typed at; empty: it is bound to none.
    """

    value: str
    totp: bool = False
    interval_s: int = 30
    hosts: tuple[str, ...] = ()


class SecretStore:
    """Reads secrets from ``EXHIBIT_SECRET_<NAME>`` of the environment, then of the ``.env`` file, then from a file of
    their own. All hold plain values, ``{"totp": "BASE32"}`` or ``{"value": "..."}``, the last two also with
    ``"hosts"``. ``bound_only``: a secret without hosts is typed nowhere."""

    def __init__(
        self,
        path: Path | None,
        environment: Mapping[str, str] | None = None,
        env_file: Mapping[str, str] | None = None,
        *,
        bound_only: bool = False,
    ) -> None:
        self.bound_only = bound_only
        self._path = path
        self._environment = os.environ if environment is None else environment
        self._env_file = env_file or {}

    def missing(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the unknown names. Raises PermanentError (``no_such_secret``) when the file is unusable."""
        return tuple(name for name in names if self.find(name) is None)

    def refusals(self, names: tuple[str, ...], hosts: tuple[str, ...]) -> tuple[str, ...]:
        """Return why secrets of these names may not be used by who may open ``hosts``; one text for each that may not.

        Unknown names are not among them. No hosts: they are not known yet. Raises as `missing` does.
        """
        found = ((name, self.find(name)) for name in names)
        texts = (one and binding_refusal(name, one, hosts, bound_only=self.bound_only) for name, one in found)
        return tuple(text for text in texts if text)

    def names(self) -> tuple[str, ...]:
        """Return the names of all secrets, in lower case where the environment or ``.env`` has them. Raises as
        `missing` does."""
        variables = {*self._environment, *self._env_file}
        named = {one.removeprefix(PREFIX).lower() for one in variables if one.startswith(PREFIX) and one != PREFIX}
        return tuple(sorted(named | set(self._file())))

    def find(self, name: str) -> Secret | None:
        """Return the secret, None where it is unknown. Raises PermanentError where it is written in no known form."""
        variable = PREFIX + name.upper()
        written = self._environment.get(variable) or self._env_file.get(variable)
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


def secret_store(settings: Settings, *, bound_only: bool = False) -> SecretStore:
    """Return the secrets of this process: of its environment, then of the ``.env`` file beside it, then of
    ``secrets.json`` in its state folder."""
    return SecretStore(settings.state_dir / "secrets.json", env_file=env_file_values(), bound_only=bound_only)


def binding_refusal(name: str, secret: Secret, hosts: tuple[str, ...], *, bound_only: bool) -> str:
    """Return why a secret may not be used by a session that may open ``hosts``; empty where it may."""
    if not secret.hosts:
        return unbound(name) if bound_only else ""
    if not hosts or share_a_host(secret.hosts, hosts):
        return ""
    return f"the secret {name!r} is for {', '.join(secret.hosts)} only, not for {', '.join(hosts)}"


def unknown_secret(name: str) -> str:
    """Return that the browser pool does not know a secret, and where it is written down."""
    return (
        f"the browser pool knows no secret {name!r}: write it where the browser pool reads it "
        f"({PREFIX}{name.upper()} of its environment or .env, or secrets.json of its state folder)"
    )


def unbound(name: str) -> str:
    return (
        f"the secret {name!r} is bound to no host, and others than you are on this bus: write it as {FORMS} where the "
        f"browser pool reads it ({PREFIX}{name.upper()}, .env or secrets.json)"
    )


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
    fields = dict(cast("dict[str, Any]", entry)) if isinstance(entry, dict) else {}
    hosts = _hosts(name, fields.pop("hosts", None))
    kind, value = fields.popitem() if len(fields) == 1 else ("", None)
    if kind not in ("value", "totp") or not isinstance(value, str) or not value:
        raise _unusable(f'the secret {name!r} is neither a text nor {{"totp": "BASE32"}} nor {FORMS}')
    if kind == "value":
        return Secret(value, hosts=hosts)
    try:
        codes_of(value)
    except ValueError:
        raise _unusable(f"the TOTP seed {name!r} is not base32") from None
    return Secret(value, totp=True, hosts=hosts)


def _hosts(name: str, written: Any) -> tuple[str, ...]:
    if written is None:
        return ()
    rules = cast("list[Any]", written) if isinstance(written, list) else []
    if not rules or not all(isinstance(rule, str) and is_spec_rule(rule) for rule in rules):
        raise _unusable(f'the "hosts" of the secret {name!r} are no list of hosts, such as ["desk.example"]')
    return tuple(rules)


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

    async def refusal_at(self, name: str, url: str) -> str:
        """Return why the secret may not be typed at this address; empty where it may. `reveal` tells unknown ones."""
        secret = await asyncio.to_thread(self.store.find, name)
        if secret is None:
            return ""
        if not secret.hosts:
            return unbound(name) if self.store.bound_only else ""
        origin = parse_origin(url)
        if not isinstance(origin, str) and fits_any(origin, secret.hosts):
            return ""
        return f"the secret {name!r} is for {', '.join(secret.hosts)} only"

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
