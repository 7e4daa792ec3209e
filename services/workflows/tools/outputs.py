"""Turns the bytes that a program or a server gave into a value, without the secrets."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any, Literal, cast

import msgspec

from services.workflows.ports import HostCallError
from services.workflows.tools.tool_secrets import SecretsInUse
from shared.contracts.workflows.invocations import JsonValue

OutputKind = Literal["text", "json", "lines", "bytes"]
MAX_DEPTH = 100
_SHOWN_CHARS = 300


def output_value(
    data: bytes, kind: OutputKind, secrets: SecretsInUse, title: str, *, encoding: str = "utf-8"
) -> JsonValue:
    """Return the value. Raises HostCallError (ValueError) for what is not the JSON that was declared."""
    if kind == "bytes":
        return bytes_value(secrets.masked_bytes(data))
    if kind == "json":
        return secrets.masked(_parsed(data, secrets, title))
    text = secrets.masked_text(decoded(data, encoding))
    return text.splitlines() if kind == "lines" else text


def bytes_value(data: bytes) -> dict[str, JsonValue]:
    """Return bytes as workflows get them: JSON has none."""
    return {"base64": base64.b64encode(data).decode(), "size_bytes": len(data)}


def decoded(data: bytes, encoding: str = "utf-8") -> str:
    try:
        return data.decode(encoding, errors="replace")
    except LookupError:
        return data.decode(errors="replace")


def beginning(data: bytes, secrets: SecretsInUse) -> str:
    """Return the beginning of a text for a message, on one line."""
    shown = " ".join(secrets.masked_text(decoded(data[: 8 * _SHOWN_CHARS])).split())
    return shown if len(shown) <= _SHOWN_CHARS else f"{shown[: _SHOWN_CHARS - 3]}..."


def _parsed(data: bytes, secrets: SecretsInUse, title: str) -> JsonValue:
    try:
        value: Any = msgspec.json.decode(data)
        if _is_deep(value):
            raise HostCallError("ValueError", f"{title}(): the answer is nested more than {MAX_DEPTH} deep")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        message = f"{title}(): the answer is no JSON ({exc}): {beginning(data, secrets) or 'it is empty'}"
        raise HostCallError("ValueError", secrets.masked_text(message)) from exc
    return value


def _is_deep(value: Any) -> bool:
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for one in level for inner in _members(one)]
    return bool(level)


def _members(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value).values()
    return cast("list[Any]", value) if isinstance(value, list) else ()
