"""Modules under the names that flows written elsewhere import."""
