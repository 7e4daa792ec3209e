"""Rules that extract values from observed pages, learned from examples. All of it is pure."""
