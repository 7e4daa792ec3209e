"""One row of a task that is tried before a run."""
