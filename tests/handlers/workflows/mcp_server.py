"""A real MCP server of the `mcp` package. Run as a program, or served at an address."""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel

server = MCPServer("tickets")


class Ticket(BaseModel):
    number: str
    title: str


@server.tool()
def add(a: int, b: int = 2) -> int:
    """Adds two numbers."""
    return a + b


@server.tool(name="find-ticket")
def find_ticket(number: str) -> Ticket:
    """Finds a ticket."""
    if number == "0":
        raise ToolError("there is no ticket 0")
    return Ticket(number=number, title="Broken lamp")


if __name__ == "__main__":
    server.run()
