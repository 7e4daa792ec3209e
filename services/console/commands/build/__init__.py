"""`exhibit build`: a build session in a terminal."""
