"""The flows of runs: compiled from the first samples of a run while it goes on, and healed where pages have changed."""
