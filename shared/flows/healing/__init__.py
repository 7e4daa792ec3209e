"""New versions of flows, from what their runs have found in another way than it was recorded."""
