"""The network as this machine knows it."""
