"""The side of the service: it starts the processes that run workflow code, and trusts nothing that they send."""
