"""Flows on pages that have changed since they were learned."""
