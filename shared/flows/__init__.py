"""Flows: their files, how their calls are answered on a page, and how they are compiled."""
