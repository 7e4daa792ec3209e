"""Flows on third-party pages that differ from those that they were learned on: other templates, another release."""
