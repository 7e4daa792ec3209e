"""Declarations of tools: what people write, what is wrong with it, and the calls that follow from it."""
