"""`exhibit schedule`: runs that are requested again and again."""
