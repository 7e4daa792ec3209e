"""Flows checked on recorded samples, without a browser."""
