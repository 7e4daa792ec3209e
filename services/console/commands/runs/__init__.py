"""`exhibit runs`: following and steering runs."""
