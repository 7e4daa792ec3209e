"""A flow of the library as the decider of a sample: it is run by turns, and each of its calls is an action."""
