"""`exhibit try`: one row of a task, before a run."""
