"""Language models for all services: a client of the Messages API, its answers and errors as ours, and prices."""
