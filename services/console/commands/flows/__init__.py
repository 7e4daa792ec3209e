"""`exhibit compile` and `exhibit flows`: flows made of recorded samples, and what they consist of."""
