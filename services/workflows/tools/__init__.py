"""What workflow code may use of the outside: programs, HTTP servers, MCP servers, the browser."""
