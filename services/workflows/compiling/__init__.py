"""Compiles the flow of a run from its first samples, while the run goes on."""
