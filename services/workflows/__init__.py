"""The library of workflows: storage, search by meaning, and execution."""
