"""Search by meaning: embedders, their vectors in a file, and the index that ranks workflows."""
