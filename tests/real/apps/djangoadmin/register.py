"""The application that the models belong to."""
