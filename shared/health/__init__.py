"""Whether the services of this process are alive and ready, and an HTTP port that tells it."""
