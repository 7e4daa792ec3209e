"""MCP servers as tools: programs and addresses, connected when they are first used."""
