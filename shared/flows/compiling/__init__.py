"""Flows compiled from the recorded steps of samples. All of it but `reading` is pure."""
