"""Build sessions: their work in the browser, their files, and what of them is kept on the bus."""
