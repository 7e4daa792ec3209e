"""Runs workflow code: each invocation in a process of its own that may nearly nothing, or, if trusted, in this one."""
