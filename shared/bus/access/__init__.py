"""Who may use a bus: keys, and the files by which processes of one user find the key of their own server."""
