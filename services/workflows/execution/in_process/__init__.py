"""Workflow code in threads of this process: for code that is trusted."""
