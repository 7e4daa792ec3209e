"""What is told of a field that is not certain."""
