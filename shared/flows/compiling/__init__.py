"""Flows compiled from recordings. Pure."""
