"""Publishes the version of a flow that the samples of runs call for, while the runs go on."""
