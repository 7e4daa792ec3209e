"""A directory of people with look-alike names, former employees, a login wall and 429s; see README.md."""
