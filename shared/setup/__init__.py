"""Checks of a set-up, as `exhibit doctor` runs them."""
