"""A flow of the library as the driver of a sample: it is run by turns, and each of its calls is an action."""
