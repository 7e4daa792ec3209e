"""An MCP server by hand: it starts at once, and does what no package would. ``broken`` and ``silent`` do not start."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

NOTE = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x" * 50}})
INTEGER = {"type": "integer"}


def add(a: int, b: int = 2) -> str:
    return str(a + b)


def find_ticket(number: str) -> str:
    if number == "0":
        raise LookupError("there is no ticket 0, says " + os.environ.get("TOKEN", ""))
    return number


def environment() -> str:
    names = sorted(name for name in os.environ if name != "LC_CTYPE")  # which Python sets by itself
    return f"{names} {Path.cwd()} {os.environ.get('TOKEN')}"


def die() -> str:
    os._exit(3)


def huge(size: int) -> str:
    return "x" * size


def flood() -> str:
    while True:
        print(NOTE)


def babble() -> str:
    print("no message at all\n" * 100, end="")
    return "done"


TOOLS: dict[str, tuple[Any, dict[str, Any], list[str]]] = {
    "add": (add, {"a": INTEGER, "b": {**INTEGER, "default": 2}}, ["a"]),
    "find-ticket": (find_ticket, {"number": {"type": "string"}}, ["number"]),
    "environment": (environment, {}, []),
    "die": (die, {}, []),
    "hang": (None, {}, []),  # it is never answered
    "huge": (huge, {"size": INTEGER}, ["size"]),
    "flood": (flood, {}, []),
    "babble": (babble, {}, []),
}


def result_of(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        server = {"name": "raw", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": [
            {"name": name, "inputSchema": {"type": "object", "properties": properties, "required": required}}
            for name, (_, properties, required) in TOOLS.items()
        ]}  # fmt: skip
    try:
        text, failed = TOOLS[params["name"]][0](**params.get("arguments") or {}), False
    except LookupError as exc:
        text, failed = str(exc), True
    return {"content": [{"type": "text", "text": text}], "isError": failed}


def serve() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if request.get("params", {}).get("name") == "hang":
            continue
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": request.get("id")}
        if request["method"] in ("initialize", "tools/list", "tools/call"):
            reply["result"] = result_of(request["method"], request.get("params", {}))
        elif "id" in request:
            reply["error"] = {"code": -32601, "message": "not known here"}
        else:
            continue
        print(json.dumps(reply), flush=True)


if "broken" in sys.argv:
    sys.exit("the configuration is wrong: " + os.environ.get("TOKEN", ""))
if "silent" in sys.argv:
    sys.stdin.read()
serve()
