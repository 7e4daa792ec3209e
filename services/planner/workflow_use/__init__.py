"""Workflows of the library in the work on samples: which one fits a task, its arguments, and saving a new one."""
