"""Build sessions: a flow made by hand, one TODO after the other, while it is compiled in the background."""
