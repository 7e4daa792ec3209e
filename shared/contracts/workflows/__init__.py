"""Messages of the workflow library, by subject: sources, library, invocations, artifacts, flows."""
