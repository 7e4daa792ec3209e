"""The connection to a NATS server: how it lasts, and what is told when it is lost."""
