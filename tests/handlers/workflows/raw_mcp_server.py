"""An MCP server by hand, which writes what no package would: floods, and lines that are no messages."""

from __future__ import annotations

import json
import sys
from typing import Any

TOOLS = ["flood", "babble"]
NOTE = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x" * 50}})


def result_of(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        server = {"name": "raw", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]}
    while params["name"] == "flood":
        print(NOTE)
    print("no message at all\n" * 100, end="")
    return {"content": [{"type": "text", "text": "done"}]}


for line in sys.stdin:
    request = json.loads(line)
    reply: dict[str, Any] = {"jsonrpc": "2.0", "id": request.get("id")}
    if request["method"] in ("initialize", "tools/list", "tools/call"):
        print(json.dumps({**reply, "result": result_of(request["method"], request.get("params", {}))}), flush=True)
    elif "id" in request:
        print(json.dumps({**reply, "error": {"code": -32601, "message": "not known here"}}), flush=True)
