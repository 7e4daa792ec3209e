"""The decider of a run that uses a workflow: the workflow first, then whoever decides the run."""
