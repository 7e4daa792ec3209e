"""Secrets of this machine: where they are read, and how they are removed from what leaves a process."""
