"""Runs that are requested again and again, at the times of a schedule."""
