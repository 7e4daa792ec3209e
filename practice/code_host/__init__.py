"""A code host with its CI and its tracker, each on an origin of its own; see README.md."""
