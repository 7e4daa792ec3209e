"""Flows on pages that have changed: what helped, and what a flow should be changed to."""
