"""A code host with its CI and its tracker, each on its own origin; see README.md."""
