"""The browser pool as a tool: its actions by their own names, and what a page shows."""
