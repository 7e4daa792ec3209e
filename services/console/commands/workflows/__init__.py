"""`exhibit workflows`: the library of workflows, from the command line."""
